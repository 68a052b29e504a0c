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

/// What becomes of an account's credential.
#[derive(Debug)]
pub(super) enum Wish {
    /// It stays as it is.
    Keep,
    /// It gets this value.
    Set(SecretString),
    /// The account has none any more.
    Remove,
}

impl Wish {
    /// Whether an account's secret is as it is asked for already.
    pub(super) fn is_met(&self, sealer: &dyn Sealer, present: Option<&Secret>) -> bool {
        let released = present.filter(|secret| secret.released_to.is_some());
        match self {
            Self::Keep => true,
            Self::Remove => released.is_none(),
            Self::Set(value) => released.is_some_and(|secret| {
                sealer.holds(secret.scope, secret.id, secret.value_version, &secret.sealed, value)
            }),
        }
    }

    /// The new value, if there is one.
    pub(super) fn value(&self) -> Option<&SecretString> {
        match self {
            Self::Set(value) => Some(value),
            Self::Keep | Self::Remove => None,
        }
    }
}

impl From<Option<Option<String>>> for Wish {
    fn from(member: Option<Option<String>>) -> Self {
        match member {
            None => Self::Keep,
            Some(None) => Self::Remove,
            Some(Some(value)) => Self::Set(SecretString::new(value)),
        }
    }
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

/// The next value of an account's secret, also of one that was erased.
pub(super) fn replace(
    sealer: &dyn Sealer,
    present: &Secret,
    provider_id: ProviderId,
    value: &SecretString,
) -> Result<Secret> {
    next(sealer, present, Some(provider_id), value)
}

/// The secret without a value, released to nobody: what remains when its account, or the account's need of it, goes.
pub(super) fn erase(sealer: &dyn Sealer, present: &Secret) -> Result<Secret> {
    next(sealer, present, None, &SecretString::new(String::new()))
}

fn next(
    sealer: &dyn Sealer,
    present: &Secret,
    released_to: Option<ProviderId>,
    value: &SecretString,
) -> Result<Secret> {
    let value_version = present.value_version + 1;
    let sealed = sealer.seal(present.scope, present.id, value_version, value).map_err(Error::internal)?;
    Ok(Secret { sealed, value_version, released_to, version: present.version + 1, ..present.clone() })
}

/// The account's secret, with or without a value. An account never has a second one.
pub(super) fn find(snapshot: &Snapshot, provider_id: ProviderId) -> Option<&Secret> {
    let name = provider_id.to_string();
    snapshot.secrets.iter().find(|secret| secret.name == name)
}
