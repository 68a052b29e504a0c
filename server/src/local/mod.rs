//! Ports a process fulfils by itself, without a database or a network: time, ids, password hashing, minute limits, live
//! fan-out, its own life. What several processes share lies in adapters.

mod clock;
mod degradable;
mod ids;
mod lifecycle;
mod limits;
mod live;
mod observer;
mod password;
mod pending;

pub use clock::SystemClock;
pub use degradable::{DegradableLimits, Degraded};
pub use ids::SystemIds;
pub use lifecycle::Life;
pub use limits::LocalLimits;
pub use live::LiveHub;
pub use observer::Observer;
pub use password::Argon2Hasher;
pub use pending::{Bells, Pending};
