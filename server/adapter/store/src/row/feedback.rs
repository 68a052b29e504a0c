//! `feedback`

use entity::feedback::{ActiveModel, Model};
use kernel::record::Feedback;
use sea_orm::ActiveValue::Set;
use types::id::{FeedbackId, RunId, UserId};

use super::{Corrupt, count, document, number, scope, text, word};

pub(crate) fn active(feedback: &Feedback) -> Result<ActiveModel, Corrupt> {
    Ok(ActiveModel {
        id: Set(feedback.id.as_uuid()),
        tenant_id: Set(feedback.scope.tenant_id.as_uuid()),
        workspace_id: Set(feedback.scope.workspace_id.as_uuid()),
        run_id: Set(feedback.run_id.as_uuid()),
        user_id: Set(feedback.user_id.as_uuid()),
        rating: Set(feedback.rating.to_string()),
        labels: Set(text(&feedback.labels, "feedback.labels")?),
        comment: Set(feedback.comment.clone()),
        created_at: Set(feedback.created_at),
        updated_at: Set(feedback.updated_at),
        version: Set(number(feedback.version)),
    })
}

pub(crate) fn record(row: Model) -> Result<Feedback, Corrupt> {
    Ok(Feedback {
        id: FeedbackId::from_uuid(row.id),
        scope: scope(row.tenant_id, row.workspace_id),
        run_id: RunId::from_uuid(row.run_id),
        user_id: UserId::from_uuid(row.user_id),
        rating: word(&row.rating, "feedback.rating")?,
        labels: document(&row.labels, "feedback.labels")?,
        comment: row.comment,
        created_at: row.created_at,
        updated_at: row.updated_at,
        version: count(row.version),
    })
}
