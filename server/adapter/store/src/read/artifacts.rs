//! Content that is kept whole.

use std::collections::HashSet;

use async_trait::async_trait;
use entity::artifact::{Column, Entity};
use kernel::context::Scope;
use kernel::ledger::Durability;
use kernel::port::{Artifacts, Expired, ObjectKey, StoreError, StoredArtifact};
use sea_orm::{ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use types::artifact::Artifact;
use types::id::{ArtifactId, RunId, Uuid};

use super::process::clock;
use crate::error::reading;
use crate::row::artifact;
use crate::store::Store;

#[async_trait]
impl Artifacts for Store {
    async fn list_artifacts(&self, scope: Scope, run_id: RunId) -> Result<Vec<Artifact>, StoreError> {
        self.artifacts_of(scope, run_id).await.map_err(reading)
    }

    async fn find_artifact(&self, scope: Scope, id: ArtifactId) -> Result<Option<StoredArtifact>, StoreError> {
        self.artifact(scope, id).await.map_err(reading)
    }

    async fn named_objects(&self, keys: &[ObjectKey]) -> Result<HashSet<ObjectKey>, StoreError> {
        self.named(keys, Condition::all()).await.map_err(reading)
    }

    async fn expired_artifacts(&self, limit: u32) -> Result<Vec<Expired>, StoreError> {
        self.expired(limit).await.map_err(reading)
    }

    async fn delete_expired(&self, ids: &[ArtifactId]) -> Result<(), StoreError> {
        self.delete_artifacts(ids).await.map_err(reading)
    }
}

/// Artifacts of a workspace.
fn within(scope: Scope) -> Select<Entity> {
    Entity::find()
        .filter(Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .filter(Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
}

impl Store {
    async fn artifacts_of(&self, scope: Scope, run_id: RunId) -> Result<Vec<Artifact>, DbErr> {
        let of_run = within(scope).filter(Column::RunId.eq(run_id.as_uuid()));
        let listed = of_run.select_only().columns(artifact::COLUMNS).order_by_asc(Column::Id);
        let rows: Vec<artifact::Facts> = listed.into_tuple().all(&self.database().reader()).await?;
        Ok(rows.into_iter().map(artifact::record).collect::<Result<_, _>>()?)
    }

    async fn artifact(&self, scope: Scope, id: ArtifactId) -> Result<Option<StoredArtifact>, DbErr> {
        let row = within(scope).filter(Column::Id.eq(id.as_uuid())).one(&self.database().reader()).await?;
        Ok(row.map(artifact::stored).transpose()?)
    }

    async fn named(&self, keys: &[ObjectKey], rows: Condition) -> Result<HashSet<ObjectKey>, DbErr> {
        if keys.is_empty() {
            return Ok(HashSet::new());
        }
        let named: Vec<Option<String>> = Entity::find()
            .select_only()
            .column(Column::StorageKey)
            .distinct()
            .filter(Column::StorageKey.is_in(keys.iter().map(ObjectKey::as_str)))
            .filter(rows)
            .into_tuple()
            .all(&self.database().reader())
            .await?;
        Ok(named.iter().flatten().map(|key| artifact::object(key)).collect::<Result<_, _>>()?)
    }

    async fn expired(&self, limit: u32) -> Result<Vec<Expired>, DbErr> {
        let db = self.database().reader();
        let now = clock(&db).await?;
        let rows: Vec<(Uuid, Option<String>)> = Entity::find()
            .select_only()
            .columns([Column::Id, Column::StorageKey])
            .filter(Column::ExpiresAt.lte(now))
            .order_by_asc(Column::ExpiresAt)
            .limit(u64::from(limit))
            .into_tuple()
            .all(&db)
            .await?;
        drop(db);
        let objects = rows.iter().flat_map(|(_, key)| key).map(|key| artifact::object(key));
        let objects: Vec<ObjectKey> = objects.collect::<Result<_, _>>()?;
        let stays = Condition::any().add(Column::ExpiresAt.is_null()).add(Column::ExpiresAt.gt(now));
        let named = self.named(&objects, stays).await?;
        let expired = rows.into_iter().map(|(id, key)| {
            let object = key.map(|key| artifact::object(&key)).transpose()?;
            Ok(Expired { id: ArtifactId::from_uuid(id), object: object.filter(|object| !named.contains(object)) })
        });
        expired.collect()
    }

    async fn delete_artifacts(&self, ids: &[ArtifactId]) -> Result<(), DbErr> {
        if ids.is_empty() {
            return Ok(());
        }
        let transaction = self.database().begin(Durability::Process).await?;
        let db = transaction.session();
        let over = Entity::delete_many().filter(Column::Id.is_in(ids.iter().map(|id| id.as_uuid())));
        over.filter(Column::ExpiresAt.lte(clock(db).await?)).exec(db).await?;
        transaction.commit().await
    }
}
