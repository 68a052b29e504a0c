//! In which order the steps of a run ran: what came after what, and what the whole waited for. Pure: times and parents say it.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use types::id::StepId;
use types::run::Step;

/// The steps in layers: each stands in the first one after its parent and after all steps that had ended when it began, so that
/// what ran side by side stands side by side.
pub(crate) fn layers(mut steps: Vec<Step>) -> Vec<Vec<Step>> {
    steps.sort_by_key(|step| (step.started_at, step.seq));
    let mut layers: Vec<Vec<Step>> = Vec::new();
    // Until when the steps of each layer ran; an open one runs on.
    let mut placed: Vec<(StepId, Option<DateTime<Utc>>, usize)> = Vec::new();
    for step in steps {
        let comes_after = |(id, ended_at, _): &&(StepId, Option<DateTime<Utc>>, usize)| {
            step.parent_step_id == Some(*id) || ended_at.is_some_and(|end| end <= step.started_at)
        };
        let layer = placed.iter().filter(comes_after).map(|(.., layer)| layer + 1).max().unwrap_or_default();
        placed.push((step.id, step.ended_at, layer));
        match layers.get_mut(layer) {
            Some(beside) => beside.push(step),
            None => layers.push(vec![step]),
        }
    }
    layers
}

/// The steps the run took as long as: from the one that ended last back to the one before it that ended last before it began,
/// and so on. What only holds other steps is none of them.
pub(crate) fn critical(steps: &[Step], end: DateTime<Utc>) -> BTreeSet<StepId> {
    let parents: BTreeSet<StepId> = steps.iter().filter_map(|step| step.parent_step_id).collect();
    let mut by_end: BTreeMap<(DateTime<Utc>, StepId), DateTime<Utc>> = BTreeMap::new();
    for step in steps.iter().filter(|step| !parents.contains(&step.id)) {
        by_end.insert((step.ended_at.unwrap_or(end), step.id), step.started_at);
    }
    let mut path = BTreeSet::new();
    let mut before: Option<DateTime<Utc>> = None;
    for ((ended_at, id), started_at) in by_end.into_iter().rev() {
        if before.is_none_or(|before| ended_at <= before) {
            path.insert(id);
            before = Some(started_at);
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use types::id::Uuid;

    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
    }

    /// A step that ran from one second to another, perhaps under a parent.
    fn step(number: u32, from: i64, to: Option<i64>, parent: Option<u32>) -> Step {
        let id = |number: u32| StepId::from_uuid(Uuid::from_u128(number.into())).to_string();
        serde_json::from_value(serde_json::json!({
            "id": id(number), "run_id": "run_00000000000000000000000000", "seq": number,
            "parent_step_id": parent.map(id), "call_id": null, "type": "model_call", "status": "succeeded", "attempt_no": 1,
            "effect": "read", "decision": {}, "request_digest": null, "input": { "preview": null, "chars": 0 },
            "output": { "preview": null, "chars": 0 }, "metrics": {}, "error": null, "started_at": at(from),
            "outbound_at": null, "ended_at": to.map(at), "latency_ms": null, "ttft_ms": null,
        }))
        .expect("a step")
    }

    fn numbers(steps: &[Step]) -> Vec<u32> {
        steps.iter().map(|step| step.seq).collect()
    }

    fn path(steps: &[Step], end: i64) -> Vec<u32> {
        let path = critical(steps, at(end));
        steps.iter().filter(|step| path.contains(&step.id)).map(|step| step.seq).collect()
    }

    #[test]
    fn what_ran_side_by_side_stands_side_by_side() {
        let steps = vec![
            step(1, 0, Some(2), None),
            step(2, 2, Some(9), None),
            step(3, 3, Some(5), None),
            step(4, 9, None, None),
        ];
        let layers = layers(steps);
        assert_eq!(layers.iter().map(|layer| numbers(layer)).collect::<Vec<_>>(), [vec![1], vec![2, 3], vec![4]]);
    }

    #[test]
    fn a_child_stands_after_its_parent_while_that_goes_on() {
        let steps = vec![step(1, 0, None, None), step(2, 0, Some(4), Some(1))];
        assert_eq!(layers(steps).iter().map(|layer| numbers(layer)).collect::<Vec<_>>(), [vec![1], vec![2]]);
    }

    #[test]
    fn the_critical_path_is_what_the_run_waited_for() {
        let steps = [
            step(1, 0, Some(10), None),
            step(2, 0, Some(2), Some(1)),
            step(3, 2, Some(9), Some(1)),
            step(4, 3, Some(4), Some(1)),
            step(5, 9, None, Some(1)),
        ];
        assert_eq!(path(&steps, 10), [2, 3, 5], "neither what was quicker beside it, nor what holds them");
        assert_eq!(path(&[], 10), [0; 0]);
    }
}
