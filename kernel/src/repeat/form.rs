//! Recognising a form that was sent before: the id of what it makes follows from who sends what from which page load.
//!
//! So a repeat finds what the first one made, also after a restart and on another process, and no claim is kept anywhere.
//! The same page sent with other values is another wish and makes another thing. A form that changes something is known by
//! what it finds: everything as it asks for already.

use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use types::id::Uuid;
use types::problem::Code;
use types::run::Entry;

use crate::check::same_version;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::port::Ids;

/// The random bits of a UUIDv7; the others are its time, version and variant.
pub(super) const RANDOM_BITS: u128 = (0xFFF << 64) | ((1 << 62) - 1);

impl OpContext {
    /// Whether a change of what the caller saw at `seen` is still to be made. One that would change something must have
    /// seen the present version. A form that finds everything as it asks for was sent before, and is told so as well
    /// (RFC 9110, 13.1.1); scripts of the API, which can read again, are told that their version is gone.
    pub(crate) fn must_change(&self, seen: Option<u64>, present: u64, before: &Value, after: &Value) -> Result<bool> {
        match same_version(seen, present) {
            Err(error)
                if error.code() == Code::PreconditionFailed && self.entry == Entry::Console && before == after =>
            {
                Ok(false)
            }
            checked => checked.map(|()| true),
        }
    }

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
