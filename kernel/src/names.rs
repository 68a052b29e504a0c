//! The names behind the ids of members, keys and service principals, as far as a reader may know them.

use std::collections::BTreeMap;

use crate::context::OpContext;
use crate::error::Result;
use crate::policy::guard::{self, Extent};
use crate::port::{Directory, Named, NamedIds};

/// Names by id, by one question to the store; a service principal's is followed by the name of who answers for it. What the
/// reader may not know, or is gone, is left out.
pub(crate) async fn names(
    ctx: &OpContext,
    directory: &dyn Directory,
    wanted: &NamedIds,
) -> Result<BTreeMap<String, String>> {
    guard::authorize(ctx, "member.list")?;
    guard::authorize(ctx, "service_principal.list")?;
    let extent = guard::authorize_rows(ctx, "api_key.list")?;
    if wanted.is_empty() {
        return Ok(BTreeMap::new());
    }
    let told = |named: Named| match named {
        Named::User(id, name) => Some((id.to_string(), name.to_string())),
        Named::Key { id, name, owner_id } => {
            let is_visible = extent == Extent::All || ctx.user_id == Some(owner_id);
            is_visible.then(|| (id.to_string(), name.to_string()))
        }
        Named::Principal { id, name, owner } => Some((id.to_string(), format!("{name} ({owner})"))),
    };
    Ok(directory.list_names(ctx.scope, wanted).await?.into_iter().filter_map(told).collect())
}
