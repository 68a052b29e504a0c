//! Who did what.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use types::audit::{AuditEntry, AuditQuery};
use types::chain::{ChainState, ChainVerification};
use types::name::Slug;
use types::page::Page;

use super::Answer;
use crate::query::Range;

/// One page of the audit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditList {
    /// The rows, newest first.
    pub page: Page<AuditEntry>,
    /// Start of the range.
    pub from: DateTime<Utc>,
    /// End of the range.
    pub to: DateTime<Utc>,
    /// Names of who and what is on the page or asked for, by id; a service principal's with that of who answers for it.
    pub names: BTreeMap<String, String>,
    /// The cursor was none of this list's, so this is its first page.
    pub cursor_refused: bool,
}

/// One audit row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditDetail {
    /// The row.
    pub entry: AuditEntry,
    /// Names of who did it, to whom or what, and with which key, by id, as far as the reader may know them.
    pub names: BTreeMap<String, String>,
}

/// The workspace's hash chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChainView {
    /// Where it stands.
    pub state: ChainState,
    /// What a check of it found, where one was asked for.
    pub found: Option<ChainVerification>,
}

/// Who did what: all of it, or what the reader did.
#[async_trait]
pub trait Audit: Send + Sync {
    /// One page of the rows of a range. `query.filter.since` and `until` are set from the range by the backend.
    async fn list_audit(&self, workspace: &Slug, range: Range, query: AuditQuery) -> Answer<AuditList>;

    /// One row, by its number.
    async fn find_audit(&self, workspace: &Slug, seq: u64) -> Answer<AuditDetail>;

    /// The hash chain, checked where that is asked for.
    async fn find_chain(&self, workspace: &Slug, verify: bool) -> Answer<ChainView>;
}
