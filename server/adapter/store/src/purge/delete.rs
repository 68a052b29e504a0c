//! Deleting rows and erasing content, class by class. Everything stands on the purge list by then.

use entity::{artifact, audit, cost, delivery, event, feedback, hold, idempotency_key, run, run_event, step, task};
use kernel::context::Scope;
use sea_orm::sea_query::{Expr, ExprTrait, SimpleExpr};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, Value};
use types::id::Uuid;
use types::retention::{PurgeCounts, Purged, RetentionClass};

use super::due::artifacts_of_audit;
use crate::row::count;

/// Deletes what these name, or erases the content of these runs.
pub(super) async fn delete<C: ConnectionTrait>(
    db: &C,
    scope: Scope,
    class: RetentionClass,
    ids: &[Uuid],
) -> Result<PurgeCounts, DbErr> {
    let purged = match class {
        RetentionClass::Content => content(db, ids).await?,
        RetentionClass::Runs => runs(db, ids).await?,
        RetentionClass::Costs => {
            let rows = cost::Entity::delete_many()
                .filter(cost::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
                .filter(cost::Column::RunId.is_in(among(ids)));
            vec![(Purged::Costs, rows.exec(db).await?.rows_affected)]
        }
        RetentionClass::Audit => audits(db, scope, ids).await?,
        RetentionClass::Events => {
            let deliveries = delivery::Entity::delete_many().filter(delivery::Column::EventId.is_in(among(ids)));
            deliveries.exec(db).await?;
            let events = event::Entity::delete_many().filter(event::Column::Id.is_in(among(ids)));
            vec![(Purged::Events, events.exec(db).await?.rows_affected)]
        }
    };
    Ok(purged.into_iter().filter(|(_, number)| *number > 0).collect())
}

fn among(ids: &[Uuid]) -> impl Iterator<Item = Uuid> + '_ {
    ids.iter().copied()
}

async fn content<C: ConnectionTrait>(db: &C, ids: &[Uuid]) -> Result<Vec<(Purged, u64)>, DbErr> {
    let mut purged = vec![(Purged::Content, ids.len() as u64)];
    purged.extend(artifacts(db, artifact::Column::RunId.is_in(among(ids))).await?);
    let none = || Expr::val(Value::String(None));
    let shown =
        Condition::any().add(step::Column::InputPreview.is_not_null()).add(step::Column::OutputPreview.is_not_null());
    step::Entity::update_many()
        .col_expr(step::Column::InputPreview, none())
        .col_expr(step::Column::OutputPreview, none())
        .filter(step::Column::RunId.is_in(among(ids)))
        .filter(shown)
        .exec(db)
        .await?;
    // A row more of its version: who writes it as they read it before is told so.
    let comments = feedback::Entity::update_many()
        .col_expr(feedback::Column::Comment, none())
        .col_expr(feedback::Column::Version, Expr::col(feedback::Column::Version).add(1))
        .filter(feedback::Column::RunId.is_in(among(ids)))
        .filter(feedback::Column::Comment.is_not_null())
        .exec(db)
        .await?;
    purged.push((Purged::Comments, comments.rows_affected));
    answers(db, ids).await?;
    run::Entity::update_many()
        .col_expr(run::Column::InputPreview, none())
        .col_expr(run::Column::OutputPreview, none())
        .col_expr(run::Column::Salt, Expr::val(Value::Bytes(None)))
        .filter(run::Column::Id.is_in(among(ids)))
        .exec(db)
        .await?;
    Ok(purged)
}

/// Answers that are kept for those who repeat their key. The key stays taken, and says that its answer is not kept.
async fn answers<C: ConnectionTrait>(db: &C, ids: &[Uuid]) -> Result<(), DbErr> {
    use idempotency_key::{Column, Entity};
    let named: Vec<Option<Uuid>> = Entity::find()
        .select_only()
        .column(Column::BodyArtifactId)
        .filter(Column::RunId.is_in(among(ids)))
        .filter(Column::BodyArtifactId.is_not_null())
        .into_tuple()
        .all(db)
        .await?;
    let named: Vec<Uuid> = named.into_iter().flatten().collect();
    if !named.is_empty() {
        // Swept with the next that are over, object first.
        artifact::Entity::update_many()
            .col_expr(artifact::Column::ExpiresAt, crate::dialect::now(db.get_database_backend()))
            .filter(artifact::Column::Id.is_in(named))
            .exec(db)
            .await?;
    }
    let sealed = Condition::any().add(Column::Body.is_not_null()).add(Column::BodyArtifactId.is_not_null());
    Entity::update_many()
        .col_expr(Column::Body, Expr::val(Value::Bytes(None)))
        .col_expr(Column::BodyKeyId, Expr::val(Value::String(None)))
        .col_expr(Column::BodyNonce, Expr::val(Value::Bytes(None)))
        .col_expr(Column::BodyArtifactId, Expr::val(Value::Uuid(None)))
        .filter(Column::RunId.is_in(among(ids)))
        .filter(sealed)
        .exec(db)
        .await?;
    Ok(())
}

async fn runs<C: ConnectionTrait>(db: &C, ids: &[Uuid]) -> Result<Vec<(Purged, u64)>, DbErr> {
    answers(db, ids).await?;
    let mut purged = artifacts(db, artifact::Column::RunId.is_in(among(ids))).await?;
    let said = feedback::Entity::delete_many().filter(feedback::Column::RunId.is_in(among(ids)));
    purged.push((Purged::Comments, said.exec(db).await?.rows_affected));
    let events = run_event::Entity::delete_many().filter(run_event::Column::RunId.is_in(among(ids)));
    purged.push((Purged::RunEvents, events.exec(db).await?.rows_affected));
    hold::Entity::delete_many().filter(hold::Column::RunId.is_in(among(ids))).exec(db).await?;
    task::Entity::delete_many().filter(task::Column::RunId.is_in(among(ids))).exec(db).await?;
    let steps = step::Entity::delete_many().filter(step::Column::RunId.is_in(among(ids)));
    purged.push((Purged::Steps, steps.exec(db).await?.rows_affected));
    let runs = run::Entity::delete_many().filter(run::Column::Id.is_in(among(ids)));
    purged.push((Purged::Runs, runs.exec(db).await?.rows_affected));
    Ok(purged)
}

async fn audits<C: ConnectionTrait>(db: &C, scope: Scope, ids: &[Uuid]) -> Result<Vec<(Purged, u64)>, DbErr> {
    let named = artifacts_of_audit(db, scope, ids).await?;
    let mut purged = artifacts(db, artifact::Column::Id.is_in(named.into_iter().map(|(_, id)| id))).await?;
    let rows = audit::Entity::delete_many()
        .filter(audit::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
        .filter(audit::Column::Id.is_in(among(ids)));
    purged.push((Purged::Audit, rows.exec(db).await?.rows_affected));
    Ok(purged)
}

/// Deletes artifacts; their objects are gone already.
async fn artifacts<C: ConnectionTrait>(db: &C, theirs: SimpleExpr) -> Result<Vec<(Purged, u64)>, DbErr> {
    let sizes: Vec<i64> = artifact::Entity::find()
        .select_only()
        .column(artifact::Column::Size)
        .filter(theirs.clone())
        .into_tuple()
        .all(db)
        .await?;
    if sizes.is_empty() {
        return Ok(Vec::new());
    }
    let bytes = sizes.iter().map(|size| count(*size)).fold(0, u64::saturating_add);
    let deleted = artifact::Entity::delete_many().filter(theirs).exec(db).await?;
    Ok(vec![(Purged::Artifacts, deleted.rows_affected), (Purged::Bytes, bytes)])
}
