//! Records as they are taken out, oldest first, in the order of an index.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use entity::{artifact, audit, cost, event, run_event, step, task};
use kernel::context::Scope;
use kernel::export::ordered;
use kernel::port::{Exports, LastRecord, Place, PlaceKey, PlacedRecord, Record, RecordQuery, Records, StoreError};
use sea_orm::sea_query::{Expr, ExprTrait, SimpleExpr};
use sea_orm::{
    ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select, Value,
};
use types::id::Uuid;
use types::page::Page;
use types::run::RunQuery;

use super::{audit as audit_list, event as event_list, page, payer};
use crate::error::reading;
use crate::row::artifact::{COLUMNS, Facts, record as artifact_row};
use crate::row::{self, record as whole};
use crate::store::Store;

/// Most records of a page.
const MOST: u32 = 200;

#[async_trait]
impl Exports for Store {
    async fn list_run_records(&self, scope: Scope, query: &RunQuery) -> Result<Page<Record>, StoreError> {
        page::records(&self.database().reader(), self.cursor_key(), scope, query).await
    }

    async fn find_place(&self, scope: Scope, last: LastRecord) -> Result<Option<Place>, StoreError> {
        self.place(scope, last).await.map_err(reading)
    }

    async fn list_records(&self, scope: Scope, query: &RecordQuery) -> Result<Vec<PlacedRecord>, StoreError> {
        self.records(scope, query).await.map_err(reading)
    }
}

/// The columns by which a table's rows are found and ordered.
struct Table<C: 'static> {
    tenant_id: C,
    workspace_id: C,
    created_at: C,
    key: &'static [C],
}

const STEPS: Table<step::Column> = Table {
    tenant_id: step::Column::TenantId,
    workspace_id: step::Column::WorkspaceId,
    created_at: step::Column::CreatedAt,
    key: &[step::Column::Id],
};
const COSTS: Table<cost::Column> = Table {
    tenant_id: cost::Column::TenantId,
    workspace_id: cost::Column::WorkspaceId,
    created_at: cost::Column::CreatedAt,
    key: &[cost::Column::Id],
};
const TASKS: Table<task::Column> = Table {
    tenant_id: task::Column::TenantId,
    workspace_id: task::Column::WorkspaceId,
    created_at: task::Column::CreatedAt,
    key: &[task::Column::Id],
};
const AUDIT: Table<audit::Column> = Table {
    tenant_id: audit::Column::TenantId,
    workspace_id: audit::Column::WorkspaceId,
    created_at: audit::Column::CreatedAt,
    key: &[audit::Column::Seq],
};
const EVENTS: Table<event::Column> = Table {
    tenant_id: event::Column::TenantId,
    workspace_id: event::Column::WorkspaceId,
    created_at: event::Column::CreatedAt,
    key: &[event::Column::Id],
};
const RUN_EVENTS: Table<run_event::Column> = Table {
    tenant_id: run_event::Column::TenantId,
    workspace_id: run_event::Column::WorkspaceId,
    created_at: run_event::Column::CreatedAt,
    key: &[run_event::Column::RunId, run_event::Column::Offset],
};

const ARTIFACTS: Table<artifact::Column> = Table {
    tenant_id: artifact::Column::TenantId,
    workspace_id: artifact::Column::WorkspaceId,
    created_at: artifact::Column::CreatedAt,
    key: &[artifact::Column::Id],
};

impl<C: ColumnTrait + 'static> Table<C> {
    /// Rows of a workspace.
    fn within<E: EntityTrait<Column = C>>(&self, scope: Scope) -> Select<E> {
        E::find()
            .filter(self.tenant_id.eq(scope.tenant_id.as_uuid()))
            .filter(self.workspace_id.eq(scope.workspace_id.as_uuid()))
    }

    /// A page of them.
    fn page<E: EntityTrait<Column = C>>(&self, scope: Scope, query: &RecordQuery, matching: Condition) -> Select<E> {
        let order = || std::iter::once(&self.created_at).chain(self.key);
        let place = || Expr::tuple(order().map(|column| Expr::col((E::default(), *column))));
        // Behind a place within the window its start says nothing more, and an index would be read from there each time.
        let since = query.since.filter(|since| query.after.is_none_or(|after| after.created_at < *since));
        let select = self
            .within::<E>(scope)
            .filter(matching)
            .apply_if(since, |select, since| select.filter(self.created_at.gte(since)))
            .apply_if(query.until, |select, until| select.filter(self.created_at.lt(until)))
            .apply_if(query.after, |select, after| select.filter(place().gt(values(after))));
        let select = order().fold(select, |select, column| select.order_by_asc(*column));
        select.limit(u64::from(query.limit.clamp(1, MOST)))
    }
}

/// A place as a row of values, in the order of its columns.
fn values(place: Place) -> SimpleExpr {
    let at: Value = place.created_at.into();
    let key: Vec<Value> = match place.key {
        PlaceKey::Id(id) => vec![id.into()],
        PlaceKey::Number(number) => vec![row::number(number).into()],
        PlaceKey::Part(id, number) => vec![id.into(), row::number(number).into()],
    };
    Expr::tuple(std::iter::once(at).chain(key).map(Expr::val))
}

/// Artifacts that stay: not the sealed answers, which are for who repeats a request alone.
fn kept() -> Condition {
    Condition::all().add(artifact::Column::ExpiresAt.is_null())
}

fn placed(created_at: DateTime<Utc>, key: PlaceKey, record: Record) -> PlacedRecord {
    PlacedRecord { place: Place { created_at, key }, record }
}

