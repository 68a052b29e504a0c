//! A backend with a small, fixed world: what the console asks, it answers from here. It can be empty, failing, or seen by someone
//! with few rights.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use app::backend::access::InvitationView;
use app::backend::budgets::BudgetView;
use app::backend::keys::{KeyView, LimitState, Reveal};
use app::backend::models::{ModelHub, ModelView, ProviderView};
use app::backend::runs::{Choices, RunDetail, RunList, Total};
use app::backend::session::{Health, HealthState, Shell};
use app::backend::settings::About;
use app::backend::{
    Access, Answer, Backend, Budgets, Egress, Keys, List, Models, Overview, Runs, Session, Settings, Views,
};
use app::query::Range;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use types::account::{DeletionRequest, VerifyEmail};
use types::budget::{Budget, CreateBudget, UpdateBudget};
use types::compare::Comparison;
use types::egress::{EgressPolicy, EgressRule};
use types::feedback::{Feedback, GiveFeedback};
use types::id::{
    ApiKeyId, BudgetId, EgressRuleId, FormKey, InvitationId, ModelId, ProviderId, RunId, SessionId, UserId, ViewId,
};
use types::identity::{self, ChangePassword, Me, StepUp, UpdateMe, UpdateWorkspace, Workspace};
use types::key::{ApiKey, CreateApiKey, RotateApiKey};
use types::member::{CreateInvitation, Invitation, Member, UpdateMember};
use types::modelhub::{CreateModel, CreatePrice, CreateProvider, Model, Price, Provider, UpdateModel, UpdateProvider};
use types::name::Slug;
use types::observe;
use types::page::Page;
use types::problem::{Code, Problem};
use types::replay::{ForkRun, Replayed, RerunRun, Timeline};
use types::run::{CanceledRuns, Run, RunEvent, RunFilter, RunQuery, Term};
use types::search::Hit;
use types::view::{CreateView, SavedView, UpdateView, ViewPage};

/// The slug of the only workspace.
pub(crate) const WORKSPACE: &str = "main";

/// What the world is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum World {
    /// In use, seen by an owner.
    Full,
    /// Just installed, with the default password.
    Empty,
    /// In use, seen by a viewer.
    Viewer,
    /// In use, but its figures cannot be read.
    NoFigures,
    /// The store is down.
    Failing,
}

/// The time in every world.
pub(crate) fn now() -> DateTime<Utc> {
    "2026-01-28T12:04:20Z".parse().unwrap()
}

pub(crate) fn ago(seconds: i64) -> DateTime<Utc> {
    now() - TimeDelta::seconds(seconds)
}

/// An id of a kind that ends in a number.
pub(crate) fn id(prefix: &str, number: u32) -> String {
    format!("{prefix}_01kg1{number:021}")
}

pub(crate) fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}: {value}"))
}

/// A backend with its world, and what it was asked to do.
#[derive(Clone)]
pub(crate) struct Fake {
    world: World,
    acts: bool,
    /// Secrets waiting for their one reveal.
    reveals: Arc<Mutex<BTreeSet<String>>>,
    /// What a form of the second factor's page has come to.
    pub second_factor: Arc<Mutex<Option<app::backend::second_factor::Done>>>,
    /// What was changed, in words.
    pub done: Arc<Mutex<Vec<String>>>,
}

impl Fake {
    pub(crate) fn new(world: World) -> Self {
        Self { world, acts: false, reveals: Arc::default(), second_factor: Arc::default(), done: Arc::default() }
    }

    /// The backend of a request; only a POST takes a secret.
    pub(crate) fn backend(&self, acts: bool) -> Backend {
        let this = Arc::new(Self { acts, ..self.clone() });
        Backend {
            session: this.clone(),
            overview: this.clone(),
            runs: this.clone(),
            keys: this.clone(),
            access: this.clone(),
            subjects: this.clone(),
            tenants: this.clone(),
            budgets: this.clone(),
            models: this.clone(),
            egress: this.clone(),
            outbox: this.clone(),
            tasks: this.clone(),
            audit: this.clone(),
            views: this.clone(),
            retention: this.clone(),
            settings: this.clone(),
            second_factor: this.clone(),
            sso: this,
            form_key: id("frk", 1).parse().unwrap(),
        }
    }

    pub(crate) fn here(&self, workspace: &Slug) -> Answer<()> {
        match self.world {
            _ if workspace.as_str() != WORKSPACE => Err(Problem::new(Code::NotFound, "no such workspace")),
            World::Failing => Err(self.down()),
            _ => Ok(()),
        }
    }

    fn down(&self) -> Problem {
        let mut problem = Problem::new(Code::LedgerUnavailable, "the store cannot be reached");
        problem.instance = Some(id("req", 1));
        problem.retry_after = Some(1);
        problem
    }

    /// The one reveal of what was made.
    fn reveal(&self, of: &str, secret: &str) -> Reveal {
        let mut reveals = self.reveals.lock().unwrap();
        match reveals.contains(of) {
            false => Reveal::Gone,
            true if !self.acts => Reveal::Waiting,
            true => {
                reveals.remove(of);
                Reveal::Secret(secret.to_owned())
            }
        }
    }

    /// Notes a change, if this person may make one.
    pub(crate) fn change(&self, workspace: &Slug, what: impl Into<String>) -> Answer<()> {
        self.here(workspace)?;
        if self.world == World::Viewer {
            return Err(Problem::new(Code::RoleRequired, "the role `viewer` does not allow this"));
        }
        self.note(what);
        Ok(())
    }

    /// Notes what anybody may do.
    fn note(&self, what: impl Into<String>) {
        self.done.lock().unwrap().push(what.into());
    }

    /// The first of two pages, or the second after `c2`.
    pub(crate) fn listed<T>(&self, after: Option<String>, items: Vec<T>) -> List<T> {
        let items = if self.is_empty() { Vec::new() } else { items };
        let second = after.as_deref() == Some("c2");
        let next_cursor = (!items.is_empty() && !second).then(|| "c2".to_owned());
        let total = 2 * items.len();
        List { page: Page { items, next_cursor }, total, cursor_refused: after.is_some() && !second }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.world == World::Empty
    }

