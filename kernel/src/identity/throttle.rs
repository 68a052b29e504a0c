//! Failed sign-ins, counted in rows that all processes share: by account and by address; and wrong codes of a second factor.
//!
//! An account unknown to soit is counted like a known one. A failure is counted after its hash was compared, so a burst may try
//! as many passwords more as the hasher admits at once. Rows name what they count by a keyed hash only.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use types::id::UserId;
use types::problem::Code;

use super::client::neighbourhood;
use super::{Client, Email, Identity, Settings, delta};
use crate::context::Scope;
use crate::error::{Error, Result};
use crate::ledger::{Batch, Durability, LedgerError, Op, Refusal};
use crate::record::{LoginThrottle, Row};

/// A delay doubles no further: by then it is above any that can be set.
const DOUBLINGS: u32 = 30;
/// How often a row that others write too is tried again.
const RETRIES: usize = 10;

/// Wrong codes of a person in a window, from which on they wait for the next, whatever they sign in to.
const WRONG_CODES: u32 = 10;

/// What is counted: an account, or an account as seen from a browser that knows it, and an address; a person's wrong codes.
#[derive(Clone, Copy)]
enum Counted {
    Account,
    Address,
    Code,
}

impl Counted {
    /// Until when nothing is tried after so many failures.
    fn blocked_until(
        self,
        settings: &Settings,
        failures: u32,
        window_start: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Option<DateTime<Utc>> {
        match self {
            Self::Account => {
                let over = failures.checked_sub(settings.login_account_failures)?;
                let delay = TimeDelta::seconds(1_i64 << over.min(DOUBLINGS));
                Some(now + delay.min(delta(settings.login_max_delay)))
            }
            Self::Address => {
                (failures >= settings.login_address_failures).then(|| window_start + delta(settings.login_window))
            }
            Self::Code => (failures >= WRONG_CODES).then(|| window_start + delta(settings.login_window)),
        }
    }
}

/// The row after one more failure.
fn count(
    settings: &Settings,
    counted: Counted,
    key: &str,
    before: Option<LoginThrottle>,
    now: DateTime<Utc>,
) -> LoginThrottle {
    let version = before.as_ref().map_or(0, |row| row.version) + 1;
    let current = before.filter(|row| now - row.window_start < delta(settings.login_window));
    let (failures, window_start) = current.map_or((1, now), |row| (row.failures + 1, row.window_start));
    let blocked_until = counted.blocked_until(settings, failures, window_start, now);
    LoginThrottle { key: key.to_owned(), failures, window_start, blocked_until, version }
}

/// The wrong codes of a person so far.
pub(super) struct CodeFailures {
    key: String,
    row: Option<LoginThrottle>,
}

impl CodeFailures {
    /// The row after one more.
    pub(super) fn one_more(self, settings: &Settings, now: DateTime<Utc>) -> LoginThrottle {
        count(settings, Counted::Code, &self.key, self.row, now)
    }
}

impl Identity {
    /// The wrong codes of a person; refused while they must wait.
    pub(super) async fn code_failures(&self, user_id: UserId, now: DateTime<Utc>) -> Result<CodeFailures> {
        let hash = self.ports.sealer.sign("login-throttle", &[b"code", user_id.as_uuid().as_bytes()]);
        let key: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        let row = self.ports.directory.find_throttle(&key).await?;
        if let Some(until) = row.as_ref().and_then(|row| row.blocked_until).filter(|until| now < *until) {
            let error = Error::new(Code::LoginThrottled, "too many wrong codes, wait and try again");
            return Err(error.with_retry_at(until, now));
        }
        Ok(CodeFailures { key, row })
    }

    /// The rows a sign-in counts on.
    fn throttle_keys(&self, client: &Client, email: &Email) -> Vec<(Counted, String)> {
        let key = |counted: Counted, parts: &[&str]| {
            let parts: Vec<&[u8]> = parts.iter().map(|part| part.as_bytes()).collect();
            let hash = self.ports.sealer.sign("login-throttle", &parts);
            (counted, hash.iter().map(|byte| format!("{byte:02x}")).collect())
        };
        let account = match client.device.as_deref().filter(|mark| self.is_known_device(email, mark)) {
            Some(mark) => key(Counted::Account, &["device", mark]),
            None => key(Counted::Account, &["account", email.key()]),
        };
        let address = client.address.map(|address| neighbourhood(address).to_string());
        let address = address.map(|address| key(Counted::Address, &["address", &address]));
        [account].into_iter().chain(address).collect()
    }

