//! Reading what people say of a run.

use std::collections::BTreeSet;

use types::feedback;
use types::id::RunId;
use types::name::Name;
use types::run::Run;

use super::Feedback;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::policy::guard;
use crate::port::Said;
use crate::record;

impl Feedback {
    /// What people say of a run, newest first.
    pub async fn list_feedback(&self, ctx: &OpContext, run_id: RunId) -> Result<Vec<feedback::Feedback>> {
        guard::authorize(ctx, "run.read")?;
        self.ports.runs.find_run(ctx.scope, run_id).await?.ok_or_else(Error::not_found)?;
        self.said_of(ctx, run_id).await
    }

    /// The same of a run the caller has read.
    pub async fn list_feedback_of(&self, ctx: &OpContext, run: &Run) -> Result<Vec<feedback::Feedback>> {
        guard::authorize(ctx, "run.read")?;
        self.said_of(ctx, run.id).await
    }

    /// Whoever reads a run may know who says something of it: everybody sees who belongs to the workspace.
    async fn said_of(&self, ctx: &OpContext, run_id: RunId) -> Result<Vec<feedback::Feedback>> {
        let said = self.ports.feedbacks.list_feedback(ctx.scope, run_id).await?;
        Ok(said.into_iter().map(|Said { feedback, user }| shown(feedback, user)).collect())
    }

    pub(super) async fn show(&self, feedback: record::Feedback) -> Result<feedback::Feedback> {
        let users = self.ports.directory.list_users(&BTreeSet::from([feedback.user_id])).await?;
        let name = users.into_iter().next().map(|user| user.name);
        Ok(shown(feedback, name))
    }
}

fn shown(feedback: record::Feedback, user: Option<Name>) -> feedback::Feedback {
    feedback::Feedback {
        id: feedback.id,
        run_id: feedback.run_id,
        user_id: feedback.user_id,
        user,
        rating: feedback.rating,
        labels: feedback.labels,
        comment: feedback.comment,
        created_at: feedback.created_at,
        updated_at: feedback.updated_at,
    }
}
