//! Forms without scripts lose nothing: what was typed outlives a refusal, a change somebody else made meanwhile, and its own
//! length; a refusal says who can help.

use axum::http::Method;
use axum::http::header::{ACCEPT, IF_MATCH, REFERER};
use serde_json::{Value, json};
use types::identity::Role;

use super::people::{at_console, first_home, new_member, post_form, signed_in};
use crate::util::test_app::{Answer, Caller, TestApp, on_both};

const ADA: &str = "ada@example.com";
const BEN: &str = "ben@example.com";

/// Names and values, as a browser posts them.
type Fields = Vec<(String, String)>;

/// Posts a form of a page as a browser without scripts does.
async fn send(person: &Caller, page: &str, function: &str, fields: &[(&str, &str)]) -> Answer {
    let referer = format!("http://localhost:5000{page}");
    let browser = person.clone().header(ACCEPT, "text/html").header(REFERER, &referer);
    post_form(&browser, &format!("/ui/fn/{function}"), fields).await
}

/// What the form of a function sends as it stands in a page.
fn fields(page: &Answer, function: &str) -> Fields {
    let form = page.text.split_once(&format!("action=\"/ui/fn/{function}?")).expect("the form").1;
    let form = form.split_once("</form>").expect("its end").0;
    let inputs = form.split("<input ").skip(1).map(|rest| rest.split('>').next().unwrap_or_default());
    let sent = inputs.filter(|input| {
        !input.contains("type=\"checkbox\"") && !input.contains("type=\"radio\"") || input.contains(" checked")
    });
    let word = |input: &str, name: &str| {
        let rest = format!(" {input}").split_once(&format!(" {name}=\""))?.1.to_owned();
        rest.split('"').next().map(str::to_owned)
    };
    sent.filter_map(|input| Some((word(input, "name")?, word(input, "value").unwrap_or_else(|| "on".to_owned()))))
        .collect()
}

/// The same with other texts typed.
fn typed(fields: &Fields, changes: &[(&str, &str)]) -> Fields {
    let change = |(name, value): &(String, String)| {
        let typed = changes.iter().find(|(field, _)| *name == format!("form[{field}]"));
        (name.clone(), typed.map_or_else(|| value.clone(), |(_, text)| (*text).to_owned()))
    };
    fields.iter().map(change).collect()
}

async fn post(person: &Caller, page: &str, function: &str, fields: &Fields) -> Answer {
    let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    send(person, page, function, &fields).await
}

fn value<'a>(fields: &'a Fields, name: &str) -> Option<&'a str> {
    fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

fn id(made: &Value) -> String {
    made["id"].as_str().expect("an id").to_owned()
}

on_both! {
    async fn a_save_that_came_too_late_keeps_mine_and_shows_theirs(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, ADA, Role::Owner).await;
        let (browser, api) = (at_console(&app, ADA).await, signed_in(&app, ADA).await);
        let budget = json!({ "name": "Team", "scope_kind": "workspace", "period": "day", "currency": "USD", "amount": "1", "hard_stop": true });
        let made = api.post("/api/v1/billing/budgets", budget).await.expect(201);
        let path = format!("/api/v1/billing/budgets/{}", id(&made));
        let page = format!("/w/default/budgets/{}", id(&made));
        let shown = fields(&browser.get(&page).await, "update_budget");
        let version = made["version"].to_string();
        let theirs = json!({ "amount": "9", "hard_stop": false, "name": "Theirs" });
        let theirs = api.clone().header(IF_MATCH, &format!("\"{version}\"")).send(Method::PATCH, &path, Some(theirs)).await.expect(200);

        // Refused for what was typed, the form is still about what was seen.
        let wrong = post(&browser, &page, "update_budget", &typed(&shown, &[("name", "Mine"), ("amount", "a lot")])).await;
        let back = browser.get(wrong.header("location")).await;
        assert!(back.text.contains("data-code=\"invalid\"") && !back.text.contains("data-testid=\"stored\""), "{}", back.text);
        let again = fields(&back, "update_budget");
        assert_eq!((value(&again, "version"), value(&again, "form[name]")), (Some(version.as_str()), Some("Mine")));

        let late = post(&browser, &page, "update_budget", &typed(&shown, &[("name", "Mine")])).await;
        let back = browser.get(late.header("location")).await;
        assert!(back.text.contains("data-code=\"precondition_failed\""), "{}", back.text);
        assert_eq!(back.text.matches("data-testid=\"stored\"").count(), 1, "only what was changed: {}", back.text);
        assert!(back.text.contains("<strong>Theirs<"), "{}", back.text);
        let mine = fields(&back, "update_budget");
        let present = theirs["version"].to_string();
        for (name, expected) in [
            ("version", Some(present.as_str())), ("form[name]", Some("Mine")), ("form[amount]", Some("9")), ("form[hard_stop]", None),
        ] {
            assert_eq!(value(&mine, name), expected, "{name}: {mine:?}");
        }

        // Taking theirs is a link.
        let link = back.text.split("href=\"").find(|rest| rest.contains("__take=name")).and_then(|rest| rest.split('"').next());
        let link = format!("{page}{}", link.expect("the link").replace("&amp;", "&"));
        let taken = browser.get(&link).await;
        assert_eq!(value(&fields(&taken, "update_budget"), "form[name]"), Some("Theirs"), "{}", taken.text);
        assert!(!taken.text.contains("data-testid=\"stored\""), "{}", taken.text);

        let saved = post(&browser, &page, "update_budget", &mine).await;
        assert!(!saved.header("location").contains("__err"), "{saved:?}");
        let now = api.get(&path).await.expect(200);
        assert_eq!((&now["name"], &now["amount"], &now["hard_stop"]), (&json!("Mine"), &json!("9"), &json!(false)));
    }

    async fn the_other_forms_that_change_something_show_theirs_too(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, ADA, Role::Owner).await;
        let (browser, api) = (at_console(&app, ADA).await, signed_in(&app, ADA).await);
        let account = json!({ "kind": "openai_compatible", "name": "A", "slug": "a", "base_url": "https://a.example.com/v1" });
        let provider = id(&api.post("/api/v1/modelhub/providers", account).await.expect(201));
        let models = format!("/api/v1/modelhub/providers/{provider}/models");
        let model = id(&api.post(&models, json!({ "model_id": "m", "context_window": 4096 })).await.expect(201));
        let seen = api.clone().header(IF_MATCH, "\"1\"");
        for (page, function, path, change, field, mine, theirs) in [
            (format!("/w/default/models/{provider}"), "update_provider", format!("/api/v1/modelhub/providers/{provider}"),
             json!({ "name": "Theirs" }), "name", "Mine", "Theirs"),
            (format!("/w/default/models/{provider}?edit={model}"), "update_model", format!("{models}/{model}"),
             json!({ "context_window": 8192 }), "context_window", "1024", "8192"),
            ("/w/default/settings/workspace".to_owned(), "update_workspace", format!("/api/v1/workspaces/{}", home.scope.workspace_id),
             json!({ "name": "Theirs" }), "name", "Mine", "Theirs"),
        ] {
            let shown = fields(&browser.get(&page).await, function);
            let answer = seen.send(Method::PATCH, &path, Some(change)).await;
            assert_eq!(answer.status, 200, "{path}: {}", answer.text);
            let late = post(&browser, &page, function, &typed(&shown, &[(field, mine)])).await;
            let back = browser.get(late.header("location")).await;
            assert!(back.text.contains("data-code=\"precondition_failed\""), "{function}: {}", back.text);
            assert!(back.text.contains(&format!("<strong>{theirs}<")), "{function}: {}", back.text);
            assert_eq!(value(&fields(&back, function), &format!("form[{field}]")), Some(mine), "{function}");
        }
    }
}

