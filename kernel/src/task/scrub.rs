//! Erasing the content of a workspace that is older than a moment. What is left is the record: ids, words, numbers, digests
//! and the chain, which stays valid.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Days, NaiveTime, Utc};
use serde_json::{Value, json};
use types::id::TaskId;
use types::problem::Code;
use types::task::{ScrubContent, Task, TaskSubject};

use super::progress::Progress;
use super::registry::MAX_ATTEMPTS;
use super::use_cases::Tasks;
use super::work::{Claimed, Outcome, TaskError, TaskWork};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::ledger::{Audit, Batch, Durability, LedgerError, NewTask, Op, Refusal, TaskOp};
use crate::policy::guard;
use crate::retention::{self, ErasePorts, Erased};

/// The type of the task.
pub const CONTENT_SCRUB: &str = "content.scrub";
/// Runs whose content is erased between two words about the progress.
const SLICE: u32 = 100;
/// After a day ended, objects of it may still be named for an hour.
const GRACE: Duration = Duration::from_secs(65 * 60);

impl Tasks {
    /// Opens a task that erases the workspace's content of before a moment. Sent again, it is the same task.
    pub async fn scrub_content(&self, ctx: &OpContext, command: &ScrubContent) -> Result<Task> {
        guard::authorize(ctx, "content.scrub")?;
        if command.before > ctx.now {
            return Err(Error::invalid("before", "must not lie in the future, name a moment up to now"));
        }
        let ids = &*self.ports.ids;
        let id: TaskId = ctx.new_id(ids, "content.scrub", command)?;
        let workspace = ctx.scope.workspace_id;
        let task = NewTask {
            id,
            task_type: CONTENT_SCRUB.to_owned(),
            max_attempts: MAX_ATTEMPTS,
            subject: TaskSubject { kind: "workspace".to_owned(), id: workspace.to_string() },
            caller: ctx.caller(),
            user_id: ctx.answerable(),
            run_id: None,
            params: json!({ "before": command.before }),
            input_artifact: None,
            delay: Duration::ZERO,
        };
        let audit = Audit::done(ctx, ids, "content.scrub_requested", "content.scrub", ("workspace", workspace))
            .with_payload(json!({ "before": command.before, "task_id": id }));
        let ops = [Op::Task(TaskOp::Open(Arc::new(task))), audit.into()];
        match self.ports.ledger.commit(Batch::opening(ctx.scope, Durability::Power).with(ops)).await {
            Ok(_) | Err(LedgerError::Refused(Refusal::Unique { .. })) => {}
            Err(error) => return Err(error.into()),
        }
        self.ports.tasks.find_task(ctx.scope, id).await?.ok_or_else(Error::not_found)
    }
}

/// Erases, a slice after the other. Begun anew it goes on where it was: what is gone is not due any more.
#[derive(Clone)]
pub struct ContentScrub {
    ports: ErasePorts,
}

impl ContentScrub {
    /// The work on these ports.
    pub fn new(ports: ErasePorts) -> Self {
        Self { ports }
    }

    /// What is written with the end: the record of it, and the rest of the work where runs name objects of today, which others
    /// may still put.
    fn ends(&self, claimed: &Claimed, before: DateTime<Utc>, erased: Erased) -> Vec<Op> {
        let (clock, ids) = (&*self.ports.clock, &*self.ports.ids);
        let (now, task) = (clock.now(), &claimed.task);
        let ctx = OpContext::system("task", claimed.scope, ids.request(), now);
        let Erased { runs, artifacts, bytes, waiting, .. } = erased;
        let rest: Option<TaskId> = (waiting > 0).then(|| ids.task());
        let told = json!({
            "task_id": task.id, "before": before, "runs": runs, "artifacts": artifacts, "bytes": bytes,
            "waiting_runs": waiting, "rest": rest,
        });
        let workspace = ("workspace", claimed.scope.workspace_id);
        let audit = Audit::done(&ctx, ids, "content.scrubbed", "content.scrub", workspace).with_payload(told);
        let rest = rest.map(|id| NewTask {
            id,
            task_type: task.task_type.clone(),
            max_attempts: task.max_attempts,
            subject: task.subject.clone(),
            caller: task.caller.clone(),
            user_id: task.user_id,
            run_id: None,
            params: task.params.clone(),
            input_artifact: None,
            delay: until_tomorrow(now),
        });
        let rest = rest.map(|task| Op::Task(TaskOp::Open(Arc::new(task))));
        rest.into_iter().chain([audit.into()]).collect()
    }
}

#[async_trait]
impl TaskWork for ContentScrub {
    fn task_type(&self) -> &'static str {
        CONTENT_SCRUB
    }

    async fn run(&self, claimed: &Claimed, progress: &Progress) -> std::result::Result<Outcome, TaskError> {
        let before = before(&claimed.task)?;
        let mut all = Erased::default();
        loop {
            let erased = retention::erase_content(&self.ports, claimed.scope, before, SLICE).await?;
            all.runs += erased.runs;
            all.artifacts += erased.artifacts;
            all.bytes += erased.bytes;
            all.waiting = erased.waiting;
            progress.report(all.runs, None, None).await?;
            if !erased.more {
                break;
            }
        }
        // Somebody asked for it: done is what is out of the files, however large they are.
        retention::wipe(&self.ports, true).await?;
        Ok(Outcome::Done { output: None, ops: self.ends(claimed, before, all) })
    }
}

impl std::fmt::Debug for ContentScrub {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ContentScrub").finish_non_exhaustive()
    }
}

/// The moment the task was opened with.
fn before(task: &Task) -> std::result::Result<DateTime<Utc>, TaskError> {
    let read = task.params.get("before").and_then(Value::as_str).and_then(|text| text.parse().ok());
    read.ok_or_else(|| TaskError {
        code: Code::Invalid.to_string(),
        message: "the task names no moment in `before`, open a new one".to_owned(),
        is_retryable: false,
    })
}

/// Until the objects of today are nobody's to put any more.
fn until_tomorrow(now: DateTime<Utc>) -> Duration {
    let tomorrow = (now.date_naive() + Days::new(1)).and_time(NaiveTime::MIN).and_utc();
    (tomorrow - now).to_std().unwrap_or_default() + GRACE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_waits_for_the_next_day_and_a_little_longer() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().expect("a time");
        assert_eq!(until_tomorrow(at("2026-03-01T22:00:00Z")), Duration::from_secs(2 * 3_600) + GRACE);
        assert_eq!(until_tomorrow(at("2026-12-31T23:59:59Z")), Duration::from_secs(1) + GRACE);
    }
}
