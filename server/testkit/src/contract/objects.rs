//! What every artifact store must do, told once and run against the fake, files and an S3 server.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use futures::stream::{StreamExt, TryStreamExt};
use kernel::context::Scope;
use kernel::port::{ObjectError, ObjectKey, Objects};
use kernel::record::Digest;
use types::id::Uuid;

fn day(number: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 1, number).expect("a day")
}

/// An object of a day, in one of two workspaces.
fn key(of: u32, workspace: u128, number: u8) -> ObjectKey {
    let scope = Scope { tenant_id: Uuid::from_u128(1).into(), workspace_id: Uuid::from_u128(workspace).into() };
    ObjectKey::new(day(of), scope, &Digest([number; 32]))
}

async fn bytes(objects: &impl Objects, key: &ObjectKey) -> Vec<u8> {
    let pieces: Vec<Vec<u8>> = objects.get(key).await.expect("an object").try_collect().await.expect("its bytes");
    pieces.concat()
}

async fn listed(objects: &impl Objects, of: u32) -> BTreeSet<ObjectKey> {
    objects.list_objects(day(of)).await.expect("a list").try_collect().await.expect("its keys")
}

/// Byte by byte, short and long.
pub async fn an_object_is_read_as_it_was_put(objects: &impl Objects) {
    let long: Vec<u8> = (0..3_000_000_u32).flat_map(u32::to_le_bytes).collect();
    for (number, put) in [(1, Vec::new()), (2, vec![0, 255, b'\n']), (3, long)] {
        let key = key(1, 2, number);
        assert_eq!(objects.head(&key).await, Ok(None));
        objects.put(&key, put.clone()).await.expect("a put");
        assert_eq!(objects.head(&key).await, Ok(Some(put.len() as u64)));
        assert!(bytes(objects, &key).await == put, "{number}");
    }
}

/// In pieces: a reader never holds all of it.
pub async fn a_long_object_comes_in_pieces(objects: &impl Objects) {
    let (key, size) = (key(1, 2, 1), 8 * 1024 * 1024);
    objects.put(&key, vec![7; size]).await.expect("a put");
    let mut pieces = objects.get(&key).await.expect("an object");
    let (mut largest, mut whole) = (0, 0);
    while let Some(piece) = pieces.next().await {
        let length = piece.expect("a piece").len();
        (largest, whole) = (largest.max(length), whole + length);
    }
    assert_eq!(whole, size);
    assert!(largest <= 1024 * 1024, "{largest}");
}

/// And is the same afterwards.
pub async fn an_object_may_be_put_again(objects: &impl Objects) {
    let key = key(1, 2, 1);
    objects.put(&key, b"altered".to_vec()).await.expect("a put");
    for _ in 0..2 {
        objects.put(&key, b"as it was".to_vec()).await.expect("another put");
    }
    assert_eq!(bytes(objects, &key).await, b"as it was");
    assert_eq!(listed(objects, 1).await.len(), 1);
}

/// Whether there ever was one or not.
pub async fn what_is_not_there_is_missing_and_deleted(objects: &impl Objects) {
    let key = key(1, 2, 1);
    for _ in 0..2 {
        assert_eq!(objects.get(&key).await.err(), Some(ObjectError::Missing));
        objects.delete(&key).await.expect("nothing to delete");
        objects.put(&key, vec![1]).await.expect("a put");
        objects.delete(&key).await.expect("a deletion");
        assert_eq!(objects.head(&key).await, Ok(None));
    }
}

/// Those of all workspaces.
pub async fn objects_are_listed_by_day(objects: &impl Objects) {
    assert_eq!(objects.list_days().await, Ok(Vec::new()));
    assert_eq!(listed(objects, 1).await, BTreeSet::new());
    let keys: Vec<ObjectKey> = (1..=3).flat_map(|of| (2..=3).map(move |workspace| key(of, workspace, 9))).collect();
    for key in &keys {
        objects.put(key, vec![1]).await.expect("a put");
    }
    assert_eq!(objects.list_days().await, Ok(vec![day(1), day(2), day(3)]));
    assert_eq!(listed(objects, 2).await, [key(2, 2, 9), key(2, 3, 9)].into());
    objects.delete(&key(2, 2, 9)).await.expect("a deletion");
    objects.delete(&key(2, 3, 9)).await.expect("a deletion");
    assert_eq!(listed(objects, 2).await, BTreeSet::new());
    assert_eq!(listed(objects, 3).await.len(), 2);
}

/// More than one page of any server.
pub async fn a_day_of_many_objects_is_listed_whole(objects: &impl Objects) {
    let scope = Scope { tenant_id: Uuid::from_u128(1).into(), workspace_id: Uuid::from_u128(2).into() };
    let keys: BTreeSet<ObjectKey> = (0..1_003_u32)
        .map(|number| {
            let mut digest = [0; 32];
            digest[..4].copy_from_slice(&number.to_be_bytes());
            ObjectKey::new(day(1), scope, &Digest(digest))
        })
        .collect();
    futures::stream::iter(&keys)
        .for_each_concurrent(16, |key| async move { objects.put(key, vec![1]).await.expect("a put") })
        .await;
    assert_eq!(listed(objects, 1).await, keys);
}

/// Two that put the same thing at the same moment both have it.
pub async fn equal_objects_are_put_at_once(objects: &impl Objects) {
    let key = key(1, 2, 1);
    let puts = (0..8).map(|_| objects.put(&key, vec![5; 100_000]));
    for put in futures::future::join_all(puts).await {
        put.expect("a put");
    }
    assert_eq!(bytes(objects, &key).await, vec![5; 100_000]);
    objects.check().await.expect("a store in good health");
}

/// Makes a test of every case: `objects_contract!(open)`, where `open()` gives an empty store and what keeps it alive.
#[macro_export]
macro_rules! objects_contract {
    ($open:path) => {
        $crate::objects_contract! { @cases $open;
            an_object_is_read_as_it_was_put,
            a_long_object_comes_in_pieces,
            an_object_may_be_put_again,
            what_is_not_there_is_missing_and_deleted,
            objects_are_listed_by_day,
            a_day_of_many_objects_is_listed_whole,
            equal_objects_are_put_at_once,
        }
    };
    (@cases $open:path; $($case:ident,)+) => {$(
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $case() {
            let (objects, _alive) = $open().await;
            $crate::contract::objects::$case(&objects).await;
        }
    )+};
}
