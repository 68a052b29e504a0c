//! Admission: from a request to a durable intent, or to a refusal that is a run of its own.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use futures::channel::oneshot;
use types::budget::Period;
use types::id::RunId;
use types::problem::{Code, LimitRefusal};

use super::Gateway;
use super::client::Client;
use super::content::Input;
use super::control::{Canceled, InFlight};
use super::flight::Flight;
use super::intent::{Attempt, Call};
use super::plan::signed;
use super::refuse::Of;
use super::repeat::{Frames, Keyed, Recalled};
use super::replay::{Origin, Tape};
use super::reply::{Refused, Reply, Standing, Standings};
use super::request::Request;
use super::slot::Slot;
use super::span;
use super::wish::Wish;
use crate::ledger::{Counter, CounterKey, Fence, LedgerError, Op, Refusal, period_end};
use crate::policy::budget::{self, Payer};
use crate::port::Committed;
use crate::{Error, OpContext, Result};

/// How often a call is decided anew when access rules keep moving.
const DECISIONS: usize = 3;

/// What admission learns of the caller on the way.
struct Caller {
    ctx: OpContext,
    standings: Standings,
    /// Whether the minute's limit was asked: once a request, however often it is decided.
    is_counted: bool,
    /// The model asked for, once the body is read.
    model: Option<String>,
    /// The key it is to be made under, once it is known that it was not.
    keyed: Option<Keyed>,
    /// The recorded call it comes out of.
    origin: Option<Arc<Origin>>,
}

/// What admission comes to.
enum Admission {
    /// The call is made.
    Made(Box<Admitted>),
    /// It was made before.
    Recalled(Reply),
}

/// A call whose intent is durable.
struct Admitted {
    call: Call,
    attempt: Attempt,
    fence: Fence,
    auth_epoch: u64,
    written: Vec<Op>,
    slot: Slot,
    in_flight: InFlight,
    canceled: Canceled,
}

impl Gateway {
    /// The whole walk of a request. Runs on a tracked task. Of a call that comes out of a recorded one it tells when the run is
    /// durably begun.
    pub(super) async fn walk(
        self: Arc<Self>,
        ctx: OpContext,
        request: Request,
        reply: oneshot::Sender<std::result::Result<Reply, Refused>>,
        from: Option<(Arc<Origin>, oneshot::Sender<RunId>)>,
    ) {
        let (origin, begun) = from.unzip();
        let mut caller =
            Caller { ctx, standings: Standings::default(), is_counted: false, model: None, keyed: None, origin };
        match self.admit(&mut caller, &request).await {
            Ok(Admission::Recalled(answer)) => drop(reply.send(Ok(answer))),
            Ok(Admission::Made(admitted)) => {
                drop(request);
                span::note_call(&admitted.call);
                // Who asked may have gone by now.
                let _told = begun.map(|begun| begun.send(admitted.call.run_id));
                let flight = self.take_off(*admitted, caller.standings, Client::new(reply));
                Box::pin(flight.fly()).await;
            }
            Err(error) => {
                span::note_error(&error);
                let Caller { ctx, model, keyed, origin, .. } = &caller;
                let of = Of { model: model.as_deref(), keyed: keyed.as_ref(), origin: origin.as_deref() };
                // Who asks again while the first one is at it gets that one's run.
                let error = match error.run_id() {
                    Some(_) => error,
                    None => self.refuse_under(ctx, of, error).await,
                };
                drop(reply.send(Err(Refused { error, standings: caller.standings, attempts: None })));
            }
        }
    }

