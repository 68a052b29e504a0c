//! A Redis server of a test's own, that can be killed, stopped and brought back; and the one that tests share.

use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

static NAMES: AtomicU64 = AtomicU64::new(0);

/// The server that `TEST_REDIS_URL` names: whoever uses it names what is theirs.
pub fn shared_url() -> String {
    #[expect(clippy::disallowed_methods, reason = "the test kit is told by the environment where the services are")]
    let url = std::env::var("TEST_REDIS_URL");
    url.expect("TEST_REDIS_URL must name a Redis server: run the tests with `make test`")
}

/// The name of an instance that no other test has.
pub fn instance() -> String {
    format!("test-{}-{}", std::process::id(), NAMES.fetch_add(1, Ordering::Relaxed))
}

/// A server of one's own, gone with the test.
pub struct TestRedis {
    child: Option<Child>,
    port: u16,
    options: Vec<String>,
    _folder: tempfile::TempDir,
}

impl TestRedis {
    /// A server with further options, which answers.
    pub async fn start(options: &[&str]) -> Self {
        let port = {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a loopback port");
            listener.local_addr().expect("a local address").port()
        };
        let folder = tempfile::tempdir().expect("a folder");
        let mut arguments: Vec<String> =
            ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--loglevel", "warning"]
                .map(str::to_owned)
                .to_vec();
        arguments.extend([
            "--port".to_owned(),
            port.to_string(),
            "--dir".to_owned(),
            folder.path().display().to_string(),
        ]);
        arguments.extend(options.iter().map(|option| (*option).to_owned()));
        let mut redis = Self { child: None, port, options: arguments, _folder: folder };
        redis.bring_back().await;
        redis
    }

    /// Its URL without a password.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// `kill -9`: everything in it is gone.
    pub async fn kill(&mut self) {
        let mut child = self.child.take().expect("a running server");
        child.kill().await.expect("it is killed");
    }

    /// Starts it on the same port, empty.
    pub async fn bring_back(&mut self) {
        let child = Command::new("redis-server")
            .args(&self.options)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("redis-server is installed: `.ci/setup.sh test` does that");
        self.child = Some(child);
        for _ in 0..1_000 {
            if self.command("PING").await.is_ok() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("redis-server does not answer on port {}", self.port);
    }

    /// Lets it stand still: it takes connections and says nothing.
    pub async fn stand_still(&self) {
        self.signal("STOP").await;
    }

    /// Lets it go on.
    pub async fn go_on(&self) {
        self.signal("CONT").await;
    }

    /// What it answers to a command without arguments that need quoting, as it is on the wire.
    pub async fn command(&self, line: &str) -> std::io::Result<String> {
        let mut socket = TcpStream::connect(("127.0.0.1", self.port)).await?;
        socket.write_all(format!("{line}\r\nQUIT\r\n").as_bytes()).await?;
        let mut text = String::new();
        socket.read_to_string(&mut text).await?;
        Ok(text.trim_end().trim_end_matches("+OK").trim_end().to_owned())
    }

    async fn signal(&self, name: &str) {
        let pid = self.child.as_ref().and_then(Child::id).expect("a running server").to_string();
        let status = Command::new("kill").args([&format!("-{name}"), &pid]).status().await.expect("kill runs");
        assert!(status.success(), "kill -{name} {pid}: {status}");
    }
}
