//! Prices.

use std::collections::BTreeMap;

use types::identity::Role;
use types::modelhub::CreatePrice;
use types::money::{Currency, Rate};
use types::problem::Code;
use types::run::UsageClass;

use super::world::World;

fn price(match_ref: &str) -> CreatePrice {
    let rate = Rate::from_nanos(1_000_000_000).unwrap();
    CreatePrice {
        match_ref: match_ref.to_owned(),
        currency: Currency::USD,
        rates: BTreeMap::from([(UsageClass::Input, rate), (UsageClass::Output, rate)]),
        valid_from: None,
        note: String::new(),
    }
}

#[tokio::test]
async fn a_price_counts_from_now_or_later_and_never_back() {
    let world = World::new();
    let (modelhub, ctx) = (world.modelhub(), world.caller(Role::Admin));
    let now = modelhub.create_price(&ctx, price("model:test:*")).await.unwrap();
    assert_eq!(now.valid_from, ctx.now);
    let hour = chrono::TimeDelta::hours(1);
    let ahead = CreatePrice { valid_from: Some(ctx.now + hour), ..price("model:test:echo") };
    modelhub.create_price(&ctx, ahead).await.unwrap();
    let back = CreatePrice { valid_from: Some(ctx.now - hour), ..price("model:test:echo") };
    let refused = modelhub.create_price(&ctx, back).await.unwrap_err();
    assert_eq!((refused.code(), refused.field()), (Code::PriceBackdated, Some("valid_from")));

    let found = |at| modelhub.resolve_price(&ctx, "model:test:echo", at);
    assert_eq!(found(None).await.unwrap().reason, "prefix");
    assert_eq!(found(Some(ctx.now + hour)).await.unwrap().reason, "exact");
    assert_eq!(found(Some(ctx.now - hour)).await.unwrap().price, None);
}

#[tokio::test]
async fn built_in_embeddings_need_no_output_rate() {
    let world = World::new();
    let (modelhub, ctx) = (world.modelhub(), world.caller(Role::Admin));
    let mut input_only = price("model:test:embed-*");
    input_only.rates.remove(&UsageClass::Output);
    modelhub.create_price(&ctx, input_only.clone()).await.unwrap();
    let chat = CreatePrice { match_ref: "model:test:*".to_owned(), ..input_only };
    assert_eq!(modelhub.create_price(&ctx, chat).await.unwrap_err().field(), Some("rates.output"));
}
