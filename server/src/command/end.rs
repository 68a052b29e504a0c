//! The end of a serving process, in order and within its time.

use std::future::Future;
use std::pin::pin;
use std::process::{ExitCode, exit};
use std::time::Duration;

use futures::FutureExt;
use tokio::time::{Instant, timeout, timeout_at};

use crate::compose::App;
use crate::shutdown::Signals;
use crate::task::Tracker;

/// Time kept for settling what is cut, and for closing; less when the whole time is short.
const RESERVE: Duration = Duration::from_secs(5);

/// Serves until a signal comes, then ends. A second signal ends at once: other processes settle what is left.
pub(super) async fn serve_to_the_end<T>(
    app: &App,
    loops: &Tracker,
    serving: impl Future<Output = T>,
    signals: &mut Signals,
) -> ExitCode {
    let mut serving = pin!(serving.map(drop).fuse());
    tokio::select! {
        () = &mut serving => {}
        signal = signals.next() => tracing::info!(signal, "ending"),
    }
    tokio::select! {
        () = end(app, loops, &mut serving) => {
            tracing::info!("ended");
            ExitCode::SUCCESS
        }
        signal = signals.next() => {
            tracing::error!(signal, "ended at once");
            end_at_once()
        }
    }
}

async fn end(app: &App, loops: &Tracker, mut serving: impl Future<Output = ()> + Unpin) {
    let settings = &app.config.shutdown;
    let deadline = Instant::now() + settings.timeout;
    let reserve = RESERVE.min(settings.timeout / 4);
    app.shutdown.drain();
    // Everything is still served while load balancers notice.
    let _ = timeout(settings.drain, &mut serving).await;
    app.shutdown.stop();
    let mut work = pin!(async {
        serving.await;
        app.tasks.wait().await;
    });
    if timeout_at(deadline - reserve, &mut work).await.is_err() {
        tracing::warn!(tasks = app.tasks.running(), "time is up, what still runs is cut");
        app.shutdown.abort();
        let _ = timeout(reserve / 2, &mut work).await;
    }
    app.shutdown.abort();
    let closing = async {
        loops.wait().await;
        app.close().await;
    };
    if timeout_at(deadline, closing).await.is_err() {
        tracing::error!("the store could not be closed in time");
    }
}

/// Ends the process where it stands. Nothing is dropped on the way: a call cut by this end would be settled as one that its
/// client left.
#[expect(
    clippy::disallowed_methods,
    reason = "returning drops the connections, and calls settle when theirs is dropped"
)]
fn end_at_once() -> ! {
    exit(1)
}
