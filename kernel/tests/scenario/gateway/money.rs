//! Budgets, quotas and holds.

use std::time::Duration;

use chrono::DateTime;
use kernel::gateway::Operation;
use kernel::ledger::CounterKey;
use types::identity::UnpricedPolicy;
use types::modelhub::Tokenizer;
use types::money::Amount;
use types::problem::Code;

use super::provider::{Act, whole, words};
use super::world::{World, ask, ask_stream, budget, budget_counter, key, price};

/// What one `ask` holds: 3 words, 4 around the message and 64 around the prompt at 1, 100 at 2, a million.
const HOLD: i64 = 71_000 + 200_000;

#[tokio::test(start_paused = true)]
async fn a_hold_is_placed_then_settled_to_the_cost() {
    let world = World::new();
    world.set_up(|snapshot| snapshot.budgets = vec![budget("1", true)]);
    world.provider.will([Act::Hang]);
    let body = ask_stream("model:acme:gpt");
    let held = tokio::time::timeout(Duration::from_secs(1), world.chat(body));
    assert!(held.await.is_err());
    world.settled().await;
    // It was abandoned: the counted prompt of 3 tokens is charged.
    let counter = world.counter(budget_counter());
    assert_eq!((counter.value, counter.held), (3_000, 0));
    world.provider.will([whole("fine", 10, 5)]);
    world.answered(ask("model:acme:gpt")).await;
    assert_eq!(world.counter(budget_counter()).value, 3_000 + 20_000);
    assert_eq!(world.provider.received.lock().unwrap()[1].body["max_tokens"], 100);
}

#[tokio::test(start_paused = true)]
async fn a_model_of_an_unknown_name_is_held_by_its_bytes_unless_its_tokenizer_is_named() {
    for (tokenizer, fits) in [(Tokenizer::Auto, false), (Tokenizer::O200kBase, true)] {
        let world = World::new();
        world.set_up(|snapshot| {
            snapshot.budgets = vec![budget(&Amount::from_nanos(HOLD).to_string(), true)];
            snapshot.models[1].tokenizer = tokenizer;
        });
        world.provider.will([whole("fine", 10, 5)]);
        let answer = world.chat(ask("model:acme:unknown")).await;
        assert_eq!(answer.is_ok(), fits, "{tokenizer}");
    }
}

