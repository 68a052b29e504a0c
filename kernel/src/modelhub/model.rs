//! Models of provider accounts.

use serde_json::{Value, json};
use types::id::{ModelId, ProviderId};
use types::modelhub::{Capability, CreateModel, Model, Pricing, Tokenizer, UpdateModel};

use super::{ModelHub, price, provider};
use crate::change::Change;
use crate::check::{Checks, same_version};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::policy::guard;
use crate::port::Snapshot;
use crate::record::Row;

/// Most tokens a model may be said to take.
const MOST_TOKENS: u64 = 1_000_000_000;

impl ModelHub {
    /// The models of an account, oldest first.
    pub async fn list_models(&self, ctx: &OpContext, provider_id: ProviderId) -> Result<Vec<Model>> {
        guard::authorize(ctx, "model.list")?;
        let snapshot = self.ports.editor.read(ctx).await?;
        provider::find(&snapshot, provider_id)?;
        Ok(snapshot.models.iter().filter(|model| model.provider_id == provider_id).cloned().collect())
    }

    /// One model, of that account where one is named.
    pub async fn find_model(&self, ctx: &OpContext, provider_id: Option<ProviderId>, id: ModelId) -> Result<Model> {
        guard::authorize(ctx, "model.read")?;
        let snapshot = self.ports.editor.read(ctx).await?;
        let model = find(&snapshot, id)?;
        if provider_id.is_some_and(|account| account != model.provider_id) {
            return Err(Error::not_found());
        }
        Ok(model.clone())
    }

    /// Adds a model to an account, with a price if the command has one.
    pub async fn create_model(&self, ctx: &OpContext, provider_id: ProviderId, command: CreateModel) -> Result<Model> {
        authorize_pricing(ctx, command.pricing.as_ref())?;
        let id = ctx.new_id(self.ports.editor.ids(), "model.create", &(provider_id, &command))?;
        let decide = |snapshot: &Snapshot| match find(snapshot, id) {
            Ok(made) => Ok(Change::none(made.clone())),
            Err(_) => self.make_model(ctx, snapshot, id, provider_id, &command),
        };
        self.ports.editor.change(ctx, "model.create", decide).await
    }

    /// Changes a model that is still at the version the caller has seen; pricing makes a new price beside it.
    pub async fn update_model(
        &self,
        ctx: &OpContext,
        id: ModelId,
        version: Option<u64>,
        command: UpdateModel,
    ) -> Result<Model> {
        authorize_pricing(ctx, command.pricing.as_ref())?;
        let decide = |snapshot: &Snapshot| {
            let present = find(snapshot, id)?;
            self.change_model(ctx, present, version, &command)
        };
        self.ports.editor.change(ctx, "model.update", decide).await
    }

    fn make_model(
        &self,
        ctx: &OpContext,
        snapshot: &Snapshot,
        id: ModelId,
        provider_id: ProviderId,
        command: &CreateModel,
    ) -> Result<Change<Model>> {
        let account = provider::find(snapshot, provider_id)?;
        let model = Model {
            id,
            provider_id,
            model_id: command.model_id.clone(),
            model_ref: format!("model:{}:{}", account.slug, command.model_id),
            display_name: command.display_name.clone().unwrap_or_else(|| command.model_id.clone()),
            capabilities: command.capabilities.clone().unwrap_or_else(default_capabilities),
            context_window: command.context_window,
            max_output_tokens: command.max_output_tokens,
            tokenizer: command.tokenizer.unwrap_or(Tokenizer::Auto),
            enabled: true,
            version: 1,
            created_at: ctx.now,
        };
        self.model_change(ctx, None, model, command.pricing.as_ref())
    }

    fn change_model(
        &self,
        ctx: &OpContext,
        present: &Model,
        version: Option<u64>,
        command: &UpdateModel,
    ) -> Result<Change<Model>> {
        let mut model = Model {
            display_name: command.display_name.clone().unwrap_or_else(|| present.display_name.clone()),
            capabilities: command.capabilities.clone().unwrap_or_else(|| present.capabilities.clone()),
            context_window: command.context_window.or(present.context_window),
            max_output_tokens: command.max_output_tokens.or(present.max_output_tokens),
            tokenizer: command.tokenizer.unwrap_or(present.tokenizer),
            enabled: command.enabled.unwrap_or(present.enabled),
            version: present.version + 1,
            ..present.clone()
        };
        model.capabilities.sort_unstable();
        model.capabilities.dedup();
        // A price is new each time.
        if command.pricing.is_some() {
            same_version(version, present.version)?;
        } else if !ctx.must_change(version, present.version, &facts(present), &facts(&model))? {
            return Ok(Change::none(present.clone()));
        }
        self.model_change(ctx, Some(present), model, command.pricing.as_ref())
    }

    fn model_change(
        &self,
        ctx: &OpContext,
        before: Option<&Model>,
        mut model: Model,
        pricing: Option<&Pricing>,
    ) -> Result<Change<Model>> {
        model.capabilities.sort_unstable();
        model.capabilities.dedup();
        check(&model)?;
        let price = pricing
            .map(|pricing| price::of_model(self.ports.editor.ids().price(), &model, pricing, ctx.now))
            .transpose()?;
        let event_type = if before.is_some() { "model.updated" } else { "model.created" };
        let payload =
            json!({ "before": before.map(facts), "after": facts(&model), "price": price.as_ref().map(price::facts) });
        let change = Change::new(event_type, model.id, payload, model.clone()).row(Row::Model(ctx.scope, model));
        Ok(price.into_iter().fold(change, |change, price| change.row(Row::Price(ctx.scope, price))))
    }
}

fn find(snapshot: &Snapshot, id: ModelId) -> Result<&Model> {
    snapshot.models.iter().find(|model| model.id == id).ok_or_else(Error::not_found)
}

fn authorize_pricing(ctx: &OpContext, pricing: Option<&Pricing>) -> Result<()> {
    pricing.map_or(Ok(()), |_| guard::authorize(ctx, "model.set_price"))
}

fn default_capabilities() -> Vec<Capability> {
    vec![Capability::Chat, Capability::Stream, Capability::Tools]
}

fn check(model: &Model) -> Result<()> {
    let mut checks = Checks::default();
    checks.text(&model.model_id, 1, 200, "model_id");
    checks.text(&model.display_name, 1, 200, "display_name");
    checks.require(!model.capabilities.is_empty(), "capabilities", "must name at least one");
    checks.within(model.context_window, 1, MOST_TOKENS, "context_window");
    checks.within(model.max_output_tokens, 1, MOST_TOKENS, "max_output_tokens");
    let fits = model.max_output_tokens.zip(model.context_window).is_none_or(|(output, window)| output <= window);
    checks.require(fits, "max_output_tokens", "must not be above `context_window`");
    checks.done()
}

/// What the audit says of a model.
fn facts(model: &Model) -> Value {
    json!({
        "model_ref": model.model_ref,
        "display_name": model.display_name,
        "capabilities": model.capabilities,
        "context_window": model.context_window,
        "max_output_tokens": model.max_output_tokens,
        "tokenizer": model.tokenizer,
        "enabled": model.enabled,
    })
}
