//! Tasks.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kernel::context::Scope;
use kernel::ledger::NewTask;
use kernel::port::{ReadyTask, StoreError, Tasks};
use types::id::{ProcessId, TaskId};
use types::outbox::{DeadLetter, DeadLetterKind};
use types::page::Page;
use types::run::Term;
use types::task::{Task, TaskFilter, TaskQuery, TaskStatus};

use super::page::page;
use super::store::{FakeStore, Rows};

/// A task, when it was written, and when it was last.
pub(super) struct StoredTask {
    pub(super) scope: Scope,
    pub(super) task: NewTask,
    pub(super) created_at: DateTime<Utc>,
    pub(super) changed_at: DateTime<Utc>,
}

#[async_trait]
impl Tasks for FakeStore {
    async fn ready_tasks(&self, types: &[&str], limit: u32) -> Result<Vec<ReadyTask>, StoreError> {
        let rows = self.rows();
        let now = rows.now();
        let mut ready = rows.ready(now);
        ready.retain(|(_, task)| types.contains(&task.task_type.as_str()));
        ready.truncate(limit as usize);
        let waited = |task: &Task| (now - task.available_at).to_std().unwrap_or_default();
        Ok(ready.into_iter().map(|(scope, task)| ReadyTask { waited: waited(&task), scope, task }).collect())
    }

    async fn lapsed_tasks(&self, limit: u32) -> Result<Vec<(Scope, Task)>, StoreError> {
        let rows = self.rows();
        let now = rows.now();
        let mut lapsed: Vec<(Scope, Task)> = rows.all_tasks().collect();
        lapsed.retain(|(_, task)| {
            task.status == TaskStatus::Running && task.lease_until.is_some_and(|until| until <= now)
        });
        lapsed.sort_by_key(|(_, task)| (task.lease_until, task.id));
        lapsed.truncate(limit as usize);
        Ok(lapsed)
    }

    async fn count_ready(&self) -> Result<Vec<(String, u64)>, StoreError> {
        let rows = self.rows();
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for (_, task) in rows.ready(rows.now()) {
            *counts.entry(task.task_type).or_default() += 1;
        }
        Ok(counts.into_iter().collect())
    }

    async fn list_tasks(&self, scope: Scope, query: &TaskQuery) -> Result<Page<Task>, StoreError> {
        let rows = self.rows();
        let mut tasks = rows.tasks_of(scope);
        tasks.retain(|task| matches(&query.filter, task));
        tasks.sort_by_key(|task| Reverse((task.created_at, task.id)));
        let list = format!("tasks {scope:?} {:?}", query.filter);
        page(tasks, |task| task.id.to_string(), &list, query.limit, query.cursor.as_deref())
    }

    async fn find_task(&self, scope: Scope, id: TaskId) -> Result<Option<Task>, StoreError> {
        Ok(self.find_tasks(scope, &[id]).await?.pop())
    }

    async fn find_tasks(&self, scope: Scope, ids: &[TaskId]) -> Result<Vec<Task>, StoreError> {
        let mut tasks = self.rows().tasks_of(scope);
        tasks.retain(|task| ids.contains(&task.id));
        Ok(tasks)
    }
}

fn matches(filter: &TaskFilter, task: &Task) -> bool {
    Term::pass(&filter.status, |status| *status == task.status)
        && Term::pass(&filter.task_type, |name| name.as_str() == task.task_type)
        && Term::pass(&filter.subject_id, |id| *id == task.subject.id)
        && (filter.run_id.is_empty() || task.run_id.is_some_and(|id| filter.run_id.contains(&id)))
}

impl Rows {
    /// A task as readers see it.
    pub(super) fn task(&self, id: TaskId) -> Option<Task> {
        let StoredTask { task, created_at, changed_at, .. } = self.tasks.get(&id)?;
        let (_, state) = self.state.tasks.get(&id)?;
        Some(Task {
            id,
            task_type: task.task_type.clone(),
            status: state.status,
            epoch: state.epoch,
            attempts: state.attempts,
            max_attempts: task.max_attempts,
            redrives: state.redrives,
            available_at: state.available_at,
            subject: task.subject.clone(),
            caller: task.caller.clone(),
            user_id: task.user_id,
            run_id: task.run_id,
            params: task.params.clone(),
            input_artifact_id: task.input_artifact,
            output_artifact_id: state.output_artifact,
            progress: state.progress.clone(),
            lease_owner: state.lease_owner,
            lease_until: state.lease_until,
            last_error: state.error.clone(),
            discard_reason: state.discard_reason.clone(),
            created_at: *created_at,
            changed_at: *changed_at,
            finished_at: state.finished_at,
        })
    }

    fn all_tasks(&self) -> impl Iterator<Item = (Scope, Task)> {
        self.tasks.iter().filter_map(|(id, stored)| Some((stored.scope, self.task(*id)?)))
    }

    pub(super) fn tasks_of(&self, scope: Scope) -> Vec<Task> {
        self.all_tasks().filter(|(of, _)| *of == scope).map(|(_, task)| task).collect()
    }

    fn ready(&self, now: DateTime<Utc>) -> Vec<(Scope, Task)> {
        let waits = |task: &Task| matches!(task.status, TaskStatus::Queued | TaskStatus::RetryWait);
        let mut ready: Vec<_> = self.all_tasks().filter(|(_, task)| waits(task) && task.available_at <= now).collect();
        ready.sort_by_key(|(_, task)| (task.available_at, task.id));
        ready
    }

    /// Tasks of processes that are no more: nobody waits for the end of their leases.
    pub(super) fn end_leases(&mut self) {
        let now = self.now();
        let dead: HashSet<ProcessId> =
            self.processes.iter().filter(|(_, (_, alive))| !alive).map(|(id, _)| *id).collect();
        for (_, task) in self.state.tasks.values_mut() {
            if task.status == TaskStatus::Running && task.lease_owner.is_some_and(|owner| dead.contains(&owner)) {
                task.lease_until = Some(now);
            }
        }
    }

    pub(super) fn dead_tasks(&self, scope: Scope) -> Vec<DeadLetter> {
        let dead = |task: &Task| task.status == TaskStatus::Failed && task.discard_reason.is_none();
        let letter = |task: Task| DeadLetter {
            kind: DeadLetterKind::Task,
            id: task.id.to_string(),
            consumer: task.task_type,
            event_type: kernel::task::FAILED.to_owned(),
            subject: task.subject.id,
            subject_seq: None,
            attempts: task.attempts,
            redrives: task.redrives,
            error: task.last_error.map(|error| error.message),
            occurred_at: task.created_at,
            died_at: task.finished_at.unwrap_or(task.changed_at),
        };
        self.tasks_of(scope).into_iter().filter(dead).map(letter).collect()
    }
}