    pub(crate) fn is_viewer(&self) -> bool {
        self.world == World::Viewer
    }
}

pub(crate) fn not_found<T>() -> Answer<T> {
    Err(Problem::new(Code::NotFound, "nothing there, or nothing you may see"))
}

/// A run: number, status, model, cost in dollars, milliseconds.
fn run(number: u32, status: &str, model: &str, cost: Option<&str>, duration: Option<u64>) -> Run {
    let start = ago(9 + i64::from(number) * 47);
    let failed = status == "failed";
    let caller = match number {
        5 => json!({ "kind": "service_principal", "id": id("spn", 1) }),
        _ => json!({ "kind": "user", "id": id("usr", 1) }),
    };
    read(json!({
        "id": id("run", 900 - number), "workspace_id": id("wsp", 1), "mode": "gateway", "source": "gateway", "entry": "openai",
        "status": status, "caller": caller, "api_key_id": id("key", 1 + number % 2),
        "root_run_id": id("run", 900 - number), "parent_run_id": null, "source_run_id": null, "attempt_no": 1, "capture": "full",
        "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736", "request_id": id("req", number), "policy_revision": "pb_1f3a90c2d4e5b678",
        "sandbox": false, "model_ref": model, "input": {
            "preview": "Where is my order 1204?", "chars": if number == 2 { 20_480 } else { 23 },
            "artifact_id": (number == 2).then(|| id("art", 1)),
        },
        "output": { "preview": if failed { Value::Null } else { json!("It left the warehouse this morning.") }, "chars": if failed { 0 } else { 35 } },
        "labels": {}, "started_at": start, "ended_at": duration.map(|length| start + TimeDelta::milliseconds(length as i64)),
        "duration_ms": duration, "error": failed.then(|| json!({ "code": "upstream_error", "message": "the provider answered 503", "step_id": id("stp", 2) })),
        "totals": {
            "model_calls": 1, "tool_calls": 0, "usage": { "input": 1204 + number * 13, "output": 340 },
            "cost": cost.map(|amount| json!({ "currency": "USD", "amount": amount })).into_iter().collect::<Vec<_>>(),
            "unpriced": u32::from(cost.is_none() && duration.is_some()), "estimated": number == 4,
        },
        "delivered": duration.map(|_| true), "flags": [], "refusals": 0,
    }))
}

fn runs() -> Vec<Run> {
    let states = [
        ("running", "model:openai:gpt-4o-mini", None, None),
        ("succeeded", "model:openai:gpt-4o-mini", Some("0.0124"), Some(8_240)),
        ("succeeded", "model:test:echo", None, Some(12)),
        ("failed", "model:openai:gpt-4o", Some("0.00004"), Some(31_800)),
        ("succeeded", "model:local:llama-3.3-70b-instruct", Some("0.031"), Some(2_410)),
        ("canceled", "model:openai:gpt-4o-mini", Some("0.0088"), Some(252_000)),
        ("expired", "model:test:hang", Some("0"), Some(600_000)),
    ];
    (0..24)
        .map(|number| {
            let (status, model, cost, length) = states[if number == 0 { 0 } else { 1 + (number as usize - 1) % 6 }];
            run(number, status, model, cost, length)
        })
        .collect()
}

fn detail(run: Run) -> RunDetail {
    let start = run.started_at;
    let step = |number: u32, status: &str, from: i64, length: Option<i64>| {
        json!({
            "id": id("stp", number), "run_id": run.id, "seq": number, "parent_step_id": null, "call_id": id("cal", 1), "type": "model_call",
            "status": status, "attempt_no": number, "effect": "read",
            "decision": {
                "policy_revision": "pb_1f3a90c2d4e5b678",
                "gates": [
                    { "gate": "access", "verdict": "allow", "rule": "model.call" },
                    { "gate": "model", "verdict": "allow", "rule": run.model_ref },
                    { "gate": "budget", "verdict": "allow", "rule": "Daily" },
                    { "gate": "egress", "verdict": "allow", "rule": id("egr", 1) },
                    { "gate": "safety", "verdict": "not_configured" },
                ],
            },
            "request_digest": null, "input": run.input,
            "output": if status == "succeeded" { json!(run.output) } else { json!({ "preview": null, "chars": 0 }) },
            "metrics": { "model_ref": run.model_ref, "stream": true, "prompt_bound": 1300, "output_bound": 4096 },
            "error": (status == "failed").then(|| json!({ "code": "upstream_error", "message": "the provider answered 503" })),
            "started_at": start + TimeDelta::milliseconds(from), "outbound_at": start + TimeDelta::milliseconds(from + 3),
            "ended_at": length.map(|length| start + TimeDelta::milliseconds(from + length)), "latency_ms": length, "ttft_ms": length.map(|length| length / 4),
        })
    };
    let length = run.duration_ms.map(|length| length as i64);
    let steps = match run.status.as_str() {
        "failed" => {
            vec![step(1, "failed", 0, Some(900)), step(2, "failed", 1_400, length.map(|length| length - 1_400))]
        }
        "running" => vec![step(1, "open", 0, None)],
        _ => vec![
            step(1, "failed", 0, Some(900)),
            step(2, "succeeded", 1_400, length.map(|length| (length - 1_400).max(10))),
        ],
    };
    let cost = run.totals.cost.first().map(|money| {
        json!({
            "id": id("cst", 1), "run_id": run.id, "step_id": id("stp", 2), "kind": "charge", "occurred_at": start, "source_ref": "step", "source_port": "llm",
            "operation": "chat", "provider": "openai_compatible", "provider_id": id("prv", 1), "model_ref": run.model_ref, "target_ref": run.model_ref,
            "upstream_model": "gpt-4o-mini", "upstream_id": null, "upstream_request_id": null, "api_key_id": run.api_key_id,
            "usage": { "input": 1204, "output": 340 }, "usage_basis": "provider", "pricing_status": "priced", "reason": null,
            "currency": money.currency, "amount": money.amount, "price_id": id("prc", 1),
            "snapshot": { "lines": [
                { "class": "input", "quantity": 1204, "rate": "2.5", "amount": "0.00301" },
                { "class": "output", "quantity": 340, "rate": "10", "amount": "0.0034" },
            ] },
        })
    });
    let costs: Vec<Value> = cost.into_iter().collect();
    let said = json!([{
        "id": id("fbk", 1), "run_id": run.id, "user_id": id("usr", 1), "user": "Ada King", "rating": "down", "labels": ["wrong_tool"],
        "comment": "It looked in the <b>wrong</b> place", "created_at": ago(90), "updated_at": ago(60),
    }]);
    let feedback = read(if run.status.as_str() == "failed" { said } else { json!([]) });
    let (replay, replays) = if run.id.to_string() == id("run", 898) {
        let replay = json!({
            "kind": "reexecute", "source_run_id": id("run", 899), "outcome": "diverged",
            "divergence": { "seq": 2, "expected": { "max_tokens": 100 }, "actual": { "max_tokens": 50 } },
        });
        (read(replay), Vec::new())
    } else {
        let forked = |run: &Run| Run { flags: vec!["forked".to_owned()], ..run.clone() };
        (None, runs().get(4).filter(|_| run.id.to_string() == id("run", 899)).map(forked).into_iter().collect())
    };
    let (steps, costs) = (read(json!(steps)), read(json!(costs)));
    RunDetail { run: run.clone(), steps, costs, names: names(), feedback, replay, replays }
}

