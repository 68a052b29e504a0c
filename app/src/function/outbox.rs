//! Server functions of events and dead letters.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use types::name::Slug;
use types::outbox::{
    ConsumerLag, DeadLetterFilter, DeadLetterKind, DeadLetterQuery, EventQuery, RedriveOutcome, RedrivenLetter,
};
use types::problem::Code;

use super::{ask, submit};
use crate::backend::outbox::{DeadLetterList, EventList};
use crate::backend::redirect;
use crate::error::AppError;
use crate::form::DiscardForm;
use crate::query::Range;
use crate::route::At;

/// One page of events; the first one where the cursor belongs to another list.
#[server(prefix = "/ui/fn", endpoint = "list_events", input = Json)]
pub(crate) async fn list_events(workspace: Slug, range: Range, query: EventQuery) -> Result<EventList, AppError> {
    ask(|backend| async move {
        match backend.outbox.list_events(&workspace, range, query.clone()).await {
            Err(problem) if problem.code == Code::InvalidCursor => {
                let first = EventQuery { cursor: None, ..query };
                let list = backend.outbox.list_events(&workspace, range, first).await?;
                Ok(EventList { cursor_refused: true, ..list })
            }
            answer => answer,
        }
    })
    .await
}

/// How far each consumer is behind.
#[server(prefix = "/ui/fn", endpoint = "list_lags")]
pub(crate) async fn list_lags(workspace: Slug) -> Result<Vec<ConsumerLag>, AppError> {
    ask(|backend| async move { backend.outbox.list_lags(&workspace).await }).await
}

/// One page of what was given up; the first one where the cursor belongs to another list.
#[server(prefix = "/ui/fn", endpoint = "list_dead_letters", input = Json)]
pub(crate) async fn list_dead_letters(workspace: Slug, query: DeadLetterQuery) -> Result<DeadLetterList, AppError> {
    ask(|backend| async move {
        match backend.outbox.list_dead_letters(&workspace, query.clone()).await {
            Err(problem) if problem.code == Code::InvalidCursor => {
                let first = DeadLetterQuery { cursor: None, ..query };
                let list = backend.outbox.list_dead_letters(&workspace, first).await?;
                Ok(DeadLetterList { cursor_refused: true, ..list })
            }
            answer => answer,
        }
    })
    .await
}

/// Has one dead letter tried again.
#[server(prefix = "/ui/fn", endpoint = "redrive_dead_letter")]
pub(crate) async fn redrive_dead_letter(
    workspace: Slug,
    kind: DeadLetterKind,
    id: String,
) -> Result<RedrivenLetter, AppError> {
    ask(|backend| async move { backend.outbox.redrive_dead_letter(&workspace, kind, &id).await }).await
}

/// Has all dead letters of a consumer, or of every one, tried again; how many were.
#[server(prefix = "/ui/fn", endpoint = "redrive_dead_letters")]
pub(crate) async fn redrive_dead_letters(workspace: Slug, consumer: Option<String>) -> Result<usize, AppError> {
    let at = At::workspace(&workspace);
    let filter = DeadLetterFilter { consumer, ..DeadLetterFilter::default() };
    let letters =
        ask(|backend| async move { backend.outbox.redrive_dead_letters(&workspace, filter).await }).await?.items;
    redirect(&at.dead_letters());
    Ok(letters.iter().filter(|letter| letter.outcome == RedriveOutcome::Redriven).count())
}

/// Lets one dead letter go.
#[server(prefix = "/ui/fn", endpoint = "discard_dead_letter")]
pub(crate) async fn discard_dead_letter(
    workspace: Slug,
    kind: DeadLetterKind,
    id: String,
    form: DiscardForm,
) -> Result<(), AppError> {
    let at = At::workspace(&workspace);
    submit(&form, form.read(), |backend, command| async move {
        backend.outbox.discard_dead_letter(&workspace, kind, &id, command).await
    })
    .await?;
    redirect(&at.dead_letters());
    Ok(())
}
