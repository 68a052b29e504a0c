//! Objects as files: `{root}/{day}/{tenant}/{workspace}/{SHA-256}`, readable by soit's own user alone.
//!
//! A file is written beside the others, synced, then named: under its name it is always whole. Several processes may share the
//! folder.

mod list;
mod put;

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::NaiveDate;
use futures::stream::{StreamExt, TryStreamExt};
use kernel::port::{CheckpointSink, Keys, ObjectBody, ObjectError, ObjectKey, Objects};
use tokio::task::spawn_blocking;
use tokio_util::io::ReaderStream;

/// Where files lie until they are named.
const UNNAMED: &str = "unnamed";
/// What is still unnamed after so long was left by a process that is gone.
const LEFT: Duration = Duration::from_secs(24 * 3600);
/// Bytes of a piece.
const PIECE: usize = 64 * 1024;

/// Objects in files. Clones share the folder.
#[derive(Clone, Debug)]
pub struct Files {
    root: Arc<PathBuf>,
}

/// Why there is no such store.
#[derive(Debug, thiserror::Error)]
#[error("the folder `{folder}` of the artifacts cannot be used")]
pub struct FilesError {
    folder: String,
    #[source]
    source: io::Error,
}

impl Files {
    /// The store in that folder, which is made where it is not there.
    pub fn open(root: &Path) -> Result<Self, FilesError> {
        let open = || {
            let mut folders = fs::DirBuilder::new();
            folders.recursive(true).mode(0o700).create(root.join(UNNAMED))?;
            for entry in fs::read_dir(root.join(UNNAMED))? {
                let entry = entry?;
                let age =
                    entry.metadata().and_then(|found| found.modified()).map(|at| at.elapsed().unwrap_or_default());
                if age.is_ok_and(|age| age > LEFT) {
                    fs::remove_file(entry.path())?;
                }
            }
            Ok(())
        };
        open().map_err(|source| FilesError { folder: root.display().to_string(), source })?;
        Ok(Self { root: Arc::new(root.to_owned()) })
    }

    fn path(&self, key: &ObjectKey) -> PathBuf {
        self.root.join(key.as_str())
    }

    /// Does something with the folder where it may take its time.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
    ) -> Result<T, ObjectError> {
        let root = Arc::clone(&self.root);
        let done = spawn_blocking(move || work(&root)).await;
        done.map_err(|lost| ObjectError::Internal(lost.to_string()))?.map_err(told)
    }
}

#[async_trait]
impl Objects for Files {
    async fn put(&self, key: &ObjectKey, bytes: Vec<u8>) -> Result<(), ObjectError> {
        let key = key.clone();
        self.blocking(move |root| put::put(root, key.as_str(), &bytes)).await
    }

    async fn get(&self, key: &ObjectKey) -> Result<ObjectBody, ObjectError> {
        let file = tokio::fs::File::open(self.path(key)).await.map_err(told)?;
        Ok(ReaderStream::with_capacity(file, PIECE).map_ok(Vec::from).map_err(told).boxed())
    }

    async fn head(&self, key: &ObjectKey) -> Result<Option<u64>, ObjectError> {
        match tokio::fs::metadata(self.path(key)).await.map_err(told) {
            Ok(found) => Ok(Some(found.len())),
            Err(ObjectError::Missing) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn delete(&self, key: &ObjectKey) -> Result<(), ObjectError> {
        let key = key.clone();
        self.blocking(move |root| put::delete(root, &key)).await
    }

    async fn list_days(&self) -> Result<Vec<NaiveDate>, ObjectError> {
        self.blocking(list::days).await
    }

    async fn list_objects(&self, day: NaiveDate) -> Result<Keys, ObjectError> {
        let folders = self.blocking(move |root| list::workspaces(root, day)).await?;
        let files = self.clone();
        // The objects of one workspace and day at a time.
        let listed = futures::stream::iter(folders).then(move |folder| {
            let files = files.clone();
            async move { files.blocking(move |root| list::keys(root, &folder)).await }
        });
        Ok(listed.map_ok(|keys| futures::stream::iter(keys.into_iter().map(Ok))).try_flatten().boxed())
    }

    async fn check(&self) -> Result<(), ObjectError> {
        self.blocking(put::probe).await
    }
}

#[async_trait]
impl CheckpointSink for Files {
    async fn take(&self, name: &str, copy: Vec<u8>) -> Result<(), ObjectError> {
        let name = name.to_owned();
        self.blocking(move |root| put::put(root, &name, &copy)).await
    }
}

fn told(error: io::Error) -> ObjectError {
    match error.kind() {
        io::ErrorKind::NotFound => ObjectError::Missing,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => ObjectError::Full,
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => ObjectError::Denied(error.to_string()),
        _ => ObjectError::Unavailable(error.to_string()),
    }
}
