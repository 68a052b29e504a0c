//! API keys, with what binds and uses them.

use app::backend::keys::{KeyView, LimitState, Reveal};
use app::backend::{Answer, Keys, List};
use async_trait::async_trait;
use kernel::OpContext;
use kernel::identity::Issued;
use kernel::ledger::CounterKey;
use types::budget::{Budget, BudgetStatus, ScopeKind};
use types::id::{ApiKeyId, FormKey, UserId};
use types::key::{ApiKey, CreateApiKey, RotateApiKey};
use types::money::Money;
use types::name::Slug;
use types::page::Page;

use super::{Visitor, newest_first};

#[async_trait]
impl Keys for Visitor {
    async fn list_keys(&self, workspace: &Slug, after: Option<String>) -> Answer<List<KeyView>> {
        let listed = async {
            let ctx = self.enter(workspace).await?;
            let keys = newest_first(self.app.identity.list_keys(&ctx).await?, after)?;
            let items = self.key_views(&ctx, &keys.page.items).await?;
            let page = Page { items, next_cursor: keys.page.next_cursor };
            Ok(List { page, total: keys.total, cursor_refused: keys.cursor_refused })
        };
        self.answer(listed.await)
    }

    async fn list_key_names(&self, workspace: &Slug) -> Answer<Vec<(ApiKeyId, String)>> {
        let listed = async {
            let keys = self.app.identity.list_keys(&self.enter(workspace).await?).await?;
            Ok(keys.into_iter().map(|key| (key.id, key.name.to_string())).collect())
        };
        self.answer(listed.await)
    }

    async fn find_key(&self, workspace: &Slug, id: ApiKeyId) -> Answer<KeyView> {
        let found = async {
            let ctx = self.enter(workspace).await?;
            let key = self.app.identity.find_key(&ctx, id).await?;
            self.key_views(&ctx, &[key]).await?.pop().ok_or_else(kernel::Error::not_found)
        };
        self.answer(found.await)
    }

    async fn create_key(&self, workspace: &Slug, form_key: Option<FormKey>, command: CreateApiKey) -> Answer<ApiKey> {
        let created = async {
            let ctx = self.enter_with(workspace, form_key).await?;
            Ok(self.keep_reveal(&ctx, self.app.identity.create_key(&ctx, &command).await?))
        };
        self.answer(created.await)
    }

    async fn rotate_key(
        &self,
        workspace: &Slug,
        form_key: Option<FormKey>,
        id: ApiKeyId,
        command: RotateApiKey,
    ) -> Answer<ApiKey> {
        let rotated = async {
            let ctx = self.enter_with(workspace, form_key).await?;
            Ok(self.keep_reveal(&ctx, self.app.identity.rotate_key(&ctx, id, &command).await?))
        };
        self.answer(rotated.await)
    }

    async fn revoke_key(&self, workspace: &Slug, id: ApiKeyId) -> Answer<ApiKey> {
        self.answer(async { self.app.identity.revoke_key(&self.enter(workspace).await?, id).await }.await)
    }

    async fn take_reveal(&self, workspace: &Slug, id: ApiKeyId) -> Answer<Reveal> {
        let taken = async {
            let ctx = self.enter(workspace).await?;
            Ok(self.reveal(&ctx, id.as_uuid()))
        };
        self.answer(taken.await)
    }
}

impl Visitor {
    async fn key_views(&self, ctx: &OpContext, keys: &[ApiKey]) -> kernel::Result<Vec<KeyView>> {
        let issuers = self.app.identity.list_issuers(ctx, keys).await?;
        let budgets = self.budget_views(ctx, self.app.budgets.list_budgets(ctx).await?).await?;
        let used = self.used_today(ctx, keys).await?;
        let spent = self.app.budgets.list_key_spend(ctx, keys).await?;
        let principals = match keys.iter().any(|key| key.principal_id.is_some()) {
            true => self.app.identity.list_principals(ctx).await?,
            false => Vec::new(),
        };
        let principal = |key: &ApiKey| principals.iter().find(|own| key.principal_id == Some(own.id));
        let view = |((key, used), spent): ((&ApiKey, [u64; 2]), Vec<Money>)| KeyView {
            principal: principal(key).map(|own| own.name.to_string()),
            issuer: issuers.iter().find(|(id, _)| *id == key.created_by).map(|(_, name)| name.to_string()),
            spent,
            limits: limits(key, used),
            budgets: budgets
                .iter()
                .filter(|view| binds(&view.budget, key, principal(key).map_or(key.created_by, |own| own.owner_user_id)))
                .cloned()
                .collect(),
            key: key.clone(),
        };
        Ok(keys.iter().zip(used).zip(spent).map(view).collect())
    }

    /// Requests and tokens of each key on this UTC day.
    async fn used_today(&self, ctx: &OpContext, keys: &[ApiKey]) -> kernel::Result<Vec<[u64; 2]>> {
        let counted =
            |key: &ApiKey| [CounterKey::key_requests(key.id, ctx.now), CounterKey::key_tokens(key.id, ctx.now)];
        let wanted: Vec<CounterKey> = keys.iter().flat_map(counted).collect();
        let counters = self.app.runs.counters(ctx.scope, &wanted).await?;
        let values = counters.iter().map(|counter| u64::try_from(counter.value).unwrap_or_default());
        let values: Vec<u64> = values.collect();
        Ok(values.as_chunks::<2>().0.to_vec())
    }

    /// Keeps the secret of a new key for the page that shows it, and gives back the key.
    fn keep_reveal(&self, ctx: &OpContext, issued: Issued) -> ApiKey {
        self.keep_secret(ctx, issued.item.id.as_uuid(), issued.secret);
        issued.item
    }
}

/// The limits of a key that count something a day.
fn limits(key: &ApiKey, [requests, tokens]: [u64; 2]) -> Vec<LimitState> {
    let state =
        |name: &str, limit: Option<u64>, used| limit.map(|limit| LimitState { name: name.to_owned(), limit, used });
    let states = [
        state("requests_per_day", key.daily_request_quota, requests),
        state("tokens_per_day", key.daily_token_quota, tokens),
    ];
    states.into_iter().flatten().collect()
}

/// Whether a budget binds a key for which `answerable` answers.
fn binds(budget: &Budget, key: &ApiKey, answerable: UserId) -> bool {
    let names = |id: String| budget.scope_id.as_deref() == Some(id.as_str());
    let in_scope = match budget.scope_kind {
        ScopeKind::Workspace => true,
        ScopeKind::ApiKey => names(key.id.to_string()),
        ScopeKind::User => names(answerable.to_string()),
    };
    budget.status == BudgetStatus::Active && in_scope
}
