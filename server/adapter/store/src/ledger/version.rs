//! Present versions of the domain's rows, locked until the transaction ends.

use std::collections::{BTreeMap, HashMap};
use std::str::FromStr;

use kernel::ledger::RowKey;
use sea_orm::sea_query::LockType;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use types::id::{
    ApiKeyId, BudgetId, FeedbackId, GrantId, GroupId, InvitationId, KeySecretId, LegalHoldId, MailId, MfaChallengeId,
    ModelId, PriceId, ProviderId, RetentionReportId, SecretId, ServicePrincipalId, SessionId, SsoConnectionId,
    SsoLinkId, SsoLogoutId, TenantId, UserId, Uuid, ViewId, WorkspaceId,
};

use crate::dialect::Rows;
use crate::error::Trouble;
use crate::row::{Corrupt, count};

/// Rows asked for in one statement.
const LIST: usize = 256;

/// Rows by their primary key; a key of one column stands twice.
type ByKey<'a> = HashMap<(Uuid, Uuid), &'a RowKey>;

/// Present versions; rows that are not there are left out.
pub(super) async fn versions<R: Rows>(db: &mut R, keys: &[RowKey]) -> Result<Vec<(RowKey, u64)>, Trouble> {
    let mut tables: BTreeMap<&'static str, Vec<&RowKey>> = BTreeMap::new();
    for key in keys {
        tables.entry(key.table).or_default().push(key);
    }
    let mut found = Vec::new();
    for (table, keys) in tables {
        for keys in keys.chunks(LIST) {
            found.extend(in_table(db, table, keys).await?);
        }
    }
    Ok(found)
}

async fn in_table<R: Rows>(db: &mut R, table: &str, keys: &[&RowKey]) -> Result<Vec<(RowKey, u64)>, Trouble> {
    macro_rules! find {
        ($entity:ident, $column:ident: $id:ty) => {{
            use entity::$entity::{Column, Entity};
            let select = Entity::find().select_only().columns([Column::$column, Column::$column, Column::Version]);
            find(db, by_id::<$id>(keys)?, select, Column::$column, Column::$column).await
        }};
        ($entity:ident, $first:ident: $first_id:ty, $second:ident: $second_id:ty) => {{
            use entity::$entity::{Column, Entity};
            let select = Entity::find().select_only().columns([Column::$first, Column::$second, Column::Version]);
            find(db, by_pair::<$first_id, $second_id>(keys)?, select, Column::$first, Column::$second).await
        }};
    }
    match table {
        "tenant" => find!(tenant, Id: TenantId),
        "workspace" => find!(workspace, Id: WorkspaceId),
        "user" => find!(user, Id: UserId),
        "tenant member" => find!(tenant_member, TenantId: TenantId, UserId: UserId),
        "workspace member" => find!(workspace_member, WorkspaceId: WorkspaceId, UserId: UserId),
        "invitation" => find!(invitation, Id: InvitationId),
        "session" => find!(session, Id: SessionId),
        "service principal" => find!(service_principal, Id: ServicePrincipalId),
        "group" => find!(workspace_group, Id: GroupId),
        "group member" => find!(workspace_group_member, GroupId: GroupId, UserId: UserId),
        "grant" => find!(resource_grant, Id: GrantId),
        "second factor" => find!(second_factor, UserId: UserId),
        "mfa challenge" => find!(mfa_challenge, Id: MfaChallengeId),
        "api key" => find!(api_key, Id: ApiKeyId),
        "api key secret" => find!(api_key_secret, Id: KeySecretId),
        "secret" => find!(secret, Id: SecretId),
        "provider" => find!(provider, Id: ProviderId),
        "model" => find!(model, Id: ModelId),
        "budget" => find!(budget, Id: BudgetId),
        "egress policy" => find!(egress_layer, WorkspaceId: WorkspaceId),
        "mail" => find!(mail, Id: MailId),
        "feedback" => find!(feedback, Id: FeedbackId),
        "retention" => find!(retention, WorkspaceId: WorkspaceId),
        "legal hold" => find!(legal_hold, Id: LegalHoldId),
        "retention report" => find!(retention_report, Id: RetentionReportId),
        "sso connection" => find!(sso_connection, Id: SsoConnectionId),
        "sso link" => find!(sso_link, Id: SsoLinkId),
        "sso session" => find!(sso_session, SessionId: SessionId),
        "sso logout" => find!(sso_logout, Id: SsoLogoutId),
        "saved view" => find!(saved_view, Id: ViewId),
        "view defaults" => find!(view_defaults, WorkspaceId: WorkspaceId, UserId: UserId),
        "price" => prices(db, by_id::<PriceId>(keys)?).await,
        "login throttle" => throttles(db, keys).await,
        other => Err(Trouble::Other(format!("`{other}` is no table of this store"))),
    }
}

