//! How many mails an address gets, and how many somebody may ask for. Rows name both by a keyed hash only.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};

use crate::error::Result;
use crate::identity::client::neighbourhood;
use crate::identity::{Client, Email, Identity};
use crate::ledger::Op;
use crate::record::{LoginThrottle, Row};

/// The time in which they are counted.
const WINDOW: TimeDelta = TimeDelta::hours(1);

impl Identity {
    /// What counts one more mail to an address, asked for by a client; none where either has had enough.
    pub(in crate::identity) async fn count_mail(
        &self,
        client: &Client,
        to: &Email,
        now: DateTime<Utc>,
    ) -> Result<Option<Vec<Op>>> {
        let from = client.address.map(|address| neighbourhood(address).to_string());
        let counted = [
            Some((self.keyed_hash("mail-limit", &["to", to.key()]), self.settings.mails_to_address)),
            from.map(|from| (self.keyed_hash("mail-limit", &["from", &from]), self.settings.login_address_failures)),
        ];
        let mut ops = Vec::new();
        for (key, most) in counted.into_iter().flatten() {
            let before = self.ports.directory.find_throttle(&key).await?;
            let Some(row) = count(key, before, most, now) else { return Ok(None) };
            ops.push(Op::RowPut(Arc::new(Row::LoginThrottle(row))));
        }
        Ok(Some(ops))
    }

    /// A text by which something is known again, and nothing else is known of it.
    pub(in crate::identity) fn keyed_hash(&self, purpose: &'static str, parts: &[&str]) -> String {
        let parts: Vec<&[u8]> = parts.iter().map(|part| part.as_bytes()).collect();
        self.ports.sealer.sign(purpose, &parts).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The row after one more; none beyond the most. Its window starts with the last one: so it never holds more than the most,
/// wherever an hour is laid.
fn count(key: String, before: Option<LoginThrottle>, most: u32, now: DateTime<Utc>) -> Option<LoginThrottle> {
    let version = before.as_ref().map_or(0, |row| row.version) + 1;
    let so_far = before.filter(|row| now - row.window_start < WINDOW).map_or(0, |row| row.failures);
    (so_far < most).then(|| LoginThrottle {
        key,
        failures: so_far + 1,
        window_start: now,
        blocked_until: None,
        version,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_hour_holds_more_than_the_most() {
        let start: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().unwrap();
        let (mut row, mut sent) = (None, Vec::new());
        for minute in (0..600).step_by(7) {
            let now = start + TimeDelta::minutes(minute);
            if let Some(next) = count("k".to_owned(), row.clone(), 3, now) {
                sent.push(minute);
                row = Some(next);
            }
        }
        assert!(sent.len() > 6, "it goes on: {sent:?}");
        for minute in 0..600 {
            assert!(sent.iter().filter(|at| (minute..minute + 60).contains(*at)).count() <= 3, "{minute}: {sent:?}");
        }
    }
}
