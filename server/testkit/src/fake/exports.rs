//! Reading records as they are taken out. What happened was written when it happened: the fake keeps no other moment.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kernel::context::Scope;
use kernel::export::ordered;
use kernel::ledger::Audit;
use kernel::port::{
    Exports, LastRecord, Place, PlaceKey, PlacedRecord, Record, RecordQuery, Records, Runs, StoreError,
};
use serde_json::{Value, json};
use types::export::RecordType;
use types::id::RunId;
use types::page::Page;
use types::run::{Run, RunQuery};

use super::artifacts::seen;
use super::audit::matches as audit_matches;
use super::outbox::{event, matches as event_matches};
use super::store::{FakeStore, Rows};

#[async_trait]
impl Exports for FakeStore {
    async fn list_run_records(&self, scope: Scope, query: &RunQuery) -> Result<Page<Record>, StoreError> {
        let page = self.list_runs(scope, query).await?;
        let rows = self.rows();
        Ok(page.map(|run| rows.run_record(scope, &run)))
    }

    async fn find_place(&self, scope: Scope, last: LastRecord) -> Result<Option<Place>, StoreError> {
        let (records, field, wanted) = match last {
            LastRecord::Step(id) => (Records::Steps, "id", id.to_string()),
            LastRecord::Cost(id) => (Records::Costs, "id", id.to_string()),
            LastRecord::Task(id) => (Records::Tasks, "id", id.to_string()),
            LastRecord::Audit(id) => (Records::Audit(Default::default()), "id", id.to_string()),
            LastRecord::Event(id) => (Records::Events(Default::default()), "id", id.to_string()),
            LastRecord::Artifact(id) => (Records::Artifacts, "id", id.to_string()),
            LastRecord::RunEvent(run, _) => (Records::RunEvents, "run_id", run.to_string()),
        };
        let is_last = |placed: &PlacedRecord| {
            let offset = match last {
                LastRecord::RunEvent(_, offset) => placed.record["offset"] == json!(offset),
                _ => true,
            };
            offset && placed.record[field] == json!(wanted)
        };
        Ok(self.rows().records(scope, &records).into_iter().find(is_last).map(|placed| placed.place))
    }

    async fn list_records(&self, scope: Scope, query: &RecordQuery) -> Result<Vec<PlacedRecord>, StoreError> {
        let mut records = self.rows().records(scope, &query.records);
        records.sort_by_key(|placed| placed.place);
        records.retain(|PlacedRecord { place, .. }| {
            query.since.is_none_or(|since| place.created_at >= since)
                && query.until.is_none_or(|until| place.created_at < until)
                && query.after.is_none_or(|after| *place > after)
        });
        records.truncate(query.limit as usize);
        Ok(records)
    }
}

fn record(scope: Scope, of: RecordType, at: DateTime<Utc>, view: Value, more: Value) -> Record {
    let Value::Object(mut record) = view else { panic!("a view is an object") };
    record.insert("tenant_id".to_owned(), json!(scope.tenant_id));
    record.insert("workspace_id".to_owned(), json!(scope.workspace_id));
    record.insert("created_at".to_owned(), json!(at));
    record.extend(more.as_object().cloned().unwrap_or_default());
    ordered(of, record)
}

impl Rows {
    fn run_record(&self, scope: Scope, run: &Run) -> Record {
        let stored = &self.runs[&run.id];
        let state = &self.state.runs[&run.id].1;
        let more = json!({
            "user_id": stored.run.user_id,
            "steps": state.steps,
            "events": state.events,
            "emitted": state.emitted,
            "open_steps": state.open_steps,
            "open_holds": state.open_holds,
            "owner_process_id": stored.run.owner.map(|owner| owner.process_id),
            "owner_epoch": stored.run.owner.map(|owner| owner.epoch),
            "changed_at": stored.changed_at,
        });
        record(scope, RecordType::Runs, run.started_at, json!(run), more)
    }

    fn records(&self, scope: Scope, records: &Records) -> Vec<PlacedRecord> {
        let of = records.record_type();
        let placed = |at: DateTime<Utc>, key: PlaceKey, record: Record| PlacedRecord {
            place: Place { created_at: at, key },
            record,
        };
        match records {
            Records::Steps => {
                let ids = self.steps.values().filter(|stored| stored.scope == scope).map(|stored| stored.step.id);
                let steps = ids.filter_map(|id| self.step(id));
                steps
                    .map(|step| {
                        let (at, key) = (step.started_at, PlaceKey::Id(step.id.as_uuid()));
                        placed(at, key, record(scope, of, at, json!(step), Value::Null))
                    })
                    .collect()
            }
            Records::Costs => {
                let costs = self.costs.iter().filter(|(own, _)| *own == scope).map(|(_, cost)| cost);
                costs
                    .map(|cost| {
                        let (at, key) = (cost.occurred_at, PlaceKey::Id(cost.id.as_uuid()));
                        placed(at, key, record(scope, of, at, json!(cost), self.payer(cost.run_id)))
                    })
                    .collect()
            }
            Records::Tasks => {
                let tasks = self.tasks_of(scope);
                tasks
                    .into_iter()
                    .map(|task| {
                        let (at, key) = (task.created_at, PlaceKey::Id(task.id.as_uuid()));
                        placed(at, key, record(scope, of, at, json!(task), Value::Null))
                    })
                    .collect()
            }
            Records::Audit(filter) => {
                let rows = self.audit.iter().filter(|(own, ..)| *own == scope);
                let entries = rows.map(|(_, audit, seq): &(Scope, Audit, u64)| audit.entry(*seq));
                entries
                    .filter(|entry| audit_matches(filter, entry))
                    .map(|entry| {
                        let (at, key) = (entry.occurred_at, PlaceKey::Number(entry.seq));
                        placed(at, key, record(scope, of, at, json!(entry), Value::Null))
                    })
                    .collect()
            }
            Records::Events(filter) => {
                let events = self.events.iter().filter(|stored| stored.scope == scope).map(event);
                events
                    .filter(|event| event_matches(filter, event))
                    .map(|event| {
                        let (at, key) = (event.occurred_at, PlaceKey::Id(event.id.as_uuid()));
                        placed(at, key, record(scope, of, at, json!(event), Value::Null))
                    })
                    .collect()
            }
            Records::Artifacts => {
                let own = self.artifacts.values().filter(|stored| stored.scope == scope);
                own.filter(|stored| stored.artifact.expires_at.is_none())
                    .map(|stored| {
                        let (at, key) = (stored.created_at, PlaceKey::Id(stored.artifact.id.as_uuid()));
                        placed(at, key, record(scope, of, at, json!(seen(stored)), Value::Null))
                    })
                    .collect()
            }
            Records::RunEvents => {
                let events = self.run_events.iter().filter(|(own, _)| *own == scope).map(|(_, event)| event);
                events
                    .map(|event| {
                        let (at, key) = (event.occurred_at, PlaceKey::Part(event.run_id.as_uuid(), event.offset));
                        placed(at, key, record(scope, of, at, json!(event), Value::Null))
                    })
                    .collect()
            }
        }
    }

    /// Who asked, by the run of a cost row.
    fn payer(&self, run_id: RunId) -> Value {
        let run = &self.runs[&run_id].run;
        json!({ "caller": run.caller, "labels": run.labels })
    }
}
