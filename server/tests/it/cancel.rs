//! Runs that are canceled while they go on.

use serde_json::{Value, json};

use crate::gateway_kit::{Kit, chat, events};
use crate::util::test_app::on_both;

/// The only run that goes on, once there is one.
async fn running(kit: &Kit) -> String {
    loop {
        let page = kit.admin.get("/api/v1/runs?status=running").await.expect(200);
        if let Some(id) = page["items"][0]["id"].as_str() {
            return id.to_owned();
        }
        tokio::task::yield_now().await;
    }
}

async fn cancel(kit: &Kit, id: &str) -> Value {
    kit.key.post(&format!("/api/v1/runs/{id}/cancel"), Value::Null).await.expect(202)
}

on_both! {
    async fn a_call_that_is_canceled_ends_as_canceled_and_holds_nothing(app: TestApp) {
        let kit = Kit::new(app).await;
        let model = kit.model("stall-2").await;
        let budget = json!({ "name": "All", "scope_kind": "workspace", "period": "day", "currency": "USD", "amount": "9" });
        let budget = kit.admin.post("/api/v1/billing/budgets", budget).await.expect(201);
        for stream in [false, true] {
            let call = async {
                match stream {
                    true => kit.ask_stream(&model, "x").await,
                    false => kit.ask("model:test:slow-60000", "x").await,
                }
            };
            let ask = async {
                let id = running(&kit).await;
                // Once the provider is at it.
                if stream {
                    kit.upstream.wait_for(|calls| !calls.is_empty()).await;
                }
                let told = cancel(&kit, &id).await;
                assert!(["canceling", "canceled"].contains(&told["status"].as_str().expect("a status")), "{told}");
                id
            };
            let (answer, id) = tokio::join!(call, ask);
            let told = match stream && answer.status == 200 {
                true => serde_json::from_str(&events(&answer)[events(&answer).len() - 2]).expect("JSON"),
                false => answer.json(),
            };
            assert_eq!(told["error"]["code"], "run_canceled", "{answer:?}");
            kit.quiet().await;
            let run = kit.run(&id).await;
            assert_eq!((&run["status"], &run["error"]["code"]), (&json!("canceled"), &json!("run_canceled")));
            let again = kit.admin.post(&format!("/api/v1/runs/{id}/cancel"), Value::Null).await;
            assert_eq!(again.refusal(409), "invalid_transition");
            let names = kit.of_run(&id, "events").await;
            assert!(names.iter().any(|event| event["type"] == "run.canceling"), "{names:?}");
        }
        assert_eq!(kit.upstream.open(), 0, "the provider's connection is closed");
        let id = budget["id"].as_str().expect("an id");
        let status = kit.admin.get(&format!("/api/v1/billing/budgets/{id}/status")).await.expect(200);
        assert_eq!(status["held"], "0");
    }

    async fn who_only_reads_cancels_nothing_and_a_call_cannot_be_paused(app: TestApp) {
        let kit = Kit::closed(app).await;
        let reader = kit.app.key(&["read"]).await;
        let ask = async {
            let id = running(&kit).await;
            let refused = reader.post(&format!("/api/v1/runs/{id}/cancel"), Value::Null).await;
            assert_eq!(refused.refusal(403), "scope_required");
            for verb in ["pause", "resume"] {
                let refused = kit.admin.post(&format!("/api/v1/runs/{id}/{verb}"), Value::Null).await;
                assert_eq!(refused.refusal(409), "not_supported");
            }
            cancel(&kit, &id).await;
        };
        let body = chat("model:test:slow-60000", "x");
        let (answer, ()) = tokio::join!(kit.key.post("/v1/chat/completions", body), ask);
        assert_eq!(answer.json()["error"]["code"], "run_canceled");
    }
}
