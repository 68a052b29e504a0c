//! The model call behind every door.
//!
//! The walk of a call, in the order the code takes it:
//!
//! 1. `wish`: the body is parsed and its fields checked (`chat`, `embedding`);
//! 2. `plan`: target, key's list, capability, context, price, budgets, egress rules, all in memory;
//! 3. `admit`: the minute's limit, a slot, and the **intent batch**: run, step marked as leaving, hold, quota;
//! 4. `attempt`: content safety, DNS and pinned address, the permit, the provider, frames to the client;
//! 5. `flight`: another attempt where one may help;
//! 6. `content`: texts longer than a preview are kept whole;
//! 7. `settle`: the **settle batch**: step, cost, hold, run, before the last byte leaves.
//!
//! A call that comes out of a recorded one (`replay`) takes the same walk.
//!
//! The whole walk runs on a tracked task, so a client that hangs up can end a stream but never the accounting. Refusals of
//! a caller who proved who they are become failed runs (`refuse`). Invariant: nothing leaves before its intent is durable,
//! and every way out of a flight passes `settle`. Not here: how a provider is spoken to, and HTTP. Start at
//! [`Gateway::complete`].

mod ports;
mod reply;
mod request;

mod answer;
mod chat;
mod embedding;
mod field;
mod preview;
mod wish;

mod model;
mod plan;
mod price;
mod tokens;

mod admit;
mod control;
mod intent;
mod refuse;
mod repeat;
mod slot;
mod span;

mod attempt;
mod cap;
mod client;
mod flight;
mod pipe;
mod retry;
mod watch;

mod closing;
mod content;
mod deferred;
mod meter;
mod settle;
mod usage;

mod replay;

use std::sync::Arc;

use futures::channel::oneshot;
use tracing::Instrument;
use types::problem::Code;

use crate::{Error, OpContext, Result};

pub use model::{BUILTIN_SLUG, Listed};
pub use pipe::{Frame, Frames};
pub use ports::{Access, Ports, Settings};
pub use price::resolve as resolve_price;
pub use reply::{Facts, Refused, Reply, Standing, Standings, Streamed, Whole};
pub(crate) use request::{MAX_LABEL_VALUE, MAX_LABELS, is_label_key};
pub use request::{Operation, Request, patience};

/// The gateway's use cases.
pub struct Gateway {
    ports: Ports,
    settings: Settings,
    slots: slot::Slots,
    flights: control::Flights,
    refusals: refuse::Refusals,
    deferred: deferred::Deferred,
    stuck: deferred::Deferred,
}

impl Gateway {
    /// The gateway over these ports.
    pub fn new(ports: Ports, settings: Settings) -> Self {
        Self {
            ports,
            settings,
            slots: slot::Slots::default(),
            flights: control::Flights::default(),
            refusals: refuse::Refusals::default(),
            deferred: deferred::Deferred::default(),
            stuck: deferred::Deferred::default(),
        }
    }

    /// Answers a request for a model call: whole, or as a stream whose content has begun.
    ///
    /// Dropping the future does not end the call: a whole one runs on, a stream ends as abandoned.
    pub async fn complete(self: &Arc<Self>, ctx: OpContext, request: Request) -> std::result::Result<Reply, Refused> {
        let (reply, answer) = oneshot::channel();
        let span = span::model_call(&ctx, request.operation);
        let walk = Arc::clone(self).walk(ctx, request, reply, None);
        self.ports.spawner.spawn(Box::pin(walk.instrument(span)));
        answer.await.unwrap_or_else(|lost| Err(Error::internal(lost).into()))
    }

    /// The models the caller may call.
    pub async fn list_models(&self, ctx: &OpContext) -> Result<Vec<Listed>> {
        let snapshot = self.snapshot(ctx).await?;
        model::list(ctx, &snapshot, self.ports.builtin.as_deref())
    }

    /// One model the caller may call, families of built-in ones included.
    pub async fn find_model(&self, ctx: &OpContext, model_ref: &str) -> Result<Listed> {
        let snapshot = self.snapshot(ctx).await?;
        model::find(ctx, &snapshot, self.ports.builtin.as_deref(), model_ref)
    }

    /// Calls going on in this process.
    pub fn calls_in_flight(&self) -> usize {
        self.slots.in_use()
    }

    /// Calls that were answered although their end is not durable yet.
    pub fn settles_deferred(&self) -> usize {
        self.deferred.count()
    }

    /// Calls whose end the store cannot write: tried slowly, and open until it can or the reaper finds the process gone.
    pub fn settles_stuck(&self) -> usize {
        self.stuck.count()
    }

    /// Why nothing starts, or why what runs is cut.
    fn stopped(&self) -> Error {
        if self.ports.lifecycle.fence().is_some() {
            Error::new(Code::ShuttingDown, "soit is shutting down, try again").with_retry_after(1)
        } else {
            Error::new(Code::Fenced, "this process was replaced and starts nothing more, try again").with_retry_after(1)
        }
    }
}

impl std::fmt::Debug for Gateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gateway").field("settings", &self.settings).finish_non_exhaustive()
    }
}