pub(crate) fn names() -> std::collections::BTreeMap<String, String> {
    [
        (id("key", 1), "Support desk".to_owned()),
        (id("key", 2), "Nightly triage".to_owned()),
        (id("spn", 1), "Nightly build (Ada King)".to_owned()),
        (id("usr", 1), "Ada King".to_owned()),
    ]
    .into()
}

pub(crate) fn key(number: u32, name: &str, status: &str, last_used: Option<i64>) -> ApiKey {
    read(json!({
        "id": id("key", number), "name": name, "hint": "sk_7f3a…c4d9", "status": status, "scopes": ["write"], "created_by": id("usr", 1),
        "created_at": ago(86_400 * 80), "expires_at": ago(-86_400 * i64::from(number) * 4), "revoked_at": null,
        "last_used_at": last_used.map(ago), "rate_limit_per_minute": 600, "daily_request_quota": 10_000, "daily_token_quota": null,
        "ip_allowlist": null, "allowed_models": null, "content_capture": null, "labels": {}, "principal_id": null, "version": 1,
    }))
}

fn member(number: u32, name: &str, role: &str) -> Member {
    let email = format!("{}@example.com", name.to_lowercase().replace(' ', "."));
    read(json!({
        "user_id": id("usr", number), "email": email, "name": name, "status": "active", "role": role, "tenant_role": "member",
        "joined_at": ago(86_400), "version": 2,
    }))
}

fn invitation(number: u32, status: &str) -> Invitation {
    read(json!({
        "id": id("inv", number), "email": "guest@example.com", "role": "dev", "status": status, "invited_by": id("usr", 1),
        "created_at": ago(3_600), "expires_at": ago(-86_400),
    }))
}

fn budget(number: u32, name: &str, scope: (&str, Option<String>), spent: &str, held: &str, percent: i64) -> BudgetView {
    let scope_name = scope.1.as_ref().and_then(|id| names().get(id).cloned());
    BudgetView {
        budget: read(json!({
            "id": id("bdg", number), "name": name, "status": "active", "scope_kind": scope.0, "scope_id": scope.1, "period": "day", "currency": "USD",
            "amount": "50", "hard_stop": number == 1, "thresholds": [50, 80, 100], "version": 3, "created_at": ago(86_400),
        })),
        state: Some(read(json!({
            "budget_id": id("bdg", number), "currency": "USD", "amount": "50", "spent": spent, "held": held, "remaining": "1",
            "percent": types::budget::Percent { hundredths: percent }, "period_start": ago(43_000), "resets_at": ago(-42_940),
        }))),
        scope_name,
    }
}

fn budgets() -> Vec<BudgetView> {
    vec![
        budget(1, "Daily", ("workspace", None), "41.07", "0.9", 8_394),
        budget(2, "Support desk", ("api_key", Some(id("key", 1))), "7.2", "0", 1_440),
    ]
}

fn provider() -> Provider {
    read(json!({
        "id": id("prv", 1), "name": "OpenAI", "slug": "openai", "kind": "openai_compatible", "base_url": "https://api.example.com/v1",
        "secret_id": id("sec", 1), "status": "active", "max_concurrency": 256, "max_retries": 2, "timeout_ms": null, "version": 2, "created_at": ago(86_400),
    }))
}

fn model(number: u32, name: &str) -> Model {
    read(json!({
        "id": id("mdl", number), "provider_id": id("prv", 1), "model_id": name, "model_ref": format!("model:openai:{name}"), "display_name": name,
        "capabilities": ["chat", "stream", "tools"], "context_window": 128_000, "max_output_tokens": 16_384, "tokenizer": "auto", "enabled": number != 3, "version": 1,
        "created_at": ago(86_400),
    }))
}

fn price() -> Price {
    read(json!({
        "id": id("prc", 1), "match_ref": "model:openai:gpt-4o-mini", "currency": "USD", "rates": { "input": "0.15", "output": "0.6", "cache_read": "0.075" },
        "valid_from": ago(86_400), "note": "price list of the provider", "created_at": ago(86_400),
    }))
}

