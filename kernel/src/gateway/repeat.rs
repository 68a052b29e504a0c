//! Calls under an `Idempotency-Key`: claimed in the intent batch, ended in the settle batch, and answered again from there.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use serde::{Deserialize, Serialize};
use types::id::RunId;
use types::money::Money;
use types::problem::Code;

use super::client::replayed;
use super::flight::{Ended, Flight, Outcome};
use super::intent::new_run;
use super::plan::labels;
use super::reply::{Facts, Reply, Standings, Whole};
use super::request::Request;
use super::wish::Wish;
use super::{Gateway, Operation};
use crate::context::Scope;
use crate::ledger::{
    Batch, Claim, ClaimEnd, ClaimKey, ClaimStatus, Dimensions, Durability, Fence, Fingerprint, NewClaim, NewRun, Op,
};
use crate::repeat::{Answer, Asked, RELEASED_FOR, claim_key, fetched, opened, refusal, sealed, stowed};
use crate::{Error, OpContext, Result};

/// Between two looks at a claim that somebody waits for.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// Most of a stream that is kept to be answered again, bytes.
const MOST_KEPT: usize = 4 * 1024 * 1024;

/// A call under a key: what is claimed, and what the tries before it were.
#[derive(Clone, Debug)]
pub(super) struct Keyed {
    key: ClaimKey,
    /// What the caller sent: seals the answer and is kept nowhere.
    secret: String,
    fingerprint: Fingerprint,
    /// The run of the first try, where this one is another.
    pub(super) source_run_id: Option<RunId>,
    /// 1 for the first try.
    pub(super) attempt_no: u32,
}

/// What a call under a key meets.
pub(super) enum Recalled {
    /// Nobody made it: it is to be made.
    New(Keyed),
    /// It was made, and is answered again.
    Answered(Reply),
}

/// What was answered, as it is kept.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    model_ref: String,
    attempts: u32,
    cost: Option<Money>,
    said: Said,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Said {
    /// The body of a whole answer.
    Whole(String),
    /// The frames of a stream.
    Frames(Vec<String>),
    /// The answer may not be released.
    Withheld { code: Code, detail: String },
}

/// The frames of a stream under a key, as long as they are not too many to keep.
#[derive(Debug, Default)]
pub(super) struct Frames {
    frames: Vec<String>,
    bytes: usize,
}

impl Frames {
    pub(super) fn note(&mut self, frame: &str) {
        self.bytes = self.bytes.saturating_add(frame.len());
        if self.bytes <= MOST_KEPT {
            self.frames.push(frame.to_owned());
        } else {
            self.frames.clear();
        }
    }
}

impl Gateway {
    /// What was made under the request's key before, or the claim that is to be made. Waits for somebody who is at it, where
    /// the caller wants that.
    pub(super) async fn recall(
        &self,
        ctx: &OpContext,
        request: &Request,
        wish: &Wish,
        standings: Standings,
    ) -> Result<Option<Recalled>> {
        let Some(secret) = &wish.options.key else { return Ok(None) };
        let key = claim_key(ctx, secret);
        let path = request.operation.path();
        let asked = Asked { method: "POST", route: path, path, query: "", headers: &[], body: &request.body };
        let fingerprint = asked.fingerprint();
        let until = self.ports.clock.monotonic() + wish.options.patience.unwrap_or_default();
        loop {
            let found = self.ports.claims.find_claim(ctx.scope, &key).await?;
            let Some(present) = found.filter(|claim| !claim.is_over(self.ports.clock.now())) else {
                return Ok(Some(Recalled::New(Keyed::first(key, secret, fingerprint))));
            };
            let Some(error) = refusal(&present, fingerprint) else {
                return Ok(Some(match present.status {
                    ClaimStatus::Completed => {
                        let reply = self.answer_again(ctx.scope, &key, secret, &present, standings).await?;
                        self.count_replay(ctx, wish, present.run_id);
                        Recalled::Answered(reply)
                    }
                    _ => Recalled::New(Keyed::again(key, secret, &present)),
                }));
            };
            if error.code() != Code::IdempotencyInFlight || self.ports.clock.monotonic() >= until {
                return Err(error);
            }
            self.ports.clock.sleep(LOOK_AGAIN).await;
        }
    }

    /// Counts that an answer was given again, off the request path: it took nothing, and a lost count costs nobody anything.
    fn count_replay(&self, ctx: &OpContext, wish: &Wish, run_id: Option<RunId>) {
        let labels = labels(ctx, wish).unwrap_or_default();
        let Some((run_id, fence)) = run_id.zip(self.ports.lifecycle.fence()) else { return };
        let call = NewRun { model_ref: Some(wish.model.clone()), labels, ..new_run(ctx, run_id, fence) };
        let count = Op::ReplayCount { call: Arc::new(Dimensions::of(&call)), operation: wish.operation.as_str() };
        let batch = Batch::opening(ctx.scope, Durability::Process).with([count]);
        let ledger = Arc::clone(&self.ports.ledger);
        self.ports.spawner.spawn(Box::pin(async move {
            if let Err(error) = ledger.commit(batch).await {
                tracing::debug!(%error, "an answer that was given again could not be counted");
            }
        }));
    }

