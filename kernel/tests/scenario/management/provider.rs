//! Provider accounts and their models.

use types::identity::Role;
use types::modelhub::{CreateModel, Pricing, ProviderStatus, UpdateModel, UpdateProvider};
use types::money::{Currency, Rate};
use types::problem::Code;
use types::run::UsageClass;

use super::change::account;
use super::world::World;

fn chat_model(id: &str) -> CreateModel {
    CreateModel {
        model_id: id.to_owned(),
        display_name: None,
        capabilities: None,
        context_window: None,
        max_output_tokens: None,
        pricing: None,
    }
}

#[tokio::test]
async fn a_credential_is_sealed_and_released_to_its_account_only() {
    let world = World::new();
    let command = types::modelhub::CreateProvider { credential: Some("sk-very-secret".to_owned()), ..account("one") };
    let provider = world.modelhub().create_provider(&world.caller(Role::Admin), command).await.unwrap();
    let rows = world.rows();
    let secret = &rows.secrets[&provider.secret_id.unwrap()];
    assert_eq!(secret.released_to, Some(provider.id));
    assert_eq!(secret.sealed.ciphertext, b"terces-yrev-ks");
    assert!(!format!("{:?}", rows.audit).contains("sk-very-secret"));
}

#[tokio::test]
async fn a_credential_is_not_sent_to_another_host() {
    let world = World::new();
    let (modelhub, ctx) = (world.modelhub(), world.caller(Role::Admin));
    let command = types::modelhub::CreateProvider { credential: Some("sk-very-secret".to_owned()), ..account("one") };
    let provider = modelhub.create_provider(&ctx, command).await.unwrap();
    let to = |url: &str| UpdateProvider { base_url: Some(url.to_owned()), ..UpdateProvider::default() };
    let moved = modelhub.update_provider(&ctx, provider.id, Some(1), to("https://evil.test/v1")).await.unwrap_err();
    assert_eq!((moved.code(), moved.field()), (Code::Invalid, Some("credential")));
    modelhub.update_provider(&ctx, provider.id, Some(1), to("https://api.example.test/v2")).await.unwrap();
    let with_new = UpdateProvider { credential: Some("another-secret".to_owned()), ..to("https://other.test/v1") };
    modelhub.update_provider(&ctx, provider.id, Some(2), with_new).await.unwrap();
    let rows = world.rows();
    let secret = &rows.secrets[&provider.secret_id.unwrap()];
    assert_eq!((secret.value_version, secret.version), (2, 2));
}

#[tokio::test]
async fn an_account_goes_when_none_of_its_models_is_enabled() {
    let world = World::new();
    let (modelhub, ctx) = (world.modelhub(), world.caller(Role::Admin));
    let command = types::modelhub::CreateProvider { credential: Some("sk-very-secret".to_owned()), ..account("one") };
    let provider = modelhub.create_provider(&ctx, command).await.unwrap();
    let model = modelhub.create_model(&ctx, provider.id, chat_model("small")).await.unwrap();
    assert_eq!(modelhub.delete_provider(&ctx, provider.id).await.unwrap_err().code(), Code::InUse);
    let off = UpdateModel { enabled: Some(false), ..UpdateModel::default() };
    modelhub.update_model(&ctx, model.id, Some(1), off).await.unwrap();
    modelhub.delete_provider(&ctx, provider.id).await.unwrap();
    assert_eq!(modelhub.find_provider(&ctx, provider.id).await.unwrap_err().code(), Code::NotFound);
    assert_eq!(modelhub.find_model(&ctx, None, model.id).await.unwrap_err().code(), Code::NotFound);
    let rows = world.rows();
    let (kept, archived) = &rows.providers[&provider.id];
    assert_eq!((kept.status, *archived), (ProviderStatus::Disabled, true));
    let secret = &rows.secrets[&provider.secret_id.unwrap()];
    assert_eq!((secret.sealed.ciphertext.len(), secret.released_to), (0, None));
}

