//! Writes a SQLite file anew, so that nothing is in it but what is there.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::database::CUT;

/// How often the log is tried to be emptied: readers of older moments keep it.
const ATTEMPTS: u32 = 40;
/// Between two tries. Writers wait no longer than this for one.
const BETWEEN: Duration = Duration::from_millis(250);

/// Rewrites the file and empties the log. Blocks; nobody else of this process may write meanwhile.
pub(super) fn rewrite(path: &Path) -> Result<(), String> {
    let connection = open(path).map_err(|error| error.to_string())?;
    connection.execute_batch("VACUUM").map_err(|error| error.to_string())?;
    connection.busy_timeout(BETWEEN).map_err(|error| error.to_string())?;
    for _ in 0..ATTEMPTS {
        let is_busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        match is_busy {
            Ok(0) => return Ok(()),
            Ok(_) => std::thread::sleep(BETWEEN),
            Err(error) => return Err(error.to_string()),
        }
    }
    Err("readers kept the write-ahead log from being emptied, it is tried again with the next purge".to_owned())
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.busy_timeout(CUT)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    Ok(connection)
}
