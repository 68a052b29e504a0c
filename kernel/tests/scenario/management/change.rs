//! Two people at once, and rights that go while one decides.

use std::sync::atomic::Ordering;

use types::identity::Role;
use types::modelhub::{CreateProvider, ProviderKind};
use types::problem::Code;

use super::world::World;

pub(super) fn account(slug: &str) -> CreateProvider {
    CreateProvider {
        name: "An account".parse().unwrap(),
        slug: slug.parse().unwrap(),
        kind: ProviderKind::OpenaiCompatible,
        base_url: "https://api.example.test/v1".to_owned(),
        credential: None,
        max_concurrency: None,
        max_retries: None,
        timeout_ms: None,
    }
}

#[tokio::test]
async fn a_change_raises_the_epoch_and_leaves_an_audit_row() {
    let world = World::new();
    let ctx = world.caller(Role::Admin);
    let provider = world.modelhub().create_provider(&ctx, account("one")).await.unwrap();
    assert_eq!(world.epoch(), ctx.auth_epoch + 1);
    let rows = world.rows();
    let [audit] = rows.audit.as_slice() else { panic!("one row: {:?}", rows.audit) };
    assert_eq!((audit.event_type.as_str(), audit.operation.as_str()), ("provider.created", "provider.create"));
    assert_eq!((audit.resource_type.as_str(), audit.resource_id.clone()), ("provider", provider.id.to_string()));
}

#[tokio::test]
async fn who_was_slower_decides_again_on_what_is_there_now() {
    let world = World::new();
    let ctx = world.caller(Role::Admin);
    *world.in_between.lock().unwrap() = Some(Box::new(World::raise_epoch));
    world.modelhub().create_provider(&ctx, account("one")).await.unwrap();
    assert_eq!((world.epoch(), world.rows().providers.len()), (2, 1));
}

#[tokio::test]
async fn rights_that_went_meanwhile_are_gone() {
    let world = World::new();
    let ctx = world.caller(Role::Admin);
    *world.in_between.lock().unwrap() = Some(Box::new(|world: &World| {
        world.is_revoked.store(true, Ordering::SeqCst);
        world.raise_epoch();
    }));
    let refused = world.modelhub().create_provider(&ctx, account("one")).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidCredentials);
    assert!(world.rows().providers.is_empty());
}

#[tokio::test]
async fn a_snapshot_older_than_the_callers_rights_is_read_again() {
    let world = World::new();
    let modelhub = world.modelhub();
    modelhub.list_providers(&world.caller(Role::Viewer)).await.unwrap();
    let other = world.caller(Role::Admin);
    world.elsewhere(|| futures::executor::block_on(modelhub.create_provider(&other, account("one")))).unwrap();
    assert_eq!(modelhub.list_providers(&world.caller(Role::Viewer)).await.unwrap().len(), 1);
}

#[tokio::test]
async fn readers_change_nothing() {
    let world = World::new();
    for role in [Role::Viewer, Role::Dev] {
        let refused = world.modelhub().create_provider(&world.caller(role), account("one")).await.unwrap_err();
        assert_eq!(refused.code(), Code::RoleRequired);
    }
    assert!(world.rows().audit.is_empty());
}
