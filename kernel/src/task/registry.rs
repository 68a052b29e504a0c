//! Every type of task that this version does.

use super::scrub::CONTENT_SCRUB;

/// After so many attempts a task is given up.
pub const MAX_ATTEMPTS: u32 = 5;

/// The types, each done by a [`TaskWork`](super::TaskWork) of that name. A name is kept with every task: never changed.
pub const TYPES: &[&str] = &[CONTENT_SCRUB];

/// Whether this version does tasks of a type; another one may have left them.
pub fn is_known(task_type: &str) -> bool {
    TYPES.contains(&task_type)
}
