//! Reading what people say of a run.

use std::collections::{BTreeMap, BTreeSet};

use types::feedback;
use types::id::{RunId, UserId};
use types::name::Name;

use super::Feedback;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::policy::guard;
use crate::record;

impl Feedback {
    /// What people say of a run, newest first.
    pub async fn list_feedback(&self, ctx: &OpContext, run_id: RunId) -> Result<Vec<feedback::Feedback>> {
        guard::authorize(ctx, "run.read")?;
        self.ports.runs.find_run(ctx.scope, run_id).await?.ok_or_else(Error::not_found)?;
        let said = self.ports.feedbacks.list_feedback(ctx.scope, run_id).await?;
        let names = self.names(said.iter().map(|feedback| feedback.user_id).collect()).await?;
        Ok(said.into_iter().map(|feedback| shown(feedback, &names)).collect())
    }

    pub(super) async fn show(&self, feedback: record::Feedback) -> Result<feedback::Feedback> {
        let names = self.names(BTreeSet::from([feedback.user_id])).await?;
        Ok(shown(feedback, &names))
    }

    /// Whoever reads a run may know who says something of it: everybody sees who belongs to the workspace.
    async fn names(&self, ids: BTreeSet<UserId>) -> Result<BTreeMap<UserId, Name>> {
        if ids.is_empty() {
            return Ok(BTreeMap::new());
        }
        let users = self.ports.directory.list_users(&ids).await?;
        Ok(users.into_iter().map(|user| (user.id, user.name)).collect())
    }
}

fn shown(feedback: record::Feedback, names: &BTreeMap<UserId, Name>) -> feedback::Feedback {
    feedback::Feedback {
        id: feedback.id,
        run_id: feedback.run_id,
        user_id: feedback.user_id,
        user: names.get(&feedback.user_id).cloned(),
        rating: feedback.rating,
        labels: feedback.labels,
        comment: feedback.comment,
        created_at: feedback.created_at,
        updated_at: feedback.updated_at,
    }
}