fn provider_view(allowed: bool) -> ProviderView {
    let models = [("gpt-4o", None), ("gpt-4o-mini", Some(price())), ("o3-mini", None)];
    ProviderView {
        provider: provider(),
        models: (1..)
            .zip(models)
            .map(|(number, (name, price))| ModelView { model: model(number, name), price })
            .collect(),
        egress: Some(read(json!({
            "allowed": allowed, "rule": { "schemes": ["https"], "host": "api.example.com", "ports": [443] }, "private_networks": [], "openable": true,
        }))),
    }
}

fn workspace() -> Workspace {
    read(json!({
        "id": id("wsp", 1), "tenant_id": id("ten", 1), "slug": WORKSPACE, "name": "Acme", "status": "active", "unpriced_call_policy": "allow", "content_capture": "full", "require_mfa_from": "2026-12-01T00:00:00Z", "version": 4,
    }))
}

/// Everything an owner may do in the console, sorted.
const OWNER: &[&str] = &[
    "api_key.create",
    "api_key.list",
    "api_key.revoke",
    "api_key.rotate",
    "audit.read",
    "audit.verify",
    "budget.create",
    "budget.delete",
    "budget.list",
    "budget.update",
    "content.scrub",
    "dead_letter.discard",
    "dead_letter.list",
    "dead_letter.redrive",
    "egress.read",
    "egress.update",
    "event.list",
    "export.audit",
    "export.events",
    "export.runs",
    "feedback.create",
    "grant.create",
    "grant.delete",
    "grant.list",
    "group.create",
    "group.delete",
    "group.list",
    "group.update",
    "invitation.create",
    "invitation.list",
    "invitation.revoke",
    "legal_hold.create",
    "legal_hold.release",
    "me.view_as",
    "member.add",
    "member.change_role",
    "member.list",
    "member.remove",
    "model.create",
    "model.list",
    "model.set_price",
    "model.update",
    "provider.create",
    "provider.delete",
    "provider.list",
    "provider.update",
    "retention.read",
    "retention.update",
    "run.compare",
    "run.evidence",
    "run.list",
    "run.read",
    "run.replay",
    "run.retry",
    "service_principal.create",
    "service_principal.disable",
    "service_principal.issue_key",
    "service_principal.list",
    "service_principal.update",
    "task.cancel",
    "task.list",
    "task.read",
    "task.retry",
    "workspace.read",
    "workspace.update",
];

#[async_trait]
impl Session for Fake {
    async fn find_shell(&self, slug: &Slug) -> Answer<Shell> {
        if slug.as_str() != WORKSPACE {
            return not_found();
        }
        let role = if self.world == World::Viewer { "viewer" } else { "owner" };
        let membership = json!({ "id": id("wsp", 1), "tenant_id": id("ten", 1), "slug": WORKSPACE, "name": "Acme", "role": role, "status": "active" });
        let actions: Vec<&str> = OWNER
            .iter()
            .filter(|action| role == "owner" || action.ends_with(".list") || action.ends_with(".read"))
            .filter(|action| role == "owner" || **action != "invitation.list")
            .copied()
            .collect();
        Ok(Shell {
            me: read(json!({
                "user": {
                    "id": id("usr", 1), "email": "ada@example.com", "name": "Ada King", "status": "active", "is_operator": true,
                    "default_password": self.is_empty(),
                    "email_verified": false,
                    "closes_at": null,
                },
                "workspaces": [membership], "workspace_id": id("wsp", 1), "role": role, "scope": "admin", "elevated_until": null,
                "second_factor": !self.is_empty(),
            })),
            workspace: read(membership),
            tenants: vec![crate::tenants::tenant()],
            permissions: read(json!({ "actions": actions })),
            api_url: "http://localhost:9200/v1".to_owned(),
            health: match self.world {
                World::Failing => Health { state: HealthState::Unavailable, failing: vec!["store".to_owned()] },
                _ => Health::default(),
            },
            version: "0.1.0".to_owned(),
            build: "b1".to_owned(),
            active_runs: (!self.is_empty()).then_some(1),
        })
    }

    async fn update_me(&self, command: UpdateMe) -> Answer<Me> {
        self.done.lock().unwrap().push(format!("update_me {:?}", command.name));
        Ok(self.find_shell(&WORKSPACE.parse().unwrap()).await?.me)
    }

    async fn search(&self, workspace: &Slug, q: String) -> Answer<Vec<Hit>> {
        self.here(workspace)?;
        Ok(vec![read(json!({ "kind": "api_key", "id": id("key", 1), "name": q, "parent_id": null }))])
    }

    async fn list_sessions(&self) -> Answer<Vec<identity::Session>> {
        let session = |number: u32, kind: &str, client: &str| {
            json!({
                "id": id("ses", number), "kind": kind, "client": client, "address": "127.0.0.1", "created_at": ago(7200), "last_seen_at": ago(60),
                "current": number == 1, "mfa": if number == 1 { "totp" } else { "none" },
            })
        };
        Ok(read(json!([session(1, "console", "Firefox on Linux"), session(2, "api", "curl")])))
    }

    async fn revoke_session(&self, id: SessionId) -> Answer<()> {
        self.change(&WORKSPACE.parse().unwrap(), format!("revoke_session {id}"))
    }

    async fn revoke_other_sessions(&self) -> Answer<()> {
        self.change(&WORKSPACE.parse().unwrap(), "revoke_other_sessions")
    }

    async fn change_password(&self, command: ChangePassword) -> Answer<()> {
        if command.new_password.len() < 12 {
            let mut problem = Problem::new(Code::WeakPassword, "must have 12 to 128 characters");
            problem.errors = read(json!([{ "field": "new_password", "message": "must have 12 to 128 characters" }]));
            return Err(problem);
        }
        self.change(&WORKSPACE.parse().unwrap(), "change_password")
    }

    async fn verify_email(&self, command: VerifyEmail) -> Answer<()> {
        self.note(format!("verify {}", command.email.unwrap_or_default()));
        Ok(())
    }

    async fn request_deletion(&self) -> Answer<DeletionRequest> {
        self.note("close");
        Ok(DeletionRequest { closes_at: Some(now()) })
    }

