//! Unknown credentials: who guesses too often must wait, before any query is spent.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use types::problem::Code;

use super::client::neighbourhood;
use crate::error::{Error, Result};

const MAX_FAILURES: u32 = 30;
const WINDOW: TimeDelta = TimeDelta::minutes(1);
/// Addresses remembered at once.
const CAPACITY: usize = 10_000;

/// Failures of this process, by address.
#[derive(Debug, Default)]
pub(super) struct Strangers(Mutex<HashMap<IpAddr, Failures>>);

#[derive(Debug)]
struct Failures {
    count: u32,
    since: DateTime<Utc>,
}

impl Strangers {
    /// Refuses an address with too many failures in its present minute.
    pub(super) fn check(&self, address: Option<IpAddr>, now: DateTime<Utc>) -> Result<()> {
        let Some(address) = address.map(neighbourhood) else {
            return Ok(());
        };
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match known.get(&address) {
            Some(failures) if failures.count > MAX_FAILURES && now - failures.since < WINDOW => {
                Err(Error::new(Code::AuthThrottled, "too many wrong credentials from this address, wait and try again")
                    .with_retry_at(failures.since + WINDOW, now))
            }
            _ => Ok(()),
        }
    }

    /// Counts a failure.
    pub(super) fn count(&self, address: Option<IpAddr>, now: DateTime<Utc>) {
        let Some(address) = address.map(neighbourhood) else {
            return;
        };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= CAPACITY && !known.contains_key(&address) {
            known.retain(|_, failures| now - failures.since < WINDOW);
            if known.len() >= CAPACITY {
                known.clear();
            }
        }
        let failures = known.entry(address).or_insert(Failures { count: 0, since: now });
        if now - failures.since >= WINDOW {
            *failures = Failures { count: 0, since: now };
        }
        failures.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thirty_first_failure_of_a_minute_closes_the_door_for_its_network() {
        let strangers = Strangers::default();
        let start: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().unwrap();
        let guesser = |host: u16| Some(IpAddr::from([0x2001, 0xdb8, 1, 2, 0, 0, 0, host]));
        for host in 0..31 {
            assert!(strangers.check(guesser(host), start).is_ok());
            strangers.count(guesser(host), start);
        }
        let refused = strangers.check(guesser(99), start + TimeDelta::seconds(20)).unwrap_err();
        assert_eq!((refused.code(), refused.retry_after()), (Code::AuthThrottled, Some(40)));
        assert!(strangers.check(Some(IpAddr::from([0x2001, 0xdb8, 1, 3, 0, 0, 0, 1])), start).is_ok());
        assert!(strangers.check(guesser(1), start + WINDOW).is_ok());
    }

    #[test]
    fn a_mapped_address_is_the_address_itself() {
        let mapped: IpAddr = "::ffff:192.0.2.1".parse().unwrap();
        assert_eq!(neighbourhood(mapped), IpAddr::from([192, 0, 2, 1]));
    }
}
