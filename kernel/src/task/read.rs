//! Reading tasks.

use types::id::{TaskId, UserId};
use types::page::Page;
use types::run::CallerKind;
use types::task::{Task, TaskFilter, TaskQuery};

use super::use_cases::Tasks;
use crate::check::Checks;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::policy::guard::{self, Owner};

impl Tasks {
    /// One page of the workspace's tasks, newest first.
    pub async fn list_tasks(&self, ctx: &OpContext, query: &TaskQuery) -> Result<Page<Task>> {
        guard::authorize(ctx, "task.list")?;
        let mut checks = Checks::default();
        checks.within(Some(query.limit), 1, 200, "limit");
        for (name, count) in query.filter.counts() {
            let most = TaskFilter::MOST_VALUES;
            checks.require(count <= most, name, format!("takes at most {most} values, ask in parts"));
        }
        checks.done()?;
        Ok(self.ports.tasks.list_tasks(ctx.scope, query).await?)
    }

    /// One task.
    pub async fn find_task(&self, ctx: &OpContext, id: TaskId) -> Result<Task> {
        guard::authorize(ctx, "task.read")?;
        self.ports.tasks.find_task(ctx.scope, id).await?.ok_or_else(Error::not_found)
    }

    /// A task that the caller may do this to.
    pub(super) async fn controlled(&self, ctx: &OpContext, action: &'static str, id: TaskId) -> Result<Task> {
        let task = self.find_task(ctx, id).await?;
        match owner(&task) {
            Some(owner) => guard::authorize_own(ctx, action, owner)?,
            None => guard::authorize(ctx, action)?,
        }
        Ok(task)
    }
}

/// Whose a task is: of a person, or of a service principal and its owner.
fn owner(task: &Task) -> Option<Owner> {
    match task.caller.kind {
        CallerKind::User => task.caller.id.parse().ok().map(|id: UserId| id.into()),
        CallerKind::ServicePrincipal => {
            let user_id = task.user_id?;
            task.caller.id.parse().ok().map(|id| Owner { user_id, principal_id: Some(id) })
        }
        CallerKind::Schedule | CallerKind::Trigger | CallerKind::System => None,
    }
}
