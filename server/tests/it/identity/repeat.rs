//! A form that is sent twice makes one thing, at once or one after the other; a page looked at takes no secret.

use axum::http::Method;
use axum::http::header::{ACCEPT, REFERER};
use serde_json::Value;
use types::id::FormKey;
use types::identity::Role;

use super::people::{Home, at_console, first_home, new_member, post_form, signed_in};
use crate::util::test_app::{Answer, Caller, TestApp, on_both};

const FIRST: &str = "ada@example.com";
const SECOND: &str = "ben@example.com";

async fn owners(app: &TestApp) -> Home {
    let home = first_home(app).await;
    new_member(app, &home, FIRST, Role::Owner).await;
    new_member(app, &home, SECOND, Role::Owner).await;
    home
}

fn fresh(app: &TestApp) -> String {
    app.app.ids.form_key().to_string()
}

/// Posts a form of a page as a browser without scripts does.
async fn send(person: &Caller, function: &str, form_key: &str, fields: &[(&str, &str)]) -> Answer {
    let form: Vec<_> =
        [("workspace", "default"), ("form_key", form_key)].into_iter().chain(fields.iter().copied()).collect();
    let form =
        if form_key.is_empty() { form.into_iter().filter(|(name, _)| *name != "form_key").collect() } else { form };
    post_form(
        &person.clone().header(ACCEPT, "text/html").header(REFERER, "http://localhost:5000/w/default"),
        &format!("/ui/fn/{function}"),
        &form,
    )
    .await
}

/// Whether an answer holds a whole secret, and not only the hint of one.
fn shows_secret(answer: &Answer) -> bool {
    let is_whole = |rest: &str| rest.chars().take_while(char::is_ascii_alphanumeric).count() >= 49;
    answer.text.split("sk_").skip(1).any(is_whole)
}

fn count(list: &Value) -> usize {
    list["items"].as_array().or_else(|| list["rules"].as_array()).expect("a list").len()
}

