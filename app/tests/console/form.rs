//! Forms, posted by a browser without scripts and called by one with them.

use crate::fake::{Fake, World, id};
use crate::site::{call, follow, get, post_form};

fn done(fake: &Fake) -> Vec<String> {
    fake.done.lock().unwrap().clone()
}

#[tokio::test]
async fn a_new_key_is_shown_once_and_never_in_an_address() {
    let fake = Fake::new(World::Full);
    let second = get(&fake, "/w/main/keys/new?step=limits&name=CI&scope=write").await.is(200);
    let second = second.shows(&["action=\"/ui/fn/create_key?page=/w/main/keys/new%3Fstep%3Dlimits", "value=\"CI\""]);
    drop(second);
    let body = "workspace=main&form[name]=CI&form[scope]=write&form[allowed_models]=model:test:echo%0D%0A";
    let posted = post_form(&fake, "create_key", "/w/main/keys/new?step=limits&name=CI&scope=write", body).await.is(307);
    assert_eq!(done(&fake), ["create_key CI Some([\"model:test:echo\"])"]);
    let location = posted.location.clone().unwrap();
    assert!(!location.contains("sk_"), "{location}");
    // Whatever looks at the page before, or loads it ahead, takes nothing.
    get(&fake, &location)
        .await
        .is(200)
        .shows(&["data-testid=\"show\"", "method=\"post\""])
        .hides(&["sk_7f3a90c2d4e5b678"]);
    follow(&fake, posted).await.is(200).shows(&[
        "sk_7f3a90c2d4e5b6781f3a90c2d4e5c4d9",
        "from openai import OpenAI",
        "http://localhost:9200/v1",
    ]);
    get(&fake, &location).await.is(200).shows(&["The key is not shown again"]).hides(&["sk_7f3a90c2d4e5b678"]);
}

#[tokio::test]
async fn the_link_of_an_invitation_is_shown_once_and_never_in_an_address() {
    let fake = Fake::new(World::Full);
    let body = "workspace=main&form[email]=guest@example.com&form[role]=dev";
    let posted = post_form(&fake, "create_invitation", "/w/main/access/new", body).await.is(307);
    assert_eq!(done(&fake), ["create_invitation guest@example.com dev"]);
    let location = posted.location.clone().unwrap();
    assert!(!location.contains("si_"), "{location}");
    get(&fake, &location).await.is(200).shows(&["data-testid=\"show\"", "method=\"post\""]).hides(&["si_7f3a90c2"]);
    follow(&fake, posted).await.is(200).shows(&["http://localhost:5000/invite#si_7f3a90c2", "guest@example.com"]);
    get(&fake, &location).await.is(200).shows(&["The link is not shown again"]).hides(&["si_7f3a90c2"]);
}

#[tokio::test]
async fn replays_lead_to_the_new_run_without_scripts() {
    let fake = Fake::new(World::Full);
    let run = id("run", 899);
    let page = format!("/w/main/runs/{run}");
    let made = format!("/w/main/runs/{}", id("run", 896));
    for (function, more) in [("rerun_run", ""), ("rerun_run", "&form[input]=Oslo"), ("reexecute_run", "")] {
        let led = post_form(&fake, function, &page, &format!("workspace=main&id={run}{more}")).await.is(302);
        assert_eq!(led.location.as_deref(), Some(made.as_str()));
    }
    let page = format!("/w/main/runs/{run}/replay");
    let fields = "form[from_seq]=2&form[model_ref]=model:test:echo&form[tools]=simulated";
    let body = format!("workspace=main&id={run}&{fields}&form[params]=%7B%22temperature%22%3A0%7D");
    let led = post_form(&fake, "fork_run", &page, &body).await.is(302);
    assert_eq!(led.location.as_deref(), Some(made.as_str()));
    let told = "fork_run 2 Some(\"model:test:echo\") {\"temperature\": Number(0)}";
    assert_eq!(done(&fake), ["rerun_run None", "rerun_run Some(String(\"Oslo\"))", "reexecute_run", told]);
    let wrong = format!("workspace=main&id={run}&form[from_seq]=2&form[params]=hot");
    post_form(&fake, "fork_run", &page, &wrong).await.is(302);
    assert_eq!(done(&fake).len(), 4);
}

