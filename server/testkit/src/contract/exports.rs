//! Records as they are taken out.

use chrono::TimeDelta;
use kernel::context::Scope;
use kernel::export::fields;
use kernel::ledger::{NewArtifact, NewRun, Op, Place as Bytes, TaskOp};
use kernel::port::{Exports, LastRecord, Place, PlacedRecord, RecordQuery, Records};
use serde_json::{Value, json};
use types::artifact::ArtifactKind;
use types::audit::AuditFilter;
use types::export::RecordType;
use types::id::{RunId, StepId};
use types::outbox::EventFilter;
use types::run::RunQuery;

use super::{Store, applied, seeded, seeded_as};
use crate::sample::{Sample, add_cost, append, close_step, noon, open_run, open_step};

/// Three runs, a second apart, each with a step, a cost row, two of its own events, an audit row, an outbox event, a task, an
/// artifact that stays and one that does not; each in a commit of its own.
async fn filled(store: &impl Store, sample: &Sample) -> Vec<(NewRun, StepId)> {
    let mut made = Vec::new();
    for number in 0..3 {
        let at = noon() + TimeDelta::seconds(number);
        let run = NewRun { started_at: at, ..sample.run() };
        let mut step = sample.step(run.id);
        step.started_at = at;
        let mut cost = sample.cost(run.id, step.id, 1_000 + number);
        cost.occurred_at = at;
        let mut audit = sample.audit();
        audit.occurred_at = at;
        let mut event = sample.event(run.id, "live");
        event.occurred_at = at;
        let events = ["run.started", "step.opened"].map(|name| {
            let mut event = sample.run_event(run.id, name);
            event.occurred_at = at;
            append(event)
        });
        let task = Op::Task(TaskOp::Open(sample.task().into()));
        let ops = [open_run(&run), open_step(&step), close_step(step.id), add_cost(&cost), audit.into(), event.into()];
        let sealed = NewArtifact { expires_at: Some(at + TimeDelta::days(1)), ..artifact(sample, Some(run.id)) };
        let artifacts = [artifact(sample, Some(run.id)), sealed].map(|artifact| Op::ArtifactAdd(artifact.into()));
        applied(store, sample.opening(ops.into_iter().chain(events).chain([task]).chain(artifacts))).await;
        made.push((run, step.id));
    }
    made
}

fn artifact(sample: &Sample, run_id: Option<RunId>) -> NewArtifact {
    NewArtifact {
        id: sample.ids().artifact(),
        run_id,
        step_id: None,
        kind: ArtifactKind::File,
        mime: "text/plain; charset=utf-8".to_owned(),
        size: 9,
        sha256: sample.digest(7),
        place: Bytes::Inline(b"canary-77".to_vec()),
        expires_at: None,
    }
}

fn every() -> [Records; 7] {
    [
        Records::Steps,
        Records::Costs,
        Records::Tasks,
        Records::Audit(AuditFilter::default()),
        Records::Events(EventFilter::default()),
        Records::RunEvents,
        Records::Artifacts,
    ]
}

fn all(records: Records) -> RecordQuery {
    RecordQuery { records, since: None, until: None, after: None, limit: 200 }
}

async fn list(store: &impl Store, scope: Scope, query: &RecordQuery) -> Vec<PlacedRecord> {
    store.list_records(scope, query).await.expect("a page")
}

fn names(of: RecordType) -> Vec<&'static str> {
    fields(of).iter().map(|field| field.name).collect()
}

/// Every field in its place, none of those null that never is.
fn assert_whole(of: RecordType, record: &kernel::port::Record) {
    assert_eq!(record.keys().map(String::as_str).collect::<Vec<_>>(), names(of), "{of}");
    for field in fields(of).iter().filter(|field| !field.is_nullable) {
        let value = &record[field.name];
        assert!(!value.is_null() || matches!(field.kind, kernel::export::Kind::Document), "{of} {}", field.name);
    }
}

/// With every field of their contract.
pub async fn records_are_whole_and_in_the_order_they_were_written(store: &impl Store) {
    let sample = seeded(store).await;
    let made = filled(store, &sample).await;
    for records in every() {
        let of = records.record_type();
        let found = list(store, sample.scope, &all(records)).await;
        assert_eq!(found.len(), if of == RecordType::RunEvents { 6 } else { 3 }, "{of}");
        assert!(found.is_sorted_by_key(|placed| placed.place), "{of}");
        found.iter().for_each(|placed| assert_whole(of, &placed.record));
    }
    let steps = list(store, sample.scope, &all(Records::Steps)).await;
    let ids: Vec<Value> = steps.iter().map(|placed| placed.record["id"].clone()).collect();
    assert_eq!(ids, made.iter().map(|(_, id)| json!(id)).collect::<Vec<_>>());
    assert_eq!(steps[0].record["output"], json!({ "preview": "an answer", "chars": 9, "artifact_id": null }));
    let artifacts = list(store, sample.scope, &all(Records::Artifacts)).await;
    assert_eq!(artifacts[0].record["sha256"], sample.digest(7).hex());
    assert_eq!((&artifacts[0].record["run_id"], &artifacts[0].record["size"]), (&json!(made[0].0.id), &json!(9)));
    assert!(!json!(artifacts[0].record).to_string().contains("canary-77"), "what it is, not its bytes");
    let costs = list(store, sample.scope, &all(Records::Costs)).await;
    assert_eq!(costs[2].record["amount"], "0.000001002");
    assert_eq!(costs[2].record["labels"], json!({ "team": "search" }));
    assert_eq!(costs[2].record["caller"], json!(sample.caller()));
    assert_eq!(costs[2].record["tenant_id"], json!(sample.scope.tenant_id));
}

