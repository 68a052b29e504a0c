//! The records a chain speaks of, as they are read back from where they are kept.

use std::collections::{BTreeMap, HashMap};

use types::audit::AuditEntry;
use types::cost::Cost;
use types::id::{ArtifactId, UserId};
use types::run::{Run, Step};

use super::Hash;
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
    /// The last entry of each of these subjects: earlier ones of a run are superseded by it.
    pub latest: HashMap<String, u64>,
}
