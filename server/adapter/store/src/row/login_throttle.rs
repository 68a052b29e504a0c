//! `login_throttles`

use entity::login_throttle::{ActiveModel, Model};
use kernel::record::LoginThrottle;
use sea_orm::ActiveValue::{NotSet, Set};

use super::{count, number, small};

pub(crate) fn active(throttle: &LoginThrottle) -> ActiveModel {
    ActiveModel {
        key: Set(throttle.key.clone()),
        failures: Set(i64::from(throttle.failures)),
        window_start: Set(throttle.window_start),
        blocked_until: Set(throttle.blocked_until),
        version: Set(number(throttle.version)),
        created_at: NotSet,
    }
}

pub(crate) fn record(row: Model) -> LoginThrottle {
    LoginThrottle {
        key: row.key,
        failures: small(row.failures),
        window_start: row.window_start,
        blocked_until: row.blocked_until,
        version: count(row.version),
    }
}
