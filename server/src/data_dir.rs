//! The data directory: private, used by one process at a time, home of the generated master key.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kernel::port::Ids;
use kernel::secret::SecretString;

const LOCK: &str = "soit.lock";
const SECRET_KEY: &str = "secret.key";
/// Bytes of a generated master key.
const KEY_BYTES: usize = 48;

/// Why the data directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    /// Another process uses it.
    #[error("data_dir_locked: {} is in use by process {pid}; stop it, or give this process another DATA_DIR", path.display())]
    Locked {
        /// The directory.
        path: PathBuf,
        /// Who uses it.
        pid: String,
    },
    /// It cannot be made, read or written.
    #[error("{} cannot be used; make it writable for this user, or set DATA_DIR", path.display())]
    Unusable {
        /// The directory or a file in it.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

/// A data directory. Unless it was opened beside its owner, it belongs to this process until it is dropped.
#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    _lock: Option<File>,
}

impl DataDir {
    /// Makes the directory if it is missing, closes it to others and locks it.
    pub fn open(path: &Path) -> Result<Self, DataDirError> {
        let opened = Self::open_beside(path)?;
        Ok(Self { _lock: Some(lock(path)?), ..opened })
    }

    /// The same without the lock: for a command that writes nothing here, beside the process it belongs to.
    pub fn open_beside(path: &Path) -> Result<Self, DataDirError> {
        let unusable = |source| DataDirError::Unusable { path: path.to_owned(), source };
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(unusable)?;
        let mode = std::fs::metadata(path).map_err(unusable)?.permissions().mode();
        if mode & 0o077 != 0 {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700)).map_err(unusable)?;
        }
        Ok(Self { path: path.to_owned(), _lock: None })
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The generated master key, made at the first call.
    pub fn secret_key(&self, ids: &dyn Ids) -> Result<SecretString, DataDirError> {
        let path = self.path.join(SECRET_KEY);
        let unusable = |source| DataDirError::Unusable { path: path.clone(), source };
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(mut file) => {
                let mut bytes = [0; KEY_BYTES];
                ids.random(&mut bytes);
                let key = STANDARD.encode(bytes);
                file.write_all(key.as_bytes()).and_then(|()| file.sync_all()).map_err(unusable)?;
                Ok(SecretString::new(key))
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let key = std::fs::read_to_string(&path).map_err(unusable)?;
                Ok(SecretString::new(key.trim_end().to_owned()))
            }
            Err(error) => Err(unusable(error)),
        }
    }
}

fn lock(directory: &Path) -> Result<File, DataDirError> {
    let path = directory.join(LOCK);
    let unusable = |source| DataDirError::Unusable { path: path.clone(), source };
    let mut options = OpenOptions::new();
    let mut file =
        options.read(true).write(true).create(true).truncate(false).mode(0o600).open(&path).map_err(unusable)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut pid = String::new();
            file.read_to_string(&mut pid).map_err(unusable)?;
            return Err(DataDirError::Locked { path: directory.to_owned(), pid: pid.trim().to_owned() });
        }
        Err(TryLockError::Error(error)) => return Err(unusable(error)),
    }
    file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id())).map_err(unusable)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::SystemIds;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn it_is_private_and_belongs_to_one_process() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("data");
        let first = DataDir::open(&path).unwrap();
        assert_eq!(mode(&path), 0o700);
        let refused = DataDir::open(&path).unwrap_err().to_string();
        assert!(
            refused.starts_with("data_dir_locked") && refused.contains(&std::process::id().to_string()),
            "{refused}"
        );
        drop(first);
        DataDir::open(&path).expect("free again");
    }

    #[test]
    fn the_key_is_made_once_and_only_its_owner_reads_it() {
        let parent = tempfile::tempdir().unwrap();
        let directory = DataDir::open(parent.path()).unwrap();
        let key = directory.secret_key(&SystemIds).unwrap();
        assert!(key.expose().len() >= 64);
        assert_eq!(mode(&parent.path().join(SECRET_KEY)), 0o600);
        assert_eq!(directory.secret_key(&SystemIds).unwrap().expose(), key.expose());
    }
}
