//! Fresh ids and random bytes from the system.

use kernel::port::Ids;
use rand::TryRng;
use rand::rngs::SysRng;
use types::id::Uuid;

/// UUIDv7, growing within the process, and the system's secure source.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemIds;

impl Ids for SystemIds {
    #[expect(clippy::disallowed_methods, reason = "this is the port's implementation")]
    fn uuid(&self) -> Uuid {
        Uuid::now_v7()
    }

    #[expect(clippy::expect_used, reason = "without randomness nothing soit promises holds")]
    fn random(&self, buffer: &mut [u8]) {
        SysRng.try_fill_bytes(buffer).expect("the system has randomness");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_grow_even_within_a_millisecond() {
        let ids: Vec<Uuid> = (0..1000).map(|_| SystemIds.uuid()).collect();
        assert!(ids.is_sorted());
    }
}
