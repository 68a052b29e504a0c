//! The records a chain speaks of, as they are read back from where they are kept.

use std::collections::{BTreeMap, HashMap};

use types::audit::AuditEntry;
use types::cost::Cost;
use types::id::{ArtifactId, UserId};
use types::retention::RetentionClass;
use types::run::{Run, Step};

use super::{Entry, Hash, Kind, Purge};
use crate::context::Scope;

/// Random bytes of a run, kept beside its content: without them nobody can guess content from its commitment.
pub type Salt = [u8; 16];

/// A run with everything its digest covers.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosedRun {
    /// Where it lies.
    pub scope: Scope,
    /// The person answered for, where there is one.
    pub user_id: Option<UserId>,
    /// The run.
    pub run: Run,
    /// Its steps.
    pub steps: Vec<Step>,
    /// Its cost rows.
    pub costs: Vec<Cost>,
    /// SHA-256 of the bytes of each artifact it keeps.
    pub artifacts: BTreeMap<ArtifactId, Hash>,
    /// Its salt; none where no content was kept, or where it is erased.
    pub salt: Option<Salt>,
}

/// Records by the id their entries name.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// Audit rows.
    pub audit: HashMap<String, AuditEntry>,
    /// Runs.
    pub runs: HashMap<String, ClosedRun>,
    /// Cost rows of runs that are gone themselves.
    pub costs: HashMap<String, Vec<Cost>>,
    /// The last entry of each of these subjects: earlier ones of a run are superseded by it.
    pub latest: HashMap<String, u64>,
    /// Entries of purges that cover some of these.
    pub purges: Vec<Entry>,
}

impl Records {
    /// The first purge of a class that covers the record of an entry: one that stands behind it and is whole.
    pub fn purge_of(&self, seq: u64, class: RetentionClass) -> Option<&Entry> {
        let covering = self.purges.iter().filter(|entry| {
            let purge = (entry.kind == Kind::Purge && entry.seq > seq && entry.is_whole())
                .then(|| entry.parts.as_deref().and_then(Purge::read));
            purge.flatten().is_some_and(|purge| purge.covers(class, seq))
        });
        covering.min_by_key(|entry| entry.seq)
    }
}
