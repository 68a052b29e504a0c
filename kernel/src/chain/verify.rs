//! Checking a chain: every entry against the one before it and against its record, every checkpoint against its entries.

use types::chain::{ChainProblem, ChainVerification};
use types::retention::RetentionClass;

use super::{Chain, Checkpoint, Entry, Gone, Hash, Kind, Parts, PublicKey, Purge, Records, Rotation, form, root};
use crate::check::Checks;
use crate::context::{OpContext, Scope};
use crate::error::Result;
use crate::policy::guard;
use crate::port::ChainHead;

/// Most entries checked by one request; the answer says where to go on.
const MOST: u64 = 50_000;
/// Entries read at once, with their records.
const PAGE: u32 = 250;
/// Checkpoints read at once.
const CHECKPOINTS: u32 = 100;

/// The first thing that is wrong.
struct Bad {
    seq: u64,
    problem: ChainProblem,
    record: Option<String>,
}

impl Bad {
    fn at(seq: u64, problem: ChainProblem) -> Self {
        Self { seq, problem, record: None }
    }
}

impl Chain {
    /// Checks the workspace's chain from one entry to another, at most 50,000 of them: all of it by default.
    pub async fn verify(&self, ctx: &OpContext, from: Option<u64>, to: Option<u64>) -> Result<ChainVerification> {
        guard::authorize(ctx, "audit.verify")?;
        self.verify_in(ctx.scope, from, to).await
    }

    /// Checks the chain of what the tenant of the context did as a whole, like that of a workspace.
    pub async fn verify_tenant(
        &self,
        ctx: &OpContext,
        from: Option<u64>,
        to: Option<u64>,
    ) -> Result<ChainVerification> {
        guard::authorize(ctx, "tenant_audit.read")?;
        self.verify_in(ctx.scope, from, to).await
    }

    async fn verify_in(&self, scope: Scope, from: Option<u64>, to: Option<u64>) -> Result<ChainVerification> {
        let head = self.ports.chains.head(scope).await?;
        let first = from.unwrap_or(1);
        let mut checks = Checks::default();
        checks.require(first >= 1, "from", "must be at least 1, the number of the first entry");
        let ends = head.seq.max(1);
        checks.require(first <= ends, "from", format!("must not lie behind the last entry, which is {}", head.seq));
        checks.require(to.is_none_or(|to| to >= first), "to", "must not lie before `from`");
        checks.done()?;
        let asked = to.unwrap_or(head.seq).min(head.seq);
        let end = asked.min(first.saturating_add(MOST - 1));
        let keys = self.ports.signer.ring().keys.clone();
        let mut walk = Walk { chain: self, scope, keys, prev: Hash::ZERO, checked: 0, cover: Cover::default() };
        let bad = walk.run(first, end, head).await?;
        Ok(ChainVerification {
            valid: bad.is_none(),
            from: first,
            to: end,
            checked: walk.checked,
            first_bad_seq: bad.as_ref().map(|bad| bad.seq),
            problem: bad.as_ref().map(|bad| bad.problem),
            next_from: (bad.is_none() && end < asked).then_some(end + 1),
            record: bad.and_then(|bad| bad.record),
        })
    }
}

/// One way through a chain.
struct Walk<'a> {
    chain: &'a Chain,
    scope: Scope,
    /// Of this deployment.
    keys: Vec<PublicKey>,
    /// Hash of the entry before.
    prev: Hash,
    checked: u64,
    cover: Cover,
}

/// The checkpoints of the stretch, and the hashes of the one that is being walked through.
#[derive(Default)]
struct Cover {
    waiting: std::collections::VecDeque<Checkpoint>,
    last: Option<Checkpoint>,
    hashes: Vec<Hash>,
    /// Nothing from here on was sealed when this was asked: what is sealed meanwhile is left to another walk.
    is_over: bool,
}

