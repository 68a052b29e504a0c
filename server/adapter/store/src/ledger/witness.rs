//! How to tell whether a transaction was committed whose answer was lost: by a row that only it can have written.

use kernel::ledger::{Change, Changes, RowKey};
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use types::id::Uuid;

use super::version::versions;
use crate::dialect::Database;
use crate::error::Trouble;
use crate::row::number;

/// A row that is there if and only if the transaction was committed.
pub(super) enum Witness {
    Run(Uuid),
    Step(Uuid),
    Hold(Uuid),
    Task(Uuid),
    Cost(Uuid),
    Audit(Uuid),
    Artifact(Uuid),
    Event(Uuid),
    RunEvent(Uuid, i64),
    /// A row that has at least this version.
    Row(RowKey, u64),
    ClosedStep(Uuid),
    ClosedHold(Uuid),
    /// A task that has at least this epoch.
    TaskEpoch(Uuid, i64),
    /// It wrote nothing that could be told from another's writing: sent again, it is refused or does no harm.
    None,
}

impl Witness {
    pub(super) fn of(changes: &Changes) -> Self {
        // An id that only this transaction can have written comes first; numbers and versions may be another's by now.
        let made = changes.list.iter().find_map(|change| match change {
            Change::NewRun(_, run) => Some(Self::Run(run.id.as_uuid())),
            Change::NewStep(_, step, _) => Some(Self::Step(step.id.as_uuid())),
            Change::NewHold(_, hold) => Some(Self::Hold(hold.id.as_uuid())),
            Change::NewTask(_, task) => Some(Self::Task(task.id.as_uuid())),
            Change::Cost(_, cost) => Some(Self::Cost(cost.id.as_uuid())),
            Change::Audit(_, audit, _) => Some(Self::Audit(audit.id.as_uuid())),
            Change::Artifact(_, artifact) => Some(Self::Artifact(artifact.id.as_uuid())),
            Change::Event(_, event, _) => Some(Self::Event(event.id.as_uuid())),
            Change::RunEvent(..) | Change::Row(_) | Change::Seal(..) | Change::Touch(_) | Change::Resolve(..) => None,
        });
        let numbered = || {
            changes.list.iter().find_map(|change| match change {
                Change::RunEvent(_, event, offset) => {
                    Some(Self::RunEvent(event.run_id.as_uuid(), i64::try_from(*offset).unwrap_or(i64::MAX)))
                }
                Change::Row(row) => Some(Self::Row(RowKey::of(row), row.version())),
                _ => None,
            })
        };
        let step = || changes.steps.first().map(|id| Self::ClosedStep(id.as_uuid()));
        let hold = || changes.holds.first().map(|id| Self::ClosedHold(id.as_uuid()));
        let task = || {
            let raised = changes.tasks.iter().find_map(|(id, epoch)| Some((id, (*epoch)?)));
            raised.map(|(id, epoch)| Self::TaskEpoch(id.as_uuid(), number(epoch)))
        };
        made.or_else(hold).or_else(step).or_else(task).or_else(numbered).unwrap_or(Self::None)
    }

    pub(super) async fn is_there(&self, database: &Database) -> Result<bool, Trouble> {
        use entity::{artifact, audit, cost, event, hold, run, run_event, step, task};
        let db = &mut database.reader();
        let count = match self {
            Self::Run(id) => run::Entity::find_by_id(*id).count(&*db).await?,
            Self::Step(id) => step::Entity::find_by_id(*id).count(&*db).await?,
            Self::Hold(id) => hold::Entity::find_by_id(*id).count(&*db).await?,
            Self::Task(id) => task::Entity::find_by_id(*id).count(&*db).await?,
            Self::TaskEpoch(id, epoch) => {
                task::Entity::find_by_id(*id).filter(task::Column::Epoch.gte(*epoch)).count(&*db).await?
            }
            Self::Cost(id) => cost::Entity::find_by_id(*id).count(&*db).await?,
            Self::Audit(id) => audit::Entity::find_by_id(*id).count(&*db).await?,
            Self::Artifact(id) => artifact::Entity::find_by_id(*id).count(&*db).await?,
            Self::Event(id) => event::Entity::find_by_id(*id).count(&*db).await?,
            Self::RunEvent(run_id, offset) => run_event::Entity::find_by_id((*run_id, *offset)).count(&*db).await?,
            Self::ClosedStep(id) => {
                step::Entity::find_by_id(*id).filter(step::Column::EndedAt.is_not_null()).count(&*db).await?
            }
            Self::ClosedHold(id) => {
                hold::Entity::find_by_id(*id).filter(hold::Column::Open.eq(false)).count(&*db).await?
            }
            Self::Row(key, version) => {
                let present = versions(db, std::slice::from_ref(key)).await?;
                return Ok(present.iter().any(|(_, present)| present >= version));
            }
            Self::None => 0,
        };
        Ok(count > 0)
    }
}
