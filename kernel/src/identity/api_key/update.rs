//! Changing a key's name and limits. Owners of a key may tighten it; loosening takes more. Scopes and subject never change.

use std::sync::Arc;

use serde_json::json;
use types::id::ApiKeyId;
use types::key::{self, UpdateApiKey};
use types::problem::Code;

use super::create::no_wider_than_own;
use super::limits::{Limits, labels, looser_labels, models, networks, tools};
use super::read::view;
use crate::check::{normal_name, same_version};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::ledger::{Audit, Batch, Durability, Op};
use crate::policy::guard::{authorize, authorize_own};
use crate::record::{ApiKey, Row};

impl Identity {
    /// Changes a key that is still at `version`.
    pub async fn update_key(
        &self,
        ctx: &OpContext,
        id: ApiKeyId,
        version: Option<u64>,
        command: &UpdateApiKey,
    ) -> Result<key::ApiKey> {
        let (key, owner) = self.visible_key(ctx, id).await?;
        let before = Limits::of(&key);
        let limits = changed(&before, command)?;
        let labels = command.labels.as_ref().map_or_else(|| Ok(key.labels.clone()), labels)?;
        let is_looser = limits.looser_than(&before).is_some() || looser_labels(&labels, &key.labels);
        let action = if is_looser { "api_key.loosen" } else { "api_key.tighten" };
        let decide = |ctx: &OpContext| match action {
            "api_key.tighten" => authorize_own(ctx, action, owner),
            _ => authorize(ctx, action),
        };
        decide(ctx)?;
        same_version(version, key.version)?;
        limits.check()?;
        self.check_capture(ctx, command.content_capture.flatten()).await?;
        no_wider_than_own(ctx, &key.scopes, &limits)?;
        if key.revoked_at.is_some() {
            return Err(Error::new(Code::InvalidTransition, "the key is revoked, make a new one"));
        }
        let updated = ApiKey {
            name: command.name.as_ref().map_or_else(|| Ok(key.name.clone()), normal_name)?,
            rate_limit_per_minute: limits.rate_limit_per_minute,
            daily_request_quota: limits.daily_request_quota,
            daily_token_quota: limits.daily_token_quota,
            ip_allowlist: limits.ip_allowlist,
            allowed_models: limits.allowed_models,
            allowed_tools: limits.allowed_tools,
            content_capture: limits.content_capture,
            labels,
            version: key.version + 1,
            ..key.clone()
        };
        let item = view(&updated, ctx.now);
        let audit = Audit::done(ctx, &*self.ports.ids, "key.updated", action, ("api_key", id))
            .with_payload(json!({ "before": view(&key, ctx.now), "after": item }));
        let batch = Batch::opening(ctx.scope, Durability::Power).with([
            Op::RowPut(Arc::new(Row::ApiKey(updated))),
            audit.into(),
            Op::EpochRaise(ctx.scope.tenant_id),
        ]);
        self.commit(ctx, batch, decide).await?;
        Ok(item)
    }
}

fn changed(before: &Limits, command: &UpdateApiKey) -> Result<Limits> {
    let ip_allowlist = match &command.ip_allowlist {
        None => before.ip_allowlist.clone(),
        Some(list) => list.as_deref().map(networks).transpose()?,
    };
    let allowed_models = match &command.allowed_models {
        None => before.allowed_models.clone(),
        Some(list) => list.as_deref().map(models).transpose()?,
    };
    let allowed_tools = match &command.allowed_tools {
        None => before.allowed_tools.clone(),
        Some(list) => list.as_deref().map(tools).transpose()?,
    };
    Ok(Limits {
        rate_limit_per_minute: command.rate_limit_per_minute.unwrap_or(before.rate_limit_per_minute),
        daily_request_quota: command.daily_request_quota.unwrap_or(before.daily_request_quota),
        daily_token_quota: command.daily_token_quota.unwrap_or(before.daily_token_quota),
        ip_allowlist,
        allowed_models,
        allowed_tools,
        content_capture: command.content_capture.unwrap_or(before.content_capture),
    })
}
