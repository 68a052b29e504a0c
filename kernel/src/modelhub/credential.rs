//! The write-only credential of a provider account: sealed on arrival, released to that account alone.

use types::id::{ProviderId, SecretId};

use crate::check::Checks;
use crate::context::Scope;
use crate::error::{Error, Result};
use crate::port::{Sealer, Snapshot};
use crate::record::Secret;
use crate::secret::SecretString;

/// Fewest and most bytes of a secret.
const SIZE: std::ops::RangeInclusive<usize> = 8..=65_536;

/// Notes a credential that no header could carry. The message never shows it.
pub(super) fn check(credential: Option<&SecretString>, checks: &mut Checks) {
    let Some(text) = credential.map(SecretString::expose) else { return };
    checks.require(SIZE.contains(&text.len()), "credential", "must have 8 bytes to 64 KiB");
    let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
    checks.require(visible, "credential", "must hold visible ASCII characters only, without blanks and line breaks");
}

/// The first value of an account's secret.
pub(super) fn create(
    sealer: &dyn Sealer,
    scope: Scope,
    id: SecretId,
    provider_id: ProviderId,
    value: &SecretString,
) -> Result<Secret> {
    let sealed = sealer.seal(scope, id, 1, value).map_err(Error::internal)?;
    let name = provider_id.to_string();
    let released_to = Some(provider_id);
    Ok(Secret { id, scope, name, sealed, value_version: 1, released_to, version: 1 })
}

/// The next value of an account's secret.
pub(super) fn replace(sealer: &dyn Sealer, present: &Secret, value: &SecretString) -> Result<Secret> {
    let value_version = present.value_version + 1;
    let sealed = sealer.seal(present.scope, present.id, value_version, value).map_err(Error::internal)?;
    Ok(Secret { sealed, value_version, version: present.version + 1, ..present.clone() })
}

/// The secret without a value, released to nobody: what remains when its account goes.
pub(super) fn erase(sealer: &dyn Sealer, present: &Secret) -> Result<Secret> {
    let erased = replace(sealer, present, &SecretString::new(String::new()))?;
    Ok(Secret { released_to: None, ..erased })
}

/// The account's secret, if it has one.
pub(super) fn find(snapshot: &Snapshot, id: Option<SecretId>) -> Option<&Secret> {
    id.and_then(|id| snapshot.secrets.iter().find(|secret| secret.id == id))
}
