//! Hash chains and their checkpoints.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kernel::chain::{Checkpoint, ClosedRun, Entry, Hash, Kind, Records};
use kernel::context::Scope;
use kernel::ledger::{ChainEnd, Sealed};
use kernel::port::{ChainHead, Chains, StoreError, Unsealed};
use types::audit::AuditEntry;
use types::id::RunId;

use super::store::{FakeStore, Rows};

#[async_trait]
impl Chains for FakeStore {
    async fn head(&self, scope: Scope) -> Result<ChainHead, StoreError> {
        Ok(self.rows().head(scope))
    }

    async fn list_entries(&self, scope: Scope, from: u64, limit: u32) -> Result<Vec<Entry>, StoreError> {
        let entries = self.rows().chain(scope).into_iter().filter(|entry| entry.seq >= from);
        Ok(entries.take(limit as usize).collect())
    }

    async fn find_entries(&self, scope: Scope, subject_ids: &[String]) -> Result<Vec<Entry>, StoreError> {
        let chain = self.rows().chain(scope);
        let is_last =
            |entry: &&Entry| !chain.iter().any(|later| later.subject_id == entry.subject_id && later.seq > entry.seq);
        let wanted = chain.iter().filter(|entry| subject_ids.contains(&entry.subject_id)).filter(is_last);
        Ok(wanted.cloned().collect())
    }

    async fn records(&self, scope: Scope, entries: &[Entry]) -> Result<Records, StoreError> {
        let rows = self.rows();
        let mut records = Records::default();
        for entry in entries {
            let id = &entry.subject_id;
            match entry.kind {
                Kind::Audit => {
                    let mut audit = rows.audit.iter().filter(|(of, row, _)| *of == scope && row.id.to_string() == *id);
                    let found = audit.next().map(|(_, row, seq)| (id.clone(), row.entry(*seq)));
                    records.audit.extend(found);
                }
                Kind::KeyRotation => {}
                Kind::Run => {
                    let closed = id.parse().ok().and_then(|id| rows.closed_run(id));
                    records.runs.extend(closed.filter(|run| run.scope == scope).map(|run| (id.clone(), run)));
                    let chain = rows.chain(scope);
                    let latest = chain.iter().filter(|entry| entry.subject_id == *id).map(|entry| entry.seq).max();
                    records.latest.extend(latest.map(|seq| (id.clone(), seq)));
                    if !records.runs.contains_key(id) {
                        let left =
                            rows.costs.iter().filter(|(of, cost)| *of == scope && cost.run_id.to_string() == *id);
                        records.costs.insert(id.clone(), left.map(|(_, cost)| cost.clone()).collect());
                    }
                }
                Kind::Purge => {}
            }
        }
        let purges = rows.chain(scope).into_iter().filter(|entry| entry.kind == Kind::Purge);
        records.purges = purges.collect();
        Ok(records)
    }

    async fn list_audit_of(&self, scope: Scope, run_id: RunId) -> Result<Vec<AuditEntry>, StoreError> {
        let rows = self.rows();
        let of_run = rows.audit.iter().filter(|(of, row, _)| *of == scope && row.run_id == Some(run_id));
        Ok(of_run.map(|(_, row, seq)| row.entry(*seq)).collect())
    }

    async fn list_checkpoints(
        &self,
        scope: Scope,
        ending_from: u64,
        limit: u32,
    ) -> Result<Vec<Checkpoint>, StoreError> {
        let checkpoints = self.rows().checkpoints(scope).into_iter().filter(|one| one.last_seq >= ending_from);
        Ok(checkpoints.take(limit as usize).collect())
    }

    async fn last_checkpoint(&self, scope: Scope) -> Result<Option<Checkpoint>, StoreError> {
        Ok(self.rows().checkpoints(scope).pop())
    }

