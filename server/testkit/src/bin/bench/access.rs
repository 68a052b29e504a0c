//! What it costs to be somebody with many grants, and what people who guess passwords cost everybody else.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::load::{self, Shape, percentile};
use crate::peer::Target;
use crate::reads::median;
use crate::report::goal;
use crate::soit::{Rest, word};
use crate::wire;

/// Grants of the one with many, and the tools its key names.
const GRANTS: usize = 1_000;
const TOOLS: usize = 500;
/// Rounds; the median counts.
const ROUNDS: usize = 3;
/// Wrong passwords under way at once.
const GUESSERS: usize = 200;
const CELL: Duration = Duration::from_secs(3);
/// Readers whose patience is measured.
const READERS: usize = 4;

/// The rows of the table of goals.
pub(crate) async fn goals(page: &mut String, target: &Target) -> Result<(), String> {
    let admin = Rest::signed_in(target.port).await?;
    let rich = rich(&admin, target).await?;
    let shape = Shape { callers: 16, delay_ms: 0, stream: false };
    let (mut plain, mut many) = (Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        for (target, rates) in [(target, &mut plain), (&rich, &mut many)] {
            let sample = load::measure(target, shape, round).await?;
            if sample.errors > 0 {
                return Err(format!("{sample}"));
            }
            rates.push(sample.rate);
        }
    }
    let times = median(plain) / median(many);
    let asked = format!(
        "time of a call allowed by one of {GRANTS} grants, key with {TOOLS} tools ÷ by role alone: at most 1.5"
    );
    goal(page, &asked, Some(times), "", |times| times <= 1.5);

    let idle = patience(target, Instant::now() + CELL).await?;
    let until = Instant::now() + CELL;
    let guessing = futures::future::join_all((0..GUESSERS).map(|number| guess(target.port, number, until)));
    let (busy, guessed) = tokio::join!(patience(target, until), guessing);
    let refused: usize = guessed.into_iter().sum::<Result<usize, String>>()?;
    if refused < GUESSERS {
        return Err(format!("{refused} wrong passwords were answered"));
    }
    let times = busy?.as_secs_f64() / idle.as_secs_f64();
    let asked = format!("p95 of reads by key beside {GUESSERS} wrong passwords ÷ alone: at most 3");
    goal(page, &asked, Some(times), "", |times| times <= 3.0);
    Ok(())
}

/// Who may call the model by a grant alone, and has very many of them.
async fn rich(admin: &Rest, target: &Target) -> Result<Target, String> {
    let providers = admin.get("/api/v1/modelhub/providers").await?;
    let mut providers = providers.get("items").and_then(Value::as_array).into_iter().flatten();
    let provider = providers.find(|provider| provider.get("slug").is_some_and(|slug| slug == "delay-0"));
    let provider = word(provider.ok_or("no provider")?, "/id")?;
    let path = format!("/api/v1/modelhub/providers/{provider}/models");
    let models = admin.get(&path).await?;
    let mut ids = vec![word(&models, "/items/0/id")?];
    for number in 1..GRANTS {
        let made = admin.post(&path, json!({"model_id": format!("granted-{number}")})).await?;
        ids.push(word(&made, "/id").or_else(|_| word(&made, "/item/id"))?);
    }
    let principal = admin.post("/api/v1/service-principals", json!({"name": "rich", "role": "viewer"})).await?;
    let principal = word(&principal, "/id")?;
    for id in ids {
        let grant = json!({"subject": principal, "resource_type": "model", "resource_id": id, "actions": ["execute"]});
        admin.post("/api/v1/resource-grants", grant).await?;
    }
    let tools: Vec<String> = (0..TOOLS).map(|number| format!("tool:http:tool-{number}")).collect();
    let key = json!({"name": "rich", "scopes": ["write"], "principal_id": principal, "allowed_tools": tools});
    let key = admin.post("/api/v1/api-keys", key).await?;
    Ok(target.by_another(&word(&key, "/api_key")?))
}

/// The 95th percentile of reads by key.
async fn patience(target: &Target, until: Instant) -> Result<Duration, String> {
    let readers = (0..READERS).map(|_| async {
        let mut sender = wire::connect(target.port).await?;
        let mut times = Vec::new();
        while Instant::now() < until {
            let start = Instant::now();
            wire::ask(&mut sender, target.credential(), "/api/v1/me").await?;
            times.push(start.elapsed());
        }
        Ok::<_, String>(times)
    });
    let mut times = Vec::new();
    for seen in futures::future::join_all(readers).await {
        times.extend(seen?);
    }
    Ok(percentile(&mut times, 95))
}

/// Tries wrong passwords of one account; how many were answered, each with a refusal.
async fn guess(port: u16, number: usize, until: Instant) -> Result<usize, String> {
    let mut refused = 0;
    while Instant::now() < until {
        let login = json!({"email": format!("guessed-{number}@example.com"), "password": format!("wrong {refused}")});
        if Rest::anonymous(port).post("/api/v1/login", login).await.is_ok() {
            return Err("a wrong password signs in".to_owned());
        }
        refused += 1;
    }
    Ok(refused)
}
