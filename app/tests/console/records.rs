//! What the fake backend says of the audit, of events and of what was given up.

use app::backend::audit::{AuditDetail, AuditList, ChainView};
use app::backend::outbox::{DeadLetterList, EventList};
use app::backend::second_factor::Shown;
use app::backend::{Answer, Audit, Outbox, SecondFactor, Sso};
use app::query::Range;
use async_trait::async_trait;
use serde_json::{Value, json};
use types::audit::{AuditEntry, AuditQuery};
use types::id::{FormKey, SsoConnectionId, SsoLinkId};
use types::name::Slug;
use types::outbox::{
    ConsumerLag, DeadLetter, DeadLetterFilter, DeadLetterKind, DeadLetterQuery, DiscardDeadLetter, EventQuery,
    OutboxEvent, RedrivenLetter,
};
use types::page::Page;
use types::problem::{Code, Problem};
use types::run::Term;
use types::sso::{CreateOidcConnection, OidcCheck, OidcConnection, SsoLinks, UpdateOidcConnection};

use crate::fake::{Fake, ago, id, names, not_found, now, read};

fn entries() -> Vec<AuditEntry> {
    let entry = |seq: u32, event_type: &str, outcome: &str, payload: Value| {
        json!({
            "id": id("aud", seq), "seq": seq, "event_type": event_type, "operation": "budget.update", "outcome": outcome,
            "resource": { "type": "budget", "id": id("bdg", 1) }, "actor": { "kind": "user", "id": id("usr", 1) },
            "run_id": null, "address": "10.0.0.7", "credential_id": id("ses", 1), "payload": payload,
            "occurred_at": ago(60 * i64::from(seq)),
        })
    };
    let changed =
        json!({ "before": { "name": "Old name", "amount": "10" }, "after": { "name": "New name", "amount": "10" } });
    read(json!([
        entry(2, "budget.updated", "done", changed),
        entry(1, "access.denied", "denied", json!({ "code": "role_required" })),
    ]))
}

fn letters() -> Vec<DeadLetter> {
    read(json!([{
        "kind": "outbox", "id": format!("{}.live", id("evt", 1)), "consumer": "live", "event_type": "run.finished",
        "subject": id("run", 1), "subject_seq": 1, "attempts": 20, "redrives": 0, "error": "no answer",
        "occurred_at": ago(900), "died_at": ago(60),
    }]))
}

#[async_trait]
impl Audit for Fake {
    async fn list_audit(&self, workspace: &Slug, range: Range, query: AuditQuery) -> Answer<AuditList> {
        self.here(workspace)?;
        let (from, to) = range.bounds(now());
        let wanted = |entry: &AuditEntry| Term::pass(&query.filter.outcome, |outcome| *outcome == entry.outcome);
        let items = if self.is_empty() { vec![] } else { entries().into_iter().filter(wanted).collect() };
        let next_cursor = (!self.is_empty() && query.cursor.is_none()).then(|| "c2".to_owned());
        Ok(AuditList { page: Page { items, next_cursor }, from, to, names: names(), cursor_refused: false })
    }

    async fn find_audit(&self, workspace: &Slug, seq: u64) -> Answer<AuditDetail> {
        self.here(workspace)?;
        let entry = entries().into_iter().find(|entry| entry.seq == seq);
        entry.map_or_else(not_found, |entry| Ok(AuditDetail { entry, names: names() }))
    }

    async fn find_chain(&self, workspace: &Slug, verify: bool) -> Answer<ChainView> {
        self.here(workspace)?;
        if self.is_empty() {
            let found = json!({
                "valid": true, "from": 1, "to": 0, "checked": 0, "first_bad_seq": null, "problem": null, "record": null,
                "next_from": null,
            });
            return Ok(ChainView { state: Default::default(), found: verify.then(|| read(found)) });
        }
        let last = json!({
            "number": 3, "first_seq": 1001, "last_seq": 1200, "root": "ab", "sealed_at": ago(120), "key_id": "key_1",
        });
        let state = json!({ "entries": 1234, "head": "cd", "unsealed": 34, "last_checkpoint": last });
        let found = json!({
            "valid": false, "from": 1, "to": 1234, "checked": 6, "first_bad_seq": 7, "problem": "record_altered",
            "record": id("aud", 7), "next_from": null,
        });
        Ok(ChainView { state: read(state), found: verify.then(|| read(found)) })
    }
}

#[async_trait]
impl Outbox for Fake {
    async fn list_events(&self, workspace: &Slug, range: Range, _: EventQuery) -> Answer<EventList> {
        self.here(workspace)?;
        let (from, to) = range.bounds(now());
        let events: Vec<OutboxEvent> = read(json!([{
            "id": id("evt", 1), "event_type": "run.finished", "subject": id("run", 1), "subject_seq": 1,
            "run_id": id("run", 1), "payload": { "status": "succeeded" }, "occurred_at": ago(60),
        }]));
        let items = if self.is_empty() { vec![] } else { events };
        Ok(EventList { page: items.into(), from, to, cursor_refused: false })
    }

