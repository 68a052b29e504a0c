//! What goes: artifacts whose time is over, and objects that no row ever named.
//!
//! Objects lie under the day they were put. A day that is over gets no new ones, so of those that no row names after another
//! whole day none ever will be named: nobody has to be kept from putting what is being swept.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{Days, NaiveDate};
use futures::stream::StreamExt;

use crate::error::Result;
use crate::port::{Artifacts, Clock, ObjectKey, Objects};

/// Objects asked about, and artifacts deleted, at once.
const AT_ONCE: u16 = 500;
/// A day is swept when so many more are over.
const GRACE: Days = Days::new(2);

/// What one pass deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Artifacts whose time was over.
    pub expired: u64,
    /// Objects that no row names.
    pub orphans: u64,
}

/// Sweeps. May run in several processes at once.
pub struct Sweeper {
    artifacts: Arc<dyn Artifacts>,
    objects: Arc<dyn Objects>,
    clock: Arc<dyn Clock>,
    /// The newest day this process swept.
    swept: Mutex<Option<NaiveDate>>,
}

impl Sweeper {
    /// A sweeper over these ports.
    pub fn new(artifacts: Arc<dyn Artifacts>, objects: Arc<dyn Objects>, clock: Arc<dyn Clock>) -> Self {
        Self { artifacts, objects, clock, swept: Mutex::default() }
    }

    /// Deletes what is to go: everything at first, later what became old since.
    pub async fn pass(&self) -> Result<Swept> {
        let expired = self.sweep_expired().await?;
        let newest = self.clock.now().date_naive() - GRACE;
        let before = *self.swept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut orphans = 0;
        for day in self.objects.list_days().await? {
            if day <= newest && before.is_none_or(|before| before < day) {
                orphans += self.sweep_day(day).await?;
            }
        }
        *self.swept.lock().unwrap_or_else(PoisonError::into_inner) = Some(newest);
        Ok(Swept { expired, orphans })
    }

    /// First the object, then the row: what was cut in between is found again.
    async fn sweep_expired(&self) -> Result<u64> {
        let mut count = 0;
        loop {
            let expired = self.artifacts.expired_artifacts(AT_ONCE.into()).await?;
            for key in expired.iter().filter_map(|expired| expired.object.as_ref()) {
                self.objects.delete(key).await?;
            }
            let ids: Vec<_> = expired.iter().map(|expired| expired.id).collect();
            self.artifacts.delete_expired(&ids).await?;
            count += u64::try_from(ids.len()).unwrap_or_default();
            if ids.len() < usize::from(AT_ONCE) {
                return Ok(count);
            }
        }
    }

    async fn sweep_day(&self, day: NaiveDate) -> Result<u64> {
        let mut count = 0;
        let mut keys = self.objects.list_objects(day).await?.chunks(AT_ONCE.into());
        while let Some(keys) = keys.next().await {
            let keys: Vec<ObjectKey> = keys.into_iter().collect::<std::result::Result<_, _>>()?;
            let named: HashSet<ObjectKey> = self.artifacts.named_objects(&keys).await?;
            for key in keys.iter().filter(|key| !named.contains(*key)) {
                self.objects.delete(key).await?;
                count += 1;
            }
        }
        Ok(count)
    }
}

impl std::fmt::Debug for Sweeper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sweeper").finish_non_exhaustive()
    }
}
