//! `idempotency_keys`

use std::sync::Arc;

use chrono::{DateTime, Utc};
use entity::idempotency_key::{ActiveModel, Column, Model};
use kernel::ledger::{Claim, ClaimKey, ClaimOutcome, ClaimStatus, Fence};
use kernel::secret::Sealed;
use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::prelude::DateTimeUtc;
use serde::{Deserialize, Serialize};
use types::id::{ArtifactId, ProcessId, RunId, TenantId, Uuid};

use super::{Corrupt, count, digest, document, number, scope, small, text, word};
use crate::dialect::{FromRecord, Record};
use crate::error::Trouble;

/// Status and headers of an answer, as the column `outcome` holds them.
#[derive(Serialize, Deserialize)]
struct Head {
    status: u16,
    headers: Vec<(String, String)>,
}

/// A claim as the ledger loads it: without its outcome, which no decision depends on.
pub(crate) struct StandingClaim {
    tenant_id: Uuid,
    key: String,
    workspace_id: Uuid,
    status: String,
    fingerprint: Vec<u8>,
    holder: Uuid,
    run_id: Option<Uuid>,
    first_run_id: Option<Uuid>,
    attempts: i64,
    owner_process_id: Uuid,
    owner_epoch: i64,
    claimed_at: DateTimeUtc,
    expires_at: Option<DateTimeUtc>,
}

impl StandingClaim {
    pub(crate) const COLUMNS: [Column; 13] = [
        Column::TenantId,
        Column::Key,
        Column::WorkspaceId,
        Column::Status,
        Column::Fingerprint,
        Column::Holder,
        Column::RunId,
        Column::FirstRunId,
        Column::Attempts,
        Column::OwnerProcessId,
        Column::OwnerEpoch,
        Column::ClaimedAt,
        Column::ExpiresAt,
    ];

    /// Its key, and the claim; none for a row that was only made to be locked.
    pub(crate) fn claim(self) -> Result<((TenantId, ClaimKey), Option<Claim>), Corrupt> {
        let key = (TenantId::from_uuid(self.tenant_id), ClaimKey::from_text(self.key));
        if self.attempts == 0 {
            return Ok((key, None));
        }
        let claim = Claim {
            scope: scope(self.tenant_id, self.workspace_id),
            status: word(&self.status, "idempotency_keys.status")?,
            fingerprint: digest(&self.fingerprint, "idempotency_keys.fingerprint")?.0,
            holder: self.holder,
            run_id: self.run_id.map(RunId::from_uuid),
            first_run_id: self.first_run_id.map(RunId::from_uuid),
            attempts: small(self.attempts),
            owner: Fence { process_id: ProcessId::from_uuid(self.owner_process_id), epoch: count(self.owner_epoch) },
            claimed_at: self.claimed_at,
            expires_at: self.expires_at,
            outcome: None,
        };
        Ok((key, Some(claim)))
    }
}

impl FromRecord for StandingClaim {
    fn read(record: &Record<'_>) -> Result<Self, Trouble> {
        Ok(Self {
            tenant_id: record.get(0)?,
            key: record.get(1)?,
            workspace_id: record.get(2)?,
            status: record.get(3)?,
            fingerprint: record.get(4)?,
            holder: record.get(5)?,
            run_id: record.get(6)?,
            first_run_id: record.get(7)?,
            attempts: record.get(8)?,
            owner_process_id: record.get(9)?,
            owner_epoch: record.get(10)?,
            claimed_at: record.get(11)?,
            expires_at: record.get(12)?,
        })
    }
}

pub(crate) fn active(tenant_id: TenantId, key: &ClaimKey, claim: &Claim) -> Result<ActiveModel, Corrupt> {
    let outcome = claim.outcome.as_deref();
    let head = outcome.map(|outcome| Head { status: outcome.status, headers: outcome.headers.clone() });
    let body = outcome.and_then(|outcome| outcome.body.as_ref());
    Ok(ActiveModel {
        tenant_id: Set(tenant_id.as_uuid()),
        key: Set(key.as_str().to_owned()),
        workspace_id: Set(claim.scope.workspace_id.as_uuid()),
        status: Set(claim.status.to_string()),
        fingerprint: Set(claim.fingerprint.to_vec()),
        holder: Set(claim.holder),
        run_id: Set(claim.run_id.map(RunId::as_uuid)),
        first_run_id: Set(claim.first_run_id.map(RunId::as_uuid)),
        attempts: Set(i64::from(claim.attempts)),
        owner_process_id: Set(claim.owner.process_id.as_uuid()),
        owner_epoch: Set(number(claim.owner.epoch)),
        claimed_at: Set(claim.claimed_at),
        expires_at: Set(claim.expires_at),
        outcome: Set(head.map(|head| text(&head, "idempotency_keys.outcome")).transpose()?),
        body: Set(body.map(|body| body.ciphertext.clone())),
        body_key_id: Set(body.map(|body| body.key_id.clone())),
        body_nonce: Set(body.map(|body| body.nonce.clone())),
        created_at: NotSet,
        body_artifact_id: Set(outcome.and_then(|outcome| outcome.artifact_id).map(ArtifactId::as_uuid)),
    })
}

/// A row that stands for no claim: what is not there cannot be locked.
pub(crate) fn placeholder(tenant_id: TenantId, key: &ClaimKey) -> ActiveModel {
    ActiveModel {
        tenant_id: Set(tenant_id.as_uuid()),
        key: Set(key.as_str().to_owned()),
        workspace_id: Set(Uuid::nil()),
        status: Set(ClaimStatus::Released.to_string()),
        fingerprint: Set(Vec::new()),
        holder: Set(Uuid::nil()),
        attempts: Set(0),
        owner_process_id: Set(Uuid::nil()),
        owner_epoch: Set(0),
        claimed_at: Set(DateTime::UNIX_EPOCH),
        expires_at: Set(Some(DateTime::<Utc>::UNIX_EPOCH)),
        ..Default::default()
    }
}

/// A claim with what it came to; none for a placeholder.
pub(crate) fn record(row: Model) -> Result<Option<Claim>, Corrupt> {
    let head: Option<Head> = row.outcome.map(|text| document(&text, "idempotency_keys.outcome")).transpose()?;
    let body = match (row.body, row.body_key_id, row.body_nonce) {
        (Some(ciphertext), Some(key_id), Some(nonce)) => Some(Sealed { key_id, nonce, ciphertext }),
        _ => None,
    };
    let artifact_id = row.body_artifact_id.map(ArtifactId::from_uuid);
    let outcome = head.map(|Head { status, headers }| Arc::new(ClaimOutcome { status, headers, body, artifact_id }));
    let standing = StandingClaim {
        tenant_id: row.tenant_id,
        key: row.key,
        workspace_id: row.workspace_id,
        status: row.status,
        fingerprint: row.fingerprint,
        holder: row.holder,
        run_id: row.run_id,
        first_run_id: row.first_run_id,
        attempts: row.attempts,
        owner_process_id: row.owner_process_id,
        owner_epoch: row.owner_epoch,
        claimed_at: row.claimed_at,
        expires_at: row.expires_at,
    };
    let (_, claim) = standing.claim()?;
    Ok(claim.map(|claim| Claim { outcome, ..claim }))
}
