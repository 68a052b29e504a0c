//! The connection to Redis: kept by a loop, given up at the first silence, and made anew until it stands.
//!
//! Invariant: nobody who asks waits longer than [`PATIENCE`], and while there is no connection nobody waits at all.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use redis::aio::{ConnectionLike, MultiplexedConnection, PubSub};
use redis::{AsyncConnectionConfig, Cmd, FromRedisValue, Pipeline, RedisError};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::{Address, Failure, stream};
use crate::http::{HttpError, tls};

/// Time a connection may take to stand, sign-in included.
const CONNECT: Duration = Duration::from_secs(1);
/// Time an answer may take.
const PATIENCE: Duration = Duration::from_millis(250);
/// Time between two looks at a connection that nobody uses.
const LOOK: Duration = Duration::from_secs(1);
/// Pause after the first failure; it doubles up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// A Redis server.
pub struct Redis {
    address: Address,
    tls: Arc<rustls::ClientConfig>,
    state: watch::Sender<State>,
    /// The number of the last connection that proved to be no good.
    broken: watch::Sender<(u64, Failure)>,
}

#[derive(Clone)]
enum State {
    Up { number: u64, connection: MultiplexedConnection },
    Down(Failure),
}

/// Moves bytes of a connection; the connection is gone when it ends.
type Driver = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Redis {
    /// A server that is not connected to yet. It is believed if its certificate is by a public authority or one of those
    /// of the PEM text.
    pub fn new(address: Address, extra_roots: Option<&[u8]>) -> Result<Self, HttpError> {
        let mut tls = tls(extra_roots)?;
        tls.alpn_protocols.clear();
        Ok(Self {
            address,
            tls: Arc::new(tls),
            state: watch::Sender::new(State::Down(Failure::NotYet)),
            broken: watch::Sender::new((0, Failure::NotYet)),
        })
    }

    /// Connects once, to see whether the server is there and lets soit in.
    pub async fn check(&self) -> Result<(), Failure> {
        match self.dial().await {
            // One that was greeted in TLS waits for the end of a line: its own language tells it from one that hangs.
            Err(Failure::Silent) if self.address.is_tls() => {
                let plain = timeout(CONNECT, stream::speaks_plainly(&self.address)).await;
                Err(if plain == Ok(true) { Failure::Tls } else { Failure::Silent })
            }
            dialed => dialed.map(drop),
        }
    }

    /// Keeps a connection up for as long as it is polled.
    pub async fn keep(&self) {
        let (mut number, mut pause) = (0, FIRST_PAUSE);
        loop {
            let failure = match self.dial().await {
                Ok((connection, driver)) => {
                    number += 1;
                    pause = FIRST_PAUSE;
                    self.state.send_replace(State::Up { number, connection: connection.clone() });
                    tracing::info!("redis is connected");
                    let failure = self.hold(number, connection, driver).await;
                    tracing::warn!(%failure, "redis is lost");
                    failure
                }
                Err(failure) => failure,
            };
            if self.state().err() != Some(failure) {
                tracing::debug!(%failure, "redis is not connected");
            }
            self.state.send_replace(State::Down(failure));
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Whether it is connected, or why not.
    pub fn state(&self) -> Result<(), Failure> {
        match &*self.state.borrow() {
            State::Up { .. } => Ok(()),
            State::Down(failure) => Err(*failure),
        }
    }

    /// Resolves when it is connected.
    pub(super) async fn connected(&self) {
        // The sender is our own: waiting does not fail.
        let _ = self.state.subscribe().wait_for(|state| matches!(state, State::Up { .. })).await;
    }

    /// Sends a command and gives its answer.
    pub(super) async fn ask<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, Failure> {
        let (number, mut connection) = self.connection()?;
        let answered = timeout(PATIENCE, command.query_async(&mut connection)).await;
        self.judge(number, answered.unwrap_or_else(|_| Err(silence())))
    }

    /// Sends commands whose answers do not matter.
    pub(super) async fn tell(&self, commands: &Pipeline) -> Result<(), Failure> {
        let (number, mut connection) = self.connection()?;
        let answered = timeout(PATIENCE, commands.exec_async(&mut connection)).await;
        self.judge(number, answered.unwrap_or_else(|_| Err(silence())))
    }

    /// Another connection, to listen on.
    pub(super) async fn subscribe(&self) -> Result<PubSub, Failure> {
        let opening = async {
            let wire = stream::open(&self.address, &self.tls).await?;
            PubSub::new(&self.address.settings, wire).await.map_err(|error| Failure::of(&error))
        };
        timeout(CONNECT, opening).await.unwrap_or(Err(Failure::Silent))
    }

    fn connection(&self) -> Result<(u64, MultiplexedConnection), Failure> {
        match &*self.state.borrow() {
            State::Up { number, connection } => Ok((*number, connection.clone())),
            State::Down(failure) => Err(*failure),
        }
    }

    /// A connection that is no good is given up by whoever notices first.
    fn judge<T>(&self, number: u64, answered: Result<T, RedisError>) -> Result<T, Failure> {
        answered.map_err(|error| {
            let failure = Failure::of(&error);
            if failure.breaks() {
                self.broken.send_replace((number, failure));
            }
            failure
        })
    }

    /// Connects, signs in, and asks a first question.
    async fn dial(&self) -> Result<(MultiplexedConnection, Driver), Failure> {
        let dialing = async {
            let wire = stream::open(&self.address, &self.tls).await?;
            // Time is measured here, not in the library.
            let config = AsyncConnectionConfig::new().set_connection_timeout(None).set_response_timeout(None);
            let opened = MultiplexedConnection::new_with_config(&self.address.settings, wire, config).await;
            let (mut connection, driver) = opened.map_err(|error| Failure::of(&error))?;
            let mut driver: Driver = Box::pin(driver);
            let pong = tokio::select! {
                () = &mut driver => Err(Failure::Unreachable),
                pong = ping(&mut connection) => pong,
            };
            pong.map(|()| (connection, driver))
        };
        timeout(CONNECT, dialing).await.unwrap_or(Err(Failure::Silent))
    }

    /// Until the connection is no good any more, and why.
    async fn hold(&self, number: u64, mut connection: MultiplexedConnection, driver: Driver) -> Failure {
        let looking = async {
            loop {
                sleep(LOOK).await;
                match timeout(PATIENCE, ping(&mut connection)).await {
                    Ok(Ok(())) => {}
                    Ok(Err(failure)) => return failure,
                    Err(_) => return Failure::Silent,
                }
            }
        };
        let mut broken = self.broken.subscribe();
        let noticed = async {
            let noticed = broken.wait_for(|(last, _)| *last == number).await;
            noticed.map_or(Failure::Unreachable, |noticed| noticed.1)
        };
        tokio::select! {
            () = driver => Failure::Unreachable,
            failure = looking => failure,
            failure = noticed => failure,
        }
    }
}

async fn ping(connection: &mut impl ConnectionLike) -> Result<(), Failure> {
    redis::cmd("PING").exec_async(connection).await.map_err(|error| Failure::of(&error))
}

fn silence() -> RedisError {
    std::io::Error::from(std::io::ErrorKind::TimedOut).into()
}

impl std::fmt::Debug for Redis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redis").field("state", &self.state()).finish_non_exhaustive()
    }
}