    async fn withdraw_deletion(&self) -> Answer<DeletionRequest> {
        self.note("keep");
        Ok(DeletionRequest::default())
    }

    async fn step_up(&self, command: StepUp) -> Answer<()> {
        match command.password.as_deref().or(command.code.as_deref()).unwrap_or_default() {
            "right" => Ok(()),
            _ => Err(Problem::new(Code::InvalidCredentials, "wrong password")),
        }
    }
}

#[async_trait]
impl Overview for Fake {
    async fn list_changed(&self, workspace: &Slug, _: DateTime<Utc>) -> Answer<Option<Vec<RunId>>> {
        self.here(workspace)?;
        Ok(Some(Vec::new()))
    }

    async fn find_overview(&self, workspace: &Slug, range: Range) -> Answer<observe::Overview> {
        self.here(workspace)?;
        if self.world == World::NoFigures {
            return Err(self.down());
        }
        let (from, to) = range.bounds(now());
        let length = (to - from) / 24;
        let buckets: Vec<Value> = (0..24)
            .map(|index: u32| {
                let wave = (index * index) % 17;
                json!({
                    "start": from + length * i32::try_from(index).unwrap(), "succeeded": if self.is_empty() { 0 } else { 12 + 5 * wave }, "failed": wave / 5,
                    "refused": wave / 7, "active": u32::from(index == 23 && !self.is_empty()),
                })
            })
            .collect();
        let full = !self.is_empty();
        let window = |factor: u64| {
            json!({
                "runs": 1204 * factor / 100, "active": u64::from(full), "failed": 34 * factor / 100, "refused": 13 * factor / 100,
                "cost": if full { json!([{ "currency": "USD", "amount": "41.07" }, { "currency": "EUR", "amount": "3.2" }]) } else { json!([]) },
                "unpriced": if full { 4 } else { 0 }, "p50_ms": full.then_some(620), "p95_ms": full.then_some(2410),
            })
        };
        Ok(read(json!({
            "from": from, "to": to, "now": window(if full { 100 } else { 0 }), "previous": window(if full { 92 } else { 0 }), "buckets": buckets,
            "active": u64::from(full),
            "setup": { "provider": full, "key": full, "run": full, "budget": full },
        })))
    }

    async fn list_running(&self, workspace: &Slug) -> Answer<Vec<Run>> {
        self.here(workspace)?;
        Ok(if self.is_empty() { vec![] } else { vec![run(0, "running", "model:openai:gpt-4o-mini", None, None)] })
    }
}

impl Fake {
    /// The run that always comes out of another.
    async fn replayed(&self, workspace: &Slug, source: RunId, kind: &str) -> Answer<Replayed> {
        let run = self.find_run(workspace, id("run", 896).parse().unwrap()).await?.run;
        Ok(read(json!({ "run": run, "replay": { "kind": kind, "source_run_id": source } })))
    }
}

#[async_trait]
impl Runs for Fake {
    async fn list_runs(&self, workspace: &Slug, range: Range, query: RunQuery) -> Answer<RunList> {
        self.here(workspace)?;
        if query.cursor.as_deref().is_some_and(|cursor| cursor != "c2") {
            return Err(Problem::new(Code::InvalidCursor, "the cursor belongs to another list"));
        }
        let (from, to) = range.bounds(now());
        let wanted = |run: &Run| {
            Term::pass(&query.filter.status, |status| *status == run.status)
                && Term::pass(&query.filter.model_ref, |model| run.model_ref.as_ref() == Some(model))
        };
        let items: Vec<Run> = if self.is_empty() { vec![] } else { runs().into_iter().filter(wanted).collect() };
        let count = if items.len() == 24 { 1204 } else { items.len() as u64 };
        let next_cursor = (items.len() == 24 && query.cursor.is_none()).then(|| "c2".to_owned());
        Ok(RunList {
            total: Some(Total { count, is_lower_bound: false }),
            page: Page { items, next_cursor },
            from,
            to,
            choices: Choices {
                keys: vec![(id("key", 1).parse().unwrap(), "Support desk".to_owned())],
                facets: (query.filter.q.as_deref() != Some("uncounted")).then(|| {
                    read(json!({
                        "status": { "succeeded": 1100, "failed": 34 }, "mode": { "gateway": 1204 }, "entry": { "openai": 1204 },
                        "model_ref": { "model:test:echo": 4, "model:openai:gpt-4o-mini": 1200, "a,b": 1, "!c": 1 },
                        "api_key_id": { id("key", 1): 700, id("key", 9): 3 }, "total": 1204,
                        "is_lower_bound": query.filter.q.as_deref() == Some("many"),
                    }))
                }),
            },
            names: names(),
            cursor_refused: false,
        })
    }

    async fn find_run(&self, workspace: &Slug, id: RunId) -> Answer<RunDetail> {
        self.here(workspace)?;
        runs().into_iter().find(|run| run.id == id).map_or_else(not_found, |run| Ok(detail(run)))
    }

    async fn compare_runs(&self, workspace: &Slug, a: RunId, b: RunId) -> Answer<Comparison> {
        let (a, b) = (self.find_run(workspace, a).await?, self.find_run(workspace, b).await?);
        let step = |changes: Value, input: Value| {
            json!({
                "a": a.steps.first(), "b": b.steps.first(), "changes": changes, "input": input, "output": null,
                "delta": { "duration_ms": -120, "tokens": 40, "cost": [{ "currency": "USD", "amount": "0.25" }], "unpriced": 0 },
            })
        };
        let pieces = json!([{ "kind": "same", "text": "look in " }, { "kind": "removed", "text": "Oslo" }, { "kind": "added", "text": "Bergen" }]);
        Ok(read(json!({
            "a": a.run, "b": b.run, "delta": { "duration_ms": 2000, "tokens": 0, "cost": [], "unpriced": 0 },
            "steps": [step(json!([]), json!(null)), step(json!(["input"]), pieces)],
        })))
    }