    async fn list_lags(&self, workspace: &Slug) -> Answer<Vec<ConsumerLag>> {
        self.here(workspace)?;
        Ok(read(json!([{
            "consumer": "live", "pending": 3, "leased": 1, "dead": 1, "oldest_ms": 2400, "p95_ms": 120,
        }])))
    }

    async fn list_dead_letters(&self, workspace: &Slug, _: DeadLetterQuery) -> Answer<DeadLetterList> {
        self.here(workspace)?;
        let items = if self.is_empty() { vec![] } else { letters() };
        Ok(DeadLetterList { page: items.into(), cursor_refused: false })
    }

    async fn redrive_dead_letter(&self, workspace: &Slug, kind: DeadLetterKind, id: &str) -> Answer<RedrivenLetter> {
        self.change(workspace, format!("redrive_dead_letter {kind} {id}"))?;
        Ok(read(json!({ "kind": kind, "id": id, "outcome": "redriven" })))
    }

    async fn redrive_dead_letters(&self, workspace: &Slug, _: DeadLetterFilter) -> Answer<Page<RedrivenLetter>> {
        self.change(workspace, "redrive_dead_letters")?;
        Ok(Vec::new().into())
    }

    async fn discard_dead_letter(
        &self,
        workspace: &Slug,
        kind: DeadLetterKind,
        id: &str,
        command: DiscardDeadLetter,
    ) -> Answer<()> {
        self.change(workspace, format!("discard_dead_letter {kind} {id}: {}", command.reason))
    }
}

#[async_trait]
impl SecondFactor for Fake {
    async fn find_second_factor(&self) -> Answer<Shown> {
        let mfa = read(json!({
            "enabled": !self.is_empty(), "enabled_at": (!self.is_empty()).then(|| ago(86_400)), "pending": false,
            "recovery_codes_left": 9, "enforced": false, "session": if self.is_empty() { "none" } else { "totp" },
        }));
        Ok(Shown { mfa, done: self.second_factor.lock().unwrap().clone() })
    }
}

#[async_trait]
impl Sso for Fake {
    async fn list_sso_connections(&self, tenant: &Slug) -> Answer<Vec<OidcConnection>> {
        if tenant.as_str() != "acme" {
            return Err(Problem::new(Code::NotFound, "no such tenant"));
        }
        let connection = json!({
            "id": id("idc", 1), "label": "Company", "issuer": "https://idp.example.com", "client_id": "soit",
            "secret_id": id("sec", 1), "scopes": ["openid", "email"], "allowed_domains": ["example.com"],
            "group_claim": "groups", "mappings": [{ "group": "devs", "role": "dev", "workspace_id": id("wsp", 1) }],
            "jit": true, "jit_role": "viewer", "workspace_id": id("wsp", 1), "enforced": false,
            "redirect_uri": "https://soit.test/auth/oidc/idc/callback",
            "backchannel_logout_uri": "https://soit.test/auth/oidc/idc/backchannel-logout",
            "created_at": ago(86_400), "version": 3,
        });
        match self.is_viewer() {
            true => Err(Problem::new(Code::StepUpRequired, "prove who you are")),
            false => Ok(if self.is_empty() { Vec::new() } else { vec![read(connection)] }),
        }
    }

    async fn create_sso_connection(
        &self,
        tenant: &Slug,
        _: Option<FormKey>,
        command: CreateOidcConnection,
    ) -> Answer<OidcConnection> {
        self.done.lock().unwrap().push(format!("create {tenant} {}", command.issuer));
        Err(Problem::new(Code::Busy, "later"))
    }

    async fn update_sso_connection(
        &self,
        tenant: &Slug,
        id: SsoConnectionId,
        version: u64,
        command: UpdateOidcConnection,
    ) -> Answer<OidcConnection> {
        let mappings = command.mappings.unwrap_or_default().len();
        self.done.lock().unwrap().push(format!("update {tenant} {id} {version} {mappings}"));
        Err(Problem::new(Code::Busy, "later"))
    }

    async fn delete_sso_connection(&self, tenant: &Slug, id: SsoConnectionId) -> Answer<()> {
        self.done.lock().unwrap().push(format!("delete {tenant} {id}"));
        Ok(())
    }

    async fn test_sso_connection(&self, _: &Slug, _: SsoConnectionId) -> Answer<OidcCheck> {
        Ok(OidcCheck { ok: true, code: None, detail: None, backchannel_logout: true, latency_ms: 3 })
    }

    async fn list_sso_links(&self) -> Answer<SsoLinks> {
        if self.is_empty() {
            return Ok(SsoLinks::default());
        }
        Ok(read(json!({
            "items": [{
                "id": id("idl", 1), "tenant_id": id("ten", 1), "issuer": "https://idp.example.com",
                "email": "ada@example.com", "created_at": ago(86_400), "last_used_at": ago(60),
            }],
            "offers": [{ "id": id("idc", 1), "label": "Company", "link_url": "/auth/oidc/idc_1/start?link=abc" }],
        })))
    }

    async fn unlink_sso(&self, id: SsoLinkId) -> Answer<()> {
        self.done.lock().unwrap().push(format!("unlink {id}"));
        Ok(())
    }
}
