//! Files of a folder.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use adapter_objects::Files;
use chrono::NaiveDate;
use futures::stream::TryStreamExt;
use kernel::context::Scope;
use kernel::port::{ObjectError, ObjectKey, Objects};
use kernel::record::Digest;
use tempfile::TempDir;
use types::id::Uuid;

async fn open() -> (Files, TempDir) {
    let folder = TempDir::new().expect("a folder");
    (Files::open(&folder.path().join("a/b")).expect("a store"), folder)
}

testkit::objects_contract!(open);

fn key(number: u8) -> ObjectKey {
    let scope = Scope { tenant_id: Uuid::from_u128(1).into(), workspace_id: Uuid::from_u128(2).into() };
    ObjectKey::new(NaiveDate::from_ymd_opt(2026, 1, 15).expect("a day"), scope, &Digest([number; 32]))
}

/// Every file beneath a folder, with folders.
fn beneath(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries
        .flat_map(|path| if path.is_dir() { [vec![path.clone()], beneath(&path)].concat() } else { vec![path] })
        .collect()
}

#[tokio::test]
async fn nobody_else_may_read_what_is_kept() {
    let (files, folder) = open().await;
    files.put(&key(1), vec![1]).await.expect("a put");
    let paths = beneath(&folder.path().join("a/b"));
    assert!(paths.iter().any(|path| path.ends_with(key(1).as_str())));
    for path in paths {
        let mode = fs::metadata(&path).expect("a file").permissions().mode() & 0o777;
        assert_eq!(mode, if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
    }
}

#[tokio::test]
async fn the_folders_of_the_last_object_go_with_it() {
    let (files, folder) = open().await;
    files.put(&key(1), vec![1]).await.expect("a put");
    files.put(&key(2), vec![1]).await.expect("a put");
    files.delete(&key(1)).await.expect("a deletion");
    assert_eq!(files.list_days().await.expect("a list").len(), 1);
    files.delete(&key(2)).await.expect("a deletion");
    let left: Vec<_> =
        beneath(&folder.path().join("a/b")).into_iter().map(|path| path.file_name().map(Into::into)).collect();
    assert_eq!(left, [Some(std::ffi::OsString::from("unnamed"))]);
    files.put(&key(2), vec![1]).await.expect("another put");
}

/// Somebody tidies folders away while others put something there.
#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_goes_away_meanwhile_is_made_anew() {
    let (files, _folder) = open().await;
    let work = (0..4_u8).map(|number| {
        let files = files.clone();
        async move {
            for _ in 0..50 {
                files.put(&key(number), vec![number; 10]).await.expect("a put");
                files.delete(&key(number)).await.expect("a deletion");
            }
            files.put(&key(number), vec![number; 10]).await.expect("the last put");
        }
    });
    futures::future::join_all(work).await;
    for number in 0..4 {
        assert_eq!(files.head(&key(number)).await, Ok(Some(10)));
    }
}

#[tokio::test]
async fn what_a_dead_process_left_unnamed_goes_at_the_next_start_and_no_sooner() {
    let (_, folder) = open().await;
    let root = folder.path().join("a/b");
    let (old, young) = (root.join("unnamed/1-1"), root.join("unnamed/1-2"));
    for path in [&old, &young] {
        fs::write(path, b"half").expect("a file");
    }
    let long_ago = SystemTime::now() - Duration::from_secs(25 * 3600);
    fs::File::options().write(true).open(&old).and_then(|file| file.set_modified(long_ago)).expect("an old file");
    let files = Files::open(&root).expect("a store");
    assert!(!old.exists() && young.exists(), "another process may still write it");
    assert_eq!(files.list_days().await, Ok(Vec::new()), "it is no object");
}

#[tokio::test]
async fn what_is_none_of_soits_is_left_alone() {
    let (files, folder) = open().await;
    files.put(&key(1), vec![1]).await.expect("a put");
    let object = folder.path().join("a/b").join(key(1).as_str());
    fs::write(object.with_file_name("notes.txt"), b"mine").expect("a file");
    fs::create_dir(folder.path().join("a/b/lost+found")).expect("a folder");
    fs::write(folder.path().join("a/b/2026-01-16"), b"no folder").expect("a file");
    let day = NaiveDate::from_ymd_opt(2026, 1, 15).expect("a day");
    let listed: Vec<ObjectKey> = files.list_objects(day).await.expect("a list").try_collect().await.expect("keys");
    assert_eq!(listed, [key(1)]);
    let next = files.list_objects(day.succ_opt().expect("a day")).await.expect("a list");
    assert_eq!(next.try_collect::<Vec<_>>().await.expect("keys"), []);
}

#[tokio::test]
async fn a_folder_that_cannot_be_used_is_named() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, b"no folder").expect("a file");
    let error = Files::open(&file.join("artifacts")).expect_err("no folder").to_string();
    assert!(error.contains("file/artifacts"), "{error}");
    let files = Files::open(&folder.path().join("artifacts")).expect("a store");
    files.check().await.expect("a folder in good health");
    fs::remove_dir_all(folder.path().join("artifacts")).expect("a folder that goes");
    assert_eq!(files.check().await, Err(ObjectError::Missing));
}