/// Without gap or repeat, by the place and by the name of the last record.
pub async fn a_page_goes_on_behind_a_place(store: &impl Store) {
    let sample = seeded(store).await;
    filled(store, &sample).await;
    for records in every() {
        let of = records.record_type();
        let whole = list(store, sample.scope, &all(records.clone())).await;
        for limit in [1, 2, 5] {
            let mut query = RecordQuery { limit, ..all(records.clone()) };
            let mut seen = Vec::new();
            loop {
                let page = list(store, sample.scope, &query).await;
                assert!(page.len() <= limit as usize);
                query.after = page.last().map(|last| last.place);
                if page.is_empty() {
                    break;
                }
                seen.extend(page);
            }
            assert_eq!(seen, whole, "{of} by {limit}");
        }
        for placed in &whole {
            let last = last_of(of, placed);
            assert_eq!(store.find_place(sample.scope, last).await.expect("a read"), Some(placed.place), "{last:?}");
        }
    }
}

fn last_of(of: RecordType, PlacedRecord { record, .. }: &PlacedRecord) -> LastRecord {
    let id = record.get("id").and_then(Value::as_str).unwrap_or_default();
    match of {
        RecordType::Steps => LastRecord::Step(id.parse().expect("an id")),
        RecordType::Costs => LastRecord::Cost(id.parse().expect("an id")),
        RecordType::Tasks => LastRecord::Task(id.parse().expect("an id")),
        RecordType::Audit => LastRecord::Audit(id.parse().expect("an id")),
        RecordType::Events => LastRecord::Event(id.parse().expect("an id")),
        RecordType::Artifacts => LastRecord::Artifact(id.parse().expect("an id")),
        RecordType::RunEvents => {
            let run = record["run_id"].as_str().expect("an id").parse().expect("an id");
            LastRecord::RunEvent(run, record["offset"].as_u64().expect("a number"))
        }
        RecordType::Runs => panic!("runs have a list of their own"),
    }
}

/// The end of a window is not in it, its start is.
pub async fn records_are_of_their_window_and_match(store: &impl Store) {
    let sample = seeded(store).await;
    let made = filled(store, &sample).await;
    for records in every() {
        let whole = list(store, sample.scope, &all(records.clone())).await;
        let (Some(first), Some(last)) = (whole.first(), whole.last()) else { panic!("records") };
        let at = |placed: &PlacedRecord| placed.place.created_at;
        let within = async |since, until| {
            let query = RecordQuery { since, until, ..all(records.clone()) };
            list(store, sample.scope, &query).await.len()
        };
        assert_eq!(within(Some(at(first)), Some(at(last) + TimeDelta::seconds(1))).await, whole.len());
        assert_eq!(within(None, Some(at(first))).await, 0);
        assert_eq!(within(Some(at(last) + TimeDelta::seconds(1)), None).await, 0);
        let latest = whole.iter().filter(|placed| at(placed) == at(last)).count();
        assert_eq!(within(Some(at(last)), None).await, latest);
    }
    let second = made[1].0.id;
    let audit = AuditFilter { event_type: vec!["key.revoked".to_owned().into()], ..AuditFilter::default() };
    assert_eq!(list(store, sample.scope, &all(Records::Audit(audit))).await, []);
    let events = EventFilter { subject: vec![second.to_string().into()], ..EventFilter::default() };
    let found = list(store, sample.scope, &all(Records::Events(events))).await;
    assert_eq!(found.iter().map(|placed| &placed.record["subject"]).collect::<Vec<_>>(), [&json!(second)]);
}

/// Nor has one a place, nor does half a scope see any.
pub async fn records_of_another_workspace_do_not_leave(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    filled(store, &sample).await;
    let mixed = Scope { tenant_id: other.scope.tenant_id, ..sample.scope };
    for records in every() {
        let of = records.record_type();
        let whole = list(store, sample.scope, &all(records.clone())).await;
        for scope in [other.scope, mixed] {
            assert_eq!(list(store, scope, &all(records.clone())).await, [], "{of}");
            let place: Option<Place> = store.find_place(scope, last_of(of, &whole[0])).await.expect("a read");
            assert_eq!(place, None, "{of}");
        }
    }
}

/// In the same order and pages, with every field.
pub async fn runs_leave_as_their_list_has_them(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    filled(store, &sample).await;
    for descending in [false, true] {
        let mut query = RunQuery { descending, limit: 2, ..RunQuery::default() };
        loop {
            let page = store.list_runs(sample.scope, &query).await.expect("a page");
            let records = Exports::list_run_records(store, sample.scope, &query).await.expect("a page");
            let ids: Vec<Value> = records.items.iter().map(|record| record["id"].clone()).collect();
            assert_eq!(ids, page.items.iter().map(|run| json!(run.id)).collect::<Vec<_>>());
            records.items.iter().for_each(|record| assert_whole(RecordType::Runs, record));
            assert_eq!(records.items[0]["user_id"], json!(sample.user_id));
            assert_eq!((&records.items[0]["steps"], &records.items[0]["events"]), (&json!(1), &json!(2)));
            match records.next_cursor {
                Some(cursor) => query.cursor = Some(cursor),
                None => break,
            }
        }
    }
    let none = store.list_run_records(other.scope, &RunQuery::default()).await.expect("a page");
    assert_eq!(none.items, Vec::<kernel::port::Record>::new());
}