impl Store {
    async fn records(&self, scope: Scope, query: &RecordQuery) -> Result<Vec<PlacedRecord>, DbErr> {
        let (db, of) = (self.database().reader(), query.records.record_type());
        let mut records = Vec::new();
        match &query.records {
            Records::Steps => {
                for row in STEPS.page::<step::Entity>(scope, query, Condition::all()).all(&db).await? {
                    let (at, key) = (row.created_at, PlaceKey::Id(row.id));
                    records.push(placed(at, key, ordered(of, whole::step(row)?)));
                }
            }
            Records::Costs => {
                let rows = COSTS.page::<cost::Entity>(scope, query, Condition::all()).all(&db).await?;
                let payers = payer::payers(&db, scope, rows.iter().map(|row| row.run_id)).await?;
                for row in rows {
                    let (at, key, payer) = (row.created_at, PlaceKey::Id(row.id), payers.get(&row.run_id));
                    records.push(placed(at, key, ordered(of, whole::cost(row, payer)?)));
                }
            }
            Records::Tasks => {
                for row in TASKS.page::<task::Entity>(scope, query, Condition::all()).all(&db).await? {
                    let (at, key) = (row.created_at, PlaceKey::Id(row.id));
                    records.push(placed(at, key, ordered(of, whole::task(row)?)));
                }
            }
            Records::Audit(filter) => {
                let matching = audit_list::matching(filter);
                for row in AUDIT.page::<audit::Entity>(scope, query, matching).all(&db).await? {
                    let (at, key) = (row.created_at, PlaceKey::Number(row::count(row.seq)));
                    records.push(placed(at, key, ordered(of, whole::audit(row)?)));
                }
            }
            Records::Events(filter) => {
                let matching = event_list::matching(scope, filter);
                for row in EVENTS.page::<event::Entity>(scope, query, matching).all(&db).await? {
                    let (at, key) = (row.created_at, PlaceKey::Id(row.id));
                    records.push(placed(at, key, ordered(of, whole::event(row)?)));
                }
            }
            Records::RunEvents => {
                for row in RUN_EVENTS.page::<run_event::Entity>(scope, query, Condition::all()).all(&db).await? {
                    let (at, key) = (row.created_at, PlaceKey::Part(row.run_id, row::count(row.offset)));
                    records.push(placed(at, key, ordered(of, whole::run_event(row)?)));
                }
            }
            Records::Artifacts => {
                // Their content lies in many of the rows, and is not read.
                let page = ARTIFACTS.page::<artifact::Entity>(scope, query, kept()).select_only();
                let rows: Vec<Facts> = page.columns(COLUMNS).into_tuple().all(&db).await?;
                for row in rows {
                    let view = artifact_row(row)?;
                    let (at, key) = (view.created_at, PlaceKey::Id(view.id.as_uuid()));
                    records.push(placed(at, key, ordered(of, whole::artifact(scope, &view)?)));
                }
            }
        }
        Ok(records)
    }

    async fn place(&self, scope: Scope, last: LastRecord) -> Result<Option<Place>, DbErr> {
        let db = self.database().reader();
        let by_id = |found: Option<(DateTime<Utc>, Uuid)>| {
            found.map(|(created_at, id)| Place { created_at, key: PlaceKey::Id(id) })
        };
        Ok(match last {
            LastRecord::Step(id) => {
                let row = STEPS.within::<step::Entity>(scope).filter(step::Column::Id.eq(id.as_uuid()));
                by_id(row.one(&db).await?.map(|row| (row.created_at, row.id)))
            }
            LastRecord::Cost(id) => {
                let row = COSTS.within::<cost::Entity>(scope).filter(cost::Column::Id.eq(id.as_uuid()));
                by_id(row.one(&db).await?.map(|row| (row.created_at, row.id)))
            }
            LastRecord::Task(id) => {
                let row = TASKS.within::<task::Entity>(scope).filter(task::Column::Id.eq(id.as_uuid()));
                by_id(row.one(&db).await?.map(|row| (row.created_at, row.id)))
            }
            LastRecord::Event(id) => {
                let row = EVENTS.within::<event::Entity>(scope).filter(event::Column::Id.eq(id.as_uuid()));
                by_id(row.one(&db).await?.map(|row| (row.created_at, row.id)))
            }
            LastRecord::Artifact(id) => {
                let row = ARTIFACTS.within::<artifact::Entity>(scope).filter(artifact::Column::Id.eq(id.as_uuid()));
                let row = row.filter(kept()).select_only().columns([artifact::Column::CreatedAt, artifact::Column::Id]);
                by_id(row.into_tuple().one(&db).await?)
            }
            LastRecord::Audit(id) => {
                let row = AUDIT.within::<audit::Entity>(scope).filter(audit::Column::Id.eq(id.as_uuid()));
                let row = row.one(&db).await?;
                row.map(|row| Place { created_at: row.created_at, key: PlaceKey::Number(row::count(row.seq)) })
            }
            LastRecord::RunEvent(run, offset) => {
                let row = RUN_EVENTS
                    .within::<run_event::Entity>(scope)
                    .filter(run_event::Column::RunId.eq(run.as_uuid()))
                    .filter(run_event::Column::Offset.eq(row::number(offset)))
                    .one(&db)
                    .await?;
                row.map(|row| Place {
                    created_at: row.created_at,
                    key: PlaceKey::Part(row.run_id, row::count(row.offset)),
                })
            }
        })
    }
}