#[tokio::test]
async fn feedback_is_given_by_a_form_and_a_rating_is_demanded() {
    let fake = Fake::new(World::Full);
    let run = id("run", 899);
    let page = format!("/w/main/runs/{run}");
    let body = format!("workspace=main&id={run}&form[rating]=down&form[labels]=slow&form[comment]=Too%20slow");
    post_form(&fake, "give_feedback", &page, &body).await.is(302);
    assert_eq!(done(&fake), ["give_feedback down Some(\"Too slow\")"]);
    post_form(&fake, "give_feedback", &page, &format!("workspace=main&id={run}&form[comment]=x")).await.is(302);
    assert_eq!(done(&fake).len(), 1);
}

#[tokio::test]
async fn a_member_gets_another_role_or_goes_by_a_form() {
    let fake = Fake::new(World::Full);
    let user = id("usr", 2);
    let body = format!("workspace=main&id={user}&version=2&form[role]=dev&seen[role]=admin");
    post_form(&fake, "update_member", "/w/main/access", &body).await.is(302);
    post_form(&fake, "remove_member", "/w/main/access", &format!("workspace=main&id={user}")).await.is(302);
    let invitation = id("inv", 1);
    let page = "/w/main/access?tab=invitations";
    post_form(&fake, "revoke_invitation", page, &format!("workspace=main&id={invitation}")).await.is(302);
    let expected = [
        format!("update_member {user} dev"),
        format!("remove_member {user}"),
        format!("revoke_invitation {invitation}"),
    ];
    assert_eq!(done(&fake), expected);
    let body = format!("workspace=main&id={user}&version=2&form[role]=root");
    call(&fake, "update_member", &body).await.is(400).shows(&["\"field\":\"role\""]);
}

#[tokio::test]
async fn every_form_that_makes_something_carries_its_key() {
    let fake = Fake::new(World::Full);
    let provider = format!("/w/main/models/{}", id("prv", 1));
    for (page, function) in [
        ("/w/main/keys/new?step=limits&name=CI&scope=write", "create_key"),
        (&format!("/w/main/keys?rotate={}", id("key", 1)), "rotate_key"),
        ("/w/main/access/new", "create_invitation"),
        ("/w/main/budgets/new", "create_budget"),
        ("/w/main/models/new", "create_provider"),
        (&provider, "create_model"),
        ("/w/main/models?tab=prices", "create_price"),
        ("/w/main/models?tab=egress", "create_egress_rule"),
    ] {
        let page = get(&fake, page).await.is(200).shows(&[&format!("action=\"/ui/fn/{function}?page=")]);
        let form = page.body.split_once(&format!("action=\"/ui/fn/{function}?page=")).expect("the form").1;
        let form = form.split_once("</form>").expect("its end").0;
        let field = format!("name=\"form_key\" value=\"{}\"", id("frk", 1));
        assert!(form.contains(&field), "{function}: {form}");
    }
}

#[tokio::test]
async fn the_first_step_of_a_key_goes_no_further_while_it_is_wrong() {
    let fake = Fake::new(World::Full);
    get(&fake, "/w/main/keys/new?step=limits&name=&scope=write")
        .await
        .is(200)
        .shows(&["form-summary", "must have 1 to 80 characters"])
        .hides(&["create_key"]);
}

#[tokio::test]
async fn a_refused_form_comes_back_with_what_was_typed() {
    let fake = Fake::new(World::Full);
    let body = "workspace=main&form[name]=Monthly&form[scope]=workspace&form[period]=month&form[currency]=usd&form[amount]=1,5&form[thresholds]=";
    let posted = post_form(&fake, "create_budget", "/w/main/budgets/new", body).await.is(302);
    let back = follow(&fake, posted).await.is(200);
    back.shows(&[
        "2 fields need attention",
        "must be an ISO 4217 currency code",
        "value=\"Monthly\"",
        "value=\"1,5\"",
        "aria-invalid=\"true\"",
    ]);
    assert_eq!(done(&fake), [""; 0]);
}

#[tokio::test]
async fn a_problem_of_the_server_is_shown_by_its_code() {
    let fake = Fake::new(World::Full);
    let body = "workspace=main&form[name]=Daily&form[scope]=workspace&form[period]=day&form[currency]=USD&form[amount]=5&form[hard_stop]=on&form[thresholds]=80";
    let posted = post_form(&fake, "create_budget", "/w/main/budgets/new", body).await.is(302);
    follow(&fake, posted).await.shows(&[
        "data-code=\"already_exists\"",
        "It exists already",
        "A budget named `Daily` exists",
        "checked",
    ]);
}