    async fn put_checkpoint(&self, scope: Scope, checkpoint: &Checkpoint) -> Result<bool, StoreError> {
        let mut rows = self.rows();
        if rows.checkpoints(scope).iter().any(|kept| kept.number == checkpoint.number) {
            return Ok(false);
        }
        rows.checkpoints.push((scope, checkpoint.clone()));
        Ok(true)
    }

    async fn list_chains(&self, after: Option<Scope>, limit: u32) -> Result<Vec<Scope>, StoreError> {
        let mut scopes: Vec<Scope> = self.rows().state.chains.keys().copied().collect();
        scopes.sort_by_key(|scope| scope.workspace_id);
        let behind =
            scopes.into_iter().filter(|scope| after.is_none_or(|after| scope.workspace_id > after.workspace_id));
        Ok(behind.take(limit as usize).collect())
    }

    async fn list_unsealed(&self, limit: u32) -> Result<Vec<Unsealed>, StoreError> {
        let rows = self.rows();
        let mut unsealed: Vec<Unsealed> = Vec::new();
        for (scope, entry, at) in &rows.entries {
            if entry.seq == rows.head(*scope).sealed + 1 {
                let head = rows.head(*scope);
                unsealed.push(Unsealed { scope: *scope, entries: head.seq - head.sealed, since: *at });
            }
        }
        unsealed.sort_by_key(|one| one.since);
        unsealed.truncate(limit as usize);
        Ok(unsealed)
    }
}

impl Rows {
    /// Appends an entry, once what it is of is written.
    pub(super) fn seal(&mut self, scope: Scope, subject: &Sealed, seq: u64, at: DateTime<Utc>) {
        let prev = self.chain(scope).last().map(|entry| entry.hash).unwrap_or_default();
        let entry = match subject {
            Sealed::Audit(audit, number) => Entry::of_audit(seq, prev, scope, &audit.entry(*number)),
            Sealed::KeyRotation(rotation) => Entry::of_rotation(seq, prev, rotation),
            Sealed::Run(id) => Entry::of_run(seq, prev, &self.closed_run(*id).expect("a run that is over")),
        };
        self.state.chains.insert(scope, ChainEnd { seq, hash: entry.hash });
        self.entries.push((scope, entry, at));
    }

    fn chain(&self, scope: Scope) -> Vec<Entry> {
        self.entries.iter().filter(|(of, ..)| *of == scope).map(|(_, entry, _)| entry.clone()).collect()
    }

    fn checkpoints(&self, scope: Scope) -> Vec<Checkpoint> {
        self.checkpoints.iter().filter(|(of, _)| *of == scope).map(|(_, checkpoint)| checkpoint.clone()).collect()
    }

    fn head(&self, scope: Scope) -> ChainHead {
        let end = self.state.chains.get(&scope).copied().unwrap_or_default();
        let sealed = self.checkpoints(scope).last().map_or(0, |last| last.last_seq);
        ChainHead { seq: end.seq, hash: end.hash, sealed }
    }

    /// A run with everything its digest covers.
    fn closed_run(&self, id: RunId) -> Option<ClosedRun> {
        let stored = self.runs.get(&id)?;
        let steps = self.steps.values().filter(|step| step.step.run_id == id);
        let mut steps: Vec<_> = steps.filter_map(|stored| self.step(stored.step.id)).collect();
        steps.sort_by_key(|step| step.seq);
        let costs = self.costs.iter().filter(|(_, cost)| cost.run_id == id);
        let mut costs: Vec<_> = costs.map(|(_, cost)| cost.clone()).collect();
        costs.sort_by_key(|cost| (cost.occurred_at, cost.id));
        let run = self.run(id)?;
        let artifacts = self.artifacts.values().filter(|stored| stored.artifact.run_id == Some(id));
        Some(ClosedRun {
            scope: stored.scope,
            user_id: stored.run.user_id,
            run,
            steps,
            costs,
            artifacts: artifacts.map(|stored| (stored.artifact.id, Hash(stored.artifact.sha256.0))).collect(),
            salt: stored.run.salt,
        })
    }
}