    async fn answer_again(
        &self,
        scope: Scope,
        key: &ClaimKey,
        secret: &str,
        claim: &Claim,
        standings: Standings,
    ) -> Result<Reply> {
        let run_id = claim.run_id.ok_or_else(Error::not_found)?;
        let outcome = claim.outcome.as_deref().ok_or_else(Error::not_found)?;
        let sealed = fetched(&self.ports.library, scope, outcome).await.map_err(|error| error.with_run(run_id))?;
        let body = opened(&*self.ports.sealer, key, secret, sealed.as_ref()).map_err(|error| error.with_run(run_id))?;
        let kept: Kept = serde_json::from_slice(&body).map_err(Error::internal)?;
        let facts = Facts { run_id, model_ref: kept.model_ref, attempts: kept.attempts, standings, is_replayed: true };
        match kept.said {
            Said::Whole(body) => Ok(Reply::Whole(Whole { facts, body, cost: kept.cost, is_deferred: false })),
            Said::Frames(frames) => Ok(replayed(facts, frames)),
            Said::Withheld { code, detail } => Err(Error::new(code, detail).with_run(run_id)),
        }
    }
}

impl Keyed {
    fn first(key: ClaimKey, secret: &str, fingerprint: Fingerprint) -> Self {
        Self { key, secret: secret.to_owned(), fingerprint, source_run_id: None, attempt_no: 1 }
    }

    fn again(key: ClaimKey, secret: &str, present: &Claim) -> Self {
        Self {
            source_run_id: present.first_run_id,
            attempt_no: present.attempts.saturating_add(1),
            ..Self::first(key, secret, present.fingerprint)
        }
    }

    /// What claims the key for a run.
    pub(super) fn claim(&self, ctx: &OpContext, run_id: RunId, owner: Fence) -> Op {
        Op::KeyClaim(Arc::new(NewClaim {
            key: self.key.clone(),
            fingerprint: self.fingerprint,
            holder: run_id.as_uuid(),
            run_id: Some(run_id),
            owner,
            at: ctx.now,
            is_resent: false,
        }))
    }

    /// What lets the key go: nothing happened under it, or nothing that must not happen again.
    pub(super) fn release(&self, run_id: RunId, at: chrono::DateTime<chrono::Utc>) -> Op {
        Op::KeyRelease { key: self.key.clone(), holder: run_id.as_uuid(), expires_at: at + RELEASED_FOR }
    }
}

impl Flight {
    /// What ends the claim of the call: its answer, or the key let go.
    pub(super) async fn claim_end(
        &self,
        ended: &Ended,
        cost: Option<Money>,
        at: chrono::DateTime<chrono::Utc>,
    ) -> Vec<Op> {
        let Some(keyed) = &self.call.keyed else { return Vec::new() };
        let run_id = self.call.run_id;
        let said = match &ended.outcome {
            Outcome::Answered(Some(body)) => Said::Whole(body.clone()),
            Outcome::Answered(None) => Said::Frames(self.frames.frames.clone()),
            Outcome::Withheld(error) => Said::Withheld { code: error.code(), detail: error.detail().to_owned() },
            Outcome::Refused(_) | Outcome::Failed(_) | Outcome::Interrupted(_) | Outcome::OverCap => {
                return vec![keyed.release(run_id, at)];
            }
        };
        let facts = self.facts();
        let is_whole = self.frames.bytes <= MOST_KEPT;
        let kept = Kept { model_ref: facts.model_ref, attempts: facts.attempts, cost, said };
        let body = serde_json::to_vec(&kept).ok().filter(|_| is_whole);
        let ports = &self.gateway.ports;
        let answer = Answer { status: 200, headers: Vec::new(), body: body.unwrap_or_default() };
        let mut outcome = sealed(&*ports.sealer, &keyed.key, &keyed.secret, &answer);
        outcome.body = outcome.body.filter(|_| is_whole);
        let kept_for =
            TimeDelta::from_std(self.gateway.settings.kept_for(self.call.plan.capture)).unwrap_or(RELEASED_FOR);
        let expires_at = at + kept_for;
        let (outcome, artifact) = stowed(&ports.keeper, self.call.ctx.scope, outcome, expires_at).await;
        let end = ClaimEnd { key: keyed.key.clone(), holder: run_id.as_uuid(), outcome, expires_at };
        let finish = Op::KeyFinish(Arc::new(end));
        artifact.into_iter().map(Op::ArtifactAdd).chain([finish]).collect()
    }
}

impl Operation {
    /// Its path, which stands for it in fingerprints.
    const fn path(self) -> &'static str {
        match self {
            Self::Chat => "/v1/chat/completions",
            Self::Embeddings => "/v1/embeddings",
        }
    }
}