    async fn give_feedback(&self, workspace: &Slug, run_id: RunId, command: GiveFeedback) -> Answer<Feedback> {
        self.here(workspace)?;
        self.note(format!("give_feedback {} {:?}", command.rating, command.comment));
        Ok(read(json!({
            "id": id("fbk", 2), "run_id": run_id, "user_id": id("usr", 1), "user": "Ada King", "rating": command.rating,
            "labels": command.labels, "comment": command.comment, "created_at": ago(1), "updated_at": ago(1),
        })))
    }

    async fn rerun_run(&self, workspace: &Slug, _: Option<FormKey>, id: RunId, command: RerunRun) -> Answer<Replayed> {
        self.change(workspace, format!("rerun_run {:?}", command.input))?;
        self.replayed(workspace, id, "rerun").await
    }

    async fn reexecute_run(&self, workspace: &Slug, _: Option<FormKey>, id: RunId) -> Answer<Replayed> {
        self.change(workspace, "reexecute_run")?;
        self.replayed(workspace, id, "reexecute").await
    }

    async fn fork_run(&self, workspace: &Slug, _: Option<FormKey>, id: RunId, command: ForkRun) -> Answer<Replayed> {
        let ForkRun { from_seq, model_ref, params, .. } = command;
        self.change(workspace, format!("fork_run {from_seq} {model_ref:?} {params:?}"))?;
        self.replayed(workspace, id, "fork").await
    }

    async fn cancel_run(&self, workspace: &Slug, id: RunId) -> Answer<Run> {
        self.change(workspace, "cancel_run")?;
        Ok(self.find_run(workspace, id).await?.run)
    }

    async fn cancel_runs(&self, workspace: &Slug, _range: Range, filter: RunFilter) -> Answer<CanceledRuns> {
        self.change(workspace, "cancel_runs")?;
        let canceling = if filter.id.is_empty() { 1204 } else { filter.id.len() as u64 };
        Ok(CanceledRuns { canceling, ..CanceledRuns::default() })
    }

    async fn inspect_run(&self, workspace: &Slug, id: RunId, after: u64) -> Answer<Timeline> {
        let step = self.find_run(workspace, id).await?.steps.first().map(|step| step.id);
        let moment = |event: RunEvent| {
            let (opened, of_step) = (event.event_type == "step.opened", event.event_type.starts_with("step."));
            let event = RunEvent { step_id: step.filter(|_| of_step), ..event };
            let open: Vec<_> = step.filter(|_| opened).into_iter().collect();
            let state = json!({
                "status": "running", "steps": u8::from(event.offset > 1), "open_steps": open, "usage": { "input": 3 },
                "cost": [], "unpriced": 0,
            });
            json!({ "event": event, "state": state })
        };
        let events = self.list_run_events(workspace, id, after).await?.items;
        let items: Vec<Value> = events.into_iter().map(moment).collect();
        Ok(read(json!({ "replay": null, "items": items, "next_after": null })))
    }

    async fn list_run_events(&self, workspace: &Slug, id: RunId, after: u64) -> Answer<Page<RunEvent>> {
        self.here(workspace)?;
        let names = ["run.started", "step.opened", "step.closed", "run.finished"];
        let event = |(offset, name): (u64, &str)| {
            json!({
                "run_id": id, "offset": offset, "type": name, "step_id": null, "payload": { "mode": "gateway", "attempt_no": 1 }, "occurred_at": ago(60),
            })
        };
        let events: Vec<Value> = (1..).zip(names).filter(|(offset, _)| *offset > after).map(event).collect();
        Ok(Page::from(read::<Vec<RunEvent>>(json!(events))))
    }
}

#[async_trait]
impl Keys for Fake {
    async fn list_keys(&self, workspace: &Slug, after: Option<String>) -> Answer<List<KeyView>> {
        self.here(workspace)?;
        let view = |key: ApiKey, used: u64| KeyView {
            issuer: Some("Ada King".to_owned()),
            principal: None,
            spent: read(json!([{ "currency": "USD", "amount": "12.4" }])),
            limits: vec![
                LimitState { name: "requests_per_minute".to_owned(), limit: 600, used: 12 },
                LimitState { name: "requests_per_day".to_owned(), limit: 10_000, used },
            ],
            budgets: budgets(),
            key,
        };
        Ok(self.listed(
            after,
            vec![
                view(key(1, "Support desk", "active", Some(40)), 9_200),
                view(key(2, "Nightly triage", "active", Some(86_400 * 70)), 0),
                view(key(3, "Old laptop", "revoked", None), 0),
            ],
        ))
    }

    async fn list_key_names(&self, workspace: &Slug) -> Answer<Vec<(ApiKeyId, String)>> {
        let keys = self.list_keys(workspace, None).await?.page.items;
        Ok(keys.into_iter().map(|view| (view.key.id, view.key.name.to_string())).collect())
    }

    async fn find_key(&self, workspace: &Slug, id: ApiKeyId) -> Answer<KeyView> {
        let keys = self.list_keys(workspace, None).await?.page.items;
        keys.into_iter().find(|view| view.key.id == id).map_or_else(not_found, Ok)
    }

    async fn create_key(&self, workspace: &Slug, _: Option<FormKey>, command: CreateApiKey) -> Answer<ApiKey> {
        self.change(workspace, format!("create_key {} {:?}", command.name, command.allowed_models))?;
        self.reveals.lock().unwrap().insert(id("key", 1));
        Ok(key(1, command.name.as_str(), "active", None))
    }

    async fn rotate_key(
        &self,
        workspace: &Slug,
        _: Option<FormKey>,
        id: ApiKeyId,
        command: RotateApiKey,
    ) -> Answer<ApiKey> {
        self.change(workspace, format!("rotate_key {id} {}", command.overlap_seconds))?;
        self.reveals.lock().unwrap().insert(id.to_string());
        Ok(key(1, "Support desk", "active", None))
    }

