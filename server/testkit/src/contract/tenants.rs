//! Tenants as a whole, and the instance's accounts.

use kernel::context::Scope;
use kernel::ledger::{Batch, Durability, Op, Refusal};
use kernel::record::{Row, Tenant, TenantMember, User, Workspace};
use types::id::{TenantId, UserId, Uuid};
use types::identity::TenantRole;
use types::run::Capture;
use types::usage::UsageDimension;

use super::{Store, applied, refused, seeded, seeded_as};
use crate::sample::{Sample, noon, open_run, open_step, put};

fn guest(sample: &Sample) -> (User, TenantMember) {
    let user = User { id: sample.ids().user(), email_key: "Guest_1@sample.example".to_owned(), ..sample.user() };
    let (user_id, tenant_id) = (user.id, sample.scope.tenant_id);
    let place = TenantMember { tenant_id, user_id, role: TenantRole::Admin, removed_at: None, version: 1 };
    (user, place)
}

/// With the epoch, with those who left, and with archived workspaces; of no other tenant.
pub async fn a_tenant_is_read_whole_at_one_moment(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    let (user, place) = guest(&sample);
    let second = Workspace {
        id: sample.ids().workspace(),
        slug: "second".parse().expect("a slug"),
        archived: true,
        ..sample.workspace()
    };
    let rows = [Row::User(user.clone()), Row::TenantMember(place.clone()), Row::Workspace(second.clone())];
    applied(store, sample.opening(rows.map(put))).await;
    applied(store, sample.opening([Op::EpochRaise(sample.scope.tenant_id)])).await;
    let seen = store.tenant_roster(sample.scope.tenant_id).await.expect("a read").expect("the tenant");
    assert_eq!((&seen.tenant, seen.auth_epoch), (&sample.tenant(), 1));
    assert_eq!(seen.member(user.id), Some(&(user.clone(), place.clone())));
    assert_eq!(seen.places.len(), 2);
    assert_eq!(seen.workspaces.iter().map(|row| row.id).collect::<Vec<_>>(), [sample.scope.workspace_id, second.id]);

    let gone = TenantMember { removed_at: Some(noon()), version: 2, ..place };
    applied(store, sample.opening([put(Row::TenantMember(gone.clone()))])).await;
    let seen = store.tenant_roster(sample.scope.tenant_id).await.expect("a read").expect("the tenant");
    assert_eq!((seen.member(user.id), seen.places.len()), (None, 2), "who left is still told of");
    let alone = store.tenant_roster(other.scope.tenant_id).await.expect("a read").expect("the tenant");
    assert_eq!((alone.places.len(), alone.workspaces.len()), (1, 1));
    let nobody = TenantId::from_uuid(sample.ids().user().as_uuid());
    assert_eq!(store.tenant_roster(nobody).await.expect("a read"), None);
    assert_eq!(
        store.find_workspace_home(second.id).await.expect("a read").map(|scope| scope.tenant_id),
        Some(second.tenant_id)
    );
}

/// It is nobody's any more, is listed nowhere, and its ceiling binds until then.
pub async fn a_deleted_tenant_is_not_there(store: &impl Store) {
    let sample = seeded(store).await;
    let strict = Tenant { content_capture: Capture::MetadataOnly, version: 2, ..sample.tenant() };
    applied(store, sample.opening([put(Row::Tenant(strict.clone()))])).await;
    store.forget(sample.scope);
    let snapshot = store.snapshot(sample.scope).await.expect("a read").expect("the workspace");
    assert_eq!(
        (snapshot.content_capture(), snapshot.workspace.content_capture),
        (Capture::MetadataOnly, Capture::Full)
    );

    let gone = Tenant { active: false, deleted_at: Some(noon()), version: 3, ..strict };
    applied(store, sample.opening([put(Row::Tenant(gone.clone()))])).await;
    assert_eq!(store.tenant_roster(sample.scope.tenant_id).await.expect("a read"), None);
    assert_eq!(store.list_tenants(None, 10).await.expect("a read"), []);
    assert_eq!(store.find_tenant(gone.id).await.expect("a read"), Some(gone));
    let account = store.find_account(sample.user_id).await.expect("a read").expect("the person");
    assert_eq!((account.tenants.len(), account.workspaces.len()), (0, 0));
}