#[tokio::test(start_paused = true)]
async fn of_two_hundred_at_once_exactly_as_many_as_fit_are_let_in() {
    let world = World::new();
    let amount = Amount::from_nanos(HOLD * 50).to_string();
    world.set_up(|snapshot| snapshot.budgets = vec![budget(&amount, true)]);
    world.provider.will([words(&["a"], Duration::from_secs(1))]);
    let calls = (0..200).map(|_| world.chat(ask_stream("model:acme:gpt")));
    let answers = futures::future::join_all(calls).await;
    let refused: Vec<_> = answers.iter().filter_map(|answer| answer.as_ref().err()).collect();
    assert_eq!((answers.len() - refused.len(), refused.len()), (50, 150));
    for refusal in &refused {
        let problem = refusal.error.problem();
        assert_eq!((problem.code, problem.reason.as_deref()), (Code::BudgetExhausted, Some("held")));
        assert_eq!(problem.budget.unwrap().needed.nanos(), HOLD);
    }
    let shared: std::collections::BTreeSet<_> = refused.iter().filter_map(|refusal| refusal.error.run_id()).collect();
    let counted: u32 = shared.iter().map(|run_id| world.refusals(*run_id)).sum();
    assert_eq!(counted, 150, "every refusal is counted");
    drop(answers);
    world.settled().await;
    let spent: i64 = world.costs().iter().filter_map(|cost| cost.amount).map(Amount::nanos).sum();
    assert_eq!(world.counter(budget_counter()).value, spent);
    world.nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn a_refusal_says_whether_waiting_helps() {
    // Whether something was spent before, the amount, and the reason of the refusal.
    for (spends, amount, reason) in
        [(false, HOLD - 1, Some("too_large")), (true, HOLD, Some("spent")), (true, HOLD + 20_000, None)]
    {
        let world = World::new();
        world.provider.will([whole("x", 10, 5)]);
        world.set_up(|snapshot| snapshot.budgets = vec![budget("1", true)]);
        if spends {
            world.answered(ask("model:acme:gpt")).await;
        }
        world.set_up(|snapshot| snapshot.budgets = vec![budget(&Amount::from_nanos(amount).to_string(), true)]);
        let refused = world.chat(ask("model:acme:gpt")).await.err().map(|refused| refused.error);
        assert_eq!(refused.as_ref().and_then(kernel::Error::reason), reason);
        if let Some(refused) = refused {
            assert_eq!((refused.code(), refused.retry_after()), (Code::BudgetExhausted, None));
            assert_eq!(world.audit().last().unwrap().event_type, "budget.exhausted");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn soft_budgets_count_and_never_refuse() {
    let world = World::new();
    world.set_up(|snapshot| snapshot.budgets = vec![budget("0.000000001", false)]);
    world.provider.will([whole("x", 10, 5)]);
    world.answered(ask("model:acme:gpt")).await;
    assert_eq!(world.counter(budget_counter()).value, 20_000);
}

#[tokio::test(start_paused = true)]
async fn a_budget_made_meanwhile_is_booked_on_at_the_end() {
    let world = World::new();
    world.provider.will([words(&["a"], Duration::from_secs(1))]);
    let (answer, ()) = tokio::join!(world.streamed(ask_stream("model:acme:gpt")), async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        world.raise_epoch();
        world.set_up(|snapshot| snapshot.budgets = vec![budget("1", true)]);
    });
    assert_eq!(answer.1, None);
    assert_eq!(world.counter(budget_counter()).value, 12_000);
}

#[tokio::test(start_paused = true)]
async fn unpriced_calls_follow_the_workspaces_rule() {
    use UnpricedPolicy as P;
    for (policy, is_budgeted, is_refused) in [
        (P::Allow, true, false),
        (P::RefuseWhenBudgeted, false, false),
        (P::RefuseWhenBudgeted, true, true),
        (P::Refuse, false, true),
    ] {
        let world = World::new();
        world.set_up(|snapshot| {
            snapshot.prices.clear();
            snapshot.workspace.unpriced_call_policy = policy;
            snapshot.budgets = if is_budgeted { vec![budget("1", true)] } else { Vec::new() };
        });
        world.provider.will([whole("x", 10, 5)]);
        let answer = world.chat(ask("model:acme:gpt")).await;
        match answer {
            Ok(_) => assert!(!is_refused && world.costs()[0].amount.is_none(), "{policy}"),
            Err(refused) => {
                assert!(is_refused, "{policy}");
                assert_eq!(refused.error.code(), Code::PricingNotConfigured);
                assert_eq!(refused.error.reason(), Some("pricing_not_configured"));
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_price_is_bound_at_admission() {
    let world = World::new();
    world.provider.will([words(&["a"], Duration::from_secs(1))]);
    let (_, ()) = tokio::join!(world.streamed(ask_stream("model:acme:gpt")), async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        world.set_up(|snapshot| snapshot.prices.clear());
    });
    assert_eq!(world.costs()[0].price_id, Some(price("model:*").id));
}

#[tokio::test(start_paused = true)]
async fn a_token_quota_is_never_passed() {
    let world = World::new();
    let limited = || {
        let mut key = key();
        // Three worst cases of 171 tokens.
        key.daily_token_quota = Some(3 * 171);
        key
    };
    world.provider.will([words(&["a"], Duration::from_secs(1))]);
    let calls = (0..50).map(|_| world.call(limited(), Operation::Chat, ask_stream("model:acme:gpt")));
    let answers = futures::future::join_all(calls).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 3);
    let refused = answers.iter().find_map(|answer| answer.as_ref().err()).unwrap();
    let limit = refused.error.problem().limit.unwrap();
    assert_eq!((refused.error.code(), limit.name.as_str(), limit.limit), (Code::QuotaExceeded, "tokens_per_day", 513));
    drop(answers);
    world.settled().await;
    world.nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn a_request_quota_counts_calls_and_is_given_back_when_nothing_left() {
    let world = World::new();
    let limited = || {
        let mut key = key();
        key.daily_request_quota = Some(2);
        key
    };
    let counter = || {
        world
            .counter(CounterKey::key_requests(key().id, "2026-03-01T12:00:00Z".parse().unwrap_or(DateTime::UNIX_EPOCH)))
    };
    world.provider.will([whole("x", 1, 1)]);
    world.call(limited(), Operation::Chat, ask("model:acme:gpt")).await.unwrap();
    world.around.addresses.lock().unwrap().clear();
    let refused = world.call(limited(), Operation::Chat, ask("model:acme:gpt")).await.unwrap_err();
    assert_eq!((refused.error.code(), counter().value), (Code::EgressDnsFailed, 1));
    world.call(limited(), Operation::Chat, ask("model:test:echo")).await.unwrap();
    let refused = world.call(limited(), Operation::Chat, ask("model:test:echo")).await.unwrap_err();
    assert_eq!((refused.error.code(), counter().value), (Code::QuotaExceeded, 2));
    assert_eq!(refused.standings.requests.unwrap().remaining, 0);
    assert_eq!(refused.error.retry_after(), Some(12 * 3600));
}
