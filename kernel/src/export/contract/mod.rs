//! The fields of each kind of record, in their order. New ones are added at the end of a kind, optional; anything else is a
//! new version of the schema.

mod artifact;
mod audit;
mod cost;
mod event;
mod part;
mod run;
mod run_event;
mod step;
mod task;

use serde_json::{Map, Value};
use types::export::RecordType;

use super::Field;

/// The fields of a kind of record, in order.
pub const fn fields(of: RecordType) -> &'static [Field] {
    match of {
        RecordType::Runs => run::FIELDS,
        RecordType::Steps => step::FIELDS,
        RecordType::Costs => cost::FIELDS,
        RecordType::Tasks => task::FIELDS,
        RecordType::Audit => audit::FIELDS,
        RecordType::Events => event::FIELDS,
        RecordType::RunEvents => run_event::FIELDS,
        RecordType::Artifacts => artifact::FIELDS,
    }
}

/// A record with its fields in order: what is not there is null, what the contract does not know is left out.
pub fn ordered(of: RecordType, mut record: Map<String, Value>) -> Map<String, Value> {
    let take = |field: &Field| (field.name.to_owned(), record.remove(field.name).unwrap_or_default());
    fields(of).iter().map(take).collect()
}
