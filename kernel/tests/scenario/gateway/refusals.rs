//! Calls that are refused: each by its own code, as a run, and before anything leaves.

use std::sync::atomic::Ordering;
use std::time::Duration;

use kernel::gateway::{Operation, Request};
use kernel::port::SafetyVerdict;
use kernel::record::ApiKey;
use serde_json::{Value, json};
use types::identity::Scope as Reach;
use types::modelhub::ProviderStatus;
use types::problem::Code;
use types::run::{RunStatus, StepStatus};

use super::provider::{Act, whole};
use super::world::{World, ask, ask_stream, key};

fn with(change: impl FnOnce(&mut Value)) -> Value {
    let mut body = ask("model:acme:gpt");
    change(&mut body);
    body
}

fn image(url: &str) -> Value {
    with(|body| body["messages"][0]["content"] = json!([{ "type": "image_url", "image_url": { "url": url } }]))
}

/// Asks and is refused: the code and field. The run is failed with that code and has no step; nothing left.
async fn refused(world: &World, key: ApiKey, operation: Operation, body: Value) -> (Code, Option<String>) {
    world.provider.will([whole("x", 1, 1)]);
    let refusal = world.call(key, operation, body.clone()).await.map(drop).unwrap_err();
    let run_id = refusal.error.run_id().expect("a refusal is a run");
    let (status, end) = world.run(run_id);
    assert_eq!((status, end.error.unwrap().code), (RunStatus::Failed, refusal.error.code().to_string()), "{body}");
    assert!(world.steps(run_id).is_empty(), "{body}");
    assert!(world.provider.received.lock().unwrap().is_empty(), "{body}");
    assert!(world.costs().is_empty(), "{body}");
    (refusal.error.code(), refusal.error.field().map(str::to_owned))
}