    /// Checks 1 to 10.
    async fn admit(&self, caller: &mut Caller, request: &Request) -> Result<Admission> {
        let mut wish = Wish::read(request.operation, &request.headers, &request.body)?;
        caller.model = Some(wish.model.clone());
        wish.script = caller.origin.as_ref().and_then(|origin| origin.script.clone());
        let is_live = wish.script.is_none();
        for _ in 0..DECISIONS {
            if wish.options.key.is_some() {
                self.count_minute(caller).await?;
                match self.recall(&caller.ctx, request, &wish, caller.standings).await? {
                    Some(Recalled::Answered(reply)) => return Ok(Admission::Recalled(reply)),
                    Some(Recalled::New(keyed)) => caller.keyed = Some(keyed),
                    None => {}
                }
            }
            let plan = self.plan(&caller.ctx, &wish).await?;
            if is_live {
                self.count_minute(caller).await?;
            }
            let slot = self.take_slot(&plan, is_live)?;
            let fence = self.ports.lifecycle.fence().ok_or_else(|| self.stopped())?;
            let auth_epoch = caller.ctx.auth_epoch.min(plan.snapshot.auth_epoch);
            let origin = caller.origin.clone();
            let run_id = origin.as_ref().map_or_else(|| self.ports.ids.run(), |origin| origin.order.run_id);
            let before = origin.as_ref().and_then(|origin| origin.before.last()?.call_id);
            let call_id = before.unwrap_or_else(|| self.ports.ids.call());
            let first = origin.as_ref().map_or(1, |origin| origin.first_attempt());
            // Before it is known to anybody: who wants it to end finds it from the start.
            let (in_flight, canceled) = self.flights.enter(run_id);
            let keyed = caller.keyed.clone();
            let mut salt = [0; 16];
            self.ports.ids.random(&mut salt);
            let call = Call { ctx: caller.ctx.clone(), wish, plan, run_id, call_id, salt, keyed, origin };
            let attempt = self.new_attempt(first);
            let intent = call.intent(&*self.ports.ids, &attempt, fence, auth_epoch);
            let written = intent.ops.clone();
            match self.ports.ledger.commit(intent).await {
                Ok(committed) => {
                    caller.note_counters(&committed);
                    let admitted = Admitted { call, attempt, fence, auth_epoch, written, slot, in_flight, canceled };
                    return Ok(Admission::Made(Box::new(admitted)));
                }
                Err(LedgerError::Refused(Refusal::AuthEpoch { .. })) => {
                    self.ports.catalog.forget(caller.ctx.scope);
                    caller.ctx = self.ports.access.reauthenticate(&caller.ctx).await?;
                    wish = call.wish;
                }
                // Somebody else was faster: what they do is looked at.
                Err(LedgerError::Refused(Refusal::Claimed(_))) => {
                    caller.keyed = None;
                    wish = call.wish;
                }
                Err(LedgerError::Refused(Refusal::Limit { key, counter, needed, .. })) => {
                    return Err(caller.limit_refusal(&call, &key, counter, needed));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(Refusal::AuthEpoch { current: 0 }.into())
    }

    fn take_off(self: Arc<Self>, admitted: Admitted, standings: Standings, client: Client) -> Flight {
        let Admitted { call, attempt, fence, auth_epoch, written, slot, in_flight, canceled } = admitted;
        Flight {
            deadline: self.ports.clock.monotonic() + call.plan.timeout,
            gateway: self,
            call,
            attempt,
            client,
            fence,
            auth_epoch,
            standings,
            written,
            frames: Frames::default(),
            input: Input::default(),
            tape: Tape::default(),
            divergence: None,
            canceled,
            _slot: slot,
            _in_flight: in_flight,
        }
    }

    /// What is not live calls no account.
    fn take_slot(&self, plan: &super::plan::Plan, is_live: bool) -> Result<Slot> {
        let account = plan.target.account.as_ref().map(|account| account.id).filter(|_| is_live);
        let most = if is_live { plan.target.max_concurrency() } else { u32::MAX };
        self.slots.take(account, most).ok_or_else(|| {
            let detail = format!("`{}` has no free slot in this process, try again", plan.target.model_ref);
            Error::new(Code::ProviderSaturated, detail).with_retry_after(1)
        })
    }

    /// Takes one call of the key's minute.
    async fn count_minute(&self, caller: &mut Caller) -> Result<()> {
        let Some(key) = caller.ctx.api_key() else { return Ok(()) };
        let Some(limit) = key.rate_limit_per_minute.filter(|_| !caller.is_counted) else { return Ok(()) };
        let decision = self.ports.limits.take(caller.ctx.scope, &format!("key:{}", key.id), limit).await?;
        caller.is_counted = true;
        caller.standings.note_requests(Standing {
            limit: u64::from(limit),
            remaining: u64::from(decision.remaining),
            resets_at: decision.resets_at,
            seen_at: self.ports.clock.now(),
        });
        if decision.allowed {
            return Ok(());
        }
        let refusal = LimitRefusal {
            scope: "key".to_owned(),
            name: "requests_per_minute".to_owned(),
            limit: i64::from(limit),
            used: i64::from(limit),
            resets_at: decision.resets_at,
        };
        let error =
            Error::new(Code::RateLimited, format!("the key may make {limit} calls a minute")).with_limit(refusal);
        Err(error.with_retry_at(decision.resets_at, self.ports.clock.now()))
    }
}

impl Caller {
    /// Keeps where the day's limits stand after the intent.
    fn note_counters(&mut self, committed: &Committed) {
        let Some(key) = self.ctx.api_key().cloned() else { return };
        let (resets_at, seen_at) = (self.end_of_day(), self.ctx.now);
        let standing = |limit: Option<u64>, counter_key: CounterKey| {
            let (_, counter) = committed.counters.iter().find(|(known, _)| *known == counter_key)?;
            let used = u64::try_from(counter.value.saturating_add(counter.held)).unwrap_or_default();
            limit.map(|limit| Standing { limit, remaining: limit.saturating_sub(used), resets_at, seen_at })
        };
        let now = self.ctx.now;
        if let Some(requests) = standing(key.daily_request_quota, CounterKey::key_requests(key.id, now)) {
            self.standings.note_requests(requests);
        }
        self.standings.tokens = standing(key.daily_token_quota, CounterKey::key_tokens(key.id, now));
    }

    /// The refusal of the counter that did not fit: a budget, or a quota of the key.
    fn limit_refusal(&mut self, call: &Call, key: &CounterKey, counter: Counter, needed: i64) -> Error {
        let payer = Payer::of(&call.ctx);
        let budgets = budget::binding(&call.plan.snapshot.budgets, &payer);
        if let Some(refusal) = budget::refusal(&budgets, &payer, key, counter, needed) {
            return refusal;
        }
        let api_key = call.ctx.api_key();
        let is_requests = call.plan.requests.as_ref().is_some_and(|(requests, _)| requests == key);
        let (name, limit) = if is_requests {
            ("requests_per_day", api_key.and_then(|key| key.daily_request_quota))
        } else {
            ("tokens_per_day", api_key.and_then(|key| key.daily_token_quota))
        };
        let limit = limit.unwrap_or_default();
        let used = counter.value.saturating_add(counter.held);
        let resets_at = self.end_of_day();
        let remaining = limit.saturating_sub(u64::try_from(used).unwrap_or_default());
        let standing = Standing { limit, remaining, resets_at, seen_at: self.ctx.now };
        if is_requests {
            self.standings.note_requests(standing);
        } else {
            self.standings.tokens = Some(standing);
        }
        let refusal =
            LimitRefusal { scope: "key".to_owned(), name: name.to_owned(), limit: signed(limit), used, resets_at };
        let detail = match name {
            "requests_per_day" => format!("the key may make {limit} calls a day"),
            _ => format!("the key may use {limit} tokens a day, and this call could use {needed}"),
        };
        Error::new(Code::QuotaExceeded, detail).with_limit(refusal).with_retry_at(resets_at, self.ctx.now)
    }

    fn end_of_day(&self) -> DateTime<Utc> {
        period_end(Period::Day, self.ctx.now).unwrap_or(self.ctx.now)
    }
}
