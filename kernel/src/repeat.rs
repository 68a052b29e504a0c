//! Recognising a form that was sent before: the id of what it makes follows from who sends what from which page load.
//!
//! So a repeat finds what the first one made, also after a restart and on another process, and no claim is kept anywhere.
//! The same page sent with other values is another wish and makes another thing.

use serde::Serialize;
use sha2::{Digest, Sha256};
use types::id::Uuid;

use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::port::Ids;

/// The random bits of a UUIDv7; the others are its time, version and variant.
const RANDOM_BITS: u128 = (0xFFF << 64) | ((1 << 62) - 1);

impl OpContext {
    /// The id of what a command makes: fresh, unless it comes from a form; then the same for the same command.
    pub(crate) fn new_id<Id: From<Uuid>>(
        &self,
        ids: &dyn Ids,
        action: &'static str,
        command: &impl Serialize,
    ) -> Result<Id> {
        let Some(form_key) = self.form_key else { return Ok(ids.uuid().into()) };
        let wish = (form_key, self.caller().id, self.scope.workspace_id, action, command);
        let digest: [u8; 32] = Sha256::digest(serde_json::to_vec(&wish).map_err(Error::internal)?).into();
        let [digest, _] = digest.as_chunks::<16>().0 else { return Ok(ids.uuid().into()) };
        let bits = form_key.as_uuid().as_u128() & !RANDOM_BITS | u128::from_be_bytes(*digest) & RANDOM_BITS;
        Ok(Uuid::from_u128(bits).into())
    }
}
