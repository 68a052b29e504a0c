//! A connection to PostgreSQL that breaks or falls silent when told to.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// What the proxy does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// Breaks before the next COMMIT reaches the server; once.
    BeforeCommit,
    /// Breaks after the server has committed, before it says so; once.
    AfterCommit,
    /// Passes nothing on, in either direction, and breaks nothing: a network that is gone.
    Silent,
    /// Refuses connections, and breaks those there are at their next word.
    Down,
}

/// Stands between a store and its server.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    fault: watch::Sender<Fault>,
    accepting: JoinHandle<()>,
}

impl Proxy {
    /// In front of the server of a URL.
    pub async fn before(url: &str) -> Self {
        let server = url.split('@').nth(1).and_then(|rest| rest.split('/').next()).expect("a host").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let fault = watch::Sender::new(Fault::None);
        let own = fault.clone();
        #[expect(clippy::disallowed_methods, reason = "ends when the proxy is dropped")]
        let accepting = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if *own.borrow() != Fault::Down {
                    tokio::spawn(forward(client, server.clone(), own.clone()));
                }
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

    /// What happens from now on.
    pub fn set(&self, fault: Fault) {
        self.fault.send_replace(fault);
    }

    /// Whether the fault has happened.
    pub fn is_spent(&self) -> bool {
        *self.fault.borrow() == Fault::None
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Whether the fault is to strike now; it strikes once.
fn strikes(faults: &watch::Sender<Fault>, wanted: Fault) -> bool {
    faults.send_if_modified(|fault| {
        let strikes = *fault == wanted;
        if strikes {
            *fault = Fault::None;
        }
        strikes
    })
}

/// Forwards until either side is done or the fault strikes. Both streams close when this returns.
async fn forward(mut client: TcpStream, server: String, faults: watch::Sender<Fault>) {
    let mut changes = faults.subscribe();
    let mut speaks = async || changes.wait_for(|fault| *fault != Fault::Silent).await.map(|_| ()).is_ok();
    if !speaks().await {
        return;
    }
    let mut server = TcpStream::connect(server).await.expect("the server");
    let (mut asked, mut told) = (vec![0; 65_536], vec![0; 65_536]);
    let mut committing = false;
    loop {
        tokio::select! {
            read = client.read(&mut asked) => {
                let Ok(count @ 1..) = read else { return };
                if !speaks().await || *faults.borrow() == Fault::Down {
                    return;
                }
                let words = &asked[..count];
                let commits = words.windows(6).any(|word| word == b"COMMIT");
                if commits && strikes(&faults, Fault::BeforeCommit) {
                    return;
                }
                committing = commits;
                if server.write_all(words).await.is_err() {
                    return;
                }
            }
            read = server.read(&mut told) => {
                let Ok(count @ 1..) = read else { return };
                if !speaks().await || committing && strikes(&faults, Fault::AfterCommit) {
                    return;
                }
                if client.write_all(&told[..count]).await.is_err() {
                    return;
                }
            }
        }
    }
}
