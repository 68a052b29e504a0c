//! What is due.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use entity::{artifact, audit, cost, delivery, event, feedback, run};
use kernel::context::Scope;
use kernel::port::{Due, DueQuery, ObjectKey};
use sea_orm::sea_query::{Alias, Expr, ExprTrait, Query, SelectStatement, SimpleExpr};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select,
};
use types::id::Uuid;
use types::retention::RetentionClass;

use super::held::{part_is_held, run_is_held};
use crate::row;

/// What is due, the oldest first, with the objects that go with it.
pub(super) async fn list<C: ConnectionTrait>(db: &C, query: &DueQuery, limit: u32) -> Result<Vec<Due>, DbErr> {
    let limit = u64::from(limit);
    let ids = match query.class {
        RetentionClass::Content => content(db, query, limit).await?,
        RetentionClass::Runs => ids_of(db, runs(query, &[]).limit(limit)).await?,
        RetentionClass::Costs => {
            let rows: Vec<Uuid> = ids_of(db, costs(query).limit(limit)).await?;
            let mut seen = HashSet::new();
            rows.into_iter().filter(|id| seen.insert(*id)).collect()
        }
        RetentionClass::Audit => ids_of(db, audits(query, &[]).limit(limit)).await?,
        RetentionClass::Events => ids_of(db, events(query).limit(limit)).await?,
    };
    let mut objects = match query.class {
        RetentionClass::Content | RetentionClass::Runs => objects(db, query.scope, artifacts_of_runs(&ids)).await?,
        RetentionClass::Audit => {
            let artifacts = artifacts_of_audit(db, query.scope, &ids).await?;
            objects_of_audit(db, query.scope, artifacts).await?
        }
        RetentionClass::Costs | RetentionClass::Events => BTreeMap::new(),
    };
    Ok(ids.into_iter().map(|id| Due { id, objects: objects.remove(&id).unwrap_or_default() }).collect())
}

/// Which of these are due by now. Those that are decided are, whatever holds them, as long as they are there.
pub(super) async fn still<C: ConnectionTrait>(
    db: &C,
    query: &DueQuery,
    ids: &[Uuid],
    decided: &[Uuid],
) -> Result<Vec<Uuid>, DbErr> {
    let among = || ids.iter().copied();
    match query.class {
        RetentionClass::Content => {
            let has_some = Condition::any().add(has_texts()).add(run::Column::Id.in_subquery(commented(query.scope)));
            let due = ended(query, decided).filter(has_some);
            ids_of(db, due.filter(run::Column::Id.is_in(among()))).await
        }
        RetentionClass::Runs => ids_of(db, runs(query, decided).filter(run::Column::Id.is_in(among()))).await,
        RetentionClass::Costs => {
            let rows = ids_of(db, costs(query).filter(cost::Column::RunId.is_in(among()))).await?;
            Ok(rows.into_iter().collect::<BTreeSet<Uuid>>().into_iter().collect())
        }
        RetentionClass::Audit => ids_of(db, audits(query, decided).filter(audit::Column::Id.is_in(among()))).await,
        RetentionClass::Events => ids_of(db, events(query).filter(event::Column::Id.is_in(among()))).await,
    }
}

async fn ids_of<C: ConnectionTrait, E: EntityTrait>(db: &C, select: Select<E>) -> Result<Vec<Uuid>, DbErr> {
    select.into_tuple().all(db).await
}

/// Runs with texts, then those about which somebody said something since.
async fn content<C: ConnectionTrait>(db: &C, query: &DueQuery, limit: u64) -> Result<Vec<Uuid>, DbErr> {
    let mut ids = ids_of(db, ended(query, &[]).filter(has_texts()).limit(limit)).await?;
    let left = limit.saturating_sub(ids.len() as u64);
    if left > 0 {
        let said = run::Column::Id.in_subquery(commented(query.scope));
        let found = ids_of(db, ended(query, &[]).filter(said).limit(left)).await?;
        let known: HashSet<Uuid> = ids.iter().copied().collect();
        ids.extend(found.into_iter().filter(|id| !known.contains(id)));
    }
    Ok(ids)
}

/// As the index says it, or no database takes it.
fn has_texts() -> Condition {
    Condition::any()
        .add(run::Column::Salt.is_not_null())
        .add(run::Column::InputPreview.is_not_null())
        .add(run::Column::OutputPreview.is_not_null())
}

