//! The artifact store: bytes under keys. What the keys stand for is in rows of the database.

use std::fmt;

use async_trait::async_trait;
use chrono::NaiveDate;
use futures::stream::BoxStream;

use crate::context::Scope;
use crate::record::Digest;

/// The key of an object: `{day}/{tenant}/{workspace}/{SHA-256}`. The day is the one it was put: equal bytes of a workspace and a
/// day are one object, and nobody puts anything under a day that is over.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectKey(String);

impl ObjectKey {
    /// Where the bytes of that digest lie.
    pub fn new(day: NaiveDate, scope: Scope, sha256: &Digest) -> Self {
        Self(format!("{day}/{}/{}/{}", scope.tenant_id, scope.workspace_id, sha256.hex()))
    }

    /// A key as a store or a row names it; none where it is no key of soit.
    pub fn from_text(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.split('/').collect();
        let [day, tenant, workspace, sha256] = parts.as_slice() else { return None };
        let is_key = day.parse::<NaiveDate>().is_ok_and(|date| date.to_string() == *day)
            && tenant.parse::<types::id::TenantId>().is_ok()
            && workspace.parse::<types::id::WorkspaceId>().is_ok()
            && sha256.len() == 64
            && sha256.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        is_key.then(|| Self(text.to_owned()))
    }

    /// The day its bytes were put.
    pub fn day(&self) -> Option<NaiveDate> {
        self.0.split('/').next().and_then(|day| day.parse().ok())
    }

    /// The text of the key.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The bytes of an object, piece by piece.
pub type ObjectBody = BoxStream<'static, Result<Vec<u8>, ObjectError>>;
/// Keys of objects, in no order.
pub type Keys = BoxStream<'static, Result<ObjectKey, ObjectError>>;

/// Why the artifact store did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ObjectError {
    /// There is no such object.
    #[error("there is no such object")]
    Missing,
    /// No room is left.
    #[error("the artifact store is full")]
    Full,
    /// It takes the credentials for wrong, or they do not allow this.
    #[error("the artifact store refuses the credentials: {0}")]
    Denied(String),
    /// There is no such bucket or folder.
    #[error("the place of the artifact store is not there: {0}")]
    NoPlace(String),
    /// It cannot be reached, or does not answer.
    #[error("the artifact store does not answer: {0}")]
    Unavailable(String),
    /// Something unforeseen.
    #[error("the artifact store failed: {0}")]
    Internal(String),
}

/// Keeps bytes under keys.
#[async_trait]
pub trait Objects: Send + Sync {
    /// Keeps an object: an answer of `Ok` means that it survives a power cut. What was there under the key is replaced.
    async fn put(&self, key: &ObjectKey, bytes: Vec<u8>) -> Result<(), ObjectError>;
    /// The bytes of an object.
    async fn get(&self, key: &ObjectKey) -> Result<ObjectBody, ObjectError>;
    /// How many bytes an object has; none where there is none.
    async fn head(&self, key: &ObjectKey) -> Result<Option<u64>, ObjectError>;
    /// Deletes an object; one that is not there is deleted already.
    async fn delete(&self, key: &ObjectKey) -> Result<(), ObjectError>;
    /// The days under which there may be objects, oldest first.
    async fn list_days(&self) -> Result<Vec<NaiveDate>, ObjectError>;
    /// The objects of a day.
    async fn list_objects(&self, day: NaiveDate) -> Result<Keys, ObjectError>;
    /// Whether it answers, and whether its place and the credentials are right.
    async fn check(&self) -> Result<(), ObjectError>;
}

impl From<ObjectError> for crate::Error {
    fn from(error: ObjectError) -> Self {
        use types::problem::Code;
        match error {
            ObjectError::Full => Self::new(Code::StorageFull, "the artifact store is full").with_source(error),
            ObjectError::Internal(_) => Self::internal(error),
            ObjectError::Missing => {
                let detail = "an object that a row names is not in the artifact store";
                Self::new(Code::ArtifactCorrupt, detail).with_source(error)
            }
            ObjectError::Denied(_) | ObjectError::NoPlace(_) | ObjectError::Unavailable(_) => {
                Self::new(Code::StorageUnavailable, "the artifact store does not answer, try again")
                    .with_retry_after(1)
                    .with_source(error)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_what_it_was_made_of_and_nothing_else_is_one() {
        let ids = |number| types::id::Uuid::from_u128(number);
        let scope = Scope { tenant_id: ids(1).into(), workspace_id: ids(2).into() };
        let day = NaiveDate::from_ymd_opt(2026, 1, 15).expect("a day");
        let key = ObjectKey::new(day, scope, &Digest([0xab; 32]));
        assert_eq!(ObjectKey::from_text(key.as_str()), Some(key.clone()));
        let tail = key.as_str().strip_prefix("2026-01-15/").expect("a day first");
        for wrong in [
            String::new(),
            format!("/{key}"),
            format!("{key}/"),
            format!("{key}/.."),
            format!("../{tail}"),
            format!("2026-1-15/{tail}"),
            key.as_str().to_uppercase(),
            key.as_str().replace("ten_", "..."),
            key.as_str().replace("abab", "ab/b"),
        ] {
            assert_eq!(ObjectKey::from_text(&wrong), None, "{wrong}");
        }
    }
}
