//! Commands under a caller's key: claimed, done, and ended with their answer.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};
use types::id::{FormKey, Uuid};
use types::problem::Code;

use super::form::RANDOM_BITS;
use super::long::{fetched, stowed};
use crate::artifact::{Keeper, Library};
use crate::context::{OpContext, Scope};
use crate::error::{Error, Result};
use crate::ledger::{
    Batch, Claim, ClaimEnd, ClaimKey, ClaimOutcome, ClaimStatus, Durability, Fingerprint, LedgerError, NewClaim, Op,
    Refusal,
};
use crate::port::{Claims, Clock, Ids, Ledger, Lifecycle, Sealer};
use crate::secret::Sealed;

/// How long it is remembered that a key was tried in vain.
pub(crate) const RELEASED_FOR: TimeDelta = TimeDelta::hours(24);
/// Largest answer that is kept.
const MOST_KEPT: usize = 4 * 1024 * 1024;
/// Between two looks at a claim that somebody waits for.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// How often the end of a claim is given to a store that does not take it.
const ATTEMPTS: u32 = 6;
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// Between two tries that nobody waits for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Those bits of a UUIDv7 that say that it is one.
const VERSION_AND_VARIANT: u128 = (0x7 << 76) | (0b10 << 62);

/// What commands under keys need from the world.
pub struct Ports {
    /// Claims and their ends.
    pub ledger: Arc<dyn Ledger>,
    /// Claims of before.
    pub claims: Arc<dyn Claims>,
    /// Keeps long answers.
    pub keeper: Keeper,
    /// Reads them again.
    pub library: Library,
    /// Seals what was answered.
    pub sealer: Arc<dyn Sealer>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Ids of holders.
    pub ids: Arc<dyn Ids>,
    /// Whether anything may start.
    pub lifecycle: Arc<dyn Lifecycle>,
}

/// The end of a claim that the store did not take.
#[derive(Debug)]
pub struct Unended {
    scope: Scope,
    ops: Vec<Op>,
}

/// How commands under keys are set.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How long an answer is kept, from the moment it was given.
    pub kept_for: Duration,
}

/// Does commands under a caller's key once.
pub struct Repeats {
    ports: Ports,
    settings: Settings,
}

/// A key that is held: the command is to be done now, and the claim to be ended.
#[derive(Debug)]
pub struct Held {
    scope: Scope,
    key: ClaimKey,
    /// What the caller sent: seals the answer and is kept nowhere.
    secret: String,
    holder: Uuid,
    /// Ids of what the command makes follow from it: done again after a crash, it finds what was made before.
    pub form_key: FormKey,
}

/// An answer that is to be given again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The headers that belong to it: name in lower case, and value.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Vec<u8>,
}

/// What a command under a key meets.
#[derive(Debug)]
pub enum Begun {
    /// Nobody did it: now the caller does.
    Claimed(Held),
    /// It was done, with this answer.
    Done(Answer),
}

impl Repeats {
    /// Commands under keys, over these ports.
    pub fn new(ports: Ports, settings: Settings) -> Self {
        Self { ports, settings }
    }

    /// Claims a key for a command, or finds what came of it. Waits so long for somebody who is at it.
    pub async fn begin(&self, ctx: &OpContext, key: &str, asked: Fingerprint, patience: Duration) -> Result<Begun> {
        let claim_key = claim_key(ctx, key);
        let until = self.ports.clock.monotonic() + patience;
        loop {
            let present = match self.claim(ctx, key, &claim_key, asked).await? {
                Ok(held) => return Ok(Begun::Claimed(held)),
                Err(present) => present,
            };
            match refusal(&present, asked) {
                None if present.status == ClaimStatus::Completed => {
                    if let Some(answer) = self.answer(ctx.scope, &claim_key, key).await? {
                        return Ok(Begun::Done(answer));
                    }
                }
                // It was let go meanwhile.
                None => {}
                Some(error) => {
                    let is_over = self.ports.clock.monotonic() >= until;
                    if is_over || error.code() != Code::IdempotencyInFlight {
                        return Err(error);
                    }
                }
            }
            self.ports.clock.sleep(LOOK_AGAIN).await;
        }
    }

