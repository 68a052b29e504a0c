//! Provider accounts and their models.

use types::identity::Role;
use types::modelhub::{CreateModel, Pricing, ProviderStatus, UpdateModel, UpdateProvider};
use types::money::{Currency, Rate};
use types::problem::Code;
use types::run::{Entry, UsageClass};

use super::change::account;
use super::world::World;

fn chat_model(id: &str) -> CreateModel {
    CreateModel {
        model_id: id.to_owned(),
        display_name: None,
        capabilities: None,
        context_window: None,
        max_output_tokens: None,
        tokenizer: None,
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
    let with_new =
        UpdateProvider { credential: Some(Some("another-secret".to_owned())), ..to("https://other.test/v1") };
    modelhub.update_provider(&ctx, provider.id, Some(2), with_new).await.unwrap();
    let rows = world.rows();
    let secret = &rows.secrets[&provider.secret_id.unwrap()];
    assert_eq!((secret.value_version, secret.version), (2, 2));
}

#[tokio::test]
async fn a_credential_can_be_taken_away_and_given_again() {
    let world = World::new();
    let (modelhub, ctx) = (world.modelhub(), world.caller(Role::Admin));
    let command = types::modelhub::CreateProvider { credential: Some("sk-very-secret".to_owned()), ..account("one") };
    let made = modelhub.create_provider(&ctx, command).await.unwrap();
    let secret = || world.rows().secrets[&made.secret_id.unwrap()].clone();
    let change = |credential| UpdateProvider { credential, ..UpdateProvider::default() };
    let kept = modelhub.update_provider(&ctx, made.id, Some(1), change(None)).await.unwrap();
    assert_eq!((kept.secret_id, secret().version), (made.secret_id, 1));
    let bare = modelhub.update_provider(&ctx, made.id, Some(2), change(Some(None))).await.unwrap();
    assert_eq!((bare.secret_id, secret().sealed.ciphertext.len(), secret().released_to), (None, 0, None));
    let again = change(Some(Some("another-secret".to_owned())));
    let again = modelhub.update_provider(&ctx, made.id, Some(3), again).await.unwrap();
    assert_eq!(
        (again.secret_id, secret().released_to),
        (made.secret_id, Some(made.id)),
        "the same secret, given again"
    );
    assert_eq!(secret().value_version, 3);
    assert_eq!(world.rows().secrets.len(), 1);
}

#[tokio::test]
async fn a_form_with_a_credential_is_known_when_it_is_sent_again_and_only_with_the_same_one() {
    let world = World::new();
    let (modelhub, api) = (world.modelhub(), world.caller(Role::Admin));
    let form = kernel::OpContext { entry: Entry::Console, ..api.clone() };
    let made = modelhub.create_provider(&api, account("one")).await.unwrap();
    let set = |value: &str| UpdateProvider { credential: Some(Some(value.to_owned())), ..UpdateProvider::default() };
    for _ in 0..2 {
        let changed = modelhub.update_provider(&form, made.id, Some(1), set("sk-very-secret")).await.unwrap();
        assert_eq!(changed.version, 2);
    }
    for (ctx, value) in [(&form, "another-secret"), (&api, "sk-very-secret")] {
        let stale = modelhub.update_provider(ctx, made.id, Some(1), set(value)).await.unwrap_err();
        assert_eq!(stale.code(), Code::PreconditionFailed, "{value}");
    }
    assert_eq!(world.rows().secrets.values().map(|secret| secret.value_version).collect::<Vec<_>>(), [1]);
}

#[tokio::test]
async fn an_account_that_is_soit_itself_is_refused() {
    let world = World::new();
    let (modelhub, ctx) = (world.modelhub(), world.caller(Role::Admin));
    let at = |url: &str| types::modelhub::CreateProvider { base_url: url.to_owned(), ..account("one") };
    for url in ["http://127.0.0.1:9200/v1", "http://localhost:9200/v1"] {
        let refused = modelhub.create_provider(&ctx, at(url)).await.unwrap_err();
        assert_eq!((refused.code(), refused.field()), (Code::Invalid, Some("base_url")), "{url}");
        assert!(refused.problem().errors[0].message.contains("cannot call itself"));
    }
    let made = modelhub.create_provider(&ctx, at("http://localhost:9201/v1")).await.unwrap();
    let moved = UpdateProvider { base_url: Some("http://localhost:9200/v1".to_owned()), ..UpdateProvider::default() };
    let refused = modelhub.update_provider(&ctx, made.id, Some(1), moved).await.unwrap_err();
    assert_eq!((refused.code(), refused.field()), (Code::Invalid, Some("base_url")));
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

    let never = modelhub.create_provider(&ctx, at("three", "http://169.254.169.254/v1")).await.unwrap();
    assert!(!modelhub.find_egress_offer(&ctx, &never).await.unwrap().unwrap().openable);
    let refused = world.egress_policies().accept_offer(&ctx, never.id).await.unwrap_err();
    assert_eq!(refused.field(), Some("provider"));

    let ring = || async {
        tokio::task::yield_now().await;
        world.ring();
    };
    let hanging = tokio::join!(modelhub.create_provider(&ctx, at("two", "https://hanging.test/v1")), ring()).0.unwrap();
    assert_eq!(tokio::join!(modelhub.find_egress_offer(&ctx, &hanging), ring()).0.unwrap(), None);
}
