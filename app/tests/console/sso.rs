//! Identity providers: the tenant's page, one's own links, and the buttons of the sign-in page.

use crate::fake::{Fake, World, id};
use crate::site::{get_with, page, post_form};

const PAGE: &str = "/t/acme/sso";

#[tokio::test]
async fn the_page_of_a_tenant_shows_its_connections_and_one_form_at_a_time() {
    page(World::Full, "/t/acme/sso").await.is(200).shows(&[
        "<h1>Single sign-on",
        "https://idp.example.com",
        "https://soit.test/auth/oidc/idc/callback",
        "data-testid=\"new-sso\"",
    ]);
    let editing = page(World::Full, &format!("/t/acme/sso?edit={}", id("idc", 1))).await;
    editing.is(200).shows(&["name=\"client_secret\"", "devs = dev", "value=\"example.com\""]);
    page(World::Empty, "/t/acme/sso?new=1").await.is(200).shows(&["No identity provider yet", "name=\"form[issuer]\""]);
    page(World::Full, &format!("/t/acme/sso?tested={}&result=sso_unavailable", id("idc", 1)))
        .await
        .is(200)
        .shows(&["The provider does not answer as it must."]);
    page(World::Viewer, "/t/acme/sso").await.shows(&["data-testid=\"step-up\""]);
    for path in ["/t/other/sso", "/t/NOT_A_SLUG/sso"] {
        page(World::Full, path).await.is(404).shows(&["Nothing here"]);
    }
}

#[tokio::test]
async fn identity_providers_speak_chinese() {
    let fake = Fake::new(World::Full);
    for path in ["/t/acme/sso", "/t/acme/sso?new=1"] {
        get_with(&fake, path, "lang=zh-CN").await.is(200).shows(&["单点登录"]).hides(&[
            "Single sign-on",
            ">Issuer<",
            ">Test<",
            ">Scopes<",
            ">Delete<",
            ">Edit<",
        ]);
    }
    get_with(&fake, "/w/main/settings/profile", "lang=zh-CN")
        .await
        .shows(&["身份提供方", "取消关联"])
        .hides(&[">Unlink<", "Identity providers"]);
}

#[tokio::test]
async fn the_profile_shows_links_and_what_can_be_linked() {
    page(World::Full, "/w/main/settings/profile").await.is(200).shows(&[
        "ada@example.com",
        "href=\"/auth/oidc/idc_1/start?link=abc&amp;next=",
        "data-testid=\"sso-link\"",
    ]);
    page(World::Empty, "/w/main/settings/profile").await.is(200).hides(&["data-testid=\"sso-links\""]);
    page(World::Full, "/w/main/settings/profile?error=sso_refused&reason=linked_elsewhere")
        .await
        .shows(&["data-testid=\"sso-error\"", "signs in to another account here"]);
}

#[tokio::test]
async fn forms_without_scripts_do_what_they_say() {
    let fake = Fake::new(World::Full);
    let form = format!("tenant=acme&id={}", id("idc", 1));
    post_form(&fake, "delete_sso_connection", PAGE, &form).await;
    post_form(&fake, "unlink_sso", "/w/main/settings/profile", &format!("id={}", id("idl", 1))).await;
    let change = format!(
        "{form}&version=3&client_secret=&form[label]=Company&form[issuer]=https://idp.example.com&form[client_id]=soit\
         &form[jit_role]=viewer&form[mappings]=a+%3D+dev%0Ab+%3D+admin"
    );
    post_form(&fake, "update_sso_connection", PAGE, &change).await;
    let done = fake.done.lock().unwrap().clone();
    let connection = id("idc", 1);
    assert_eq!(
        done,
        [
            format!("delete acme {connection}"),
            format!("unlink {}", id("idl", 1)),
            format!("update acme {connection} 3 2"),
        ]
    );
}
