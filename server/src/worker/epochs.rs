//! Keeps up with the epochs that other processes raise.

use std::time::Duration;

use crate::compose::App;

/// How often the store is asked when nobody tells.
const ASK_EVERY: Duration = Duration::from_millis(500);

/// Asks until nothing new is to begin.
pub(super) async fn ask(app: App) {
    loop {
        app.identity.ask_epochs().await;
        tokio::select! {
            () = app.clock.sleep(ASK_EVERY) => {}
            () = app.bells.epochs.notified() => {}
            () = app.shutdown.stopping() => return,
        }
    }
}
