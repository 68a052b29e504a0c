//! `kill -9` at random points under load: nothing is left running, every call the upstream answered has exactly one
//! cost row, no hold is left, and the budget's counter is the sum of the rows.

use std::time::Duration;

use testkit::database::TestDatabase;

use crate::util::books::{Stage, load, shared};
use crate::util::process::Soit;

const KILLS: usize = 50;
const CALLERS: usize = 12;

/// `within`: how soon after the last restart nothing that died may be left running.
async fn nothing_is_lost(settings: &[(&str, &str)], within: Duration) {
    let mut soit = Soit::new(settings);
    soit.start().await;
    let stage = Stage::new(&soit).await;
    for kill in 0..KILLS {
        let key = soit.admin().await.with_token(&stage.key);
        let callers =
            (0..CALLERS).map(|caller| load(key.clone(), format!("m{kill}-{caller}"), std::sync::Arc::default()));
        // The moment of the kill differs from round to round and falls between any two of the calls' commits.
        let moment = Duration::from_millis(40 + u64::try_from(kill * 37 % 311).expect("small"));
        tokio::join!(futures::future::join_all(callers), async {
            tokio::time::sleep(moment).await;
            // A slow machine gets the time it needs: killing nothing but starts proves nothing.
            for _ in 0..2_000 {
                if stage.provider.answered().len() >= kill * 6 {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            soit.kill().await;
        });
        soit.start().await;
    }
    stage.check(&soit.admin().await, within).await;
    let answered = stage.provider.answered().len();
    assert!(answered > KILLS * 5, "too few calls to prove anything: {answered}");
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_9_under_load_loses_nothing_on_sqlite() {
    nothing_is_lost(&[], Duration::from_secs(10)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_9_under_load_loses_nothing_on_postgres() {
    let database = TestDatabase::postgres().await;
    nothing_is_lost(&shared(database.url()), Duration::from_secs(40)).await;
}
