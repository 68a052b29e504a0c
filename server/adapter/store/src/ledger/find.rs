//! Rows by key, on PostgreSQL locked until the transaction ends where they are to be changed: there one statement for a list of keys, on SQLite one
//! prepared and run for each key, as its writes are.

use std::collections::BTreeMap;

use sea_orm::sea_query::{ExprTrait, LockType};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Value};
use types::id::Uuid;

use super::statement::{names, quoted};
use crate::dialect::{FromRecord, LedgerTransaction, Rows};
use crate::error::Trouble;

/// Most values of one IN list.
const LIST: usize = 4_096;
/// Tenants of one statement.
const TENANTS: usize = 64;

/// The columns of the rows that have these ids.
pub(super) async fn by_id<E: EntityTrait, T: FromRecord>(
    db: &mut LedgerTransaction,
    columns: &[E::Column],
    id: E::Column,
    ids: impl IntoIterator<Item = Uuid>,
    lock: impl Into<Option<LockType>>,
) -> Result<Vec<T>, Trouble> {
    if let LedgerTransaction::Inline { working, meter, .. } = db {
        let mut ids = ids.into_iter().peekable();
        if ids.peek().is_none() {
            return Ok(Vec::new());
        }
        meter.statement();
        let sql = format!("{} WHERE {} = ?1", selecting::<E>(columns), quoted(id));
        return working.each(&sql, ids.map(|id| [Value::from(id)]));
    }
    let mut found = Vec::new();
    let lock = lock.into();
    for ids in lists(ids) {
        let query = E::find().select_only().columns(columns.iter().copied()).filter(id.is_in(ids)).order_by_asc(id);
        found.extend(db.all(if let Some(lock) = lock { query.lock(lock) } else { query }).await?);
    }
    Ok(found)
}

/// The columns of the rows that have these keys within their tenants.
pub(super) async fn by_tenant<E: EntityTrait, T: FromRecord>(
    db: &mut LedgerTransaction,
    columns: &[E::Column],
    (tenant, key): (E::Column, E::Column),
    pairs: impl IntoIterator<Item = (Uuid, String)>,
    lock: Option<LockType>,
) -> Result<Vec<T>, Trouble> {
    if let LedgerTransaction::Inline { working, meter, .. } = db {
        let mut pairs = pairs.into_iter().peekable();
        if pairs.peek().is_none() {
            return Ok(Vec::new());
        }
        meter.statement();
        let sql = format!("{} WHERE {} = ?1 AND {} = ?2", selecting::<E>(columns), quoted(tenant), quoted(key));
        return working.each(&sql, pairs.map(|(tenant_id, key)| [Value::from(tenant_id), Value::from(key)]));
    }
    let mut tenants: BTreeMap<Uuid, Vec<String>> = BTreeMap::new();
    for (tenant_id, text) in pairs {
        tenants.entry(tenant_id).or_default().push(text);
    }
    let alternatives: Vec<_> = tenants
        .into_iter()
        .flat_map(|(tenant_id, keys)| {
            lists(keys).into_iter().map(move |keys| tenant.eq(tenant_id).and(key.is_in(keys)))
        })
        .collect();
    let mut found = Vec::new();
    for chunk in alternatives.chunks(TENANTS) {
        let any = chunk.iter().cloned().fold(Condition::any(), Condition::add);
        let mut query = E::find().select_only().columns(columns.iter().copied()).filter(any);
        query = query.order_by_asc(tenant).order_by_asc(key);
        if let Some(lock) = lock {
            query = query.lock(lock);
        }
        found.extend(db.all(query).await?);
    }
    Ok(found)
}

fn selecting<E: EntityTrait>(columns: &[E::Column]) -> String {
    format!("SELECT {} FROM \"{}\"", names(columns), E::default().table_name())
}

/// Keys in lists whose lengths are powers of two (the last key repeated), so that few different statements are prepared.
fn lists<K: Clone>(keys: impl IntoIterator<Item = K>) -> Vec<Vec<K>> {
    let keys: Vec<K> = keys.into_iter().collect();
    keys.chunks(LIST)
        .map(|chunk| {
            let mut list = chunk.to_vec();
            let length = list.len().next_power_of_two();
            list.extend(chunk.last().cloned().into_iter().cycle().take(length - chunk.len()));
            list
        })
        .collect()
}
