//! What a workspace has set up.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use kernel::context::Scope;
use kernel::ledger::Op;
use kernel::record::{EgressLayer, Row, Secret};
use kernel::secret::Sealed;
use types::budget::ScopeKind;
use types::egress::EgressPolicy;
use types::modelhub::{Capability, Model, Price, Provider, ProviderKind, ProviderStatus, Tokenizer};
use types::money::{Currency, Rate};
use types::run::UsageClass;

use super::runs::budget;
use super::{Store, applied, refused, seeded, seeded_as};
use crate::sample::{Sample, noon, put};

fn provider(sample: &Sample) -> Provider {
    Provider {
        id: sample.ids().provider(),
        name: "Provider".parse().expect("a name"),
        slug: "provider".parse().expect("a slug"),
        kind: ProviderKind::OpenaiCompatible,
        base_url: "https://api.example.com/v1".to_owned(),
        secret_id: None,
        status: ProviderStatus::Active,
        max_concurrency: 256,
        max_retries: 2,
        timeout_ms: Some(60_000),
        version: 1,
        created_at: noon(),
    }
}

fn model(sample: &Sample, provider: &Provider) -> Model {
    Model {
        id: sample.ids().model(),
        provider_id: provider.id,
        model_id: "large".to_owned(),
        model_ref: "model:provider:large".to_owned(),
        display_name: "Large".to_owned(),
        capabilities: vec![Capability::Chat, Capability::Stream],
        context_window: Some(128_000),
        max_output_tokens: None,
        tokenizer: Tokenizer::Cl100kBase,
        enabled: true,
        version: 1,
        created_at: noon(),
    }
}

fn price(sample: &Sample, days: u64) -> Price {
    Price {
        id: sample.ids().price(),
        match_ref: "model:provider:*".to_owned(),
        currency: Currency::USD,
        rates: BTreeMap::from([(UsageClass::Input, Rate::from_nanos(37_500_000).expect("a rate"))]),
        valid_from: noon() + Duration::from_secs(days * 86_400),
        note: "list price".to_owned(),
        created_at: noon(),
    }
}

/// Everything, as it was written.
pub async fn a_snapshot_holds_what_is_set_up(store: &impl Store) {
    let sample = seeded(store).await;
    let secret = Secret {
        id: sample.ids().secret(),
        scope: sample.scope,
        name: "provider".to_owned(),
        sealed: Sealed { key_id: "k1".to_owned(), nonce: vec![1; 24], ciphertext: vec![2; 40] },
        value_version: 1,
        released_to: None,
        version: 1,
    };
    let provider = Provider { secret_id: Some(secret.id), ..provider(&sample) };
    let model = model(&sample, &provider);
    let prices = [price(&sample, 0), price(&sample, 1)];
    let budget = budget(&sample, ScopeKind::Workspace, None);
    let egress = EgressLayer {
        scope: sample.scope,
        revision_id: sample.ids().revision(),
        policy: EgressPolicy { bundle_id: "pb_0123456789abcdef".to_owned(), ..EgressPolicy::default() },
        version: 1,
    };
    let rows = [
        Row::Model(sample.scope, model.clone()),
        Row::Provider { scope: sample.scope, provider: provider.clone(), archived: false },
        Row::Secret(secret.clone()),
        Row::Price(sample.scope, prices[0].clone()),
        Row::Price(sample.scope, prices[1].clone()),
        Row::Budget { scope: sample.scope, budget: budget.clone(), archived: false },
        Row::EgressLayer(egress.clone()),
    ];
    applied(store, sample.opening(rows.map(put))).await;
    let snapshot = store.snapshot(sample.scope).await.expect("a read").expect("the workspace");
    assert_eq!((snapshot.auth_epoch, &snapshot.workspace), (0, &sample.workspace()));
    assert_eq!((&snapshot.providers[..], &snapshot.models[..]), (&[provider][..], &[model][..]));
    let [old, new] = prices;
    assert_eq!(snapshot.prices, [new, old]);
    assert_eq!((&snapshot.budgets[..], &snapshot.secrets[..]), (&[budget][..], &[secret][..]));
    assert_eq!(snapshot.egress, Some(egress));
    let other = seeded_as(store, "other", 2).await;
    let mixed = Scope { tenant_id: other.scope.tenant_id, ..sample.scope };
    assert!(store.snapshot(mixed).await.expect("a read").is_none());
}

/// By a write of this process, a raised epoch, or because one was told to forget.
pub async fn a_snapshot_is_kept_until_something_changes(store: &impl Store) {
    let sample = seeded(store).await;
    let read = || async { store.snapshot(sample.scope).await.expect("a read").expect("the workspace") };
    let first = read().await;
    assert!(Arc::ptr_eq(&first, &read().await));
    applied(store, sample.opening([Op::EpochRaise(sample.scope.tenant_id)])).await;
    let second = read().await;
    assert_eq!((first.auth_epoch, second.auth_epoch), (0, 1));
    let provider = provider(&sample);
    applied(store, sample.opening([put(Row::Provider { scope: sample.scope, provider, archived: false })])).await;
    let third = read().await;
    assert_eq!((second.providers.len(), third.providers.len()), (0, 1));
    store.forget(sample.scope);
    assert!(!Arc::ptr_eq(&third, &read().await));
}

/// An archived account hides its models and frees its slug.
pub async fn archived_things_are_not_shown(store: &impl Store) {
    let sample = seeded(store).await;
    let first = provider(&sample);
    let model = model(&sample, &first);
    let budget = budget(&sample, ScopeKind::Workspace, None);
    let put_provider = |provider: &Provider, archived| {
        put(Row::Provider { scope: sample.scope, provider: provider.clone(), archived })
    };
    let put_budget = |version, archived| {
        let budget = types::budget::Budget { version, ..budget.clone() };
        put(Row::Budget { scope: sample.scope, budget, archived })
    };
    let rows = [put_provider(&first, false), put(Row::Model(sample.scope, model)), put_budget(1, false)];
    applied(store, sample.opening(rows)).await;
    let second = provider(&sample);
    let taken = refused(store, sample.opening([put_provider(&second, false)])).await;
    assert!(
        matches!(taken, kernel::ledger::Refusal::Unique { constraint } if constraint == "providers_workspace_id_slug_key")
    );
    let archived = Provider { version: 2, ..first };
    applied(store, sample.opening([put_provider(&archived, true), put_budget(2, true)])).await;
    applied(store, sample.opening([put_provider(&second, false)])).await;
    let snapshot = store.snapshot(sample.scope).await.expect("a read").expect("the workspace");
    assert_eq!(snapshot.providers, [second]);
    assert!(snapshot.models.is_empty() && snapshot.budgets.is_empty());
}
