//! Claims: what a request does under its `Idempotency-Key`, so that its repeats do nothing more.
//!
//! A claim is made before the effect and ended with its outcome: a stored answer, or the key let go where nothing happened.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use types::id::{ArtifactId, RunId, Uuid};

use super::{Fence, Refusal};
use crate::context::Scope;
use crate::secret::Sealed;

/// SHA-256 of what a request asks for, in its canonical form.
pub type Fingerprint = [u8; 32];

/// A caller's key; unique in its tenant. Holds no more of what the caller sent than its digest.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClaimKey(String);

impl ClaimKey {
    /// The key a caller sent in a workspace.
    pub fn new(scope: Scope, caller_id: &str, key: &str) -> Self {
        let digest = Sha256::digest(key);
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Self(format!("{}/{caller_id}/{hex}", scope.workspace_id))
    }

    /// A key as the store names it.
    pub fn from_text(text: String) -> Self {
        Self(text)
    }

    /// The text in the store.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Where a claim stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimStatus {
    /// Somebody is at it.
    InProgress,
    /// It had an effect, which is not to be had again.
    Completed,
    /// It had none: the same request may try again.
    Released,
}

impl ClaimStatus {
    /// The word in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Released => "released",
        }
    }
}

impl FromStr for ClaimStatus {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Self::InProgress, Self::Completed, Self::Released];
        all.into_iter().find(|status| status.as_str() == text).ok_or_else(|| format!("`{text}` is no state of a claim"))
    }
}

impl fmt::Display for ClaimStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A claim as the store keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Where.
    pub scope: Scope,
    /// Where it stands.
    pub status: ClaimStatus,
    /// What was asked for.
    pub fingerprint: Fingerprint,
    /// Who holds it, or held it last: the run, or an id made for the command.
    pub holder: Uuid,
    /// The run of the last attempt.
    pub run_id: Option<RunId>,
    /// The run of the first attempt.
    pub first_run_id: Option<RunId>,
    /// How often it was claimed.
    pub attempts: u32,
    /// The process that does it.
    pub owner: Fence,
    /// When it was claimed first.
    pub claimed_at: DateTime<Utc>,
    /// Until when its end is remembered; none while it is in progress.
    pub expires_at: Option<DateTime<Utc>>,
    /// What it came to. Loaded by readers only: no decision depends on it.
    pub outcome: Option<Arc<ClaimOutcome>>,
}

impl Claim {
    /// Whether it is remembered no longer.
    pub fn is_over(&self, now: DateTime<Utc>) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }

    /// Whether another request may take the key.
    fn yields_to(&self, new: &NewClaim) -> bool {
        match self.status {
            // The same batch, sent again to a store that did not answer.
            ClaimStatus::InProgress => self.holder == new.holder,
            ClaimStatus::Completed => self.is_over(new.at),
            ClaimStatus::Released => self.fingerprint == new.fingerprint || self.is_over(new.at),
        }
    }
}

/// What was answered to a request that had an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimOutcome {
    /// The HTTP status.
    pub status: u16,
    /// The headers that belong to the answer: name in lower case, and value.
    pub headers: Vec<(String, String)>,
    /// The answer, sealed under the caller's key; none where it was not kept.
    pub body: Option<Sealed>,
    /// The artifact that is the sealed answer, where it is long; `body` is empty then.
    pub artifact_id: Option<ArtifactId>,
}

/// A key about to be claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewClaim {
    /// Which key.
    pub key: ClaimKey,
    /// What is asked for.
    pub fingerprint: Fingerprint,
    /// Who holds it then.
    pub holder: Uuid,
    /// The run that does it.
    pub run_id: Option<RunId>,
    /// The process that does it.
    pub owner: Fence,
    /// When.
    pub at: DateTime<Utc>,
    /// Written once already, to a store that lost it: where somebody else took the key meanwhile it stays theirs.
    pub is_resent: bool,
}

/// The end of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimEnd {
    /// Which key.
    pub key: ClaimKey,
    /// Who held it.
    pub holder: Uuid,
    /// What it came to.
    pub outcome: ClaimOutcome,
    /// Until when that is remembered.
    pub expires_at: DateTime<Utc>,
}

/// What a key is after a claim, or why it stays as it is.
pub(super) fn claim(scope: Scope, present: Option<&Claim>, new: &NewClaim) -> Result<Option<Claim>, Refusal> {
    let kept = match present {
        Some(present) if present.yields_to(new) => Some(present).filter(|present| !present.is_over(new.at)),
        Some(_) if new.is_resent => return Ok(None),
        Some(present) => return Err(Refusal::Claimed(Box::new(present.clone()))),
        None => None,
    };
    Ok(Some(Claim {
        scope,
        status: ClaimStatus::InProgress,
        fingerprint: new.fingerprint,
        holder: new.holder,
        run_id: new.run_id,
        first_run_id: kept.and_then(|kept| kept.first_run_id).or(new.run_id),
        attempts: kept.map_or(0, |kept| kept.attempts).saturating_add(1),
        owner: new.owner,
        claimed_at: kept.map_or(new.at, |kept| kept.claimed_at),
        expires_at: None,
        outcome: None,
    }))
}

/// What a key is once its holder is done. Nothing where it is not the holder's any more: an end that comes too late must not
/// keep the rest of its batch from being written.
pub(super) fn finish(present: Option<&Claim>, end: &ClaimEnd) -> Option<Claim> {
    // A key that was let go for a process taken for dead, and not taken since, still has the effect.
    let held = present.filter(|held| held.holder == end.holder && held.status != ClaimStatus::Completed)?;
    Some(Claim {
        status: ClaimStatus::Completed,
        expires_at: Some(end.expires_at),
        outcome: Some(Arc::new(end.outcome.clone())),
        ..held.clone()
    })
}

/// What a key is once its holder lets it go; nothing where it is not the holder's any more.
pub(super) fn release(present: Option<&Claim>, holder: Uuid, expires_at: DateTime<Utc>) -> Option<Claim> {
    let held = present.filter(|held| held.holder == holder && held.status == ClaimStatus::InProgress)?;
    Some(Claim { status: ClaimStatus::Released, expires_at: Some(expires_at), ..held.clone() })
}