on_both! {
    async fn a_form_that_is_sent_twice_makes_one_thing(app: TestApp) {
        owners(&app).await;
        let (page, api) = (at_console(&app, FIRST).await, signed_in(&app, FIRST).await);
        let account = [("form[name]", "A"), ("form[slug]", "a"), ("form[base_url]", "https://a.example.com/v1"), ("credential", "sk-not-a-real-one")];
        let key = fresh(&app);
        for _ in 0..2 {
            let answer = send(&page, "create_provider", &key, &account).await;
            assert!(answer.header("location").starts_with("/w/default/models/prv_"), "{answer:?}");
        }
        let provider = api.get("/api/v1/modelhub/providers").await.expect(200)["items"][0]["id"].clone();
        let provider = provider.as_str().expect("an id");
        let models = format!("/api/v1/modelhub/providers/{provider}/models");
        let forms = [
            ("create_key", "/api/v1/api-keys", vec![("form[name]", "k"), ("form[scope]", "read")]),
            ("create_budget", "/api/v1/billing/budgets", vec![
                ("form[name]", "b"), ("form[scope]", "workspace"), ("form[period]", "day"), ("form[currency]", "USD"),
                ("form[amount]", "10"), ("form[thresholds]", ""),
            ]),
            ("create_model", models.as_str(), vec![("provider", provider), ("form[model_id]", "m")]),
            ("create_price", "/api/v1/modelhub/prices", vec![
                ("form[match_ref]", "model:a:*"), ("form[currency]", "USD"), ("form[input]", "1"), ("form[output]", "2"),
            ]),
            ("create_egress_rule", "/api/v1/security/egress/workspace", vec![("form[scheme]", "https"), ("form[host]", "a.example.com")]),
        ];
        for (function, list, fields) in forms {
            let before = count(&api.get(list).await.expect(200));
            let key = fresh(&app);
            let (one, other) = tokio::join!(send(&page, function, &key, &fields), send(&page, function, &key, &fields));
            let later = send(&page, function, &key, &fields).await;
            for answer in [&one, &other, &later] {
                assert!(!answer.header("location").contains("__err"), "{function}: {}", answer.header("location"));
                assert_eq!((answer.status, answer.header("location")), (later.status, later.header("location")), "{function}");
            }
            assert_eq!(count(&api.get(list).await.expect(200)), before + 1, "{function}");
        }
    }

    async fn another_page_other_values_and_another_person_make_another(app: TestApp) {
        owners(&app).await;
        let (page, other, api) = (at_console(&app, FIRST).await, at_console(&app, SECOND).await, signed_in(&app, FIRST).await);
        let key = fresh(&app);
        let named = |name: &'static str| [("form[name]", name), ("form[scope]", "read")];
        let refused = send(&page, "create_key", &key, &[("form[name]", "a"), ("form[scope]", "none")]).await;
        assert!(refused.header("location").contains("__err"), "{refused:?}");
        for (person, key, name) in [(&page, &key, "a"), (&page, &key, "b"), (&page, &fresh(&app), "a"), (&other, &key, "a")] {
            assert_eq!(send(person, "create_key", key, &named(name)).await.status, 307);
        }
        assert_eq!(count(&api.get("/api/v1/api-keys").await.expect(200)), 4);
        // A form of an older page carries none and makes one each time.
        for _ in 0..2 {
            let form = [("workspace", "default"), ("form[name]", "c"), ("form[scope]", "read")];
            post_form(&page, "/ui/fn/create_key", &form).await.expect(200);
        }
        assert_eq!(count(&api.get("/api/v1/api-keys").await.expect(200)), 6);
    }

    async fn a_form_that_changes_something_twice_has_one_effect_and_succeeds_twice(app: TestApp) {
        owners(&app).await;
        let (page, api) = (at_console(&app, FIRST).await, signed_in(&app, FIRST).await);
        let id = |answer: Value| answer["id"].as_str().expect("an id").to_owned();
        let account = serde_json::json!({ "kind": "openai_compatible", "name": "A", "slug": "a", "base_url": "https://a.example.com/v1" });
        let provider = id(api.post("/api/v1/modelhub/providers", account).await.expect(201));
        let model = api.post(&format!("/api/v1/modelhub/providers/{provider}/models"), serde_json::json!({ "model_id": "m" })).await;
        let model = id(model.expect(201));
        let budget = serde_json::json!({ "name": "b", "scope_kind": "workspace", "period": "day", "currency": "USD", "amount": "1", "hard_stop": true });
        let budget = id(api.post("/api/v1/billing/budgets", budget).await.expect(201));
        let budget_of = [("form[name]", "B"), ("form[amount]", "2"), ("form[thresholds]", "80")];
        let provider_of = [("form[name]", "B"), ("form[base_url]", "https://a.example.com/v1"), ("credential", "sk-not-a-real-one")];
        let workspace_of = [("form[name]", "W"), ("form[unpriced_call_policy]", "refuse"), ("form[content_capture]", "full")];
        type Fields<'a> = &'a [(&'a str, &'a str)];
        let steps: [(&str, &str, &str, Fields<'_>); 8] = [
            ("update_budget", &budget, "2", &budget_of),
            ("set_budget_status", &budget, "3", &[("status", "disabled")]),
            ("set_budget_status", &budget, "4", &[("status", "active")]),
            ("update_provider", &provider, "1", &provider_of),
            ("set_provider_status", &provider, "2", &[("status", "disabled")]),
            ("update_model", &model, "1", &[("form[display_name]", "M"), ("form[capabilities][]", "chat")]),
            ("set_model_enabled", &model, "2", &[("enabled", "false")]),
            ("update_workspace", "", "1", &workspace_of),
        ];
        for (function, id, version, fields) in steps {
            let form: Vec<_> = [("id", id), ("version", version)].into_iter().chain(fields.iter().copied()).collect();
            let (one, other) = tokio::join!(send(&page, function, "", &form), send(&page, function, "", &form));
            let later = send(&page, function, "", &form).await;
            for answer in [one, other, later] {
                assert!(answer.status == 302 && !answer.header("location").contains("__err"), "{function}: {answer:?}");
            }
        }
        let stale = [("id", budget.as_str()), ("version", "2"), ("form[name]", "C"), ("form[amount]", "2"), ("form[thresholds]", "80")];
        assert!(send(&page, "update_budget", "", &stale).await.header("location").contains("__err"), "others are not overwritten");
        let version = |path: String| {
            let api = api.clone();
            async move { api.get(&path).await.expect(200)["version"].clone() }
        };
        assert_eq!(version(format!("/api/v1/billing/budgets/{budget}")).await, 5);
        assert_eq!(version(format!("/api/v1/modelhub/providers/{provider}")).await, 3);
        for (function, id) in [("delete_budget", &budget), ("delete_provider", &provider)] {
            for _ in 0..2 {
                let answer = send(&page, function, "", &[("id", id)]).await;
                assert!(answer.status == 302 && !answer.header("location").contains("__err"), "{function}: {answer:?}");
            }
        }
    }

    async fn a_key_rotated_twice_by_one_form_has_one_new_secret(app: TestApp) {
        owners(&app).await;
        let (page, api) = (at_console(&app, FIRST).await, signed_in(&app, FIRST).await);
        let made = api.post("/api/v1/api-keys", serde_json::json!({ "name": "k", "scopes": ["read"] })).await.expect(201);
        let (id, old) = (made["item"]["id"].as_str().expect("an id"), made["api_key"].as_str().expect("a secret"));
        let key = fresh(&app);
        for _ in 0..2 {
            let answer = send(&page, "rotate_key", &key, &[("id", id), ("overlap_seconds", "3600")]).await;
            assert_eq!(answer.status, 307);
        }
        // A second rotation would have ended the first secret at once.
        app.anon().bearer(old).get("/api/v1/me").await.expect(200);
    }
}

/// A budget with a wrong amount, posted as a browser does that keeps the page to itself.
async fn send_wrong_budget(person: &Caller, user: &str) -> Answer {
    let form = [("workspace", "default"), ("user", user), ("form[name]", "Typed"), ("form[amount]", "a lot")];
    let from = "/ui/fn/create_budget?page=/w/default/budgets/new%3Fscope%3Dworkspace";
    post_form(&person.clone().header(ACCEPT, "text/html"), from, &form).await
}

#[tokio::test]
async fn a_refused_form_goes_back_to_its_page_with_what_was_typed_also_without_a_referer() {
    let app = TestApp::sqlite().await;
    owners(&app).await;
    let page = at_console(&app, FIRST).await;
    let back = send_wrong_budget(&page, "").await;
    assert!(back.header("location").starts_with("/w/default/budgets/new?scope=workspace&"), "{back:?}");
    let shown = page.get(back.header("location")).await;
    assert!(shown.text.contains("value=\"Typed\"") && shown.text.contains("value=\"a lot\""), "{}", shown.text);
    // An address of another site is no page of the console.
    let form = [("workspace", "default"), ("form[name]", "Typed")];
    let foreign = "/ui/fn/create_budget?page=//evil.example/";
    let strayed = post_form(&page.clone().header(ACCEPT, "text/html"), foreign, &form).await;
    assert!(strayed.header("location").starts_with("/?"), "{strayed:?}");
}

#[tokio::test]
async fn what_was_typed_outlives_the_session_for_the_same_person_alone() {
    let app = TestApp::sqlite().await;
    let home = first_home(&app).await;
    let user = new_member(&app, &home, FIRST, Role::Owner).await.to_string();
    new_member(&app, &home, SECOND, Role::Owner).await;
    let gone = send_wrong_budget(&app.browser(), &user).await;
    assert_eq!(gone.status, 303);
    let next = gone.header("location").strip_prefix("/sign-in?").expect("the sign-in page");
    let (_, next) = url::form_urlencoded::parse(next.as_bytes()).find(|(name, _)| name == "next").expect("a way back");
    let same = at_console(&app, FIRST).await.get(&next).await;
    assert!(same.status == 200 && same.text.contains("value=\"Typed\""), "{}", same.text);
    assert!(same.text.contains("nothing was sent"), "{}", same.text);
    let other = at_console(&app, SECOND).await.get(&next).await;
    assert_eq!((other.status, other.header("location")), (303, "/w/default/budgets/new?scope=workspace"));
    let nobodys = send_wrong_budget(&app.browser(), "").await;
    assert_eq!(nobodys.header("location"), "/sign-in?next=%2Fw%2Fdefault%2Fbudgets%2Fnew%3Fscope%3Dworkspace");
}

#[tokio::test]
async fn only_a_post_takes_a_secret_and_it_takes_it_once() {
    let app = TestApp::sqlite().await;
    owners(&app).await;
    let page = at_console(&app, FIRST).await;
    let made = send(&page, "create_key", &fresh(&app), &[("form[name]", "k"), ("form[scope]", "read")]).await;
    let reveal = made.header("location");
    assert_eq!((made.status, reveal.ends_with("/reveal")), (307, true), "posted again, there");
    for method in [Method::HEAD, Method::GET, Method::GET] {
        let looked = page.send(method, reveal, None).await;
        assert_eq!((looked.status, shows_secret(&looked)), (200, false));
    }
    let shown = post_form(&page, reveal, &[]).await;
    assert!(shown.status == 200 && shows_secret(&shown), "{}", shown.text);
    let again = post_form(&page, reveal, &[]).await;
    assert!(again.status == 200 && !shows_secret(&again), "{}", again.text);
}

#[tokio::test]
async fn a_key_of_a_form_that_is_none_is_refused_by_name() {
    let app = TestApp::sqlite().await;
    owners(&app).await;
    let form = [("workspace", "default"), ("form_key", "frk_1"), ("form[name]", "k"), ("form[scope]", "read")];
    let refused = post_form(&at_console(&app, FIRST).await, "/ui/fn/create_key", &form).await;
    assert_eq!(refused.status, 400);
    assert!(refused.text.contains(FormKey::PREFIX), "{}", refused.text);
}
