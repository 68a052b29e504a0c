//! The pages of who has no session, and the end of an account.

use crate::fake::{Fake, World};
use crate::site::{get_with, page};

const PAGES: [(&str, &str); 4] = [
    ("/forgot-password", "/ui/forgot-password"),
    ("/reset-password", "/ui/reset-password"),
    ("/confirm-email", "/ui/confirm-email"),
    ("/register", "/ui/register"),
];

#[tokio::test]
async fn each_is_a_plain_form_in_both_languages() {
    let fake = Fake::new(World::Full);
    for (path, post) in PAGES {
        let form = format!("method=\"post\" action=\"{post}\"");
        let (english, chinese) =
            (get_with(&fake, path, "with_mail=1").await, get_with(&fake, path, "lang=zh-CN&with_mail=1").await);
        english.is(200).shows(&[&form, "<h1>", "Back to sign in"]);
        chinese.is(200).shows(&["lang=\"zh-CN\"", &form, "返回登录"]).hides(&[
            "Back to",
            "password again",
            "Send the",
            ">Name<",
        ]);
    }
}

#[tokio::test]
async fn a_link_is_pasted_where_no_scripts_run_and_a_refusal_says_what_to_do() {
    for path in ["/reset-password", "/confirm-email"] {
        page(World::Full, path).await.is(200).shows(&["name=\"token\"", "What stands behind the #"]);
        let refused = page(World::Full, &format!("{path}?error=link_expired")).await.is(200);
        refused.shows(&["data-code=\"link_expired\"", "only the newest one"]);
        page(World::Full, &format!("{path}?error=nonsense")).await.is(200).hides(&["form-summary"]);
    }
}

#[tokio::test]
async fn what_a_deployment_does_not_offer_is_not_linked_to() {
    let fake = Fake::new(World::Full);
    page(World::Full, "/sign-in").await.is(200).hides(&["/forgot-password", "/register"]);
    get_with(&fake, "/sign-in", "with_mail=1").await.is(200).shows(&["/forgot-password", "/register"]);
    page(World::Full, "/register").await.is(404).hides(&["/ui/register"]).shows(&["by invitation only"]);
    page(World::Full, "/forgot-password").await.is(200).hides(&["/ui/forgot-password"]).shows(&["sends no mail"]);
    page(World::Full, "/w/main/settings/profile").await.is(200).hides(&["/ui/fn/change_email"]);
}

#[tokio::test]
async fn the_profile_changes_the_address_and_asks_before_the_account_is_closed() {
    let fake = Fake::new(World::Full);
    let profile = get_with(&fake, "/w/main/settings/profile", "with_mail=1").await.is(200);
    profile.shows(&["/ui/fn/change_email", "/ui/fn/verify_email", "not confirmed", "?close=1"]);
    let asked = get_with(&fake, "/w/main/settings/profile?close=1", "with_mail=1").await.is(200);
    asked.shows(&["/ui/fn/request_deletion", "Close your account?", "data-testid=\"confirm\""]);
}