#[tokio::test(start_paused = true)]
async fn wrong_fields_are_named() {
    let long = "m".repeat(300);
    for (body, code, field) in [
        (with(|body| drop(body.as_object_mut().unwrap().remove("messages"))), Code::Invalid, "messages"),
        (with(|body| body["messages"] = json!([])), Code::Invalid, "messages"),
        (with(|body| body["messages"] = json!("hi")), Code::Invalid, "messages"),
        (
            with(|body| body["messages"] = vec![json!({ "role": "user", "content": "x" }); 4097].into()),
            Code::Invalid,
            "messages",
        ),
        (with(|body| body["messages"][0]["role"] = json!("bot")), Code::Invalid, "messages[0].role"),
        (with(|body| body["messages"][0] = json!({})), Code::Invalid, "messages[0].role"),
        (with(|body| body["messages"][0]["content"] = json!(5)), Code::Invalid, "messages[0].content"),
        (
            with(|body| body["messages"][0]["content"] = json!([{ "type": "text" }])),
            Code::Invalid,
            "messages[0].content[0].text",
        ),
        (with(|body| body["messages"][0]["content"] = Value::Null), Code::Invalid, "messages[0].content"),
        (
            with(|body| body["messages"][0] = json!({ "role": "tool", "content": "4" })),
            Code::Invalid,
            "messages[0].tool_call_id",
        ),
        (
            with(|body| body["messages"][0] = json!({ "role": "assistant", "tool_calls": {} })),
            Code::Invalid,
            "messages[0].tool_calls",
        ),
        (with(|body| body["messages"][0] = json!("hi")), Code::Invalid, "messages[0]"),
        (with(|body| body["tools"] = json!([{ "type": "function" }])), Code::Invalid, "tools[0].function"),
        (with(|body| body["seed"] = json!(1.5)), Code::Invalid, "seed"),
        (with(|body| body["top_logprobs"] = json!(21)), Code::Invalid, "top_logprobs"),
        (with(|body| body["tool_choice"] = json!(1)), Code::Invalid, "tool_choice"),
        (with(|body| body["tool_choice"] = json!("always")), Code::Invalid, "tool_choice"),
        (with(|body| body["tool_choice"] = json!({ "type": "web_search" })), Code::Invalid, "tool_choice.type"),
        (
            with(|body| body["tool_choice"] = json!({ "type": "function", "function": {} })),
            Code::Invalid,
            "tool_choice.function.name",
        ),
        (with(|body| body["service_tier"] = json!(1)), Code::Invalid, "service_tier"),
        (with(|body| body["service_tier"] = json!("fastest")), Code::Invalid, "service_tier"),
        (with(|body| body["response_format"] = json!({ "type": "xml" })), Code::Invalid, "response_format.type"),
        (
            with(|body| body["response_format"] = json!({ "type": "json_schema" })),
            Code::Invalid,
            "response_format.json_schema",
        ),
        (with(|body| body["logit_bias"] = json!({ "50256": 101 })), Code::Invalid, "logit_bias.50256"),
        (with(|body| body["metadata"] = json!({ "k": 1 })), Code::Invalid, "metadata.k"),
        (with(|body| body["modalities"] = json!("text")), Code::Invalid, "modalities"),
        (with(|body| body["verbosity"] = json!(1)), Code::Invalid, "verbosity"),
        (with(|body| body["prediction"] = json!("x")), Code::Invalid, "prediction"),
        (with(|body| body["functions"] = json!([{}])), Code::Invalid, "functions[0].name"),
        (with(|body| body["function_call"] = json!("always")), Code::Invalid, "function_call"),
        (with(|body| body["messages"][0]["name"] = json!(1)), Code::Invalid, "messages[0].name"),
        (
            with(|body| body["messages"][0] = json!({ "role": "assistant", "tool_calls": [{ "id": "c" }] })),
            Code::Invalid,
            "messages[0].tool_calls[0].function",
        ),
        (with(|body| body["messages"][0]["content"] = json!([1])), Code::Invalid, "messages[0].content[0]"),
        (image("data:image/png;base64,aGVsbG8="), Code::Invalid, "messages[0].content[0].image_url.url"),
        (
            with(|body| {
                body["messages"][0]["content"] = json!([{ "type": "image_url", "image_url": "https://img.test/a.png" }])
            }),
            Code::Invalid,
            "messages[0].content[0].image_url",
        ),
        (with(|body| body["user"] = json!(7)), Code::Invalid, "user"),
        (with(|body| body["metadata"] = json!([])), Code::Invalid, "metadata"),
        (with(|body| body["n"] = json!(9)), Code::Invalid, "n"),
        (with(|body| body["n"] = json!(1.5)), Code::Invalid, "n"),
        (with(|body| body["temperature"] = json!(3)), Code::Invalid, "temperature"),
        (with(|body| body["top_p"] = json!("1")), Code::Invalid, "top_p"),
        (with(|body| body["max_tokens"] = json!(0)), Code::Invalid, "max_tokens"),
        (with(|body| body["max_completion_tokens"] = json!(-1)), Code::Invalid, "max_completion_tokens"),
        (with(|body| body["stream"] = json!("yes")), Code::Invalid, "stream"),
        (with(|body| body["stream_options"] = json!({})), Code::Invalid, "stream_options"),
        (with(|body| body["stop"] = json!(["a", "b", "c", "d", "e"])), Code::Invalid, "stop"),
        (with(|body| body["tools"] = json!([{}])), Code::Invalid, "tools[0].type"),
        (with(|body| body["tools"] = json!([{ "type": "web_search" }])), Code::FieldNotAllowed, "tools[0].type"),
        (with(|body| body["models"] = json!(["a"])), Code::FieldNotAllowed, "models"),
        (with(|body| body["extra_body"] = json!({})), Code::FieldNotAllowed, "extra_body"),
        (with(|body| body["background"] = json!(true)), Code::FieldNotAllowed, "background"),
        (with(|body| body["service_tier"] = json!("priority")), Code::ServiceTierNotPriced, "service_tier"),
        (with(|body| body["model"] = json!(5)), Code::Invalid, "model"),
        (with(|body| body["model"] = json!("gpt-4o")), Code::ModelNotFound, "model"),
        (with(|body| body["model"] = json!("model:x")), Code::ModelNotFound, "model"),
        (with(|body| body["model"] = json!(long)), Code::ModelNotFound, "model"),
        (with(|body| body["model"] = json!("model:test:nothing")), Code::ModelNotFound, "model"),
        (with(|body| body["model"] = json!("model:test:embed")), Code::ModelCapabilityUnavailable, "model"),
        (
            with(|body| body["tools"] = json!([{ "type": "function", "function": { "name": "f" } }])),
            Code::ModelCapabilityUnavailable,
            "tools",
        ),
        (image("data:image/png;base64,iVBORw0KGgo="), Code::ModelCapabilityUnavailable, "messages"),
    ] {
        let world = World::new();
        let found = refused(&world, key(), Operation::Chat, body.clone()).await;
        assert_eq!(found, (code, Some(field.to_owned())), "{body}");
    }
}

