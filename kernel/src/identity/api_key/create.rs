//! Making a key.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::TimeDelta;
use serde_json::json;
use types::id::ApiKeyId;
use types::identity::Scope as Reach;
use types::key::{self, CreateApiKey};
use types::problem::Code;
use types::run::Capture;

use super::issue::Issued;
use super::limits::{Limits, labels, models, networks, tools};
use super::owner::{ISSUE, check_may_issue, check_not_lowered};
use super::read::view;
use crate::check::normal_name;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::{Identity, TokenKind, token};
use crate::ledger::{Audit, Batch, Durability, Op};
use crate::policy::guard::{authorize, authorize_rows};
use crate::record::{ApiKey, KeySecret, Row};

const DEFAULT_DAYS: u32 = 90;

impl Identity {
    /// Makes a key for the caller, or for a service principal they name; its secret is shown this once.
    pub async fn create_key(&self, ctx: &OpContext, command: &CreateApiKey) -> Result<Issued> {
        let scopes = scopes(&command.scopes)?;
        authorize_rows(ctx, "api_key.create")?;
        let principal = match command.principal_id {
            // Before it is said whether there is such a one.
            Some(id) if ctx.principal.is_none_or(|own| own.id != id) => {
                authorize(ctx, ISSUE)?;
                self.subject_of(ctx, Some(id)).await?
            }
            named => self.subject_of(ctx, named).await?,
        };
        let decide = |ctx: &OpContext| {
            authorize_rows(ctx, "api_key.create")?;
            check_not_lowered(ctx, principal.is_some())?;
            principal.as_ref().map_or(Ok(()), |principal| check_may_issue(ctx, principal))?;
            if scopes.contains(&Reach::Admin) { authorize(ctx, "api_key.create_admin_scope") } else { Ok(()) }
        };
        decide(ctx)?;
        let created_by = ctx.answerable().ok_or_else(Error::not_found)?;
        let limits = Limits {
            rate_limit_per_minute: command.rate_limit_per_minute,
            daily_request_quota: command.daily_request_quota,
            daily_token_quota: command.daily_token_quota,
            ip_allowlist: command.ip_allowlist.as_deref().map(networks).transpose()?,
            allowed_models: command.allowed_models.as_deref().map(models).transpose()?,
            allowed_tools: command.allowed_tools.as_deref().map(tools).transpose()?,
            content_capture: command.content_capture,
        };
        limits.check()?;
        self.check_capture(ctx, command.content_capture).await?;
        let labels = own_labels(ctx, labels(command.labels.as_ref().unwrap_or(&BTreeMap::new()))?)?;
        no_wider_than_own(ctx, &scopes, &limits)?;
        let days = self.days(command.expires_in_days)?;

        let id = ctx.new_id(&*self.ports.ids, "api_key.create", command)?;
        if let Some(made) = self.made_before(ctx, id).await? {
            return Ok(Issued::before(made));
        }
        let (token, digest) = token::mint(TokenKind::ApiKey, &*self.ports.ids);
        let key = ApiKey {
            id,
            scope: ctx.scope,
            name: normal_name(&command.name)?,
            hint: token::hint(&token),
            scopes: scopes.clone(),
            created_by,
            created_at: ctx.now,
            expires_at: ctx.now + TimeDelta::days(i64::from(days)),
            revoked_at: None,
            last_used_at: None,
            last_used_address: None,
            rate_limit_per_minute: limits.rate_limit_per_minute,
            daily_request_quota: limits.daily_request_quota,
            daily_token_quota: limits.daily_token_quota,
            ip_allowlist: limits.ip_allowlist,
            allowed_models: limits.allowed_models,
            allowed_tools: limits.allowed_tools,
            content_capture: limits.content_capture,
            labels,
            principal_id: principal.as_ref().map(|principal| principal.id),
            version: 1,
        };
        let secret = KeySecret {
            id: self.ports.ids.key_secret(),
            scope: ctx.scope,
            key_id: key.id,
            digest,
            expires_at: None,
            version: 1,
        };
        let item = view(&key, ctx.now);
        let audit = Audit::done(ctx, &*self.ports.ids, "key.created", "api_key.create", ("api_key", key.id))
            .with_payload(json!({ "after": item }));
        let rows = [Row::ApiKey(key), Row::KeySecret(secret)].map(|row| Op::RowPut(Arc::new(row)));
        let batch = Batch::opening(ctx.scope, Durability::Power).with(rows).with([audit.into()]);
        match self.commit(ctx, batch, decide).await {
            Ok(_) => Ok(Issued::new(item, token)),
            // The same form, sent twice at once: the other one was faster.
            Err(error) => self.made_before(ctx, id).await?.map(Issued::before).ok_or(error),
        }
    }

    /// What the same form has made already.
    async fn made_before(&self, ctx: &OpContext, id: ApiKeyId) -> Result<Option<key::ApiKey>> {
        if ctx.form_key.is_none() {
            return Ok(None);
        }
        Ok(self.ports.directory.find_key_by_id(ctx.scope, id).await?.map(|key| view(&key, ctx.now)))
    }

    /// A key keeps no more than its workspace and tenant.
    pub(super) async fn check_capture(&self, ctx: &OpContext, wanted: Option<Capture>) -> Result<()> {
        let Some(wanted) = wanted else { return Ok(()) };
        let snapshot = self.ports.catalog.snapshot(ctx.scope).await?.ok_or_else(Error::not_found)?;
        if wanted >= snapshot.content_capture() {
            return Ok(());
        }
        let present = snapshot.content_capture();
        Err(Error::invalid("content_capture", format!("keeps more than the workspace, which says `{present}`")))
    }

    fn days(&self, wanted: Option<u32>) -> Result<u32> {
        let max = self.settings.api_key_max_days;
        let days = wanted.unwrap_or(DEFAULT_DAYS.min(max));
        if (1..=max).contains(&days) {
            Ok(days)
        } else {
            Err(Error::invalid("expires_in_days", format!("must be 1 to {max}")))
        }
    }
}

/// Scope words, each once, narrowest first.
fn scopes(given: &[Reach]) -> Result<Vec<Reach>> {
    let mut scopes = given.to_vec();
    scopes.sort_unstable();
    scopes.dedup();
    if scopes.is_empty() {
        return Err(Error::invalid("scopes", "name at least one of `read`, `write`, `admin`"));
    }
    Ok(scopes)
}

/// The labels of a key that is made: those of the key it is made with stay on it.
fn own_labels(ctx: &OpContext, mut labels: BTreeMap<String, String>) -> Result<BTreeMap<String, String>> {
    for (key, value) in ctx.api_key().into_iter().flat_map(|own| &own.labels) {
        match labels.insert(key.clone(), value.clone()) {
            Some(other) if other != *value => {
                return Err(Error::invalid(
                    format!("labels.{key}"),
                    format!("is fixed as `{value}` by the key you use"),
                ));
            }
            _ => {}
        }
    }
    Ok(labels)
}

/// A key made or changed with a key stays within it.
pub(super) fn no_wider_than_own(ctx: &OpContext, scopes: &[Reach], limits: &Limits) -> Result<()> {
    let Some(own) = ctx.api_key() else { return Ok(()) };
    let wider = match scopes.iter().max() {
        Some(widest) if *widest > ctx.reach => Some("scopes"),
        _ => limits.looser_than(&Limits::of(own)),
    };
    match wider {
        None => Ok(()),
        Some(field) => Err(Error::new(Code::ScopeRequired, "a key cannot make a key that may more than itself")
            .with_field(field, "is wider than that of the key you use")),
    }
}