impl Walk<'_> {
    async fn run(&mut self, first: u64, end: u64, head: ChainHead) -> Result<Option<Bad>> {
        let chains = &self.chain.ports.chains;
        if first > 1 {
            let before = chains.list_entries(self.scope, first - 1, 1).await?;
            match before.first().filter(|entry| entry.seq == first - 1) {
                Some(entry) => self.prev = entry.hash,
                None => return Ok(Some(Bad::at(first - 1, ChainProblem::EntryMissing))),
            }
        }
        let mut seq = first;
        while seq <= end {
            let limit = u32::try_from(end - seq + 1).unwrap_or(PAGE).min(PAGE);
            let entries = chains.list_entries(self.scope, seq, limit).await?;
            let records = chains.records(self.scope, &entries).await?;
            let mut entries = entries.iter();
            for expected in seq..seq + u64::from(limit) {
                let entry = entries.next().filter(|entry| entry.seq == expected);
                let Some(entry) = entry else { return Ok(Some(Bad::at(expected, ChainProblem::EntryMissing))) };
                let bad = match check(self.scope, entry, self.prev, &records, &self.keys) {
                    Some(bad) => Some(bad),
                    None => self.cover(entry, first).await?,
                };
                if bad.is_some() {
                    return Ok(bad);
                }
                self.prev = entry.hash;
                self.checked += 1;
            }
            seq += u64::from(limit);
        }
        if end == head.seq { self.check_end(head).await } else { Ok(None) }
    }

    /// Walks a checkpoint one entry on; checks it at its last one. One that began before `first` is left to another walk.
    async fn cover(&mut self, entry: &Entry, first: u64) -> Result<Option<Bad>> {
        if self.cover.waiting.is_empty() && !self.cover.is_over {
            let more = self.chain.ports.chains.list_checkpoints(self.scope, entry.seq, CHECKPOINTS).await?;
            self.cover.is_over = more.is_empty();
            self.cover.waiting.extend(more);
        }
        let Some(checkpoint) = self.cover.waiting.front() else { return Ok(None) };
        let broken = |problem| Ok(Some(Bad::at(checkpoint.first_seq.max(first), problem)));
        if entry.seq < checkpoint.first_seq {
            // One is gone that covered this entry.
            return Ok(Some(Bad::at(entry.seq, ChainProblem::CheckpointAltered)));
        }
        if checkpoint.first_seq >= first {
            self.cover.hashes.push(entry.hash);
        }
        if entry.seq < checkpoint.last_seq {
            return Ok(None);
        }
        let last = self.cover.last.as_ref();
        let follows = match last {
            Some(last) => {
                checkpoint.number == last.number + 1
                    && checkpoint.first_seq == last.last_seq + 1
                    && checkpoint.previous == last.hash(self.scope)
            }
            None => first > 1 || (checkpoint.number == 1 && checkpoint.previous == Hash::ZERO),
        };
        let is_seen_whole = checkpoint.first_seq >= first;
        let covers = !is_seen_whole || (root(&self.cover.hashes) == checkpoint.root);
        if !follows || !covers || checkpoint.head != entry.hash {
            return broken(ChainProblem::CheckpointAltered);
        }
        if !checkpoint.is_signed_by(self.scope, &self.keys) {
            return broken(ChainProblem::CheckpointUnsigned);
        }
        self.cover.hashes.clear();
        self.cover.last = self.cover.waiting.pop_front();
        Ok(None)
    }

    /// The chain must end where it said, with nothing behind but what was added since, and as many checkpoints as it said.
    async fn check_end(&self, head: ChainHead) -> Result<Option<Bad>> {
        let chains = &self.chain.ports.chains;
        let has_more = !chains.list_entries(self.scope, head.seq + 1, 1).await?.is_empty();
        let sealed = chains.last_checkpoint(self.scope).await?.map_or(0, |last| last.last_seq);
        let now = chains.head(self.scope).await?;
        if self.prev != head.hash || (has_more && now.seq == head.seq) {
            return Ok(Some(Bad::at(head.seq.max(1), ChainProblem::HeadAltered)));
        }
        let is_gone = sealed < head.sealed || sealed > now.seq;
        Ok(is_gone.then(|| Bad::at(sealed.min(head.seq) + 1, ChainProblem::CheckpointAltered)))
    }
}

/// An entry by itself, behind the one before, and of the record as it is kept now.
fn check(scope: Scope, entry: &Entry, prev: Hash, records: &Records, keys: &[PublicKey]) -> Option<Bad> {
    if !entry.is_whole() {
        return Some(Bad::at(entry.seq, ChainProblem::EntryAltered));
    }
    if entry.prev_hash != prev {
        return Some(Bad::at(entry.seq, ChainProblem::LinkBroken));
    }
    let (problem, record) = match entry.kind {
        Kind::Audit => check_audit(scope, entry, records)?,
        Kind::KeyRotation => {
            let rotation = entry.parts.as_deref().and_then(Rotation::read);
            let is_ours = rotation.is_some_and(|one| {
                one.to.id() == entry.subject_id && keys.contains(&one.from) && keys.contains(&one.to)
            });
            return (!is_ours).then(|| Bad::at(entry.seq, ChainProblem::EntryAltered));
        }
        // A later entry of the run says what it is now.
        Kind::Run if records.latest.get(&entry.subject_id).is_some_and(|latest| *latest > entry.seq) => return None,
        Kind::Run => check_run(entry, records)?,
        Kind::Purge => {
            let purge = entry.parts.as_deref().and_then(Purge::read);
            let is_its_own = purge.is_some_and(|purge| purge.id() == entry.subject_id);
            return (!is_its_own).then(|| Bad::at(entry.seq, ChainProblem::EntryAltered));
        }
    };
    Some(Bad { seq: entry.seq, problem, record })
}

/// What is wrong with an audit row. One that is gone is missing, unless a later purge covers it.
fn check_audit(scope: Scope, entry: &Entry, records: &Records) -> Option<(ChainProblem, Option<String>)> {
    let id = &entry.subject_id;
    let problem = match records.audit.get(id) {
        None if records.purge_of(entry.seq, RetentionClass::Audit).is_some() => return None,
        None => ChainProblem::RecordMissing,
        Some(row) if form::audit(scope, row).hash() != entry.subject_digest => ChainProblem::RecordAltered,
        Some(_) => return None,
    };
    Some((problem, Some(id.clone())))
}

/// What is wrong with a run. Its content and its cost rows have times of their own: they may go while it stays, and cost rows
/// may stay when it goes.
fn check_run(entry: &Entry, records: &Records) -> Option<(ChainProblem, Option<String>)> {
    let id = &entry.subject_id;
    let Some(parts) = entry.parts.as_deref().and_then(Parts::read).filter(|parts| parts.run_id() == id) else {
        return Some((ChainProblem::EntryAltered, None));
    };
    let took = |class| records.purge_of(entry.seq, class).is_some();
    let may = Gone { costs: took(RetentionClass::Costs), content: took(RetentionClass::Content) };
    let flaw = match records.runs.get(id) {
        Some(closed) => parts.flaw(closed, may)?,
        None if took(RetentionClass::Runs) => {
            let costs = records.costs.get(id).map(Vec::as_slice).unwrap_or_default();
            parts.flaw_of_costs(costs, may.costs)?
        }
        None => return Some((ChainProblem::RecordMissing, Some(id.clone()))),
    };
    let problem = if flaw.is_missing { ChainProblem::RecordMissing } else { ChainProblem::RecordAltered };
    Some((problem, Some(flaw.record)))
}
