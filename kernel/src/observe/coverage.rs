//! Which entries of the chain cover what is taken out.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::stream::{BoxStream, StreamExt, TryStreamExt, iter};
use serde_json::Value;
use types::export::RecordType;

use crate::context::Scope;
use crate::error::{Error, Result};
use crate::port::{Chains, Record};

/// Records whose entries are looked up at once.
const AT_ONCE: usize = 200;

/// The lowest and the highest number of the entries so far.
#[derive(Clone, Debug)]
pub(super) struct Coverage(Arc<[AtomicU64; 2]>);

impl Default for Coverage {
    fn default() -> Self {
        Self(Arc::new([AtomicU64::new(u64::MAX), AtomicU64::new(0)]))
    }
}

impl Coverage {
    /// The first and the last number; none where no entry covers a record.
    pub(super) fn span(&self) -> Option<(u64, u64)> {
        let [first, last] = &*self.0;
        let (first, last) = (first.load(Ordering::Relaxed), last.load(Ordering::Relaxed));
        (first <= last).then_some((first, last))
    }

    /// The same records, each once the entry that covers it is known.
    pub(super) fn of(
        &self,
        chains: Arc<dyn Chains>,
        scope: Scope,
        record_type: RecordType,
        records: BoxStream<'static, Result<Record>>,
    ) -> BoxStream<'static, Result<Record>> {
        let coverage = self.clone();
        let pages = records.try_chunks(AT_ONCE).map_err(|cut| cut.1).and_then(move |page| {
            let (coverage, chains) = (coverage.clone(), Arc::clone(&chains));
            async move {
                let subjects: BTreeSet<String> =
                    page.iter().filter_map(|record| subject(record_type, record)).collect();
                let subjects: Vec<String> = subjects.into_iter().collect();
                for entry in chains.find_entries(scope, &subjects).await? {
                    coverage.add(entry.seq);
                }
                Ok::<_, Error>(iter(page.into_iter().map(Ok)))
            }
        });
        pages.try_flatten().boxed()
    }

    fn add(&self, seq: u64) {
        let [first, last] = &*self.0;
        first.fetch_min(seq, Ordering::Relaxed);
        last.fetch_max(seq, Ordering::Relaxed);
    }
}

/// What the entry of a record is of: itself, or the run that it is part of.
fn subject(record_type: RecordType, record: &Record) -> Option<String> {
    let name = match record_type {
        RecordType::Runs | RecordType::Audit => "id",
        RecordType::Steps
        | RecordType::Costs
        | RecordType::Events
        | RecordType::RunEvents
        | RecordType::Tasks
        | RecordType::Artifacts => "run_id",
    };
    record.get(name).and_then(Value::as_str).map(str::to_owned)
}
