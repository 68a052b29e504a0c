//! Where batches wait: one queue for what starts something, one for what ends something, for each lane.
//!
//! Admission (opening) is refused when too much waits; closing work is never refused, and when too much of it waits
//! nothing new is admitted.

use std::collections::VecDeque;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use kernel::ledger::{self, Batch, LedgerError, Refusal};
use kernel::port::Committed;
use tokio::sync::{Notify, oneshot};

use super::weight::weight;

/// Batches waiting for admission.
const MOST_OPENING: usize = 8_192;
/// Bytes waiting.
const MOST_BYTES: usize = 64 << 20;
/// Closing batches waiting that stop admission.
const MOST_CLOSING: usize = 1_000;
/// One batch.
const BATCH_BYTES: usize = 8 << 20;
/// One transaction.
const GROUP: usize = 256;
const GROUP_BYTES: usize = 4 << 20;

/// The answer a caller waits for.
pub(crate) type Answer = Result<Committed, LedgerError>;

/// A batch and who waits for it.
pub(super) struct Job {
    pub(super) batch: Batch,
    pub(super) answer: oneshot::Sender<Answer>,
    number: u64,
    bytes: usize,
}

#[derive(Default)]
struct Lane {
    opening: VecDeque<Job>,
    closing: VecDeque<Job>,
}

#[derive(Default)]
struct Waiting {
    lanes: Vec<Lane>,
    opening: usize,
    closing: usize,
    bytes: usize,
    submitted: u64,
    closed: bool,
}

/// Where batches wait for their lane.
pub(crate) struct Queue {
    waiting: Mutex<Waiting>,
    wake: Vec<Notify>,
}

impl Queue {
    pub(crate) fn new(lanes: usize) -> Self {
        let lanes = lanes.max(1);
        let waiting = Waiting { lanes: (0..lanes).map(|_| Lane::default()).collect(), ..Waiting::default() };
        Self { waiting: Mutex::new(waiting), wake: (0..lanes).map(|_| Notify::new()).collect() }
    }

    pub(super) fn lanes(&self) -> usize {
        self.wake.len()
    }

    /// Opening and closing batches waiting now.
    pub(crate) fn lengths(&self) -> (usize, usize) {
        let waiting = self.lock();
        (waiting.opening, waiting.closing)
    }

    /// Puts the batch in line, or refuses it before anything happened.
    pub(super) fn submit(&self, batch: Batch) -> Result<oneshot::Receiver<Answer>, LedgerError> {
        let bytes = weight(&batch);
        if bytes > BATCH_BYTES {
            return Err(Refusal::Invalid { what: "more than 8 MiB" }.into());
        }
        let index = self.lane_of(&batch);
        let (answer, receiver) = oneshot::channel();
        {
            let mut waiting = self.lock();
            if waiting.closed {
                return Err(LedgerError::Unavailable("the store is closed".to_owned()));
            }
            waiting.admit(&batch, bytes)?;
            waiting.push(index, Job { batch, answer, number: 0, bytes });
        }
        if let Some(wake) = self.wake.get(index) {
            wake.notify_one();
        }
        Ok(receiver)
    }

    /// Everything that waits for the lane and fits one transaction, in the order it was submitted; closing work goes
    /// first when not all fits. `None` once the queue is closed and empty.
    pub(super) async fn take(&self, lane: usize) -> Option<Vec<Job>> {
        let wake = self.wake.get(lane)?;
        loop {
            {
                let mut waiting = self.lock();
                let group = waiting.group(lane);
                if !group.is_empty() {
                    return Some(group);
                }
                if waiting.closed {
                    return None;
                }
            }
            wake.notified().await;
        }
    }

    /// Takes what waits for the lane, to refuse it while the store cannot be reached.
    pub(super) fn drain(&self, lane: usize) -> Vec<Job> {
        let mut drained = Vec::new();
        let mut waiting = self.lock();
        loop {
            let group = waiting.group(lane);
            if group.is_empty() {
                return drained;
            }
            drained.extend(group);
        }
    }

