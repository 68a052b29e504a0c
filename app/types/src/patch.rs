//! Members of a change: absent means as before, null means none any more.

use serde::{Deserialize, Deserializer};

/// Tells a null from an absent member.
pub(crate) fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