#[tokio::test]
async fn a_secret_never_travels_back() {
    let fake = Fake::new(World::Full);
    let body = "workspace=main&form[name]=&form[slug]=openai&form[base_url]=https://api.example.com/v1&credential=sk-very-secret";
    let posted = post_form(&fake, "create_provider", "/w/main/models/new", body).await.is(302);
    assert!(!posted.location.clone().unwrap().contains("very-secret"));
    follow(&fake, posted).await.shows(&["value=\"openai\""]).hides(&["very-secret"]);
    let body = "current_password=old-secret&new_password=short-secret&repeated=other-secret";
    let posted = post_form(&fake, "change_password", "/w/main/settings/profile", body).await.is(302);
    assert!(!posted.location.clone().unwrap().contains("secret"));
    follow(&fake, posted).await.shows(&["must be the same as the new password"]).hides(&["old-secret", "short-secret"]);
}

#[tokio::test]
async fn an_action_that_needs_a_fresh_proof_asks_for_the_password() {
    let fake = Fake::new(World::Full);
    let from = "/w/main/models?tab=egress";
    let body = "workspace=main&form[scheme]=https&form[host]=api.example.org&form[ports]=&form[note]=";
    let posted = post_form(&fake, "create_egress_rule", from, body).await.is(302);
    follow(&fake, posted).await.is(200).shows(&[
        "data-testid=\"step-up\"",
        "/ui/fn/step_up",
        "value=\"api.example.org\"",
    ]);
    let wrong = post_form(&fake, "step_up", from, "password=wrong").await.is(302);
    assert!(!wrong.location.unwrap().contains("wrong&"));
    let right = post_form(&fake, "step_up", from, "password=right").await.is(302);
    assert_eq!(right.location.as_deref(), Some("http://localhost:5000/w/main/models?tab=egress"));
}

#[tokio::test]
async fn a_script_gets_the_problem_with_its_status() {
    let viewer = Fake::new(World::Viewer);
    let body = "workspace=main&form[name]=CI&form[scope]=write";
    call(&viewer, "create_key", body).await.is(403).shows(&["\"code\":\"role_required\""]);
    let owner = Fake::new(World::Full);
    call(&owner, "create_key", "workspace=main&form[name]=&form[scope]=write")
        .await
        .is(400)
        .shows(&["\"field\":\"name\""]);
    call(&owner, "create_key", "workspace=NOT_A_SLUG&form[name]=x").await.is(400).shows(&["\"code\":\"invalid\""]);
    call(&owner, "create_key", body).await.is(200).hides(&["sk_7f3a90c2d4e5b678"]);
}

#[tokio::test]
async fn switches_and_dialogs_post_what_they_say() {
    let fake = Fake::new(World::Full);
    let (key, budget, model, provider) = (id("key", 1), id("bdg", 1), id("mdl", 2), id("prv", 1));
    post_form(&fake, "revoke_key", "/w/main/keys", &format!("workspace=main&id={key}")).await.is(302);
    post_form(&fake, "rotate_key", "/w/main/keys", &format!("workspace=main&id={key}&overlap_seconds=3600"))
        .await
        .is(307);
    post_form(
        &fake,
        "set_budget_status",
        "/w/main/keys",
        &format!("workspace=main&id={budget}&version=3&status=disabled"),
    )
    .await
    .is(302);
    post_form(
        &fake,
        "set_model_enabled",
        "/w/main/models",
        &format!("workspace=main&id={model}&version=1&enabled=false"),
    )
    .await
    .is(302);
    post_form(&fake, "accept_egress_offer", "/w/main/models", &format!("workspace=main&provider={provider}"))
        .await
        .is(302);
    let model = format!(
        "workspace=main&provider={provider}&form[model_id]=m&form[capabilities][]=chat&form[capabilities][]=vision&form[price][input]=1&form[price][output]=2&form[price][currency]=USD"
    );
    post_form(&fake, "create_model", "/w/main/models", &model).await.is(302);
    assert_eq!(
        done(&fake),
        [
            format!("revoke_key {key}"),
            format!("rotate_key {key} 3600"),
            format!("update_budget {budget} None Some(Disabled)"),
            format!("update_model {} Some(false)", id("mdl", 2)),
            format!("accept_egress_offer {provider}"),
            "create_model m Some([Chat, Vision])".to_owned(),
        ]
    );
}

#[tokio::test]
async fn a_stale_form_is_a_conflict_and_changes_nothing() {
    let fake = Fake::new(World::Full);
    let budget = id("bdg", 1);
    let body = format!("workspace=main&id={budget}&version=2&form[name]=Daily&form[amount]=60&form[thresholds]=");
    let posted = post_form(&fake, "update_budget", &format!("/w/main/budgets/{budget}"), &body).await.is(302);
    follow(&fake, posted).await.shows(&["Someone changed it in the meantime", "value=\"60\""]);
    assert_eq!(done(&fake), [""; 0]);
}