/// Runs about which somebody said something in their own words.
fn commented(scope: Scope) -> SelectStatement {
    Query::select()
        .column(feedback::Column::RunId)
        .from(feedback::Entity)
        .cond_where(
            Condition::all()
                .add(feedback::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
                .add(feedback::Column::Comment.is_not_null()),
        )
        .to_owned()
}

/// Runs that ended before, are not held unless they are decided, and name no object that may still be put.
fn ended(query: &DueQuery, decided: &[Uuid]) -> Select<run::Entity> {
    let open = Query::select()
        .expr(Expr::val(1))
        .from(artifact::Entity)
        .cond_where(
            Condition::all()
                .add(Expr::col((artifact::Entity, artifact::Column::RunId)).equals((run::Entity, run::Column::Id)))
                .add(
                    // Keys begin with their day.
                    Expr::col((artifact::Entity, artifact::Column::StorageKey)).gte(query.open_day.to_string()),
                ),
        )
        .to_owned();
    run::Entity::find()
        .select_only()
        .column(run::Column::Id)
        .filter(run::Column::WorkspaceId.eq(query.scope.workspace_id.as_uuid()))
        .filter(run::Column::TenantId.eq(query.scope.tenant_id.as_uuid()))
        .filter(run::Column::EndedAt.lt(query.before))
        .filter(Expr::exists(open).not())
        .filter(run_is_held(query.scope).not().or(run::Column::Id.is_in(decided.iter().copied())))
        .order_by_asc(run::Column::EndedAt)
        .order_by_asc(run::Column::Id)
}

/// Runs whose children are gone: a run that another one names stays as long as that one.
fn runs(query: &DueQuery, decided: &[Uuid]) -> Select<run::Entity> {
    let child = Alias::new("child");
    let of_child = |column: run::Column| Expr::col((child.clone(), column));
    let children = Query::select()
        .expr(Expr::val(1))
        .from_as(run::Entity, child.clone())
        .cond_where(
            Condition::all()
                .add(of_child(run::Column::TenantId).eq(query.scope.tenant_id.as_uuid()))
                .add(of_child(run::Column::WorkspaceId).eq(query.scope.workspace_id.as_uuid()))
                .add(of_child(run::Column::ParentRunId).equals((run::Entity, run::Column::Id))),
        )
        .to_owned();
    ended(query, decided).filter(Expr::exists(children).not())
}

/// Runs of cost rows that are all old: those of a run go together, so that what is left of a run can be told from what was
/// taken. A row of a run that still goes on stays.
fn costs(query: &DueQuery) -> Select<cost::Entity> {
    let other = Alias::new("later");
    let later = Query::select()
        .expr(Expr::val(1))
        .from_as(cost::Entity, other.clone())
        .cond_where(
            Condition::all()
                .add(Expr::col((other.clone(), cost::Column::RunId)).equals((cost::Entity, cost::Column::RunId)))
                .add(Expr::col((other, cost::Column::OccurredAt)).gte(query.before)),
        )
        .to_owned();
    let going_on = Query::select()
        .expr(Expr::val(1))
        .from(run::Entity)
        .cond_where(
            Condition::all()
                .add(Expr::col((run::Entity, run::Column::Id)).equals((cost::Entity, cost::Column::RunId)))
                .add(Expr::col((run::Entity, run::Column::EndedAt)).is_null()),
        )
        .to_owned();
    let held =
        part_is_held(query.scope, (cost::Entity, cost::Column::RunId), None, (cost::Entity, cost::Column::OccurredAt));
    cost::Entity::find()
        .select_only()
        .column(cost::Column::RunId)
        .filter(cost::Column::WorkspaceId.eq(query.scope.workspace_id.as_uuid()))
        .filter(cost::Column::TenantId.eq(query.scope.tenant_id.as_uuid()))
        .filter(cost::Column::OccurredAt.lt(query.before))
        .filter(Expr::exists(later).not())
        .filter(Expr::exists(going_on).not())
        .filter(held.not())
        .order_by_asc(cost::Column::OccurredAt)
}

fn audits(query: &DueQuery, decided: &[Uuid]) -> Select<audit::Entity> {
    let held = part_is_held(
        query.scope,
        (audit::Entity, audit::Column::RunId),
        Some(Expr::col((audit::Entity, audit::Column::ActorId))),
        (audit::Entity, audit::Column::OccurredAt),
    );
    audit::Entity::find()
        .select_only()
        .column(audit::Column::Id)
        .filter(audit::Column::WorkspaceId.eq(query.scope.workspace_id.as_uuid()))
        .filter(audit::Column::TenantId.eq(query.scope.tenant_id.as_uuid()))
        .filter(audit::Column::OccurredAt.lt(query.before))
        .filter(held.not().or(audit::Column::Id.is_in(decided.iter().copied())))
        .order_by_asc(audit::Column::OccurredAt)
        .order_by_asc(audit::Column::Seq)
}

/// Events that nobody waits for.
fn events(query: &DueQuery) -> Select<event::Entity> {
    let held = part_is_held(
        query.scope,
        (event::Entity, event::Column::RunId),
        None,
        (event::Entity, event::Column::OccurredAt),
    );
    let waiting = Query::select()
        .expr(Expr::val(1))
        .from(delivery::Entity)
        .cond_where(
            Expr::col((delivery::Entity, delivery::Column::EventId))
                .equals((event::Entity, event::Column::Id))
                .and(Expr::col((delivery::Entity, delivery::Column::FinishedAt)).is_null()),
        )
        .to_owned();
    event::Entity::find()
        .select_only()
        .column(event::Column::Id)
        .filter(event::Column::WorkspaceId.eq(query.scope.workspace_id.as_uuid()))
        .filter(event::Column::TenantId.eq(query.scope.tenant_id.as_uuid()))
        .filter(event::Column::OccurredAt.lt(query.before))
        .filter(Expr::exists(waiting).not())
        .filter(held.not())
        .order_by_asc(event::Column::OccurredAt)
        .order_by_asc(event::Column::Id)
}

fn artifacts_of_runs(ids: &[Uuid]) -> SimpleExpr {
    artifact::Column::RunId.is_in(ids.iter().copied())
}

/// Objects by the run whose artifacts name them, without those that an artifact of somebody else names too.
async fn objects<C: ConnectionTrait>(
    db: &C,
    scope: Scope,
    theirs: SimpleExpr,
) -> Result<BTreeMap<Uuid, Vec<ObjectKey>>, DbErr> {
    let rows: Vec<(Option<Uuid>, Option<String>)> = within(scope)
        .columns([artifact::Column::RunId, artifact::Column::StorageKey])
        .filter(theirs.clone())
        .filter(artifact::Column::StorageKey.is_not_null())
        .into_tuple()
        .all(db)
        .await?;
    let named = rows.into_iter().filter_map(|(run_id, key)| run_id.zip(key)).collect();
    // An artifact without a run is somebody else's as well.
    without_shared(db, named, theirs.not().or(artifact::Column::RunId.is_null())).await
}

/// The artifacts that hold long details, by audit row.
pub(super) async fn artifacts_of_audit<C: ConnectionTrait>(
    db: &C,
    scope: Scope,
    ids: &[Uuid],
) -> Result<Vec<(Uuid, Uuid)>, DbErr> {
    let rows: Vec<(Uuid, String)> = audit::Entity::find()
        .select_only()
        .columns([audit::Column::Id, audit::Column::Payload])
        .filter(audit::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
        .filter(audit::Column::Id.is_in(ids.iter().copied()))
        .into_tuple()
        .all(db)
        .await?;
    let mut artifacts = Vec::new();
    for (id, payload) in rows {
        let payload: serde_json::Value = row::document(&payload, "audit.payload")?;
        artifacts.extend(kernel::artifact::named_by(&payload).map(|artifact_id| (id, artifact_id.as_uuid())));
    }
    Ok(artifacts)
}

async fn objects_of_audit<C: ConnectionTrait>(
    db: &C,
    scope: Scope,
    artifacts: Vec<(Uuid, Uuid)>,
) -> Result<BTreeMap<Uuid, Vec<ObjectKey>>, DbErr> {
    let owners: BTreeMap<Uuid, Uuid> = artifacts.into_iter().map(|(audit_id, id)| (id, audit_id)).collect();
    let theirs = artifact::Column::Id.is_in(owners.keys().copied());
    let rows: Vec<(Uuid, Option<String>)> = within(scope)
        .columns([artifact::Column::Id, artifact::Column::StorageKey])
        .filter(theirs.clone())
        .filter(artifact::Column::StorageKey.is_not_null())
        .into_tuple()
        .all(db)
        .await?;
    let named = rows.into_iter().filter_map(|(id, key)| owners.get(&id).copied().zip(key)).collect();
    without_shared(db, named, theirs.not()).await
}

fn within(scope: Scope) -> Select<artifact::Entity> {
    artifact::Entity::find()
        .select_only()
        .filter(artifact::Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .filter(artifact::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
}

async fn without_shared<C: ConnectionTrait>(
    db: &C,
    named: Vec<(Uuid, String)>,
    others: SimpleExpr,
) -> Result<BTreeMap<Uuid, Vec<ObjectKey>>, DbErr> {
    if named.is_empty() {
        return Ok(BTreeMap::new());
    }
    let shared: Vec<Option<String>> = artifact::Entity::find()
        .select_only()
        .column(artifact::Column::StorageKey)
        .filter(artifact::Column::StorageKey.is_in(named.iter().map(|(_, key)| key.as_str())))
        .filter(others)
        .into_tuple()
        .all(db)
        .await?;
    let shared: HashSet<String> = shared.into_iter().flatten().collect();
    let mut objects: BTreeMap<Uuid, Vec<ObjectKey>> = BTreeMap::new();
    for (id, key) in named.into_iter().filter(|(_, key)| !shared.contains(key)) {
        objects.entry(id).or_default().push(row::artifact::object(&key)?);
    }
    Ok(objects)
}