    async fn revoke_key(&self, workspace: &Slug, id: ApiKeyId) -> Answer<ApiKey> {
        self.change(workspace, format!("revoke_key {id}"))?;
        Ok(key(1, "Support desk", "revoked", None))
    }

    async fn take_reveal(&self, workspace: &Slug, id: ApiKeyId) -> Answer<Reveal> {
        self.here(workspace)?;
        Ok(self.reveal(&id.to_string(), "sk_7f3a90c2d4e5b6781f3a90c2d4e5c4d9"))
    }
}

#[async_trait]
impl Access for Fake {
    async fn list_members(&self, workspace: &Slug, after: Option<String>) -> Answer<List<Member>> {
        self.here(workspace)?;
        let own = if self.world == World::Viewer { "viewer" } else { "owner" };
        Ok(self.listed(
            after,
            vec![member(1, "Ada King", own), member(2, "Grace Hopper", "admin"), member(3, "Alan Kay", "owner")],
        ))
    }

    async fn update_member(&self, workspace: &Slug, id: UserId, _: u64, command: UpdateMember) -> Answer<Member> {
        self.change(workspace, format!("update_member {id} {}", command.role))?;
        Ok(member(2, "Grace Hopper", command.role.as_str()))
    }

    async fn remove_member(&self, workspace: &Slug, id: UserId) -> Answer<()> {
        self.change(workspace, format!("remove_member {id}"))
    }

    async fn list_invitations(&self, workspace: &Slug, after: Option<String>) -> Answer<List<InvitationView>> {
        self.here(workspace)?;
        let view = |number: u32, status: &str| InvitationView {
            invitation: invitation(number, status),
            inviter: Some("Ada King".to_owned()),
        };
        Ok(self.listed(after, vec![view(1, "pending"), view(2, "accepted"), view(3, "expired")]))
    }

    async fn create_invitation(
        &self,
        workspace: &Slug,
        _: Option<FormKey>,
        command: CreateInvitation,
    ) -> Answer<Invitation> {
        self.change(workspace, format!("create_invitation {} {}", command.email, command.role))?;
        self.reveals.lock().unwrap().insert(id("inv", 1));
        Ok(invitation(1, "pending"))
    }

    async fn revoke_invitation(&self, workspace: &Slug, id: InvitationId) -> Answer<()> {
        self.change(workspace, format!("revoke_invitation {id}"))
    }

    async fn take_link(&self, workspace: &Slug, id: InvitationId) -> Answer<(Invitation, Reveal)> {
        self.here(workspace)?;
        Ok((invitation(1, "pending"), self.reveal(&id.to_string(), "http://localhost:5000/invite#si_7f3a90c2")))
    }
}

/// A view of a list: the third is shared by somebody else, the others are the reader's own.
fn view(number: u32, page: ViewPage, name: &str, query: &str) -> SavedView {
    let owner = if number == 3 { (2, "Grace Hopper") } else { (1, "Ada King") };
    read(json!({
        "id": id("viw", number), "page": page, "name": name, "query": query, "shared": number > 1, "default": false,
        "owner_id": id("usr", owner.0), "owner": owner.1, "version": 1,
    }))
}

fn views(page: ViewPage) -> Vec<SavedView> {
    match page {
        ViewPage::Runs => vec![
            view(1, page, "Failed", "f.status=failed"),
            view(2, page, "Slow", "sort=duration_ms"),
            view(3, page, "Spend", "sort=cost&range=7d"),
        ],
        ViewPage::Events | ViewPage::Audit => vec![view(1, page, "This week", "range=7d")],
    }
}

#[async_trait]
impl Views for Fake {
    async fn list_views(&self, workspace: &Slug, page: ViewPage) -> Answer<Vec<SavedView>> {
        self.here(workspace)?;
        Ok(if self.is_empty() { Vec::new() } else { views(page) })
    }

    async fn create_view(&self, workspace: &Slug, _: Option<FormKey>, command: CreateView) -> Answer<SavedView> {
        self.here(workspace)?;
        let CreateView { page, name, query, shared, default } = command;
        if views(page).iter().any(|view| view.name == name) {
            return Err(Problem::new(Code::AlreadyExists, "you have a view of this name"));
        }
        self.note(format!("create_view {page} {name} {query} {shared} {default}"));
        Ok(SavedView { shared, default, ..view(4, page, name.as_str(), &query) })
    }

    async fn update_view(
        &self,
        workspace: &Slug,
        id: ViewId,
        version: Option<u64>,
        command: UpdateView,
    ) -> Answer<SavedView> {
        self.here(workspace)?;
        let known = ViewPage::ALL.iter().flat_map(|page| views(*page)).find(|view| view.id == id);
        let Some(view) = known else { return not_found() };
        if version.is_some_and(|version| version != view.version) {
            return Err(Problem::new(Code::PreconditionFailed, "it changed since it was read"));
        }
        self.note(format!("update_view {id} {}", serde_json::to_string(&command).unwrap()));
        Ok(SavedView {
            name: command.name.unwrap_or(view.name),
            query: command.query.unwrap_or(view.query),
            shared: command.shared.unwrap_or(view.shared),
            default: command.default.unwrap_or(view.default),
            version: view.version + 1,
            ..view
        })
    }

    async fn delete_view(&self, workspace: &Slug, id: ViewId) -> Answer<()> {
        self.here(workspace)?;
        self.note(format!("delete_view {id}"));
        Ok(())
    }
}

#[async_trait]
impl Budgets for Fake {
    async fn list_budgets(&self, workspace: &Slug, after: Option<String>) -> Answer<List<BudgetView>> {
        self.here(workspace)?;
        Ok(self.listed(after, budgets()))
    }

    async fn find_budget(&self, workspace: &Slug, id: BudgetId) -> Answer<BudgetView> {
        self.here(workspace)?;
        budgets().into_iter().find(|view| view.budget.id == id).map_or_else(not_found, Ok)
    }

