//! What else goes on in a process that is killed: runs are replayed and workspaces are made. Every command has a key of its own;
//! after all the kills each was done once.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use super::books::{SOURCE, Stage};
use super::process::{Caller, Soit};

/// Errands of a round at most: each command of them is given again in the end, and a tenant has 1 000 workspaces at most.
const A_ROUND: usize = 10;

/// A command under a key.
struct Asked {
    path: String,
    body: Value,
    /// The id it was answered with, if it was answered.
    answered: Option<String>,
}

/// The errands of one process, and what is to be true of them.
pub(crate) struct Errands {
    /// The run that is replayed.
    source: String,
    tenant: String,
    /// Under what name it asks: others may be at the same stage.
    name: String,
    asked: Vec<Asked>,
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// The id of what a command made.
fn made(answer: &Value) -> String {
    let id = answer["run"]["id"].as_str().or(answer["id"].as_str());
    id.unwrap_or_else(|| panic!("an id in {answer}")).to_owned()
}

impl Errands {
    /// Makes a run to replay.
    pub(crate) async fn new(soit: &Soit, stage: &Stage, name: &str) -> Self {
        let admin = soit.admin().await;
        let source = say(&admin.with_token(&stage.key), &format!("{SOURCE} of {name}")).await;
        let tenant = text(&admin.get("/api/v1/tenants").await["items"][0]["id"]);
        Self { source, tenant, name: name.to_owned(), asked: Vec::new() }
    }

    /// One errand after the other until the process is gone or cannot, each round from another one on.
    pub(crate) async fn run(&mut self, admin: &Caller, round: usize) {
        for number in 0..A_ROUND {
            let marker = format!("e{}-{round}-{number}", self.name);
            let done = match (round + number) % 4 {
                0 => self.replay(admin, "rerun", json!({ "version": "same", "input": marker })).await,
                1 => self.replay(admin, "fork", json!({ "from_seq": 1, "input": marker })).await,
                2 => self.replay(admin, "reexecute", Value::Null).await,
                _ => {
                    let body = json!({ "tenant_id": self.tenant, "name": "Made", "slug": marker });
                    self.ask(admin, "/api/v1/workspaces".to_owned(), body).await
                }
            };
            if done.is_none() {
                break;
            }
        }
    }

    async fn replay(&mut self, admin: &Caller, what: &str, body: Value) -> Option<()> {
        let path = format!("/api/v1/runs/{}/{what}", self.source);
        self.ask(admin, path, body).await
    }

    async fn ask(&mut self, admin: &Caller, path: String, body: Value) -> Option<()> {
        let number = self.begin(path, body);
        let answer = self.send(admin, number).await?;
        self.note(number, answer?);
        Some(())
    }

    /// Notes a command before it is sent.
    fn begin(&mut self, path: String, body: Value) -> usize {
        self.asked.push(Asked { path, body, answered: None });
        self.asked.len() - 1
    }

    fn note(&mut self, number: usize, answer: Value) {
        self.asked[number].answered = Some(made(&answer));
    }

    /// Sends a command under its key. Nothing where the connection broke, no answer where it is to be sent again.
    async fn send(&self, admin: &Caller, number: usize) -> Option<Option<Value>> {
        let Asked { path, body, .. } = &self.asked[number];
        let body = (!body.is_null()).then(|| body.clone());
        let request = admin.request(Method::POST, path, body);
        let request = request.header("idempotency-key", format!("{}-{number}", self.name));
        let answer = request.send().await.ok()?;
        let (status, text) = (answer.status(), answer.text().await.ok()?);
        if status.is_success() {
            return Some(Some(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}: {text}"))));
        }
        let is_busy = status == 503 || text.contains("\"idempotency_in_flight\"");
        assert!(is_busy, "{path}: {status} {text}");
        Some(None)
    }

    /// Every command is done, once: whoever sends it again hears what the first one heard, and what was lost on the way is done.
    pub(crate) async fn check(&mut self, admin: &Caller, within: Duration) {
        let until = std::time::Instant::now() + within;
        let mut ids: HashMap<String, String> = HashMap::new();
        for number in 0..self.asked.len() {
            let answer = loop {
                if let Some(answer) = self.send(admin, number).await.expect("an answer") {
                    break answer;
                }
                assert!(std::time::Instant::now() < until, "{} cannot be done", self.asked[number].path);
                tokio::time::sleep(Duration::from_millis(100)).await;
            };
            let (id, asked) = (made(&answer), &self.asked[number]);
            assert!(asked.answered.as_ref().is_none_or(|first| *first == id), "{}: {answer}", asked.path);
            let other = ids.insert(id, asked.path.clone());
            assert_eq!(other, None, "two commands made one thing: {answer}");
        }
        self.replays_are_whole(admin, &ids).await;
        self.workspaces_are_whole(admin, &ids).await;
    }

    /// The tenant has the workspaces that were asked for.
    async fn workspaces_are_whole(&self, admin: &Caller, ids: &HashMap<String, String>) {
        let prefix = format!("e{}-", self.name);
        let listed = list(admin, &format!("/api/v1/workspaces?tenant_id={}&", self.tenant)).await;
        let mine = listed.iter().filter(|item| item["slug"].as_str().is_some_and(|slug| slug.starts_with(&prefix)));
        let mine: HashSet<String> = mine.map(|item| text(&item["id"])).collect();
        let wanted = ids.iter().filter(|(_, path)| *path == "/api/v1/workspaces").map(|(id, _)| id.clone());
        assert_eq!(mine, wanted.collect::<HashSet<_>>(), "workspaces are those that were asked for");
    }

    /// Out of the source came what was asked for.
    async fn replays_are_whole(&self, admin: &Caller, ids: &HashMap<String, String>) {
        let path = format!("/api/v1/runs?source_run_id={}&sandbox=true&sandbox=false&", self.source);
        let found: HashSet<String> = list(admin, &path).await.iter().map(|run| text(&run["id"])).collect();
        let wanted = ids.iter().filter(|(_, path)| path.starts_with("/api/v1/runs/")).map(|(id, _)| id.clone());
        assert_eq!(found, wanted.collect::<HashSet<_>>(), "replays are those that were asked for");
        assert!(found.len() > 2, "too few replays to prove anything: {}", found.len());
    }
}

/// Everything on a list, page by page.
async fn list(admin: &Caller, path: &str) -> Vec<Value> {
    let mut items = Vec::new();
    let mut next = String::new();
    loop {
        let page = admin.get(&format!("{path}limit=200{next}")).await;
        items.extend(page["items"].as_array().expect("items").iter().cloned());
        let Some(cursor) = page["next_cursor"].as_str() else { return items };
        next = format!("&cursor={cursor}");
    }
}

/// A call; its run.
async fn say(key: &Caller, words: &str) -> String {
    let body = json!({ "model": "model:scripted:m", "messages": [{ "role": "user", "content": words }] });
    let answer = key.request(Method::POST, "/v1/chat/completions", Some(body)).send().await.expect("an answer");
    let run = answer.headers()["x-soit-run-id"].to_str().expect("an id").to_owned();
    assert_eq!(answer.status(), 200, "{}", answer.text().await.unwrap_or_default());
    run
}
