//! Whether a file of records takes more memory the longer it is.

use std::time::Duration;

use http_body_util::BodyExt;

use crate::peer::Target;
use crate::report::goal;
use crate::soit::Rest;
use crate::wire;

/// The newest records are not handed out yet.
const LATE: Duration = Duration::from_secs(11);
/// Records that are enough.
const ENOUGH: usize = 1_000_000;

/// The row of the table of goals: everything the load left, one kind after the other, again until it is a million records.
pub(crate) async fn goals(page: &mut String, target: &Target) -> Result<(), String> {
    tokio::time::sleep(LATE).await;
    let admin = Rest::signed_in(target.port).await?;
    let credential = format!("Bearer {}", admin.token);
    let before = target.resident_kib().ok_or("no process")?;
    let (mut records, mut most, mut longest) = (0, before, 0);
    while records < ENOUGH {
        for kind in ["runs", "steps", "costs", "run_events", "events"] {
            let mut sender = wire::connect(target.port).await?;
            let path = format!("/api/v1/exports/{kind}?format=jsonl");
            let mut body = wire::open(&mut sender, Some(&credential), &path).await?;
            let mut lines = 0;
            while let Some(frame) = body.frame().await {
                let frame = frame.map_err(|error| format!("{path}: {error}"))?;
                lines += frame.data_ref().map_or(0, |data| data.iter().filter(|byte| **byte == b'\n').count());
                most = most.max(target.resident_kib().unwrap_or_default());
            }
            // The trailer is no record.
            records += lines.saturating_sub(1);
            longest = longest.max(lines.saturating_sub(1));
        }
        if records == 0 {
            return Err("nothing to hand out".to_owned());
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "memory in KiB is far below 2^53")]
    let grown = (most - before) as f64 / 1024.0;
    let asked =
        format!("memory that the export of {records} records adds, the longest file of {longest}: at most 64 MiB");
    goal(page, &asked, Some(grown), " MiB", |grown| grown <= 64.0);
    Ok(())
}
