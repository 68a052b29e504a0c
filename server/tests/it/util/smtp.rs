//! A real mail server for tests: `aiosmtpd`, in a process of its own.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

/// How long a mail may be on its way: the outbox polls each second, and waits after a failure.
const PATIENCE: Duration = Duration::from_secs(30);

/// A mail server. It ends with the test.
pub(crate) struct MailServer {
    _child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    folder: TempDir,
    port: u16,
}

impl MailServer {
    /// One of a mode of `smtp.py`, on any port.
    pub(crate) async fn start(mode: &str) -> Self {
        Self::start_at(mode, 0).await
    }

    /// One on a port.
    pub(crate) async fn start_at(mode: &str, port: u16) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/util/smtp.py");
        let mut child = Command::new("python3")
            .args([script, mode, &port.to_string(), &folder.path().display().to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("python3 with aiosmtpd and trustme, which .ci/setup.sh installs");
        let mut lines = BufReader::new(child.stdout.take().expect("its stdout")).lines();
        let port = lines.next_line().await.expect("a line").expect("its port, unless it has ended");
        Self { _child: child, lines, folder, port: port.parse().expect("a port") }
    }

    /// Where it listens.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The certificate of its authority.
    pub(crate) fn authority(&self) -> std::path::PathBuf {
        Path::join(self.folder.path(), "ca.pem")
    }

    /// The next mail it took.
    pub(crate) async fn mail(&mut self) -> Value {
        let line = timeout(PATIENCE, self.lines.next_line()).await.expect("a mail in time").expect("a line");
        serde_json::from_str(&line.expect("the server runs")).expect("JSON")
    }

    /// Whether it takes none within a while.
    pub(crate) async fn is_quiet(&mut self, within: Duration) -> bool {
        timeout(within, self.lines.next_line()).await.is_err()
    }
}

/// The token behind the `#` of the link in a mail.
pub(crate) fn token(mail: &Value) -> String {
    let (_, rest) = mail["text"].as_str().expect("a text").split_once('#').expect("a link");
    rest.split_whitespace().next().expect("a token").to_owned()
}
