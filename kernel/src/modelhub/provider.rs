//! Provider accounts: made, changed, archived.

use serde_json::{Value, json};
use types::id::ProviderId;
use types::modelhub::{CreateProvider, Provider, ProviderKind, ProviderStatus, UpdateProvider};
use types::name::Slug;
use types::problem::Code;

use super::{ModelHub, credential};
use crate::change::Change;
use crate::check::{Checks, normal_name, same_version};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::gateway::BUILTIN_SLUG;
use crate::policy::egress::Target;
use crate::policy::guard;
use crate::port::Snapshot;
use crate::record::Row;
use crate::secret::SecretString;

/// Calls at once, where the account says nothing.
const DEFAULT_CONCURRENCY: u32 = 256;
/// Own retries of a call, where the account says nothing.
const DEFAULT_RETRIES: u32 = 2;

impl ModelHub {
    /// The workspace's accounts, oldest first.
    pub async fn list_providers(&self, ctx: &OpContext) -> Result<Vec<Provider>> {
        guard::authorize(ctx, "provider.list")?;
        Ok(self.ports.editor.read(ctx).await?.providers.clone())
    }

    /// One account.
    pub async fn find_provider(&self, ctx: &OpContext, id: ProviderId) -> Result<Provider> {
        guard::authorize(ctx, "provider.read")?;
        find(&*self.ports.editor.read(ctx).await?, id).cloned()
    }

    /// Makes an account. Letting its calls out is another act: see [`ModelHub::find_egress_offer`].
    pub async fn create_provider(&self, ctx: &OpContext, mut command: CreateProvider) -> Result<Provider> {
        guard::authorize(ctx, "provider.create")?;
        self.refuse_soit(Some(&command.base_url)).await?;
        let id = ctx.new_id(self.ports.editor.ids(), "provider.create", &command)?;
        let value = command.credential.take().map(SecretString::new);
        let decide = |snapshot: &Snapshot| match find(snapshot, id) {
            Ok(made) => Ok(Change::none(made.clone())),
            Err(_) => self.make_provider(ctx, id, &command, value.as_ref()),
        };
        self.ports.editor.change(ctx, "provider.create", decide).await
    }

    /// Changes an account that is still at the version the caller has seen.
    pub async fn update_provider(
        &self,
        ctx: &OpContext,
        id: ProviderId,
        version: Option<u64>,
        mut command: UpdateProvider,
    ) -> Result<Provider> {
        guard::authorize(ctx, "provider.update")?;
        self.refuse_soit(command.base_url.as_deref()).await?;
        let wish = credential::Wish::from(command.credential.take());
        let decide = |snapshot: &Snapshot| {
            let present = find(snapshot, id)?;
            self.change_provider(ctx, snapshot, present, version, &command, &wish)
        };
        self.ports.editor.change(ctx, "provider.update", decide).await
    }

    /// Archives an account none of whose models is enabled, and erases its credential.
    pub async fn delete_provider(&self, ctx: &OpContext, id: ProviderId) -> Result<()> {
        let decide = |snapshot: &Snapshot| self.archive_provider(ctx, snapshot, find(snapshot, id)?);
        self.ports.editor.change(ctx, "provider.delete", decide).await
    }

    fn make_provider(
        &self,
        ctx: &OpContext,
        id: ProviderId,
        command: &CreateProvider,
        value: Option<&SecretString>,
    ) -> Result<Change<Provider>> {
        let mut checks = Checks::default();
        let kind = command.kind;
        checks.require(kind != ProviderKind::Test, "kind", "`test` is built in, its models need no account");
        check_slug(&command.slug, &mut checks);
        let base_url = base_url(&command.base_url, &mut checks);
        check_options(command.max_concurrency, command.max_retries, command.timeout_ms, &mut checks);
        credential::check(value, &mut checks);
        checks.done()?;
        let secret = value
            .map(|value| {
                credential::create(&*self.ports.sealer, ctx.scope, self.ports.editor.ids().secret(), id, value)
            })
            .transpose()?;
        let provider = Provider {
            id,
            name: normal_name(&command.name)?,
            slug: command.slug.clone(),
            kind,
            base_url,
            secret_id: secret.as_ref().map(|secret| secret.id),
            status: ProviderStatus::Active,
            max_concurrency: command.max_concurrency.unwrap_or(DEFAULT_CONCURRENCY),
            max_retries: command.max_retries.unwrap_or(DEFAULT_RETRIES),
            timeout_ms: command.timeout_ms,
            version: 1,
            created_at: ctx.now,
        };
        let payload = json!({ "after": facts(&provider), "credential_set": value.is_some() });
        let change = Change::new("provider.created", id, payload, provider.clone());
        let change = change.row(Row::Provider { scope: ctx.scope, provider, archived: false });
        Ok(secret.into_iter().fold(change, |change, secret| change.row(Row::Secret(secret))))
    }