#[tokio::test]
async fn a_text_too_long_for_an_address_is_cut_and_named_and_the_rest_is_kept() {
    let app = TestApp::sqlite().await;
    let home = first_home(&app).await;
    let user = new_member(&app, &home, ADA, Role::Owner).await.to_string();
    let page = "/w/default/budgets/new";
    let long = "long ".repeat(12 * 1024);
    let form =
        [("workspace", "default"), ("user", user.as_str()), ("form[name]", long.as_str()), ("form[amount]", "a lot")];
    let check = |back: Answer| {
        assert_eq!(back.status, 200, "{}", back.text);
        assert!(back.text.contains("The text of name was too long to be kept whole."), "{}", back.text);
        assert!(back.text.contains("value=\"a lot\"") && back.text.contains("value=\"long long "), "{}", back.text);
    };
    let browser = at_console(&app, ADA).await;
    let refused = send(&browser, page, "create_budget", &form).await;
    assert_eq!(refused.status, 302);
    check(browser.get(refused.header("location")).await);

    // The same where the session has ended meanwhile.
    let gone = send(&app.browser(), page, "create_budget", &form).await;
    let next = gone.header("location").strip_prefix("/sign-in?").expect("the sign-in page");
    assert_eq!(app.browser().get(gone.header("location")).await.status, 200);
    let (_, next) = url::form_urlencoded::parse(next.as_bytes()).find(|(name, _)| name == "next").expect("a way back");
    check(browser.get(&next).await);
}

#[tokio::test]
async fn a_word_too_long_to_be_repeated_does_not_make_an_address_too_long() {
    let app = TestApp::sqlite().await;
    let home = first_home(&app).await;
    new_member(&app, &home, ADA, Role::Owner).await;
    let browser = at_console(&app, ADA).await;
    let long = "x".repeat(60 * 1024);
    let refused = send(&browser, "/w/default/keys", "revoke_key", &[("workspace", "default"), ("id", &long)]).await;
    let back = browser.get(refused.header("location")).await;
    assert_eq!(back.status, 200, "{}", back.text);
}

#[tokio::test]
async fn a_refusal_names_the_permission_and_who_has_it() {
    let app = TestApp::sqlite().await;
    let home = first_home(&app).await;
    new_member(&app, &home, BEN, Role::Viewer).await;
    let (browser, api) = (at_console(&app, BEN).await, signed_in(&app, BEN).await);
    let budget = json!({ "name": "b", "scope_kind": "workspace", "period": "day", "currency": "USD", "amount": "1", "hard_stop": true });
    let refused = api.post("/api/v1/billing/budgets", budget).await.expect(403);
    assert_eq!(refused["permission"], json!({ "action": "budget.create", "roles": ["owner", "admin"] }));
    let form = [
        ("workspace", "default"),
        ("form[name]", "b"),
        ("form[scope]", "workspace"),
        ("form[period]", "day"),
        ("form[currency]", "USD"),
        ("form[amount]", "1"),
    ];
    let refused = send(&browser, "/w/default/budgets/new", "create_budget", &form).await;
    let back = browser.get(refused.header("location")).await;
    let sentence = "Needs `budget.create`. The owners and admins of this workspace have it.";
    assert!(back.text.contains(sentence), "{}", back.text);
}
