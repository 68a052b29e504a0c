//! Looking at how a run went: its events, and how it stood after each of them. Nothing is executed.

use serde::Deserialize;
use serde_json::Value;
use types::id::RunId;
use types::money::Money;
use types::replay::{Moment, RunState, Timeline};
use types::run::{RunEvent, RunStatus, Usage};

use super::Replays;
use crate::check::Checks;
use crate::context::OpContext;
use crate::error::Result;
use crate::port::EventRange;

/// Events read at once on the way to a page.
const EVENTS: u32 = 1_000;

impl Replays {
    /// A page of the timeline of a run: up to `limit` of its events behind an offset, each with the state after it.
    pub async fn inspect_run(&self, ctx: &OpContext, id: RunId, range: EventRange) -> Result<Timeline> {
        let mut checks = Checks::default();
        checks.within(Some(range.limit), 1, 1000, "limit");
        checks.done()?;
        let run = self.readable(ctx, id).await?;
        let mut state = begin();
        let mut offset = 0;
        while offset < range.after {
            let ahead = u32::try_from(range.after - offset).unwrap_or(EVENTS).min(EVENTS);
            let events = self.read(ctx, id, EventRange { after: offset, limit: ahead }).await?;
            let Some(last) = events.last() else { break };
            offset = last.offset;
            events.iter().for_each(|event| fold(&mut state, event));
        }
        let events = self.read(ctx, id, range).await?;
        let is_full = u32::try_from(events.len()).is_ok_and(|count| count == range.limit);
        let next_after = events.last().map(|event| event.offset).filter(|_| is_full);
        let moment = |event: RunEvent| {
            fold(&mut state, &event);
            Moment { event, state: state.clone() }
        };
        let items = events.into_iter().map(moment).collect();
        Ok(Timeline { replay: self.replay_of(ctx.scope, &run).await?, items, next_after })
    }

    async fn read(&self, ctx: &OpContext, id: RunId, range: EventRange) -> Result<Vec<RunEvent>> {
        Ok(self.ports.runs.list_run_events(ctx.scope, id, range).await?)
    }
}

/// Before the first event.
fn begin() -> RunState {
    RunState {
        status: RunStatus::Queued,
        steps: 0,
        open_steps: Vec::new(),
        usage: Usage::default(),
        cost: Vec::new(),
        unpriced: 0,
    }
}

/// What an event makes of the state.
fn fold(state: &mut RunState, event: &RunEvent) {
    match event.event_type.as_str() {
        "run.started" => state.status = RunStatus::Running,
        "run.canceling" => state.status = RunStatus::Canceling,
        "run.finished" => {
            let status = read::<RunStatus>(&event.payload, "status").filter(|status| status.is_final());
            state.status = status.unwrap_or(state.status);
            state.open_steps.clear();
        }
        "step.opened" => {
            state.steps = state.steps.saturating_add(1);
            state.open_steps.extend(event.step_id);
        }
        "step.closed" => {
            state.open_steps.retain(|id| Some(*id) != event.step_id);
            let (usage, cost) = (read::<Usage>(&event.payload, "usage"), read::<Money>(&event.payload, "cost"));
            match (&usage, cost) {
                (_, Some(money)) => add(&mut state.cost, money),
                (Some(_), None) => state.unpriced = state.unpriced.saturating_add(1),
                (None, None) => {}
            }
            state.usage.add(&usage.unwrap_or_default());
        }
        _ => {}
    }
}

fn read<T: for<'de> Deserialize<'de>>(payload: &Value, name: &str) -> Option<T> {
    T::deserialize(payload.get(name)?).ok()
}

/// Currencies are never added to each other.
fn add(sums: &mut Vec<Money>, money: Money) {
    match sums.iter_mut().find(|sum| sum.currency == money.currency) {
        Some(sum) => sum.amount = sum.amount.checked_add(money.amount).unwrap_or(sum.amount),
        None => sums.push(money),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use types::id::{StepId, Uuid};
    use types::run::UsageClass;

    fn after(events: &[(&str, Option<u128>, Value)]) -> RunState {
        let mut state = begin();
        for (offset, (event_type, step, payload)) in (1..).zip(events) {
            let event = RunEvent {
                run_id: RunId::from_uuid(Uuid::from_u128(1)),
                offset,
                event_type: (*event_type).to_owned(),
                step_id: step.map(|step| StepId::from_uuid(Uuid::from_u128(step))),
                payload: payload.clone(),
                occurred_at: "2026-03-01T12:00:00Z".parse().unwrap(),
            };
            fold(&mut state, &event);
        }
        state
    }

    #[test]
    fn what_is_open_and_what_it_came_to_follow_from_the_events() {
        let paid = |nanos: &str| json!({ "usage": { "input": 3 }, "cost": { "currency": "USD", "amount": nanos } });
        let events = [
            ("run.started", None, json!({})),
            ("step.opened", Some(2), json!({})),
            ("step.closed", Some(2), paid("0.1")),
            ("step.opened", Some(3), json!({})),
            ("step.opened", Some(4), json!({})),
            ("step.closed", Some(4), json!({ "usage": { "input": 1 }, "cost": null })),
            ("step.closed", Some(3), paid("0.2")),
            ("run.canceling", None, json!({})),
            ("run.finished", None, json!({ "status": "canceled" })),
        ];
        let half = after(&events[..5]);
        assert_eq!((half.status, half.steps, half.open_steps.len()), (RunStatus::Running, 3, 2));
        assert_eq!((half.usage.get(UsageClass::Input), half.cost[0].amount.to_string().as_str()), (3, "0.1"));
        assert_eq!(after(&events[..8]).status, RunStatus::Canceling);
        let whole = after(&events);
        assert_eq!((whole.status, whole.open_steps.len(), whole.unpriced), (RunStatus::Canceled, 0, 1));
        assert_eq!((whole.usage.get(UsageClass::Input), whole.cost.len()), (7, 1));
        assert_eq!(whole.cost[0].amount.to_string(), "0.3");
    }

    #[test]
    fn an_event_that_says_nothing_changes_nothing() {
        let events = [("run.finished", None, json!({ "status": "running" })), ("other", None, json!({}))];
        assert_eq!(after(&events).status, RunStatus::Queued);
    }
}