    async fn claim(
        &self,
        ctx: &OpContext,
        key: &str,
        claim_key: &ClaimKey,
        asked: Fingerprint,
    ) -> Result<std::result::Result<Held, Claim>> {
        let fence = self.ports.lifecycle.fence();
        let owner = fence.ok_or_else(|| {
            Error::new(Code::Fenced, "this process was replaced and starts nothing more, try again").with_retry_after(1)
        })?;
        let holder = self.ports.ids.uuid();
        let new = NewClaim {
            key: claim_key.clone(),
            fingerprint: asked,
            holder,
            run_id: None,
            owner,
            at: self.ports.clock.now(),
            is_resent: false,
        };
        let batch = Batch::opening(ctx.scope, Durability::Process).fenced(owner).with([Op::KeyClaim(Arc::new(new))]);
        let claimed_at = match self.ports.ledger.commit(batch).await {
            Ok(committed) => committed.claim.map_or_else(|| self.ports.clock.now(), |claim| claim.claimed_at),
            Err(LedgerError::Refused(Refusal::Claimed(present))) => return Ok(Err(*present)),
            Err(error) => return Err(error.into()),
        };
        let form_key = form_key(claimed_at, claim_key);
        Ok(Ok(Held { scope: ctx.scope, key: claim_key.clone(), secret: key.to_owned(), holder, form_key }))
    }

    /// What a key that is done came to; none where it is remembered no longer.
    async fn answer(&self, scope: Scope, claim_key: &ClaimKey, key: &str) -> Result<Option<Answer>> {
        let Some(claim) = self.ports.claims.find_claim(scope, claim_key).await? else { return Ok(None) };
        let Some(outcome) = claim.outcome else { return Ok(None) };
        let sealed = fetched(&self.ports.library, scope, &outcome).await?;
        let body = opened(&*self.ports.sealer, claim_key, key, sealed.as_ref())?;
        Ok(Some(Answer { status: outcome.status, headers: outcome.headers.clone(), body }))
    }

    /// Ends a claim with the answer to a command that was done. What the store does not take is handed back, for
    /// [`Self::insist`].
    pub async fn finish(&self, held: &Held, answer: &Answer) -> Option<Unended> {
        let outcome = sealed(&*self.ports.sealer, &held.key, &held.secret, answer);
        let expires_at = self.ports.clock.now() + TimeDelta::from_std(self.settings.kept_for).unwrap_or(RELEASED_FOR);
        let (outcome, artifact) = stowed(&self.ports.keeper, held.scope, outcome, expires_at).await;
        let end = ClaimEnd { key: held.key.clone(), holder: held.holder, outcome, expires_at };
        let mut ops: Vec<Op> = artifact.into_iter().map(Op::ArtifactAdd).collect();
        ops.push(Op::KeyFinish(Arc::new(end)));
        self.end(held, ops).await
    }

    /// Ends a claim of a command that had no effect, likewise.
    pub async fn release(&self, held: &Held) -> Option<Unended> {
        let expires_at = self.ports.clock.now() + RELEASED_FOR;
        self.end(held, vec![Op::KeyRelease { key: held.key.clone(), holder: held.holder, expires_at }]).await
    }

    /// A few tries: who asked waits for them.
    async fn end(&self, held: &Held, ops: Vec<Op>) -> Option<Unended> {
        let mut pause = FIRST_PAUSE;
        let unended = Unended { scope: held.scope, ops };
        for _ in 0..ATTEMPTS {
            if self.try_to_end(&unended).await {
                return None;
            }
            self.ports.clock.sleep(pause).await;
            pause = pause.saturating_mul(2);
        }
        Some(unended)
    }

