//! Who made a run, by name where one is known.

use std::collections::BTreeMap;

use types::run::{CallerKind, Run};

use super::short_id;

/// The key that was used, and the service principal that acted with it; else the caller.
pub(crate) fn caller(run: &Run, names: &BTreeMap<String, String>) -> String {
    let name = |id: &str| names.get(id).cloned().unwrap_or_else(|| short_id(id));
    let caller = name(&run.caller.id);
    match run.api_key_id.map(|key| name(&key.to_string())) {
        Some(key) if run.caller.kind == CallerKind::ServicePrincipal => format!("{key} · {caller}"),
        Some(key) => key,
        None => caller,
    }
}