/// In the order they were made; what belongs to no tenant is none. Addresses are searched in any case, wildcards are letters.
pub async fn tenants_and_accounts_are_listed_in_order(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    let listed = async |after: Option<TenantId>, limit| {
        let tenants = store.list_tenants(after, limit).await.expect("a read");
        tenants.into_iter().map(|tenant| tenant.id).collect::<Vec<_>>()
    };
    let mut both = [sample.scope.tenant_id, other.scope.tenant_id];
    both.sort();
    assert_eq!(listed(None, 10).await, both);
    assert_eq!(listed(None, 1).await, [both[0]]);
    assert_eq!(listed(Some(both[0]), 10).await, [both[1]]);
    assert!(!listed(None, 10).await.contains(&TenantId::from_uuid(Uuid::nil())));

    let (user, _) = guest(&sample);
    applied(store, sample.opening([put(Row::User(user.clone()))])).await;
    let found = async |q: Option<&str>, after: Option<UserId>| {
        let users = store.list_accounts(q, after, 10).await.expect("a read");
        users.into_iter().map(|user| user.id).collect::<Vec<_>>()
    };
    let mut all = [sample.user_id, other.user_id, user.id];
    all.sort();
    assert_eq!(found(None, None).await, all);
    assert_eq!(found(None, Some(all[1])).await, [all[2]]);
    assert_eq!(found(Some("guest_"), None).await, [user.id]);
    assert_eq!(found(Some("%"), None).await, []);
}

/// A batch that names several tenants is refused where any of them has moved.
pub async fn an_epoch_that_moved_is_told(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    let (mine, theirs) = (sample.scope.tenant_id, other.scope.tenant_id);
    applied(store, sample.opening([Op::EpochRaise(theirs)])).await;
    let hold = |epoch| {
        let held = [Op::EpochHold { tenant_id: mine, epoch: 0 }, Op::EpochHold { tenant_id: theirs, epoch }];
        sample.opening(held.into_iter().chain([Op::EpochRaise(mine)]))
    };
    assert_eq!(refused(store, hold(0)).await, Refusal::AuthEpoch { current: 1 });
    applied(store, hold(1)).await;
    assert_eq!(refused(store, hold(1)).await, Refusal::AuthEpoch { current: 1 }, "the first of them moved");
}

/// A tenant's usage is that of its workspaces, and of no other tenant's.
pub async fn usage_of_a_tenant_is_that_of_its_workspaces(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    let second =
        Workspace { id: sample.ids().workspace(), slug: "second".parse().expect("a slug"), ..sample.workspace() };
    let beside = Scope { tenant_id: second.tenant_id, workspace_id: second.id };
    applied(store, sample.opening([put(Row::Workspace(second))])).await;
    for scope in [sample.scope, beside, other.scope] {
        let run = sample.run();
        let call = [open_run(&run), open_step(&sample.step(run.id))];
        applied(store, Batch::opening(scope, Durability::Power).with(call)).await;
    }
    let day = (noon() - chrono::Days::new(2), noon() + chrono::Days::new(2));
    let whole = Scope::of_tenant(sample.scope.tenant_id);
    let sums = store.list_usage(whole, day, Some(UsageDimension::Workspace), 10).await.expect("a read");
    let mut keys: Vec<_> = sums.into_iter().filter_map(|sum| sum.key).collect();
    keys.sort();
    let mut wanted = [sample.scope, beside].map(|scope| scope.workspace_id.to_string());
    wanted.sort();
    assert_eq!(keys, wanted);
}