    async fn create_budget(&self, workspace: &Slug, _: Option<FormKey>, command: CreateBudget) -> Answer<Budget> {
        if command.name.as_str() == "Daily" {
            return Err(Problem::new(Code::AlreadyExists, "a budget named `Daily` exists"));
        }
        self.change(workspace, format!("create_budget {} {} {}", command.name, command.amount, command.currency))?;
        Ok(budgets().remove(0).budget)
    }

    async fn update_budget(
        &self,
        workspace: &Slug,
        id: BudgetId,
        version: u64,
        command: UpdateBudget,
    ) -> Answer<Budget> {
        if version != 3 {
            return Err(Problem::new(Code::PreconditionFailed, "the budget is at another version"));
        }
        self.change(workspace, format!("update_budget {id} {:?} {:?}", command.amount, command.status))?;
        Ok(budgets().remove(0).budget)
    }

    async fn delete_budget(&self, workspace: &Slug, id: BudgetId) -> Answer<()> {
        self.change(workspace, format!("delete_budget {id}"))
    }
}

#[async_trait]
impl Models for Fake {
    async fn find_model_hub(&self, workspace: &Slug, after: Option<String>) -> Answer<ModelHub> {
        self.here(workspace)?;
        let test = |pattern: &str, example: &str| json!({ "pattern": pattern, "example": example, "capabilities": ["chat", "stream"] });
        let test_models = read(json!([
            test("model:test:echo", "model:test:echo"),
            test("model:test:tokens-{n}", "model:test:tokens-64"),
            test("model:test:error-{status}", "model:test:error-503"),
        ]));
        let providers = self.listed(after, vec![provider_view(true)]);
        let model_count = providers.page.items.iter().map(|view| view.models.len()).sum();
        Ok(ModelHub { providers, model_count, test_models })
    }

    async fn list_prices(&self, workspace: &Slug, after: Option<String>) -> Answer<List<Price>> {
        self.here(workspace)?;
        Ok(self.listed(after, vec![price()]))
    }

    async fn find_provider(&self, workspace: &Slug, id: ProviderId) -> Answer<ProviderView> {
        self.here(workspace)?;
        if id == provider().id { Ok(provider_view(false)) } else { not_found() }
    }

    async fn create_provider(&self, workspace: &Slug, _: Option<FormKey>, command: CreateProvider) -> Answer<Provider> {
        self.change(workspace, format!("create_provider {} {}", command.slug, command.credential.is_some()))?;
        Ok(provider())
    }

    async fn update_provider(
        &self,
        workspace: &Slug,
        id: ProviderId,
        _: u64,
        command: UpdateProvider,
    ) -> Answer<Provider> {
        self.change(workspace, format!("update_provider {id} {:?}", command.status))?;
        Ok(provider())
    }

    async fn delete_provider(&self, _: &Slug, _: ProviderId) -> Answer<()> {
        Err(Problem::new(Code::InUse, "it still has models"))
    }

    async fn create_model(
        &self,
        workspace: &Slug,
        _: Option<FormKey>,
        _: ProviderId,
        command: CreateModel,
    ) -> Answer<Model> {
        self.change(workspace, format!("create_model {} {:?}", command.model_id, command.capabilities))?;
        Ok(model(1, "gpt-4o"))
    }

    async fn update_model(&self, workspace: &Slug, id: ModelId, _: u64, command: UpdateModel) -> Answer<Model> {
        self.change(workspace, format!("update_model {id} {:?}", command.enabled))?;
        Ok(model(1, "gpt-4o"))
    }

    async fn create_price(&self, workspace: &Slug, _: Option<FormKey>, command: CreatePrice) -> Answer<Price> {
        self.change(workspace, format!("create_price {}", command.match_ref))?;
        Ok(price())
    }
}

#[async_trait]
impl Egress for Fake {
    async fn find_egress_policy(&self, workspace: &Slug) -> Answer<EgressPolicy> {
        self.here(workspace)?;
        let rules = json!([{ "id": id("egr", 1), "schemes": ["https"], "host": "api.example.com", "ports": [], "note": "OpenAI" }]);
        Ok(read(json!({
            "bundle_id": "pb_1f3a90c2d4e5b678", "rules": if self.is_empty() { json!([]) } else { rules }, "private_networks": [], "updated_at": null,
        })))
    }

    async fn accept_egress_offer(&self, workspace: &Slug, id: ProviderId) -> Answer<EgressPolicy> {
        self.change(workspace, format!("accept_egress_offer {id}"))?;
        self.find_egress_policy(workspace).await
    }

    async fn create_egress_rule(&self, _: &Slug, _: Option<FormKey>, _: EgressRule) -> Answer<EgressPolicy> {
        Err(Problem::new(Code::StepUpRequired, "this action needs a fresh proof of identity"))
    }

    async fn delete_egress_rule(&self, workspace: &Slug, id: EgressRuleId) -> Answer<EgressPolicy> {
        self.change(workspace, format!("delete_egress_rule {id}"))?;
        self.find_egress_policy(workspace).await
    }

    async fn close_private_network(&self, workspace: &Slug, network: &str) -> Answer<EgressPolicy> {
        self.change(workspace, format!("close_private_network {network}"))?;
        self.find_egress_policy(workspace).await
    }
}

#[async_trait]
impl Settings for Fake {
    async fn find_workspace(&self, slug: &Slug) -> Answer<Workspace> {
        self.here(slug)?;
        Ok(workspace())
    }

    async fn update_workspace(&self, slug: &Slug, _: u64, command: UpdateWorkspace) -> Answer<Workspace> {
        self.change(slug, format!("update_workspace {:?}", command.name))?;
        Ok(workspace())
    }

    async fn find_about(&self) -> Answer<About> {
        Ok(About {
            version: "0.1.0".to_owned(),
            environment: "development".to_owned(),
            database: "SQLite 3.50".to_owned(),
            durability: "standard".to_owned(),
            console_url: "http://localhost:5000".to_owned(),
            api_url: "http://localhost:9200/v1".to_owned(),
            processes: 1,
        })
    }
}
