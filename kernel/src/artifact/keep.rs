//! Keeping: bytes become an artifact that a batch can name.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures::future::{Either, select};
use futures::pin_mut;
use sha2::{Digest as _, Sha256};
use types::id::{RunId, StepId};

use super::mime::kind_of;
use crate::context::Scope;
use crate::ledger::{NewArtifact, Place};
use crate::port::{Clock, Ids, ObjectError, ObjectKey, Objects};
use crate::record::Digest;

/// Most bytes that lie in the row of an artifact.
pub const INLINE: usize = 16 * 1024;
/// Longest that something waits for the artifact store before it goes on without.
const PATIENCE: Duration = Duration::from_secs(2);
/// A store that did not take something is left alone for so long: what follows does not wait for it.
const REST: Duration = Duration::from_secs(5);

/// What an artifact belongs to, and how long it stays.
#[derive(Clone, Copy, Debug, Default)]
pub struct Of {
    /// The run.
    pub run_id: Option<RunId>,
    /// The step it came out of.
    pub step_id: Option<StepId>,
    /// When it goes; none where it stays with its run.
    pub expires_at: Option<DateTime<Utc>>,
}

/// What became of everything that was to be kept since the process began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// In its row.
    pub inline: u64,
    /// In the artifact store.
    pub stored: u64,
    /// Not at all: the store did not take it in time.
    pub lost: u64,
}

/// Makes artifacts. Clones share the store and how it stands.
#[derive(Clone)]
pub struct Keeper(Arc<Parts>);

struct Parts {
    objects: Arc<dyn Objects>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    /// On the monotonic clock.
    rests_until: Mutex<Duration>,
    inline: AtomicU64,
    stored: AtomicU64,
    lost: AtomicU64,
}

impl Keeper {
    /// A keeper over these ports.
    pub fn new(objects: Arc<dyn Objects>, clock: Arc<dyn Clock>, ids: Arc<dyn Ids>) -> Self {
        Self(Arc::new(Parts {
            objects,
            clock,
            ids,
            rests_until: Mutex::default(),
            inline: AtomicU64::default(),
            stored: AtomicU64::default(),
            lost: AtomicU64::default(),
        }))
    }

    /// Keeps bytes. What is long lies in the artifact store afterwards; where that takes too long or fails it is not kept. The
    /// artifact is there for readers once a batch names it.
    pub async fn keep(&self, scope: Scope, bytes: Vec<u8>, of: Of) -> Result<Arc<NewArtifact>, ObjectError> {
        let parts = &*self.0;
        let sha256 = Digest(Sha256::digest(&bytes).into());
        let (kind, mime) = kind_of(&bytes);
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let place = if bytes.len() <= INLINE {
            parts.inline.fetch_add(1, Ordering::Relaxed);
            Place::Inline(bytes)
        } else {
            let key = ObjectKey::new(parts.clock.now().date_naive(), scope, &sha256);
            let put = self.put(&key, bytes).await;
            let count = if put.is_ok() { &parts.stored } else { &parts.lost };
            count.fetch_add(1, Ordering::Relaxed);
            put?;
            Place::Object(key)
        };
        let Of { run_id, step_id, expires_at } = of;
        let id = parts.ids.artifact();
        Ok(Arc::new(NewArtifact { id, run_id, step_id, kind, mime: mime.to_owned(), size, sha256, place, expires_at }))
    }

    /// What became of everything that was to be kept.
    pub fn kept(&self) -> Kept {
        let parts = &*self.0;
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Kept { inline: count(&parts.inline), stored: count(&parts.stored), lost: count(&parts.lost) }
    }

    async fn put(&self, key: &ObjectKey, bytes: Vec<u8>) -> Result<(), ObjectError> {
        let parts = &*self.0;
        if parts.clock.monotonic() < *self.rests_until() {
            return Err(ObjectError::Unavailable("it failed a moment ago".to_owned()));
        }
        let put = parts.objects.put(key, bytes);
        let patience = parts.clock.sleep(PATIENCE);
        pin_mut!(put);
        let outcome = match select(put, patience).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right(_) => Err(ObjectError::Unavailable(format!("nothing for {} s", PATIENCE.as_secs()))),
        };
        if let Err(error) = &outcome {
            tracing::warn!(%error, "content is not kept");
            *self.rests_until() = parts.clock.monotonic() + REST;
        }
        outcome
    }

    fn rests_until(&self) -> std::sync::MutexGuard<'_, Duration> {
        self.0.rests_until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Keeper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keeper").field("kept", &self.kept()).finish_non_exhaustive()
    }
}
