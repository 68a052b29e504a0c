//! The end of a process in three moments, and the signals that begin it.

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Which moment of the end has come. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Shutdown {
    draining: CancellationToken,
    stopping: CancellationToken,
    aborting: CancellationToken,
}

impl Shutdown {
    /// Not ready any more; everything is still served, so that a load balancer can notice.
    pub fn drain(&self) {
        self.draining.cancel();
    }

    /// Nothing new: listeners close, readers of live streams go elsewhere, workers stop claiming.
    pub fn stop(&self) {
        self.drain();
        self.stopping.cancel();
    }

    /// Time is up: what still runs is cut and settled.
    pub fn abort(&self) {
        self.stop();
        self.aborting.cancel();
    }

    /// Whether the end has begun.
    pub fn is_draining(&self) -> bool {
        self.draining.is_cancelled()
    }

    /// Whether nothing new is begun.
    pub fn is_stopping(&self) -> bool {
        self.stopping.is_cancelled()
    }

    /// Resolves when nothing new is to begin.
    pub async fn stopping(&self) {
        self.stopping.cancelled().await;
    }

    /// Resolves when what still runs is to be cut.
    pub async fn aborting(&self) {
        self.aborting.cancelled().await;
    }
}

/// SIGTERM and SIGINT, which both mean the same.
#[derive(Debug)]
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    /// Takes the signals over from the system's default.
    pub fn install() -> std::io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// Resolves with the next signal's name.
    pub async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}