    /// Refuses what comes; what waits is still written.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        for wake in &self.wake {
            wake.notify_one();
        }
    }

    fn lane_of(&self, batch: &Batch) -> usize {
        let mut hash = DefaultHasher::new();
        batch.scope.workspace_id.hash(&mut hash);
        usize::try_from(hash.finish() % self.wake.len() as u64).unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn admit(&self, batch: &Batch, bytes: usize) -> Result<(), LedgerError> {
        let full = self.opening >= MOST_OPENING || self.bytes + bytes > MOST_BYTES || self.closing > MOST_CLOSING;
        match batch.lane {
            ledger::Lane::Opening if full => Err(LedgerError::Overloaded),
            ledger::Lane::Opening | ledger::Lane::Closing => Ok(()),
        }
    }

    fn push(&mut self, lane: usize, mut job: Job) {
        self.submitted += 1;
        job.number = self.submitted;
        self.bytes += job.bytes;
        let Some(lane) = self.lanes.get_mut(lane) else { return };
        match job.batch.lane {
            ledger::Lane::Opening => {
                self.opening += 1;
                lane.opening.push_back(job);
            }
            ledger::Lane::Closing => {
                self.closing += 1;
                lane.closing.push_back(job);
            }
        }
    }

    fn group(&mut self, lane: usize) -> Vec<Job> {
        let Some(lane) = self.lanes.get_mut(lane) else { return Vec::new() };
        let mut group = Vec::new();
        let mut bytes = 0;
        for (queue, count) in [(&mut lane.closing, &mut self.closing), (&mut lane.opening, &mut self.opening)] {
            while let Some(job) = queue.front() {
                if group.len() == GROUP || (bytes + job.bytes > GROUP_BYTES && !group.is_empty()) {
                    break;
                }
                bytes += job.bytes;
                *count -= 1;
                group.extend(queue.pop_front());
            }
        }
        self.bytes -= bytes;
        group.sort_by_key(|job| job.number);
        group
    }
}

#[cfg(test)]
mod tests {
    use kernel::context::Scope;
    use kernel::ledger::Durability;
    use types::id::{TenantId, Uuid, WorkspaceId};

    use super::*;

    fn scope() -> Scope {
        let id = Uuid::from_u128(1);
        Scope { tenant_id: TenantId::from_uuid(id), workspace_id: WorkspaceId::from_uuid(id) }
    }

    fn opening() -> Batch {
        Batch::opening(scope(), Durability::Process)
    }

    #[tokio::test]
    async fn a_group_keeps_the_order_of_submission() {
        let queue = Queue::new(1);
        let lanes = [ledger::Lane::Opening, ledger::Lane::Closing, ledger::Lane::Opening, ledger::Lane::Closing];
        let mut answers = Vec::new();
        for lane in lanes {
            answers.push(queue.submit(Batch { lane, ..opening() }).expect("room"));
        }
        let group = queue.take(0).await.expect("open");
        let order: Vec<ledger::Lane> = group.iter().map(|job| job.batch.lane).collect();
        assert_eq!(order, lanes);
        assert_eq!(queue.lengths(), (0, 0));
    }

    #[tokio::test]
    async fn closing_work_goes_first_when_not_all_fits() {
        let queue = Queue::new(1);
        let opened: Vec<_> = (0..300).map(|_| queue.submit(opening()).expect("room")).collect();
        let closed: Vec<_> = (0..250).map(|_| queue.submit(Batch::closing(scope())).expect("room")).collect();
        let group = queue.take(0).await.expect("open");
        assert_eq!(group.iter().filter(|job| job.batch.lane == ledger::Lane::Closing).count(), 250);
        assert_eq!(group.len(), GROUP);
        assert_eq!(opened.len() + closed.len() - group.len(), queue.lengths().0);
    }

    #[tokio::test]
    async fn admission_is_refused_when_too_much_waits_and_closing_never() {
        let queue = Queue::new(1);
        let mut answers: Vec<_> = (0..MOST_OPENING).map(|_| queue.submit(opening()).expect("room")).collect();
        assert!(matches!(queue.submit(opening()), Err(LedgerError::Overloaded)));
        answers.push(queue.submit(Batch::closing(scope())).expect("closing is never refused"));
        queue.drain(0);
        assert_eq!(queue.lengths(), (0, 0));
        for _ in 0..=MOST_CLOSING {
            answers.push(queue.submit(Batch::closing(scope())).expect("closing is never refused"));
        }
        assert!(matches!(queue.submit(opening()), Err(LedgerError::Overloaded)));
    }

    #[tokio::test]
    async fn a_closed_queue_is_emptied_and_then_ends() {
        let queue = Queue::new(1);
        let answer = queue.submit(opening()).expect("room");
        queue.close();
        assert!(matches!(queue.submit(opening()), Err(LedgerError::Unavailable(_))));
        assert_eq!(queue.take(0).await.expect("the rest").len(), 1);
        assert!(queue.take(0).await.is_none());
        drop(answer);
    }
}