    fn change_provider(
        &self,
        ctx: &OpContext,
        snapshot: &Snapshot,
        present: &Provider,
        version: Option<u64>,
        command: &UpdateProvider,
        wish: &credential::Wish,
    ) -> Result<Change<Provider>> {
        let mut checks = Checks::default();
        let base_url = command.base_url.as_deref().map(|raw| base_url(raw, &mut checks));
        check_options(command.max_concurrency, command.max_retries, command.timeout_ms, &mut checks);
        credential::check(wish.value(), &mut checks);
        let base_url = base_url.unwrap_or_else(|| present.base_url.clone());
        // Who may change an account may not read its credential, so they may not send it to another place either.
        let is_kept = present.secret_id.is_some() && matches!(wish, credential::Wish::Keep);
        let stays = !is_kept || origin(&base_url) == origin(&present.base_url);
        checks.require(stays, "credential", "give the credential again, because the base URL moves to another host");
        checks.done()?;
        let mut provider = Provider {
            name: command.name.as_ref().map(normal_name).transpose()?.unwrap_or_else(|| present.name.clone()),
            base_url,
            status: command.status.unwrap_or(present.status),
            max_concurrency: command.max_concurrency.unwrap_or(present.max_concurrency),
            max_retries: command.max_retries.unwrap_or(present.max_retries),
            timeout_ms: command.timeout_ms.or(present.timeout_ms),
            version: present.version + 1,
            ..present.clone()
        };
        let (before, after) = (facts(present), facts(&provider));
        let (sealer, secret) = (&*self.ports.sealer, credential::find(snapshot, present.id));
        if !wish.is_met(sealer, secret) {
            same_version(version, present.version)?;
        } else if !ctx.must_change(version, present.version, &before, &after)? {
            return Ok(Change::none(present.clone()));
        }
        let secret = match (wish, secret) {
            (credential::Wish::Set(value), Some(secret)) => {
                Some(credential::replace(sealer, secret, present.id, value)?)
            }
            (credential::Wish::Set(value), None) => {
                let id = self.ports.editor.ids().secret();
                Some(credential::create(sealer, ctx.scope, id, present.id, value)?)
            }
            (credential::Wish::Remove, Some(secret)) => Some(credential::erase(sealer, secret)?),
            (credential::Wish::Remove, None) | (credential::Wish::Keep, _) => None,
        };
        provider.secret_id = match wish {
            credential::Wish::Keep => present.secret_id,
            credential::Wish::Set(_) => secret.as_ref().map(|secret| secret.id),
            credential::Wish::Remove => None,
        };
        let payload = json!({
            "before": before,
            "after": after,
            "credential_set": matches!(wish, credential::Wish::Set(_)),
            "credential_removed": matches!(wish, credential::Wish::Remove),
        });
        let change = Change::new("provider.updated", present.id, payload, provider.clone());
        let change = change.row(Row::Provider { scope: ctx.scope, provider, archived: false });
        Ok(secret.into_iter().fold(change, |change, secret| change.row(Row::Secret(secret))))
    }

    fn archive_provider(&self, ctx: &OpContext, snapshot: &Snapshot, present: &Provider) -> Result<Change<()>> {
        let enabled = snapshot.models.iter().filter(|model| model.provider_id == present.id && model.enabled).count();
        if enabled > 0 {
            let detail = format!("{enabled} of its models are enabled, disable them first");
            return Err(Error::new(Code::InUse, detail));
        }
        let provider = Provider { status: ProviderStatus::Disabled, version: present.version + 1, ..present.clone() };
        let change = Change::new("provider.deleted", present.id, json!({ "before": facts(present) }), ());
        let change = change.row(Row::Provider { scope: ctx.scope, provider, archived: true });
        match credential::find(snapshot, present.id) {
            Some(secret) => Ok(change.row(Row::Secret(credential::erase(&*self.ports.sealer, secret)?))),
            None => Ok(change),
        }
    }
}

/// The account, or nothing where another workspace has it.
pub(super) fn find(snapshot: &Snapshot, id: ProviderId) -> Result<&Provider> {
    snapshot.providers.iter().find(|provider| provider.id == id).ok_or_else(Error::not_found)
}

fn check_slug(slug: &Slug, checks: &mut Checks) {
    checks.require(slug.as_str() != BUILTIN_SLUG, "slug", "`test` names the built-in models, choose another");
}

fn check_options(max_concurrency: Option<u32>, max_retries: Option<u32>, timeout_ms: Option<u64>, checks: &mut Checks) {
    checks.within(max_concurrency, 1, 10_000, "max_concurrency");
    checks.within(max_retries, 0, 5, "max_retries");
    checks.within(timeout_ms, 1_000, 1_800_000, "timeout_ms");
}

/// The base URL as it is kept: judged as a target, without query, fragment and trailing slash.
fn base_url(raw: &str, checks: &mut Checks) -> String {
    match Target::parse(raw) {
        Ok(target) => {
            let bare = target.url().query().is_none() && !raw.contains('#');
            checks.require(bare, "base_url", "must have neither query nor fragment");
            target.url().as_str().trim_end_matches('/').to_owned()
        }
        Err(error) => {
            checks.require(false, "base_url", error.detail());
            String::new()
        }
    }
}

fn origin(base_url: &str) -> Option<String> {
    Target::parse(base_url).ok().map(|target| target.origin())
}

/// What the audit says of an account.
fn facts(provider: &Provider) -> Value {
    json!({
        "name": provider.name,
        "slug": provider.slug,
        "kind": provider.kind,
        "base_url": provider.base_url,
        "status": provider.status,
        "max_concurrency": provider.max_concurrency,
        "max_retries": provider.max_retries,
        "timeout_ms": provider.timeout_ms,
    })
}
