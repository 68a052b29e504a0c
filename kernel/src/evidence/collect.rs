//! Collecting the evidence of a run that is over.

use std::sync::Arc;

use serde_json::{Value, json};
use types::id::RunId;
use types::problem::Code;
use types::retention::RetentionClass;
use types::run::{Capture, RunFilter, RunQuery, RunSort};

use super::container;
use super::file::{
    AUDIT, CHAIN, CHILDREN, COSTS, Files, GOVERNANCE, LISTED, MANIFEST, POLICY, RUN, RUN_EVENTS, SIGNATURE, STEPS,
    SUMS, line, lines,
};
use super::manifest::{self, FORM, Manifest};
use super::proof::{Proof, Proved};
use super::records::{Disclosure, event, governance, plain, policy, with_content};
use crate::chain::{
    self, Chain, Checkpoint, ClosedRun, Entry, Hash, audit_form, cost_form, proof, run_form, shown, step_form,
};
use crate::context::{OpContext, Scope};
use crate::error::{Error, Result};
use crate::ledger::{Audit, Batch, Durability};
use crate::policy::guard;
use crate::port::{Catalog, Chains, EventRange, Ids, Ledger, Runs, Signer};

/// Events read at once.
const EVENTS: u32 = 1_000;
/// Child runs read at once.
const CHILD_RUNS: u32 = 200;

/// What collecting evidence needs from the world.
#[derive(Clone)]
pub struct Ports {
    /// Seals the chain up to the run.
    pub chain: Chain,
    /// Reads chains.
    pub chains: Arc<dyn Chains>,
    /// Reads runs.
    pub runs: Arc<dyn Runs>,
    /// Reads what the workspace keeps now.
    pub catalog: Arc<dyn Catalog>,
    /// Records who took evidence out.
    pub ledger: Arc<dyn Ledger>,
    /// Ids of what is recorded.
    pub ids: Arc<dyn Ids>,
    /// Signs the manifest.
    pub signer: Arc<dyn Signer>,
}

/// Collects evidence.
#[derive(Clone)]
pub struct Evidence {
    ports: Ports,
}

/// The evidence of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// The zip.
    pub bytes: Vec<u8>,
    /// SHA-256 of it, in hex.
    pub sha256: String,
}

/// A run with what proves it.
struct Case {
    scope: Scope,
    closed: ClosedRun,
    entry: Entry,
    /// The purges of its content and of its cost rows.
    purges: Vec<Entry>,
    /// Its audit rows with their entries.
    audit: Vec<(types::audit::AuditEntry, Entry)>,
    disclosure: Disclosure,
}

impl Evidence {
    /// The use case on these ports.
    pub fn new(ports: Ports) -> Self {
        Self { ports }
    }

    /// The evidence of a run that is over. Asked for the first time it seals the chain; asked again it gives the same bytes.
    /// Who took it out is on the record before it leaves.
    pub async fn collect(&self, ctx: &OpContext, id: RunId) -> Result<Bundle> {
        guard::authorize(ctx, "run.evidence")?;
        let case = self.open(ctx, id).await?;
        let bytes = container::write(&self.files(&case).await?).map_err(Error::internal)?;
        let sha256 = Hash::of(&[&bytes]).to_string();
        let audit = Audit::done(ctx, &*self.ports.ids, "run.evidence_exported", "run.evidence", ("run", id))
            .with_payload(json!({ "sha256": sha256, "content": case.disclosure.as_str() }));
        self.ports.ledger.commit(Batch::opening(ctx.scope, Durability::Power).with([audit.into()])).await?;
        Ok(Bundle { bytes, sha256 })
    }

    async fn open(&self, ctx: &OpContext, id: RunId) -> Result<Case> {
        let (scope, chains) = (ctx.scope, &self.ports.chains);
        let run = self.ports.runs.find_run(scope, id).await?.ok_or_else(Error::not_found)?;
        if !run.status.is_final() {
            let detail = format!("the run is {}, there is evidence of it once it is over", run.status);
            return Err(Error::new(Code::RunNotFinal, detail));
        }
        let entry = chains.find_entries(scope, &[id.to_string()]).await?.into_iter().next();
        let Some(entry) = entry else {
            let detail = "the run ended before soit kept a chain, nothing proves it";
            return Err(Error::new(Code::NotSupported, detail));
        };
        let mut records = chains.records(scope, std::slice::from_ref(&entry)).await?;
        let closed = records.runs.remove(&entry.subject_id).ok_or_else(Error::not_found)?;
        // Later ones took nothing more of it: the bundle stays the same.
        let purges = [RetentionClass::Content, RetentionClass::Costs].into_iter();
        let purges = purges.filter_map(|class| records.purge_of(entry.seq, class).cloned()).collect();
        let rows = chains.list_audit_of(scope, id).await?;
        let ids: Vec<String> = rows.iter().map(|row| row.id.to_string()).collect();
        let entries = chains.find_entries(scope, &ids).await?;
        let audit = rows.into_iter().filter_map(|row| {
            let id = row.id.to_string();
            let own = entries.iter().find(|own| own.subject_id == id && own.seq < entry.seq)?;
            Some((row, own.clone()))
        });
        let audit = audit.collect();
        let workspace = self.ports.catalog.snapshot(scope).await?;
        let keeps_now = workspace.is_some_and(|now| now.content_capture() != Capture::MetadataOnly);
        let keeps = run.capture != Capture::MetadataOnly && keeps_now;
        let disclosure = if keeps { Disclosure::Kept } else { Disclosure::Withheld };
        Ok(Case { scope, closed, entry, purges, audit, disclosure })
    }