async fn find<R: Rows, E: EntityTrait>(
    db: &mut R,
    keys: ByKey<'_>,
    select: Select<E>,
    first: E::Column,
    second: E::Column,
) -> Result<Vec<(RowKey, u64)>, Trouble> {
    let found: Vec<(Uuid, Uuid, i64)> = db
        .all(
            select
                .filter(first.is_in(keys.keys().map(|key| key.0)))
                .filter(second.is_in(keys.keys().map(|key| key.1)))
                .order_by_asc(first)
                .order_by_asc(second)
                .lock(LockType::NoKeyUpdate),
        )
        .await?;
    let named = |(first, second, version)| keys.get(&(first, second)).map(|key| ((*key).clone(), count(version)));
    Ok(found.into_iter().filter_map(named).collect())
}

/// A price never changes: what is there has version 1.
async fn prices<R: Rows>(db: &mut R, keys: ByKey<'_>) -> Result<Vec<(RowKey, u64)>, Trouble> {
    use entity::price::{Column, Entity};
    let ids = keys.keys().map(|key| key.0);
    let found: Vec<(Uuid,)> =
        db.all(Entity::find().select_only().column(Column::Id).filter(Column::Id.is_in(ids))).await?;
    Ok(found.into_iter().filter_map(|(id,)| keys.get(&(id, id)).map(|key| ((*key).clone(), 1))).collect())
}

async fn throttles<R: Rows>(db: &mut R, keys: &[&RowKey]) -> Result<Vec<(RowKey, u64)>, Trouble> {
    use entity::login_throttle::{Column, Entity};
    let found: Vec<(String, i64)> = db
        .all(
            Entity::find()
                .select_only()
                .columns([Column::Key, Column::Version])
                .filter(Column::Key.is_in(keys.iter().map(|key| &key.key)))
                .order_by_asc(Column::Key)
                .lock(LockType::NoKeyUpdate),
        )
        .await?;
    Ok(found.into_iter().map(|(key, version)| (RowKey { table: "login throttle", key }, count(version))).collect())
}

fn by_id<'a, I: FromStr<Err: ToString> + IntoUuid>(keys: &[&'a RowKey]) -> Result<ByKey<'a>, Corrupt> {
    let one = |key: &&'a RowKey| parse::<I>(&key.key).map(|id| ((id, id), *key));
    keys.iter().map(one).collect()
}

fn by_pair<'a, A, B>(keys: &[&'a RowKey]) -> Result<ByKey<'a>, Corrupt>
where
    A: FromStr<Err: ToString> + IntoUuid,
    B: FromStr<Err: ToString> + IntoUuid,
{
    let pair = |key: &&'a RowKey| {
        let (first, second) = key.key.split_once('/').ok_or_else(|| Corrupt::new("key", "no pair of ids"))?;
        Ok(((parse::<A>(first)?, parse::<B>(second)?), *key))
    };
    keys.iter().map(pair).collect()
}

fn parse<I: FromStr<Err: ToString> + IntoUuid>(text: &str) -> Result<Uuid, Corrupt> {
    text.parse().map(I::into_uuid).map_err(|problem: I::Err| Corrupt::new("key", problem))
}

/// The UUID in a typed id.
trait IntoUuid {
    fn into_uuid(self) -> Uuid;
}

macro_rules! into_uuid {
    ($($id:ty),+) => {$(
        impl IntoUuid for $id {
            fn into_uuid(self) -> Uuid {
                self.as_uuid()
            }
        }
    )+};
}

into_uuid!(
    ApiKeyId,
    BudgetId,
    GrantId,
    GroupId,
    FeedbackId,
    InvitationId,
    KeySecretId,
    LegalHoldId,
    MfaChallengeId,
    MailId,
    ModelId,
    PriceId,
    ProviderId,
    RetentionReportId,
    SecretId,
    ServicePrincipalId,
    SessionId,
    SsoConnectionId,
    SsoLinkId,
    SsoLogoutId,
    TenantId,
    UserId,
    ViewId,
    WorkspaceId
);
