//! The names behind the ids of members and keys, as far as a reader may know them.

use std::collections::{BTreeMap, BTreeSet};

use types::id::{ApiKeyId, UserId};

use crate::context::OpContext;
use crate::error::Result;
use crate::policy::guard::{self, Extent};
use crate::port::Directory;

/// Names by id. What the reader may not know, or is gone, is left out.
pub(crate) async fn names(
    ctx: &OpContext,
    directory: &dyn Directory,
    members: BTreeSet<UserId>,
    keys: BTreeSet<ApiKeyId>,
) -> Result<BTreeMap<String, String>> {
    guard::authorize(ctx, "member.list")?;
    let extent = guard::authorize_rows(ctx, "api_key.list")?;
    let mut names = BTreeMap::new();
    if !members.is_empty() {
        let users = directory.list_users(&members).await?;
        names.extend(users.into_iter().map(|user| (user.id.to_string(), user.name.to_string())));
    }
    if !keys.is_empty() {
        let mut known = directory.list_keys(ctx.scope).await?;
        known.retain(|key| keys.contains(&key.id) && (extent == Extent::All || ctx.user_id == Some(key.created_by)));
        names.extend(known.into_iter().map(|key| (key.id.to_string(), key.name.to_string())));
    }
    Ok(names)
}
