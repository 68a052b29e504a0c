//! `events` and their `deliveries`

use entity::{delivery, event};
use kernel::context::Scope;
use kernel::ledger::Event;
use kernel::port::Delivery;
use sea_orm::ActiveValue::{NotSet, Set};
use types::id::{EventId, RunId};
use types::outbox::{DeadLetter, DeadLetterKind, DeliveryId, OutboxEvent};

use super::{Corrupt, count, document, number, scope, small, text};

pub(crate) fn active(scope: Scope, event: &Event, seq: u64) -> Result<event::ActiveModel, Corrupt> {
    Ok(event::ActiveModel {
        id: Set(event.id.as_uuid()),
        tenant_id: Set(scope.tenant_id.as_uuid()),
        workspace_id: Set(scope.workspace_id.as_uuid()),
        event_type: Set(event.event_type.clone()),
        subject: Set(event.subject.clone()),
        subject_seq: Set(number(seq)),
        run_id: Set(event.run_id.map(RunId::as_uuid)),
        payload: Set(text(&event.payload, "events.payload")?),
        occurred_at: Set(event.occurred_at),
        created_at: NotSet,
    })
}

/// One pending delivery a consumer; the database fills in the rest.
pub(crate) fn active_deliveries(scope: Scope, event: &Event, seq: u64) -> impl Iterator<Item = delivery::ActiveModel> {
    event.consumers.iter().map(move |consumer| delivery::ActiveModel {
        event_id: Set(event.id.as_uuid()),
        consumer: Set((*consumer).to_owned()),
        tenant_id: Set(scope.tenant_id.as_uuid()),
        workspace_id: Set(scope.workspace_id.as_uuid()),
        subject: Set(event.subject.clone()),
        subject_seq: Set(number(seq)),
        ..Default::default()
    })
}

/// A claimed delivery.
pub(crate) fn delivery(delivery: &delivery::Model, event: event::Model) -> Result<Delivery, Corrupt> {
    Ok(Delivery {
        event_id: EventId::from_uuid(event.id),
        scope: scope(event.tenant_id, event.workspace_id),
        event_type: event.event_type,
        subject: event.subject,
        subject_seq: count(event.subject_seq),
        payload: document(&event.payload, "events.payload")?,
        occurred_at: event.occurred_at,
        attempt: small(delivery.attempts),
        epoch: count(delivery.epoch),
        after_dead: delivery.after_dead,
    })
}

/// An event as readers see it.
pub(crate) fn record(row: event::Model) -> Result<OutboxEvent, Corrupt> {
    Ok(OutboxEvent {
        id: EventId::from_uuid(row.id),
        event_type: row.event_type,
        subject: row.subject,
        subject_seq: count(row.subject_seq),
        run_id: row.run_id.map(RunId::from_uuid),
        payload: document(&row.payload, "events.payload")?,
        occurred_at: row.occurred_at,
    })
}

/// A delivery by its key.
pub(crate) fn delivery_id(row: &delivery::Model) -> DeliveryId {
    DeliveryId { event_id: EventId::from_uuid(row.event_id), consumer: row.consumer.clone() }
}

/// A delivery that was given up.
pub(crate) fn dead_letter(delivery: delivery::Model, event: event::Model) -> DeadLetter {
    DeadLetter {
        kind: DeadLetterKind::Outbox,
        id: delivery_id(&delivery).to_string(),
        consumer: delivery.consumer,
        event_type: event.event_type,
        subject: delivery.subject,
        subject_seq: Some(count(delivery.subject_seq)),
        attempts: small(delivery.attempts),
        redrives: small(delivery.redrives),
        error: delivery.last_error,
        occurred_at: event.occurred_at,
        died_at: delivery.finished_at.unwrap_or(delivery.due_at),
    }
}
