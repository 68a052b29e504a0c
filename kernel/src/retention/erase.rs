//! Taking out what is due, a part at a time: objects first, then the rows.

use std::collections::HashSet;
use std::sync::Arc;

use chrono::{DateTime, Days, TimeDelta, Utc};
use types::id::{RetentionReportId, Uuid};
use types::retention::{PurgeCounts, Purged, RetentionClass};

use crate::context::Scope;
use crate::error::Result;
use crate::port::{Clock, Due, DueQuery, Ids, ObjectError, ObjectKey, Objects, Purges, Purging};

/// Runs or audit rows of one transaction: so few, with all that hangs on them, that nobody waits long for it.
const A_PART: u32 = 100;
/// Events of one.
const EVENTS: u32 = 1_000;
/// An object may be put until its day is over, and named a little later.
const LATE: TimeDelta = TimeDelta::hours(1);
/// No object is put so far ahead.
const SOME_DAY: Days = Days::new(3_650);
/// Most runs that are counted as waiting.
const MOST_WAITING: u32 = 1_000;

/// What taking something out needs from the world.
#[derive(Clone)]
pub struct ErasePorts {
    /// Rows.
    pub purges: Arc<dyn Purges>,
    /// Objects.
    pub objects: Arc<dyn Objects>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Ids of what is written.
    pub ids: Arc<dyn Ids>,
}

/// What an erasure did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Erased {
    /// Runs whose content is gone.
    pub runs: u64,
    /// Their artifacts.
    pub artifacts: u64,
    /// The bytes of these.
    pub bytes: u64,
    /// Whether there may be more: call again.
    pub more: bool,
    /// Runs that are due but name an object of today, which others may still put: they can be erased tomorrow.
    pub waiting: u64,
}

/// Erases the content of runs of a workspace that ended before a time, of at most `limit` runs: previews, artifacts with their
/// objects, comments, sealed answers, and the salts without which commitments tell nothing. Rows, digests and the chain stay,
/// and so does what a legal hold holds. May be called again whatever became of the call before. Where the artifact store does not
/// delete, the runs whose objects it has keep their rows, and the error says so.
///
/// What is erased is out of the rows at once; call [`wipe`] at the end to have it out of the files too.
pub async fn erase_content(ports: &ErasePorts, scope: Scope, before: DateTime<Utc>, limit: u32) -> Result<Erased> {
    let purge_id = ports.ids.retention_report();
    let query = due_query(ports, scope, RetentionClass::Content, before);
    let mut erased = Erased::default();
    let mut left = limit;
    while left > 0 {
        let part = purge_part(ports, &query, left, purge_id).await?;
        let of = |what| part.purged.get(&what).copied().unwrap_or_default();
        erased.runs += of(Purged::Content);
        erased.artifacts += of(Purged::Artifacts);
        erased.bytes += of(Purged::Bytes);
        match part.failure {
            Some(failure) if erased.runs == 0 => return Err(failure.into()),
            // What was done is told; the next call meets the failure first.
            Some(_) => return Ok(Erased { more: true, ..erased }),
            None => {}
        }
        if part.found == 0 {
            let still = DueQuery { open_day: query.open_day + SOME_DAY, ..query };
            let waiting = ports.purges.list_due(&still, MOST_WAITING).await?.len();
            return Ok(Erased { waiting: u64::try_from(waiting).unwrap_or_default(), ..erased });
        }
        left = left.saturating_sub(part.found);
    }
    Ok(Erased { more: true, ..erased })
}

/// Makes what was erased absent from the files of the database. Writers wait meanwhile: call it once, at the end. Large files wait
/// for their day, unless it must be now.
pub async fn wipe(ports: &ErasePorts, must_be_now: bool) -> Result<()> {
    Ok(ports.purges.wipe(must_be_now).await?)
}

/// What is asked for at this moment.
pub(super) fn due_query(ports: &ErasePorts, scope: Scope, class: RetentionClass, before: DateTime<Utc>) -> DueQuery {
    DueQuery { scope, class, before, open_day: (ports.clock.now() - LATE).date_naive() }
}

/// What became of a part.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// How many records were due.
    pub(super) found: u32,
    /// What went.
    pub(super) purged: PurgeCounts,
    /// Why records with objects stayed.
    pub(super) failure: Option<ObjectError>,
}

/// Takes out a part of what is due, at most `limit`.
pub(super) async fn purge_part(
    ports: &ErasePorts,
    query: &DueQuery,
    limit: u32,
    purge_id: RetentionReportId,
) -> Result<Part> {
    let limit = limit.min(if query.class == RetentionClass::Events { EVENTS } else { A_PART });
    let due = ports.purges.list_due(query, limit).await?;
    let found = u32::try_from(due.len()).unwrap_or(u32::MAX);
    if due.is_empty() {
        return Ok(Part::default());
    }
    let Cleared { ids, decided, failure } = clear(ports, query, due).await?;
    let purged = if ids.is_empty() {
        PurgeCounts::new()
    } else {
        ports.purges.purge(&Purging { query: *query, ids, decided, purge_id }).await?
    };
    Ok(Part { found, purged, failure })
}

/// What has no object left.
#[derive(Default)]
struct Cleared {
    ids: Vec<Uuid>,
    decided: Vec<Uuid>,
    failure: Option<ObjectError>,
}

/// Deletes the objects. From here on it is decided that their records go: a hold is looked for right before.
async fn clear(ports: &ErasePorts, query: &DueQuery, due: Vec<Due>) -> Result<Cleared> {
    let (naming, plain): (Vec<Due>, Vec<Due>) = due.into_iter().partition(|due| !due.objects.is_empty());
    let mut cleared = Cleared { ids: plain.into_iter().map(|due| due.id).collect(), ..Cleared::default() };
    if naming.is_empty() {
        return Ok(cleared);
    }
    let asked: Vec<Uuid> = naming.iter().map(|due| due.id).collect();
    let free: HashSet<Uuid> = ports.purges.still_due(query, &asked).await?.into_iter().collect();
    let (going, staying): (Vec<Due>, Vec<Due>) = naming.into_iter().partition(|due| free.contains(&due.id));
    let kept: HashSet<ObjectKey> = staying.into_iter().flat_map(|due| due.objects).collect();
    for due in going {
        match delete(ports, due.objects.iter().filter(|key| !kept.contains(*key))).await {
            Ok(()) => {
                cleared.ids.push(due.id);
                cleared.decided.push(due.id);
            }
            Err(failure) => {
                tracing::warn!(error = %failure, "an object cannot be deleted, what names it stays");
                cleared.failure = Some(failure);
                break;
            }
        }
    }
    Ok(cleared)
}

/// Deletes objects, and looks whether they are gone.
async fn delete(ports: &ErasePorts, keys: impl Iterator<Item = &ObjectKey>) -> std::result::Result<(), ObjectError> {
    for key in keys {
        ports.objects.delete(key).await?;
        if ports.objects.head(key).await?.is_some() {
            return Err(ObjectError::Internal(format!("`{key}` is there after it was deleted")));
        }
    }
    Ok(())
}