    /// Goes on until the store takes the end of a claim, however long that is away: a process that hears nothing of its store
    /// takes itself for dead, and is the same again once it does, with the claims it had. One that is left is let go once this
    /// process is gone: done again then, the command finds what it made before.
    pub async fn insist(&self, unended: Unended) {
        while !self.try_to_end(&unended).await {
            self.ports.clock.sleep(PATIENCE).await;
        }
    }

    async fn try_to_end(&self, Unended { scope, ops }: &Unended) -> bool {
        match self.ports.ledger.commit(Batch::closing(*scope).with(ops.clone())).await {
            Ok(_) => true,
            Err(LedgerError::Refused(refusal)) => {
                tracing::warn!(?refusal, "the end of a claim is refused");
                true
            }
            Err(error) => {
                tracing::warn!(%error, "the end of a claim waits for the store");
                false
            }
        }
    }
}

impl std::fmt::Debug for Repeats {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Repeats").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// A caller's key in the place they call from: of an API key, which a rotation leaves as it is, or of a person.
pub(crate) fn claim_key(ctx: &OpContext, key: &str) -> ClaimKey {
    let caller = ctx.api_key_id().map_or_else(|| ctx.caller().id, |id| id.to_string());
    ClaimKey::new(ctx.scope, &caller, key)
}

/// Why a claim of before refuses a request, if it does.
pub(crate) fn refusal(present: &Claim, asked: Fingerprint) -> Option<Error> {
    if present.fingerprint != asked {
        let detail = "the `Idempotency-Key` was used for another request, send a new one";
        return Some(Error::new(Code::IdempotencyConflict, detail).with_field("Idempotency-Key", "was used before"));
    }
    if present.status != ClaimStatus::InProgress {
        return None;
    }
    let detail = "the first request with this `Idempotency-Key` is not done yet, try again";
    let error = Error::new(Code::IdempotencyInFlight, detail).with_retry_after(1);
    Some(match present.run_id {
        Some(run_id) => error.with_run(run_id),
        None => error,
    })
}

/// An answer as it is kept: what is too large to keep is only known to have been given.
pub(crate) fn sealed(sealer: &dyn Sealer, key: &ClaimKey, secret: &str, answer: &Answer) -> ClaimOutcome {
    let body = (answer.body.len() <= MOST_KEPT).then(|| sealer.seal_under(secret, key.as_str(), &answer.body));
    ClaimOutcome {
        status: answer.status,
        headers: answer.headers.clone(),
        body: body.and_then(|sealed| sealed.inspect_err(|error| tracing::error!(%error, "an answer is not kept")).ok()),
        artifact_id: None,
    }
}

/// The body of an answer that was kept.
pub(crate) fn opened(sealer: &dyn Sealer, key: &ClaimKey, secret: &str, body: Option<&Sealed>) -> Result<Vec<u8>> {
    let not_kept = || {
        let detail = "the request with this `Idempotency-Key` was done, but its answer was not kept";
        Error::new(Code::ContentNotKept, detail)
    };
    let body = body.ok_or_else(not_kept)?;
    sealer.open_under(secret, key.as_str(), body).map_err(|error| not_kept().with_source(error))
}

/// What ids of things made under a key follow from: its first claim, and the key.
fn form_key(claimed_at: DateTime<Utc>, key: &ClaimKey) -> FormKey {
    let digest: [u8; 32] = Sha256::digest(key.as_str()).into();
    let random = digest.as_chunks::<16>().0.first().map_or(0, |bytes| u128::from_be_bytes(*bytes));
    let millis = u128::try_from(claimed_at.timestamp_millis()).unwrap_or_default();
    let bits = (millis << 80) | VERSION_AND_VARIANT | random & RANDOM_BITS;
    FormKey::from_uuid(Uuid::from_u128(bits))
}
