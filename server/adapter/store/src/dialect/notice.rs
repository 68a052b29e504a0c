//! Notices between processes on PostgreSQL: LISTEN and NOTIFY on one channel of the database.

use futures::stream::{self, BoxStream, StreamExt};
use kernel::port::{Notice, StoreError};
use kernel::secret::SecretString;
use sea_orm::sqlx::postgres::{PgListener, PgPoolOptions};
use sea_orm::{ConnectionTrait, Statement};
use types::id::ProcessId;

use super::database::CUT;
use super::postgres::listener_options;

const CHANNEL: &str = "soit";
/// Each kind of notice with its letter.
const LETTERS: [(char, Notice); 4] = [
    ('a', Notice { epochs: true, runs: false, events: false, tasks: false }),
    ('r', Notice { epochs: false, runs: true, events: false, tasks: false }),
    ('e', Notice { epochs: false, runs: false, events: true, tasks: false }),
    ('t', Notice { epochs: false, runs: false, events: false, tasks: true }),
];

fn written(by: ProcessId, notice: Notice) -> String {
    let told = LETTERS.iter().filter(|(_, kind)| notice.and(*kind) == notice);
    format!("{by} {}", told.map(|(letter, _)| letter).collect::<String>())
}

/// What another process tells; a word of one's own, or one that makes no sense, tells nothing.
fn read(own: ProcessId, payload: &str) -> Notice {
    let Some((by, letters)) = payload.split_once(' ').filter(|(by, _)| *by != own.to_string()) else {
        return Notice::default();
    };
    let known = by.parse::<ProcessId>().is_ok();
    let kinds = LETTERS.iter().filter(|(letter, _)| known && letters.contains(*letter));
    kinds.fold(Notice::default(), |told, (_, kind)| told.and(*kind))
}

/// Tells the others once the session's transaction commits.
pub(crate) async fn notify(
    session: &impl ConnectionTrait,
    by: ProcessId,
    notice: Notice,
) -> Result<(), sea_orm::DbErr> {
    let values = [CHANNEL.into(), written(by, notice).into()];
    let sql = "SELECT pg_notify($1, $2)";
    let statement = Statement::from_sql_and_values(session.get_database_backend(), sql, values);
    session.query_one_raw(statement).await.map(|_| ())
}

/// What others tell from now on, on a connection of its own.
pub(crate) async fn listen(
    url: &SecretString,
    own: ProcessId,
) -> Result<BoxStream<'static, Result<Notice, StoreError>>, StoreError> {
    let lost = |error: sea_orm::SqlxError| StoreError::Unavailable(error.to_string());
    let options = listener_options(url).map_err(|error| StoreError::Internal(error.to_string()))?;
    let pool = PgPoolOptions::new().max_connections(1).acquire_timeout(CUT).max_lifetime(None).idle_timeout(None);
    let pool = pool.connect_with(options).await.map_err(lost)?;
    let mut listener = PgListener::connect_with(&pool).await.map_err(lost)?;
    listener.listen(CHANNEL).await.map_err(lost)?;
    let told = stream::try_unfold(listener, move |mut listener| async move {
        let broke = || StoreError::Unavailable("the connection that listens broke".to_owned());
        let word = listener.try_recv().await.map_err(lost)?.ok_or_else(broke)?;
        Ok(Some((read(own, word.payload()), listener)))
    });
    let worth = told.filter(|told| std::future::ready(!matches!(told, Ok(notice) if notice.is_empty())));
    Ok(worth.boxed())
}

#[cfg(test)]
mod tests {
    use types::id::Uuid;

    use super::*;

    #[test]
    fn a_notice_is_read_as_it_was_written_by_others_alone() {
        let (one, other) = (ProcessId::from_uuid(Uuid::from_u128(1)), ProcessId::from_uuid(Uuid::from_u128(2)));
        for bits in 0..16_u8 {
            let (epochs, runs, events, tasks) = (bits & 1 > 0, bits & 2 > 0, bits & 4 > 0, bits & 8 > 0);
            let notice = Notice { epochs, runs, events, tasks };
            assert_eq!(read(other, &written(one, notice)), notice);
            assert!(read(one, &written(one, notice)).is_empty());
        }
    }

    #[test]
    fn words_that_make_no_sense_tell_nothing() {
        let own = ProcessId::from_uuid(Uuid::from_u128(1));
        for word in ["", "are", " are", "somebody are", "pcs_ are"] {
            assert!(read(own, word).is_empty(), "{word}");
        }
    }
}