    async fn files(&self, case: &Case) -> Result<Files> {
        let Case { scope, closed, entry, audit, disclosure, .. } = case;
        let shown = if *disclosure == Disclosure::Kept { shown(closed) } else { Vec::new() };
        let id = closed.run.id.to_string();
        let steps = closed.steps.iter().map(|step| with_content(&step.id.to_string(), step_form(step), &shown));
        let mut files: Files = LISTED.iter().map(|name| ((*name).to_owned(), Vec::new())).collect();
        let mut put = |name: &str, bytes: Vec<u8>| files.insert(name.to_owned(), bytes);
        put(RUN, line(&with_content(&id, run_form(closed), &shown)));
        put(STEPS, lines(steps));
        put(COSTS, lines(closed.costs.iter().map(|cost| plain(cost_form(cost)))));
        put(AUDIT, lines(audit.iter().map(|(row, _)| plain(audit_form(*scope, row)))));
        put(RUN_EVENTS, lines(self.events(case).await?));
        put(POLICY, line(&policy(closed)));
        put(GOVERNANCE, line(&governance(&closed.run, *disclosure)));
        put(CHILDREN, line(&json!({ "children": self.children(*scope, closed.run.id).await? })));
        put(CHAIN, line(&json!(self.proof(case).await?)));
        let manifest = Manifest {
            form: FORM.to_owned(),
            run_id: id,
            tenant_id: scope.tenant_id.to_string(),
            workspace_id: scope.workspace_id.to_string(),
            entry_seq: entry.seq,
            content: disclosure.as_str().to_owned(),
            files: manifest::listed(&files),
        };
        let manifest = line(&json!(manifest));
        let signature = manifest::sign(&*self.ports.signer, &manifest);
        files.insert(MANIFEST.to_owned(), manifest);
        files.insert(SUMS.to_owned(), manifest::sums(&files));
        files.extend(signature.map(|signature| (SIGNATURE.to_owned(), signature)));
        Ok(files)
    }

    async fn events(&self, case: &Case) -> Result<Vec<Value>> {
        let mut lines = Vec::new();
        let mut after = 0;
        loop {
            let range = EventRange { after, limit: EVENTS };
            let events = self.ports.runs.list_run_events(case.scope, case.closed.run.id, range).await?;
            lines.extend(events.iter().map(|one| event(one, case.disclosure)));
            match events.last() {
                Some(last) if events.len() == EVENTS as usize => after = last.offset,
                _ => return Ok(lines),
            }
        }
    }

    async fn children(&self, scope: Scope, id: RunId) -> Result<Vec<Value>> {
        let filter = RunFilter { parent_run_id: vec![id], ..RunFilter::default() };
        let mut query =
            RunQuery { filter, sort: RunSort::StartedAt, descending: false, limit: CHILD_RUNS, cursor: None };
        let mut children = Vec::new();
        loop {
            let page = self.ports.runs.list_runs(scope, &query).await?;
            children.extend(page.items.iter().map(|run| json!({ "id": run.id, "status": run.status })));
            query.cursor = page.next_cursor;
            if query.cursor.is_none() {
                return Ok(children);
            }
        }
    }

    async fn proof(&self, case: &Case) -> Result<Proof> {
        let mut entries: Vec<&Entry> = case.audit.iter().map(|(_, entry)| entry).collect();
        entries.push(&case.entry);
        entries.extend(&case.purges);
        entries.sort_by_key(|entry| entry.seq);
        let mut proved = Vec::new();
        let mut checkpoints: Vec<Checkpoint> = Vec::new();
        let mut hashes: Vec<Hash> = Vec::new();
        for entry in entries {
            if checkpoints.last().is_none_or(|last| last.last_seq < entry.seq) {
                let checkpoint = self.checkpoint(case.scope, entry.seq).await?;
                hashes = self.hashes(case.scope, &checkpoint).await?;
                checkpoints.push(checkpoint);
            }
            let place = checkpoints.last().map(|last| (last.number, entry.seq.saturating_sub(last.first_seq)));
            let (number, index) = place.unwrap_or_default();
            let path = usize::try_from(index).ok().and_then(|index| proof(&hashes, index)).unwrap_or_default();
            proved.push(Proved::new(entry.clone(), number, path));
        }
        Ok(Proof::new(case.scope, &self.ports.signer.ring(), proved, &checkpoints))
    }

    /// The checkpoint over an entry, made now where there is none.
    async fn checkpoint(&self, scope: Scope, seq: u64) -> Result<Checkpoint> {
        let find = async || Ok::<_, Error>(self.ports.chains.list_checkpoints(scope, seq, 1).await?.into_iter().next());
        if let Some(checkpoint) = find().await? {
            return Ok(checkpoint);
        }
        self.ports.chain.seal(scope).await?;
        let missing = || Error::new(Code::LedgerUnavailable, "the chain could not be sealed, try again");
        find().await?.ok_or_else(missing)
    }

    async fn hashes(&self, scope: Scope, checkpoint: &Checkpoint) -> Result<Vec<Hash>> {
        let mut entries = self.ports.chains.list_entries(scope, checkpoint.first_seq, chain::SEGMENT).await?;
        entries.retain(|entry| entry.seq <= checkpoint.last_seq);
        Ok(entries.iter().map(|entry| entry.hash).collect())
    }
}
