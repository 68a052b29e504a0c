//! What dead processes left behind: unfinished request-bound runs with their open steps and holds.

use std::collections::HashMap;

use entity::{hold, process, run, step};
use kernel::port::{DeadWork, OpenCall};
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use types::cost::Cost;
use types::id::{HoldId, RunId, StepId, Uuid};

use crate::row::{document, scope};

/// The reads must see one moment: hand in a snapshot.
pub(super) async fn dead_work<C: ConnectionTrait>(db: &C, limit: u32) -> Result<Vec<DeadWork>, DbErr> {
    let runs: Vec<(Uuid, Uuid, Uuid)> = run::Entity::find()
        .select_only()
        .columns([run::Column::TenantId, run::Column::WorkspaceId, run::Column::Id])
        .filter(run::Column::EndedAt.is_null())
        .filter(run::Column::OwnerProcessId.is_not_null())
        .filter(owner_is_alive().not())
        .order_by_asc(run::Column::StartedAt)
        .order_by_asc(run::Column::Id)
        .limit(u64::from(limit))
        .into_tuple()
        .all(db)
        .await?;
    let ids: Vec<Uuid> = runs.iter().map(|(_, _, id)| *id).collect();
    let mut steps = open_steps(db, &ids).await?;
    let mut holds = open_holds(db, &ids).await?;
    let mut work = Vec::with_capacity(runs.len());
    for (tenant_id, workspace_id, id) in runs {
        let mut held = holds.remove(&id).unwrap_or_default();
        let mut calls = Vec::new();
        for open in steps.remove(&id).unwrap_or_default() {
            let own = held.iter().position(|hold| hold.step_id == open.id).map(|index| held.swap_remove(index));
            let hold = own.map(|hold| hold.with_worst_case()).transpose()?;
            calls.push(OpenCall { step_id: StepId::from_uuid(open.id), sent: open.outbound_at.is_some(), hold });
        }
        let stray_holds = held.into_iter().map(|hold| HoldId::from_uuid(hold.id)).collect();
        work.push(DeadWork { scope: scope(tenant_id, workspace_id), run_id: RunId::from_uuid(id), calls, stray_holds });
    }
    Ok(work)
}

/// The run's owner counts as alive, under the epoch it had when it opened the run.
fn owner_is_alive() -> sea_orm::sea_query::SimpleExpr {
    let same =
        |left: process::Column, right: run::Column| Expr::col((process::Entity, left)).equals((run::Entity, right));
    let owner = Query::select()
        .expr(Expr::val(1))
        .from(process::Entity)
        .cond_where(
            Condition::all()
                .add(same(process::Column::Id, run::Column::OwnerProcessId))
                .add(same(process::Column::Epoch, run::Column::OwnerEpoch))
                .add(process::Column::Alive.eq(true)),
        )
        .to_owned();
    Expr::exists(owner)
}

async fn open_steps<C: ConnectionTrait>(db: &C, runs: &[Uuid]) -> Result<HashMap<Uuid, Vec<step::Model>>, DbErr> {
    let rows = step::Entity::find()
        .filter(step::Column::RunId.is_in(runs.iter().copied()))
        .filter(step::Column::EndedAt.is_null())
        .order_by_asc(step::Column::Seq)
        .all(db)
        .await?;
    let mut steps: HashMap<Uuid, Vec<step::Model>> = HashMap::new();
    for row in rows {
        steps.entry(row.run_id).or_default().push(row);
    }
    Ok(steps)
}

async fn open_holds<C: ConnectionTrait>(db: &C, runs: &[Uuid]) -> Result<HashMap<Uuid, Vec<Held>>, DbErr> {
    let rows = hold::Entity::find()
        .filter(hold::Column::RunId.is_in(runs.iter().copied()))
        .filter(hold::Column::Open.eq(true))
        .order_by_asc(hold::Column::Id)
        .all(db)
        .await?;
    let mut holds: HashMap<Uuid, Vec<Held>> = HashMap::new();
    for row in rows {
        let hold = Held { id: row.id, step_id: row.step_id, worst_case: row.worst_case };
        holds.entry(row.run_id).or_default().push(hold);
    }
    Ok(holds)
}

/// An open hold.
struct Held {
    id: Uuid,
    step_id: Uuid,
    worst_case: Option<String>,
}

impl Held {
    fn with_worst_case(self) -> Result<(HoldId, Option<Cost>), DbErr> {
        let cost = self.worst_case.map(|text| document(&text, "holds.worst_case")).transpose()?;
        Ok((HoldId::from_uuid(self.id), cost))
    }
}