#[tokio::test]
async fn wrong_fields_are_named_all_at_once() {
    let world = World::new();
    let command = types::modelhub::CreateProvider {
        kind: types::modelhub::ProviderKind::Test,
        base_url: "ftp://x".to_owned(),
        credential: Some("short".to_owned()),
        max_concurrency: Some(0),
        max_retries: Some(6),
        timeout_ms: Some(1),
        ..account("test")
    };
    let refused = world.modelhub().create_provider(&world.caller(Role::Owner), command).await.unwrap_err();
    let fields: Vec<String> = refused.problem().errors.into_iter().map(|error| error.field).collect();
    let wrong = ["kind", "slug", "base_url", "max_concurrency", "max_retries", "timeout_ms", "credential"];
    assert_eq!(fields, wrong);
}

#[tokio::test]
async fn base_urls_are_kept_without_trailing_slash_query_or_fragment() {
    let world = World::new();
    let (modelhub, ctx) = (world.modelhub(), world.caller(Role::Owner));
    let at = |slug: &str, url: &str| types::modelhub::CreateProvider { base_url: url.to_owned(), ..account(slug) };
    let kept = modelhub.create_provider(&ctx, at("one", "HTTPS://API.Example.test:443/v1/")).await.unwrap();
    assert_eq!(kept.base_url, "https://api.example.test/v1");
    for (slug, url) in
        [("two", "https://a.test/v1?x=1"), ("three", "https://a.test/v1#x"), ("four", "https://u@a.test/v1")]
    {
        let refused = modelhub.create_provider(&ctx, at(slug, url)).await.unwrap_err();
        assert_eq!(refused.field(), Some("base_url"), "{url}");
    }
}

#[tokio::test]
async fn the_pricing_of_a_model_is_a_price_of_its_own() {
    let world = World::new();
    let (modelhub, ctx) = (world.modelhub(), world.caller(Role::Admin));
    let provider = modelhub.create_provider(&ctx, account("one")).await.unwrap();
    let rate = Rate::from_nanos(150_000_000).unwrap();
    let pricing = |classes: &[UsageClass]| Pricing {
        currency: Currency::USD,
        rates: classes.iter().map(|class| (*class, rate)).collect(),
    };
    let half = CreateModel { pricing: Some(pricing(&[UsageClass::Input])), ..chat_model("small") };
    let refused = modelhub.create_model(&ctx, provider.id, half).await.unwrap_err();
    assert_eq!(refused.field(), Some("pricing.rates.output"));
    let whole = CreateModel { pricing: Some(pricing(&[UsageClass::Input, UsageClass::Output])), ..chat_model("small") };
    let model = modelhub.create_model(&ctx, provider.id, whole).await.unwrap();
    let resolved = modelhub.resolve_price(&ctx, &model.model_ref, None).await.unwrap();
    assert_eq!((resolved.reason.as_str(), resolved.price.unwrap().match_ref), ("exact", "model:one:small".to_owned()));
    assert_eq!(modelhub.resolve_price(&ctx, "model:one:other", None).await.unwrap().reason, "pricing_not_configured");
}

#[tokio::test]
async fn the_offer_says_what_is_missing_and_gives_up_on_a_name_that_hangs() {
    let world = World::new();
    let (modelhub, ctx) = (world.modelhub(), world.caller(Role::Admin));
    let at = |slug: &str, url: &str| types::modelhub::CreateProvider { base_url: url.to_owned(), ..account(slug) };
    let inside = modelhub.create_provider(&ctx, at("one", "http://inside.test:8000/v1")).await.unwrap();
    let offer = modelhub.find_egress_offer(&ctx, &inside).await.unwrap().unwrap();
    assert!(!offer.allowed && offer.openable);
    assert_eq!((offer.rule.host.as_str(), offer.rule.ports.as_slice()), ("inside.test", &[8000][..]));
    assert_eq!(offer.private_networks, ["10.0.0.0/8"]);

    world.egress_policies().accept_offer(&ctx, inside.id).await.unwrap();
    assert!(modelhub.find_egress_offer(&ctx, &inside).await.unwrap().unwrap().allowed);

    let hanging = modelhub.create_provider(&ctx, at("two", "https://hanging.test/v1")).await.unwrap();
    let offer = modelhub.find_egress_offer(&ctx, &hanging);
    let ring = async {
        tokio::task::yield_now().await;
        world.ring();
    };
    assert_eq!(tokio::join!(offer, ring).0.unwrap(), None);
}
