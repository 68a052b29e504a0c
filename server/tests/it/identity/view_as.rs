//! An owner who sees the console as somebody with less power does.

use serde_json::Value;
use types::identity::Role;

use super::people::{PASSWORD, at_console, first_home, new_home, new_member, post_form, signed_in};
use crate::util::test_app::{Answer, Caller, on_both};

async fn view_as(browser: &Caller, role: &str) -> Answer {
    let form = [("workspace", "default"), ("role", role), ("next", "/w/default/access")];
    post_form(browser, "/ui/view-as", &form).await
}

/// Whether a page says that its reader is seen as somebody else.
async fn is_lowered(browser: &Caller, path: &str) -> bool {
    let page = browser.get(path).await;
    assert_eq!(page.status, 200, "{path}: {}", page.text);
    page.text.contains("data-testid=\"viewing\"")
}

on_both! {
    async fn a_session_is_lowered_and_raised_again_by_plain_forms(app: TestApp) {
        let home = first_home(&app).await;
        let id = new_member(&app, &home, "ada@example.com", Role::Owner).await;
        let (browser, other) = (at_console(&app, "ada@example.com").await, at_console(&app, "ada@example.com").await);
        let offered = browser.get("/w/default/access").await;
        for role in ["admin", "dev", "viewer"] {
            assert!(offered.text.contains(&format!("name=\"role\" value=\"{role}\"")), "{role}: {}", offered.text);
        }
        assert!(!offered.text.contains("name=\"role\" value=\"owner\""), "nobody is seen as what they are");

        let answer = view_as(&browser, "viewer").await;
        assert_eq!((answer.status, answer.header("location")), (303, "/w/default/access"));
        for path in ["/w/default", "/w/default/access", "/w/default/settings/profile"] {
            assert!(is_lowered(&browser, path).await, "{path}");
        }
        assert!(!browser.get("/w/default/keys").await.text.contains("/w/default/keys/new"));
        assert_eq!(browser.get("/w/default/access?tab=invitations").await.status, 403);
        assert_eq!(browser.get("/ui/export/runs?w=default&format=csv").await.status, 403);
        for path in ["/t/default/members", "/t/default/sso"] {
            assert_eq!(browser.get(path).await.status, 403, "{path}: no more than a member of the tenant");
        }
        assert!(!browser.get("/w/default/access").await.text.contains("data-testid=\"view-as\""), "nothing is below");
        assert!(!is_lowered(&other, "/w/default").await, "another session of the same person is its own");
        assert_eq!(other.get("/w/default/access?tab=invitations").await.status, 200);

        let stopped = post_form(&browser, "/ui/view-as/stop", &[("next", "/w/default/keys")]).await;
        assert_eq!((stopped.status, stopped.header("location")), (303, "/w/default/keys"));
        assert!(!is_lowered(&browser, "/w/default").await);
        assert_eq!(browser.get("/w/default/access?tab=invitations").await.status, 200);

        let owner = signed_in(&app, "ada@example.com").await;
        let rows = owner.get(&format!("/api/v1/audit?event_type=view_as&actor_id={id}")).await.expect(200);
        let told: Vec<&Value> = rows["items"].as_array().expect("rows").iter().map(|row| &row["payload"]).collect();
        let [stop, start] = told[..] else { panic!("{rows}") };
        assert_eq!((&start["after"]["role"], &start["view_as"]), (&"viewer".into(), &Value::Null));
        assert_eq!((&stop["before"]["role"], &stop["after"]["role"]), (&"viewer".into(), &Value::Null));
        assert_eq!(stop["view_as"], "viewer");
        let seq = &rows["items"][0]["seq"];
        assert!(browser.get(&format!("/w/default/audit/{seq}")).await.text.contains("Seen as"));
    }

    async fn it_ends_with_the_session_and_no_other_browser_can_begin_it(app: TestApp) {
        let home = first_home(&app).await;
        let elsewhere = new_home(&app, "elsewhere").await;
        new_member(&app, &home, "ada@example.com", Role::Admin).await;
        let browser = at_console(&app, "ada@example.com").await;
        for (workspace, role, status) in [
            (home.slug.as_str(), "owner", 400),
            (home.slug.as_str(), "admin", 400),
            (home.slug.as_str(), "root", 400),
            (elsewhere.slug.as_str(), "viewer", 404),
            ("nowhere", "viewer", 404),
        ] {
            let form = [("workspace", workspace), ("role", role), ("next", "/")];
            let refused = post_form(&browser, "/ui/view-as", &form).await;
            assert_eq!(refused.status, status, "{workspace} as {role}: {}", refused.text);
            assert!(!is_lowered(&browser, "/w/default").await);
            if status == 400 {
                assert_eq!(refused.json()["errors"][0]["field"], "role");
            }
        }
        // Posted by another site, or by nobody.
        let foreign = browser.clone().header(super::people::SAME_ORIGIN.0, "cross-site");
        assert_eq!(foreign.post("/ui/view-as", serde_json::json!({})).await.refusal(403), "csrf_failed");
        assert_eq!(view_as(&app.browser(), "viewer").await.status, 401);

        assert_eq!(view_as(&browser, "viewer").await.status, 303);
        let proved = post_form(&browser, "/ui/fn/step_up", &[("password", PASSWORD)]).await;
        assert_eq!(proved.status, 200, "{}", proved.text);
        let cookie = super::people::set_cookie(&proved, "soit_session").expect("a new cookie");
        let proved = app.browser().header(http::header::COOKIE, &cookie);
        assert!(is_lowered(&proved, "/w/default").await, "a proof of who one is ends it not");
        assert_eq!(post_form(&proved, "/ui/sign-out", &[]).await.status, 303);
        assert!(!is_lowered(&at_console(&app, "ada@example.com").await, "/w/default").await);
    }
}
