//! Copies SQLite's write-ahead log into the file beside the writers, instead of inside their commits.
//!
//! Left to itself, the commit that crosses SQLite's limit copies and syncs, and all callers of its group wait for that.
//! The writers keep such a limit of their own, far higher, for the case that this thread cannot keep up.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::database::CUT;

/// Pages in the log at which a writer copies by itself: 64 MiB.
pub(super) const WRITERS_LIMIT: u32 = 16_384;
/// From a commit to the copying, so that many commits share it.
const GATHER: Duration = Duration::from_millis(50);

/// The thread that copies. It ends when this is dropped.
pub(super) struct Checkpoints {
    written: SyncSender<()>,
    thread: JoinHandle<()>,
}

impl Checkpoints {
    pub(super) fn start(path: &Path) -> std::io::Result<Self> {
        let (written, notes) = sync_channel(1);
        let path = path.to_owned();
        let thread = thread::Builder::new().name("checkpoints".to_owned()).spawn(move || copy(&notes, &path))?;
        Ok(Self { written, thread })
    }

    /// Something was committed.
    pub(super) fn note(&self) {
        // Full: it is noted already.
        let _ = self.written.try_send(());
    }

    /// Waits until the thread has let go of the file. Blocks.
    pub(super) fn end(self) {
        drop(self.written);
        // It has nothing to tell, not even that it panicked: the log is whole without it.
        let _ = self.thread.join();
    }
}

fn copy(written: &Receiver<()>, path: &Path) {
    let mut connection = None;
    while written.recv().is_ok() {
        thread::sleep(GATHER);
        // What fails now is tried again after the next commit, on a connection of its own.
        connection = connection.or_else(|| open(path).ok()).filter(|connection| checkpoint(connection).is_ok());
    }
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.busy_timeout(CUT)?;
    Ok(connection)
}

/// Copies what no reader needs any more; waits for nobody.
fn checkpoint(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
}
