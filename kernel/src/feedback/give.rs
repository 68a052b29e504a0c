//! Saying something of a run.

use std::sync::Arc;

use serde_json::{Value, json};
use types::feedback::{self, GiveFeedback};
use types::id::RunId;
use types::problem::{Code, PermissionRefusal};
use types::run::{Capture, Run};

use super::Feedback;
use crate::check::Checks;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::gateway::is_label_key;
use crate::ledger::{Audit, Batch, Durability, LedgerError, Op, Refusal};
use crate::policy::guard;
use crate::record::{self, Row};

/// How often it is tried where the same person says two things at once.
const ATTEMPTS: usize = 5;
/// Most labels.
const MOST_LABELS: usize = 10;
/// Most characters of a comment.
const MOST_COMMENT: usize = 2_000;

impl Feedback {
    /// Says something of a run in place of what the caller said of it before.
    pub async fn give_feedback(
        &self,
        ctx: &OpContext,
        run_id: RunId,
        command: &GiveFeedback,
    ) -> Result<feedback::Feedback> {
        guard::authorize(ctx, "feedback.create")?;
        let user_id = ctx.user_id.ok_or_else(|| {
            Error::new(
                Code::RoleRequired,
                "only a person says what a run was like, and this credential stands for none",
            )
            .with_permission(PermissionRefusal { action: "feedback.create".to_owned(), roles: Vec::new() })
        })?;
        let run = self.ports.runs.find_run(ctx.scope, run_id).await?.ok_or_else(Error::not_found)?;
        let comment = self.check(ctx, &run, command).await?;
        let mut id = ctx.new_id(&*self.ports.ids, "feedback.create", &(run_id, command))?;
        for _ in 0..ATTEMPTS {
            let before = self.ports.feedbacks.find_feedback(ctx.scope, run_id, user_id).await?;
            if let Some(before) = &before {
                id = before.id;
                if (before.rating, &before.labels, &before.comment) == (command.rating, &command.labels, &comment) {
                    return self.show(before.clone()).await;
                }
            }
            let said = record::Feedback {
                id,
                scope: ctx.scope,
                run_id,
                user_id,
                rating: command.rating,
                labels: command.labels.clone(),
                comment: comment.clone(),
                created_at: before.as_ref().map_or(ctx.now, |before| before.created_at),
                updated_at: ctx.now,
                version: before.as_ref().map_or(1, |before| before.version + 1),
            };
            let audit = self.audit(ctx, before.as_ref(), &said);
            let ops = [Op::RowPut(Arc::new(Row::Feedback(said.clone()))), audit.into()];
            match self.ports.ledger.commit(Batch::opening(ctx.scope, Durability::Power).with(ops)).await {
                Ok(_) => return self.show(said).await,
                Err(LedgerError::Refused(Refusal::Version { .. } | Refusal::Unique { .. })) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::new(Code::Busy, "you say several things of this run at the same time, try again")
            .with_retry_after(1))
    }

    /// The comment as it is kept: none where there is nothing in it.
    async fn check(&self, ctx: &OpContext, run: &Run, command: &GiveFeedback) -> Result<Option<String>> {
        let mut checks = Checks::default();
        let labels = &command.labels;
        checks.require(labels.len() <= MOST_LABELS, "labels", format!("takes at most {MOST_LABELS} labels"));
        for (index, label) in labels.iter().enumerate() {
            let is_twice = labels.iter().take(index).any(|other| other == label);
            checks.require(!is_twice, format!("labels[{index}]"), "stands there twice");
            checks.require(
                is_label_key(label),
                format!("labels[{index}]"),
                "is no label, which is like `wrong_tool`: `[a-z][a-z0-9_]{0,31}`",
            );
        }
        let comment = command.comment.as_deref().map(str::trim).filter(|comment| !comment.is_empty());
        if let Some(comment) = comment {
            let is_short = comment.chars().count() <= MOST_COMMENT;
            checks.require(is_short, "comment", format!("must have at most {MOST_COMMENT} characters"));
            // The strictest counts: what the run was begun under, and what workspace and tenant say now.
            let workspace = self.ports.directory.find_workspace(ctx.scope).await?.ok_or_else(Error::not_found)?;
            let tenant = self.ports.directory.find_tenant(ctx.scope.tenant_id).await?.ok_or_else(Error::not_found)?;
            let captures = [run.capture, workspace.content_capture, tenant.content_capture];
            let keeps = captures.iter().all(|capture| *capture == Capture::Full);
            let refusal = "is content, and this run or its workspace keeps none: send it without a comment";
            checks.require(keeps, "comment", refusal);
        }
        checks.done()?;
        // The store keeps no NUL.
        Ok(comment.map(|comment| comment.replace('\0', "\u{FFFD}")))
    }

    /// Whether there is a comment is told, never what it says.
    fn audit(&self, ctx: &OpContext, before: Option<&record::Feedback>, said: &record::Feedback) -> Audit {
        let told = |feedback: &record::Feedback| json!({ "rating": feedback.rating, "labels": feedback.labels, "has_comment": feedback.comment.is_some() });
        let name = if before.is_some() { "feedback.replaced" } else { "feedback.created" };
        let payload = json!({ "run_id": said.run_id, "before": before.map_or(Value::Null, told), "after": told(said) });
        let audit = Audit::done(ctx, &*self.ports.ids, name, "feedback.create", ("feedback", said.id));
        Audit { run_id: Some(said.run_id), ..audit.with_payload(payload) }
    }
}
