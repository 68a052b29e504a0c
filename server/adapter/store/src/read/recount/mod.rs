//! Recounts every counter from the rows of one moment, and adds what one lacks.
//!
//! A batch moves rows and counters by the same, so a difference between them at one moment stays true, and adding it later is
//! right whatever happened meanwhile. Only two recounts that both add would be wrong: the second one finds that, and starts
//! anew. The rows are read in parts; what is kept is one entry a counter.

mod books;
mod fix;
mod taken;

use kernel::port::{Difference, Recount};
use sea_orm::DbErr;

use self::books::Books;
use super::roll::mark;
use crate::store::Store;

/// How often counters were added to, in `sequences`.
pub(super) const RECOUNTED: &str = "counters:recounted";
/// How often a recount starts anew.
const TRIES: usize = 5;

impl Store {
    pub(super) async fn recount_all(&self, recount: Recount) -> Result<Vec<Difference>, DbErr> {
        for _ in 0..TRIES {
            let snapshot = self.database().snapshot().await?;
            let times = mark(&snapshot, RECOUNTED).await?;
            let books = Books::count(&snapshot).await?;
            drop(snapshot);
            let differences = books.differences(recount == Recount::Fill);
            let lacks = match recount {
                Recount::Look => return Ok(differences),
                Recount::Fix | Recount::Fill => books.lacks(recount == Recount::Fill),
            };
            if self.add_lacking(times, lacks).await? {
                return Ok(differences);
            }
        }
        Err(DbErr::Custom("counters were recounted by others at the same time, again and again".to_owned()))
    }
}
