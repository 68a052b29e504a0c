//! Measures how far consumers are behind and how many tasks wait, and deletes what was kept long enough: deliveries, mails,
//! claims, questions for a second factor, sign-outs that were told of.

use std::time::Duration;

use kernel::port::StoreError;

use crate::compose::App;

/// Time between two looks at how far consumers are behind and how many tasks wait.
const MEASURE: Duration = Duration::from_secs(10);
/// Time between two clean-ups.
const PRUNE: Duration = Duration::from_secs(3600);
/// Done deliveries are kept this long.
const KEEP_DELIVERIES: Duration = Duration::from_secs(7 * 24 * 3600);
/// Mails are kept this long after their time.
const KEEP_MAILS: Duration = Duration::from_secs(7 * 24 * 3600);
/// What one deletion takes at most; less means that nothing is left.
const A_DELETION: u32 = 1_000;

/// Measures and tidies up until nothing new is to begin.
pub(super) async fn tidy(app: App) {
    let mut pruned_at: Option<Duration> = None;
    loop {
        match app.outbox.lag().await {
            Ok(lags) => app.metrics.outbox.behind(&lags),
            Err(error) => tracing::warn!(%error, "how far consumers are behind cannot be read"),
        }
        match app.stored_tasks.count_ready().await {
            Ok(counts) => app.metrics.tasks.ready(&counts),
            Err(error) => tracing::warn!(%error, "how many tasks wait cannot be read"),
        }
        let now = app.clock.monotonic();
        if pruned_at.is_none_or(|at| now.saturating_sub(at) >= PRUNE) {
            pruned_at = Some(now);
            if let Err(error) = prune(&app).await {
                tracing::warn!(%error, "what was kept long enough cannot be deleted");
            }
        }
        tokio::select! {
            () = app.clock.sleep(MEASURE) => {}
            () = app.shutdown.stopping() => return,
        }
    }
}

/// Deletes everything that is old enough, a part at a time.
async fn prune(app: &App) -> Result<(), StoreError> {
    let goes_on = |deleted: u64| deleted >= u64::from(A_DELETION) && !app.shutdown.is_stopping();
    while goes_on(app.outbox.prune(KEEP_DELIVERIES).await?) {}
    let over = app.clock.now() - KEEP_MAILS;
    while goes_on(app.mails.prune_mails(over, A_DELETION).await?) {}
    while goes_on(app.claims.prune_claims(A_DELETION).await?) {}
    while goes_on(app.second_factors.prune_challenges(A_DELETION).await?) {}
    while goes_on(app.sso.prune_logouts(A_DELETION).await?) {}
    Ok(())
}