    /// Refuses a sign-in that must wait, without hashing anything.
    pub(super) async fn check_throttle(&self, client: &Client, email: &Email) -> Result<()> {
        let now = self.ports.clock.now();
        for (_, key) in self.throttle_keys(client, email) {
            let row = self.ports.directory.find_throttle(&key).await?;
            if let Some(until) = row.and_then(|row| row.blocked_until).filter(|until| now < *until) {
                let error = Error::new(Code::LoginThrottled, "too many failed sign-ins, wait and try again");
                return Err(error.with_retry_at(until, now));
            }
        }
        Ok(())
    }

    /// Counts a failed sign-in, with its audit rows, in one batch. `audit` is told whether this failure blocks further ones.
    pub(super) async fn count_failure(
        &self,
        client: &Client,
        email: &Email,
        scope: Scope,
        audit: impl Fn(bool) -> Vec<Op> + Send + Sync,
    ) -> Result<()> {
        for _ in 0..RETRIES {
            let now = self.ports.clock.now();
            let mut batch = Batch::opening(scope, Durability::Power);
            let mut blocks = false;
            for (counted, key) in self.throttle_keys(client, email) {
                let before = self.ports.directory.find_throttle(&key).await?;
                let row = count(&self.settings, counted, &key, before, now);
                blocks |= row.blocked_until.is_some();
                batch.push(Op::RowPut(Arc::new(Row::LoginThrottle(row))));
            }
            match self.ports.ledger.commit(batch.with(audit(blocks))).await {
                Err(LedgerError::Refused(Refusal::Version { .. })) => {}
                outcome => return outcome.map(|_| ()).map_err(Error::from),
            }
        }
        Err(Error::new(Code::Busy, "too many sign-ins of this account at once, try again").with_retry_after(1))
    }

    /// What forgets the failures of an account that has just signed in.
    pub(super) async fn forgive(&self, client: &Client, email: &Email) -> Result<Option<Op>> {
        let keys = self.throttle_keys(client, email);
        let Some((_, key)) = keys.iter().find(|(counted, _)| matches!(counted, Counted::Account)) else {
            return Ok(None);
        };
        let row = self.ports.directory.find_throttle(key).await?.filter(|row| row.failures > 0);
        Ok(row.map(|row| {
            let clean = LoginThrottle { failures: 0, blocked_until: None, version: row.version + 1, ..row };
            Op::RowPut(Arc::new(Row::LoginThrottle(clean)))
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failures(counted: Counted, times: usize, now: DateTime<Utc>) -> LoginThrottle {
        let settings = Settings::default();
        let row = (0..times).fold(None, |row, _| Some(count(&settings, counted, "k", row, now)));
        row.expect("at least one failure")
    }

    #[test]
    fn the_fifth_failure_of_an_account_costs_a_second_and_each_further_one_twice_as_long() {
        let now: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().unwrap();
        let delay =
            |times| failures(Counted::Account, times, now).blocked_until.map(|until| (until - now).num_seconds());
        assert_eq!(delay(4), None);
        assert_eq!([5, 6, 7, 14, 15, 100].map(delay), [1, 2, 4, 512, 900, 900].map(Some));
    }

    #[test]
    fn the_twentieth_failure_of_an_address_closes_its_window() {
        let now: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().unwrap();
        assert_eq!(failures(Counted::Address, 19, now).blocked_until, None);
        let row = failures(Counted::Address, 20, now);
        let end = now + TimeDelta::minutes(15);
        assert_eq!(row.blocked_until, Some(end));
        let next = count(&Settings::default(), Counted::Address, "k", Some(row), end);
        assert_eq!((next.failures, next.blocked_until, next.version), (1, None, 21));
    }

    #[test]
    fn the_settings_say_how_often_and_how_long() {
        let now: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().unwrap();
        let settings = Settings {
            login_account_failures: 2,
            login_address_failures: 3,
            login_window: std::time::Duration::from_secs(60),
            login_max_delay: std::time::Duration::from_secs(3),
            ..Settings::default()
        };
        let blocked = |counted: Counted, failures| {
            let until = counted.blocked_until(&settings, failures, now, now);
            until.map(|until| (until - now).num_seconds())
        };
        assert_eq!(
            [1, 2, 3, 4, 99].map(|failures| blocked(Counted::Account, failures)),
            [None, Some(1), Some(2), Some(3), Some(3)]
        );
        assert_eq!([2, 3].map(|failures| blocked(Counted::Address, failures)), [None, Some(60)]);
    }
}