#[tokio::test(start_paused = true)]
async fn bodies_that_are_no_plain_object_are_refused() {
    for (text, code) in
        [("[]", Code::InvalidJson), ("{", Code::InvalidJson), (r#"{"model":"a","model":"b"}"#, Code::DuplicateKey)]
    {
        let world = World::new();
        let request = Request { operation: Operation::Chat, body: text.as_bytes().to_vec(), headers: Vec::new() };
        let refused = world.gateway.complete(world.caller(key()), request).await.unwrap_err();
        assert_eq!(refused.error.code(), code);
        assert!(refused.error.run_id().is_some());
    }
}

#[tokio::test(start_paused = true)]
async fn keys_reach_as_far_as_they_say() {
    let world = World::new();
    let mut reader = key();
    reader.scopes = vec![Reach::Read];
    assert_eq!(refused(&world, reader, Operation::Chat, ask("model:acme:gpt")).await.0, Code::ScopeRequired);
    let mut picky = key();
    picky.allowed_models = Some(vec!["model:acme:unknown".to_owned()]);
    assert_eq!(refused(&world, picky, Operation::Chat, ask("model:acme:gpt")).await.0, Code::ModelNotAllowed);
}

#[tokio::test(start_paused = true)]
async fn what_is_switched_off_says_so() {
    let world = World::new();
    world.set_up(|snapshot| snapshot.models[0].enabled = false);
    assert_eq!(refused(&world, key(), Operation::Chat, ask("model:acme:gpt")).await.0, Code::ModelDisabled);
    world.set_up(|snapshot| snapshot.providers[0].status = ProviderStatus::Disabled);
    assert_eq!(refused(&world, key(), Operation::Chat, ask("model:acme:unknown")).await.0, Code::ProviderDisabled);
}

#[tokio::test(start_paused = true)]
async fn a_lost_credential_is_missing() {
    let world = World::new();
    world.set_up(|snapshot| {
        snapshot.providers[0].secret_id = Some(types::id::SecretId::from_uuid(super::world::uuid(99)));
    });
    assert_eq!(refused(&world, key(), Operation::Chat, ask("model:acme:gpt")).await.0, Code::ProviderCredentialMissing);
}

#[tokio::test(start_paused = true)]
async fn a_prompt_must_fit_the_context() {
    let world = World::new();
    world.set_up(|snapshot| snapshot.models[0].context_window = Some(3));
    let found = refused(&world, key(), Operation::Chat, ask("model:acme:gpt")).await;
    assert_eq!(found, (Code::ContextLengthExceeded, Some("messages".to_owned())));
}

#[tokio::test(start_paused = true)]
async fn prompt_and_answer_must_fit_the_context_together() {
    // Three words and a message around them, to which 100 come; 1.3 tokens a word where the tokenizer is not public.
    for (model, place, window) in [("model:acme:gpt", 0, 107), ("model:acme:unknown", 1, 108)] {
        let world = World::new();
        world.set_up(|snapshot| snapshot.models[place].context_window = Some(window));
        world.provider.will([whole("x", 1, 1)]);
        assert!(world.chat(ask(model)).await.is_ok(), "{model}");
        for (window, cap, field) in [
            (window - 1, "max_tokens", "max_tokens"),
            (window - 1, "max_completion_tokens", "max_completion_tokens"),
            (7, "max_tokens", "messages"),
        ] {
            let world = World::new();
            world.set_up(|snapshot| snapshot.models[place].context_window = Some(window));
            let mut body = ask(model);
            body["max_tokens"] = Value::Null;
            body[cap] = json!(100);
            let found = refused(&world, key(), Operation::Chat, body).await;
            assert_eq!(found, (Code::ContextLengthExceeded, Some(field.to_owned())), "{model} {window}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn token_ids_outside_the_vocabulary_are_named() {
    let world = World::new();
    for (input, field) in [(json!([1, 5000]), "input[1]"), (json!([[1], [2, 5000]]), "input[1][1]")] {
        let body = json!({ "model": "model:test:embed", "input": input });
        let found = refused(&world, key(), Operation::Embeddings, body).await;
        assert_eq!(found, (Code::Invalid, Some(field.to_owned())));
    }
}

#[tokio::test(start_paused = true)]
async fn a_minute_has_its_limit_and_says_when_it_ends() {
    let world = World::new();
    world.around.calls_left.store(2, Ordering::SeqCst);
    world.provider.will([whole("x", 1, 1)]);
    let limited = || {
        let mut key = key();
        key.rate_limit_per_minute = Some(2);
        key
    };
    for left in [1, 0] {
        let Ok(kernel::gateway::Reply::Whole(answer)) =
            world.call(limited(), Operation::Chat, ask("model:acme:gpt")).await
        else {
            panic!("an answer")
        };
        assert_eq!(answer.facts.standings.requests.unwrap().remaining, left);
    }
    let refused = world.call(limited(), Operation::Chat, ask("model:acme:gpt")).await.unwrap_err();
    assert_eq!((refused.error.code(), refused.error.retry_after()), (Code::RateLimited, Some(30)));
    assert_eq!(refused.error.problem().limit.unwrap().name, "requests_per_minute");
}

#[tokio::test(start_paused = true)]
async fn a_full_account_takes_no_more() {
    let world = World::new();
    world.set_up(|snapshot| snapshot.providers[0].max_concurrency = 1);
    world.provider.will([Act::Hang]);
    let (_, refused) =
        tokio::join!(tokio::time::timeout(Duration::from_secs(2), world.chat(ask_stream("model:acme:gpt"))), async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            world.chat(ask("model:acme:gpt")).await
        });
    assert_eq!(refused.unwrap_err().error.code(), Code::ProviderSaturated);
}

/// A refusal after the intent: the step is closed and says that nothing was sent, the hold is free, nothing is charged.
async fn refused_on_the_way_out(world: &World) -> Code {
    world.set_up(|snapshot| snapshot.budgets = vec![super::world::budget("1", true)]);
    let refusal = world.chat(ask("model:acme:gpt")).await.unwrap_err();
    let run_id = refusal.error.run_id().unwrap();
    let [(status, step)] = world.steps(run_id).try_into().expect("one step");
    assert_eq!((status, &step.metrics["sent"]), (StepStatus::Failed, &json!(false)));
    assert_eq!(step.error.unwrap().code, refusal.error.code().to_string());
    assert!(world.provider.received.lock().unwrap().is_empty() && world.costs().is_empty());
    world.settled().await;
    world.nothing_is_left();
    refusal.error.code()
}

#[tokio::test(start_paused = true)]
async fn no_rule_means_no() {
    let world = World::new();
    world.set_up(|snapshot| snapshot.egress = None);
    assert_eq!(refused_on_the_way_out(&world).await, Code::EgressDenied);
    assert_eq!(world.audit()[0].event_type, "security.egress.blocked");
}

#[tokio::test(start_paused = true)]
async fn every_address_of_a_name_is_judged() {
    for address in ["10.0.0.1", "169.254.169.254", "::1", "fd00:ec2::254", "::ffff:1.1.1.1"] {
        let world = World::new();
        *world.around.addresses.lock().unwrap() = vec!["1.1.1.1".parse().unwrap(), address.parse().unwrap()];
        assert_eq!(refused_on_the_way_out(&world).await, Code::EgressDenied, "{address}");
        let audit = world.audit();
        assert_eq!(audit[0].payload["workspace_bundle_id"], "pb_test", "the rules it was decided under are on record");
    }
}

#[tokio::test(start_paused = true)]
async fn an_unknown_name_and_a_blocked_prompt_stay_inside() {
    let world = World::new();
    world.around.addresses.lock().unwrap().clear();
    assert_eq!(refused_on_the_way_out(&world).await, Code::EgressDnsFailed);
    let world = World::new();
    *world.around.verdict.lock().unwrap() = SafetyVerdict::Block(vec!["pii.email".to_owned()]);
    assert_eq!(refused_on_the_way_out(&world).await, Code::ContentBlocked);
}

#[tokio::test(start_paused = true)]
async fn images_by_url_need_a_rule_too() {
    let world = World::new();
    world.set_up(|snapshot| snapshot.models[0].capabilities.push(types::modelhub::Capability::Vision));
    let field = Some("messages[0].content[0].image_url.url".to_owned());
    for (url, code) in [
        ("https://img.test/a.png", Code::EgressDenied),
        ("file:///etc/passwd", Code::EgressInvalidTarget),
        ("http://[fe80::1%25eth0]/", Code::EgressInvalidTarget),
    ] {
        let found = refused(&world, key(), Operation::Chat, image(url)).await;
        assert_eq!(found, (code, field.clone()), "{url}");
    }
}

#[tokio::test(start_paused = true)]
async fn equal_refusals_of_ten_seconds_share_a_run() {
    let world = World::new();
    let refuse = || async { world.chat(ask("nothing")).await.unwrap_err().error.run_id().unwrap() };
    let first = refuse().await;
    assert_eq!((refuse().await, refuse().await, world.refusals(first)), (first, first, 3));
    tokio::time::sleep(Duration::from_secs(11)).await;
    assert_ne!(refuse().await, first);
}

#[tokio::test(start_paused = true)]
async fn a_fenced_process_starts_nothing() {
    let world = World::new();
    world.life.is_fenced.store(true, Ordering::SeqCst);
    let refused = world.chat(ask("model:acme:gpt")).await.unwrap_err();
    assert_eq!((refused.error.code(), refused.error.run_id()), (Code::Fenced, None));
}

#[tokio::test(start_paused = true)]
async fn the_list_shows_what_may_be_called() {
    let world = World::new();
    let ids = |models: Vec<kernel::gateway::Listed>| models.into_iter().map(|model| model.id).collect::<Vec<_>>();
    let all = world.gateway.list_models(&world.caller(key())).await.unwrap();
    assert_eq!(ids(all), ["model:acme:gpt", "model:acme:unknown", "model:test:echo", "model:test:embed"]);
    let mut picky = key();
    picky.allowed_models = Some(vec!["model:acme:gpt".to_owned()]);
    let ctx = world.caller(picky);
    assert_eq!(ids(world.gateway.list_models(&ctx).await.unwrap()), ["model:acme:gpt"]);
    assert!(world.gateway.find_model(&ctx, "model:acme:gpt").await.is_ok());
    assert_eq!(world.gateway.find_model(&ctx, "model:test:echo").await.unwrap_err().code(), Code::ModelNotFound);
}
