//! What a key's own lists let through, whatever the role allows.

use types::problem::Code;

use crate::context::OpContext;
use crate::error::{Error, Result};

/// Whether the caller's key may call a tool; who asks without a key is held to no list. Lists hold refs as they are written,
/// so an alias of a tool is another entry.
pub fn check_tool(ctx: &OpContext, tool_ref: &str) -> Result<()> {
    let list = ctx.api_key().and_then(|key| key.allowed_tools.as_ref());
    if list.is_none_or(|list| list.contains(tool_ref)) {
        return Ok(());
    }
    let detail = format!("the key may not call the tool `{tool_ref}`, use one that is on its list");
    Err(Error::new(Code::ToolNotAllowed, detail))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use chrono::{DateTime, Utc};
    use types::id::{RequestId, Uuid};

    use super::*;
    use crate::context::{Credential, Scope};
    use crate::record::ApiKey;

    fn with_key(tools: Option<&[&str]>) -> OpContext {
        let now = DateTime::<Utc>::UNIX_EPOCH;
        let list = tools.map(|tools| tools.iter().map(|tool| (*tool).to_owned()).collect());
        let key = ApiKey {
            id: types::id::ApiKeyId::from_uuid(Uuid::nil()),
            scope: Scope::INSTANCE,
            name: "key".parse().unwrap(),
            hint: String::new(),
            scopes: Vec::new(),
            created_by: types::id::UserId::from_uuid(Uuid::nil()),
            created_at: now,
            expires_at: now,
            revoked_at: None,
            last_used_at: None,
            last_used_address: None,
            rate_limit_per_minute: None,
            daily_request_quota: None,
            daily_token_quota: None,
            ip_allowlist: None,
            allowed_models: None,
            allowed_tools: list,
            content_capture: None,
            labels: std::collections::BTreeMap::new(),
            principal_id: None,
            version: 1,
        };
        let system = OpContext::system("test", Scope::INSTANCE, RequestId::from_uuid(Uuid::nil()), now);
        OpContext { credential: Credential::ApiKey(Arc::new(key)), ..system }
    }

    #[test]
    fn no_list_is_no_limit_and_an_empty_one_allows_nothing() {
        let code =
            |tools: Option<&[&str]>, tool: &str| check_tool(&with_key(tools), tool).map_err(|error| error.code());
        assert_eq!(code(None, "tool:http:search"), Ok(()));
        assert_eq!(code(Some(&[]), "tool:http:search"), Err(Code::ToolNotAllowed));
        assert_eq!(code(Some(&["tool:http:search"]), "tool:http:search"), Ok(()));
        assert_eq!(code(Some(&["tool:http:search"]), "tool:http:Search"), Err(Code::ToolNotAllowed));
        assert_eq!(code(Some(&["tool:http:search"]), "tool:mcp:search"), Err(Code::ToolNotAllowed));
    }

    #[test]
    fn who_asks_without_a_key_is_held_to_no_list() {
        let session = OpContext {
            credential: Credential::Session(types::id::SessionId::from_uuid(Uuid::nil())),
            ..with_key(Some(&[]))
        };
        assert!(check_tool(&session, "tool:http:search").is_ok());
    }
}
