//! Prices: immutable rows, dated ahead or now, never back.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use types::id::PriceId;
use types::modelhub::{Capability, CreatePrice, Model, Price, PriceResolution, Pricing};
use types::money::Rate;
use types::problem::Code;
use types::run::UsageClass;

use super::ModelHub;
use crate::change::Change;
use crate::check::Checks;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::gateway;
use crate::policy::guard;
use crate::port::Snapshot;
use crate::record::Row;

/// Refs of built-in models that can only embed.
const BUILT_IN_EMBEDDING: &str = "model:test:embed-";

impl ModelHub {
    /// The workspace's prices, newest `valid_from` first.
    pub async fn list_prices(&self, ctx: &OpContext) -> Result<Vec<Price>> {
        guard::authorize(ctx, "price.read")?;
        Ok(self.ports.editor.read(ctx).await?.prices.clone())
    }

    /// Which price a call of a model would have at a moment, default now, and why.
    pub async fn resolve_price(
        &self,
        ctx: &OpContext,
        model_ref: &str,
        at: Option<DateTime<Utc>>,
    ) -> Result<PriceResolution> {
        guard::authorize(ctx, "price.read")?;
        let snapshot = self.ports.editor.read(ctx).await?;
        let at = at.unwrap_or(ctx.now);
        let price = gateway::resolve_price(&snapshot.prices, model_ref, at).cloned();
        let reason = match &price {
            None => "pricing_not_configured",
            Some(price) if price.match_ref == model_ref => "exact",
            Some(_) => "prefix",
        };
        Ok(PriceResolution { model_ref: model_ref.to_owned(), at, price, reason: reason.to_owned() })
    }

    /// Makes a price.
    pub async fn create_price(&self, ctx: &OpContext, command: CreatePrice) -> Result<Price> {
        let id = ctx.new_id(self.ports.editor.ids(), "price.create", &command)?;
        let decide = |snapshot: &Snapshot| {
            if let Some(made) = snapshot.prices.iter().find(|price| price.id == id) {
                return Ok(Change::none(made.clone()));
            }
            let price = create(id, snapshot, &command, ctx.now)?;
            let change = Change::new("price.created", price.id, json!({ "after": facts(&price) }), price.clone());
            Ok(change.row(Row::Price(ctx.scope, price)))
        };
        self.ports.editor.change(ctx, "price.create", decide).await
    }
}

fn create(id: PriceId, snapshot: &Snapshot, command: &CreatePrice, now: DateTime<Utc>) -> Result<Price> {
    let mut checks = Checks::default();
    check_match(&command.match_ref, &mut checks);
    checks.text(&command.note, 0, 200, "note");
    checks.currency(command.currency, "currency");
    check_rates(&command.rates, only_embeds(snapshot, &command.match_ref), "rates", &mut checks);
    checks.done()?;
    let valid_from = command.valid_from.unwrap_or(now);
    if valid_from < now {
        let error =
            Error::new(Code::PriceBackdated, "a price counts from now or later, what was called is priced already");
        return Err(error.with_field("valid_from", "must not lie in the past"));
    }
    Ok(Price {
        id,
        match_ref: command.match_ref.clone(),
        currency: command.currency,
        rates: command.rates.clone(),
        valid_from,
        note: command.note.clone(),
        created_at: now,
    })
}

/// The price that a model's `pricing` makes: of exactly this model, from now.
pub(super) fn of_model(id: PriceId, model: &Model, pricing: &Pricing, now: DateTime<Utc>) -> Result<Price> {
    let mut checks = Checks::default();
    checks.currency(pricing.currency, "pricing.currency");
    check_rates(&pricing.rates, !model.capabilities.contains(&Capability::Chat), "pricing.rates", &mut checks);
    checks.done()?;
    Ok(Price {
        id,
        match_ref: model.model_ref.clone(),
        currency: pricing.currency,
        rates: pricing.rates.clone(),
        valid_from: now,
        note: String::new(),
        created_at: now,
    })
}

/// What the audit says of a price.
pub(super) fn facts(price: &Price) -> Value {
    json!({
        "match_ref": price.match_ref,
        "currency": price.currency,
        "rates": price.rates,
        "valid_from": price.valid_from,
    })
}

/// `model:{account slug}:{model id}`, or a beginning of it and `*`.
fn check_match(match_ref: &str, checks: &mut Checks) {
    checks.text(match_ref, 0, 256, "match_ref");
    let exact = match_ref.strip_suffix('*').unwrap_or(match_ref);
    let is_prefix = exact.len() < match_ref.len();
    let rest = exact.strip_prefix("model:");
    let whole =
        rest.is_some_and(|rest| rest.split_once(':').is_some_and(|(slug, id)| !slug.is_empty() && !id.is_empty()));
    let holds = rest.is_some() && (is_prefix || whole) && !exact.contains('*');
    checks.require(
        holds,
        "match_ref",
        "must be a model ref like `model:openai:gpt-4o`, or its beginning followed by `*`",
    );
}

fn check_rates(rates: &BTreeMap<UsageClass, Rate>, only_embeds: bool, field: &str, checks: &mut Checks) {
    checks.require(rates.contains_key(&UsageClass::Input), format!("{field}.input"), "is needed, `\"0\"` means free");
    let output = only_embeds || rates.contains_key(&UsageClass::Output);
    checks.require(output, format!("{field}.output"), "is needed for chat, `\"0\"` means free");
}

/// Whether every model known to match can only embed, and there is one.
fn only_embeds(snapshot: &Snapshot, match_ref: &str) -> bool {
    let prefix = match_ref.strip_suffix('*');
    let mut matching = snapshot.models.iter().filter(|model| match prefix {
        Some(prefix) => model.model_ref.starts_with(prefix),
        None => model.model_ref == match_ref,
    });
    let known =
        matching.clone().next().is_some() && matching.all(|model| !model.capabilities.contains(&Capability::Chat));
    known || match_ref.starts_with(BUILT_IN_EMBEDDING)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(match_ref: &str) -> bool {
        let mut checks = Checks::default();
        check_match(match_ref, &mut checks);
        checks.done().is_err()
    }

    #[test]
    fn a_match_is_a_whole_ref_or_its_beginning() {
        for good in [
            "model:openai:gpt-4o",
            "model:openai:gpt-4*",
            "model:openai:*",
            "model:*",
            "model:test:echo",
            "model:a:b:c/d",
        ] {
            assert!(!wrong(good), "{good}");
        }
        for bad in [
            "",
            "*",
            "model:",
            "model:openai",
            "model:openai:",
            "model::x",
            "vmodel:x",
            "model:a:b*c",
            "model:a:*x*",
            "model:a: b ",
        ] {
            assert!(wrong(bad), "{bad}");
        }
    }

    #[test]
    fn chat_needs_both_rates_and_embeddings_one() {
        let fields = |classes: &[UsageClass], only_embeds| {
            let rate = Rate::from_nanos(1).expect("not negative");
            let mut checks = Checks::default();
            check_rates(&classes.iter().map(|class| (*class, rate)).collect(), only_embeds, "rates", &mut checks);
            let errors = checks.done().map_or_else(|error| error.problem().errors, |()| Vec::new());
            errors.into_iter().map(|error| error.field).collect::<Vec<_>>()
        };
        assert!(fields(&[UsageClass::Input, UsageClass::Output], false).is_empty());
        assert!(fields(&[UsageClass::Input], true).is_empty());
        assert_eq!(fields(&[UsageClass::Input], false), ["rates.output"]);
        assert_eq!(fields(&[], true), ["rates.input"]);
    }
}
