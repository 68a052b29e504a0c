//! A connection to PostgreSQL that breaks when told to.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What the proxy does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Fault {
    /// Nothing.
    None,
    /// Breaks before the next COMMIT reaches the server; once.
    BeforeCommit,
    /// Breaks after the server has committed, before it says so; once.
    AfterCommit,
    /// Refuses connections, and breaks those there are at their next word.
    Down,
}

/// Stands between a store and its server.
pub struct Proxy {
    address: SocketAddr,
    fault: Arc<AtomicU8>,
    accepting: JoinHandle<()>,
}

impl Proxy {
    /// In front of the server of a URL.
    pub async fn before(url: &str) -> Self {
        let server = url.split('@').nth(1).and_then(|rest| rest.split('/').next()).expect("a host").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let fault = Arc::new(AtomicU8::new(Fault::None as u8));
        let own = Arc::clone(&fault);
        #[expect(clippy::disallowed_methods, reason = "ends when the proxy is dropped")]
        let accepting = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if is(&own, Fault::Down) {
                    continue;
                }
                let server = TcpStream::connect(&server).await.expect("the server");
                tokio::spawn(forward(client, server, Arc::clone(&own)));
            }
        });
        Self { address, fault, accepting }
    }

    /// The URL through the proxy.
    pub fn url(&self, url: &str) -> String {
        let (user, rest) = url.split_once('@').expect("a user");
        let (_, name) = rest.split_once('/').expect("a database");
        format!("{user}@{}/{name}", self.address)
    }

    /// Decides what happens next.
    pub fn set(&self, fault: Fault) {
        self.fault.store(fault as u8, Ordering::SeqCst);
    }

    /// Whether the fault has happened.
    pub fn is_spent(&self) -> bool {
        is(&self.fault, Fault::None)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

fn is(fault: &AtomicU8, wanted: Fault) -> bool {
    fault.load(Ordering::SeqCst) == wanted as u8
}

/// Forwards until either side is done or the fault strikes. Both streams close when this returns.
async fn forward(mut client: TcpStream, mut server: TcpStream, fault: Arc<AtomicU8>) {
    let (mut asked, mut told) = (vec![0; 65_536], vec![0; 65_536]);
    let mut committing = false;
    loop {
        tokio::select! {
            read = client.read(&mut asked) => {
                let Ok(count @ 1..) = read else { return };
                let words = &asked[..count];
                if is(&fault, Fault::Down) {
                    return;
                }
                let commits = words.windows(6).any(|word| word == b"COMMIT");
                if commits && fault.compare_exchange(Fault::BeforeCommit as u8, Fault::None as u8, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                    return;
                }
                committing = commits;
                if server.write_all(words).await.is_err() {
                    return;
                }
            }
            read = server.read(&mut told) => {
                let Ok(count @ 1..) = read else { return };
                if committing && fault.compare_exchange(Fault::AfterCommit as u8, Fault::None as u8, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                    return;
                }
                if client.write_all(&told[..count]).await.is_err() {
                    return;
                }
            }
        }
    }
}
