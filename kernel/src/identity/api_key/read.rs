//! Reading keys: developers and viewers see their own.

use chrono::{DateTime, Utc};
use types::id::ApiKeyId;
use types::key::{self, KeyStatus};

use super::owner::owner;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::policy::guard::{Extent, Owner, authorize_own, authorize_rows};
use crate::record::ApiKey;

impl Identity {
    /// The keys one may see, newest first, revoked and expired ones included.
    pub async fn list_keys(&self, ctx: &OpContext) -> Result<Vec<key::ApiKey>> {
        let extent = authorize_rows(ctx, "api_key.list")?;
        let keys = self.ports.directory.list_keys(ctx.scope).await?;
        let principals = match extent {
            Extent::Own if keys.iter().any(|key| key.principal_id.is_some()) => {
                self.ports.subjects.list_principals(ctx.scope).await?
            }
            Extent::Own | Extent::All => Vec::new(),
        };
        let visible = keys.iter().filter(|key| extent == Extent::All || owner(key, &principals).is(ctx));
        Ok(visible.map(|key| view(key, ctx.now)).collect())
    }

    /// One key.
    pub async fn find_key(&self, ctx: &OpContext, id: ApiKeyId) -> Result<key::ApiKey> {
        Ok(view(&self.visible_key(ctx, id).await?.0, ctx.now))
    }

    /// A key the caller may see, and whose it is.
    pub(in crate::identity) async fn visible_key(&self, ctx: &OpContext, id: ApiKeyId) -> Result<(ApiKey, Owner)> {
        authorize_rows(ctx, "api_key.read")?;
        let key = self.ports.directory.find_key_by_id(ctx.scope, id).await?.ok_or_else(Error::not_found)?;
        let owner = self.owner_of(ctx, &key).await?;
        authorize_own(ctx, "api_key.read", owner)?;
        Ok((key, owner))
    }
}

/// A key as the outside sees it.
pub(super) fn view(key: &ApiKey, now: DateTime<Utc>) -> key::ApiKey {
    let status = match key.revoked_at {
        Some(_) => KeyStatus::Revoked,
        None if now >= key.expires_at => KeyStatus::Expired,
        None => KeyStatus::Active,
    };
    let networks = |list: &Vec<ipnet::IpNet>| list.iter().map(ToString::to_string).collect();
    key::ApiKey {
        id: key.id,
        name: key.name.clone(),
        hint: key.hint.clone(),
        status,
        scopes: key.scopes.clone(),
        created_by: key.created_by,
        principal_id: key.principal_id,
        created_at: key.created_at,
        expires_at: key.expires_at,
        revoked_at: key.revoked_at,
        last_used_at: key.last_used_at,
        last_used_address: key.last_used_address.clone(),
        rate_limit_per_minute: key.rate_limit_per_minute,
        daily_request_quota: key.daily_request_quota,
        daily_token_quota: key.daily_token_quota,
        ip_allowlist: key.ip_allowlist.as_ref().map(networks),
        allowed_models: key.allowed_models.clone(),
        allowed_tools: key.allowed_tools.as_ref().map(|list| list.iter().cloned().collect()),
        content_capture: key.content_capture,
        labels: key.labels.clone(),
        version: key.version,
    }
}
