//! The audit: who reads whose rows.

use std::sync::Arc;

use kernel::ledger::{Audit, Op};
use kernel::port::Ledger;
use testkit::fake::FakeStore;
use testkit::sample::Sample;
use types::audit::{AuditFilter, AuditQuery};
use types::identity::Role;
use types::problem::Code;
use types::run::{Caller, CallerKind};

use super::world::{World, scope};

/// Three rows of the caller and, as the second, one of soit itself.
async fn written(world: &World) -> FakeStore {
    let store = FakeStore::new();
    let mut sample = Sample::named("audit", 3);
    sample.scope = scope();
    store.commit(sample.seed()).await.expect("a seed");
    for number in 0..4 {
        let actor = match number {
            1 => Caller { kind: CallerKind::System, id: "reaper".to_owned() },
            _ => world.caller(Role::Owner).caller(),
        };
        let audit = Audit { actor, ..sample.audit() };
        store.commit(sample.opening([Op::AuditAppend(Arc::new(audit))])).await.expect("a batch");
    }
    store
}

#[tokio::test]
async fn a_developer_reads_what_they_did_and_an_owner_everything() {
    let world = World::new();
    let store = written(&world).await;
    let observe = world.observe_in(&store);
    for (role, expected) in [
        (Role::Owner, &[4, 3, 2, 1][..]),
        (Role::Admin, &[4, 3, 2, 1]),
        (Role::Dev, &[4, 3, 1]),
        (Role::Viewer, &[4, 3, 1]),
    ] {
        let ctx = world.caller(role);
        let page = observe.list_audit(&ctx, &AuditQuery::default()).await.unwrap();
        assert_eq!(page.items.iter().map(|entry| entry.seq).collect::<Vec<_>>(), expected, "{role}");
        let others = observe.find_audit(&ctx, 2).await;
        assert_eq!(others.is_ok(), expected.contains(&2), "{role}");
        assert!(others.is_ok() || others.is_err_and(|error| error.code() == Code::NotFound));
        assert_eq!(observe.find_audit(&ctx, 3).await.unwrap().seq, 3);
    }
}

#[tokio::test]
async fn a_wrong_question_names_its_fields() {
    let world = World::new();
    let observe = world.observe_in(&FakeStore::new());
    let ctx = world.caller(Role::Owner);
    let filter = AuditFilter {
        event_type: vec!["x".to_owned().into(); AuditFilter::MOST_VALUES + 1],
        since: Some(ctx.now),
        until: Some(ctx.now),
        ..AuditFilter::default()
    };
    let error = observe.list_audit(&ctx, &AuditQuery { filter, limit: 0, cursor: None }).await.unwrap_err();
    let problem = error.problem();
    let fields: Vec<&str> = problem.errors.iter().map(|error| error.field.as_str()).collect();
    assert_eq!((error.code(), fields), (Code::Invalid, vec!["limit", "event_type", "until"]));
}
