//! Who belongs to a workspace, and who is asked to.

use std::time::Duration;

use kernel::ledger::{Op, Refusal};
use kernel::port::Seat;
use kernel::record::{Invitation, Row, TenantMember, User, WorkspaceMember};
use types::identity::{Role, TenantRole};

use super::{Store, applied, refused, seeded, seeded_as};
use crate::sample::{Sample, noon, put};

/// Somebody else of the sample's tenant.
fn guest(sample: &Sample) -> (User, TenantMember, WorkspaceMember) {
    let user = User { id: sample.ids().user(), email_key: "guest@sample.example".to_owned(), ..sample.user() };
    let (user_id, tenant_id) = (user.id, sample.scope.tenant_id);
    let place = TenantMember { tenant_id, user_id, role: TenantRole::Member, removed_at: None, version: 1 };
    let member = WorkspaceMember {
        scope: sample.scope,
        user_id,
        role: Role::Dev,
        joined_at: noon() + Duration::from_secs(1),
        removed_at: None,
        version: 1,
    };
    (user, place, member)
}

async fn joined(store: &impl Store, sample: &Sample) -> (User, TenantMember, WorkspaceMember) {
    let (user, place, member) = guest(sample);
    let rows = [Row::User(user.clone()), Row::TenantMember(place.clone()), Row::WorkspaceMember(member.clone())];
    applied(store, sample.opening(rows.map(put))).await;
    (user, place, member)
}

/// With the epoch, and with those who left.
pub async fn a_roster_holds_everybody_at_one_moment(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    let (user, _, member) = joined(store, &sample).await;
    applied(store, sample.opening([Op::EpochRaise(sample.scope.tenant_id)])).await;
    let roster = store.roster(sample.scope).await.expect("a read").expect("the workspace");
    assert_eq!((&roster.tenant, &roster.workspace, roster.auth_epoch), (&sample.tenant(), &sample.workspace(), 1));
    assert_eq!(roster.seats.iter().map(|seat| seat.user.id).collect::<Vec<_>>(), [sample.user_id, user.id]);
    let seat = Seat { user: user.clone(), member: member.clone(), tenant_role: TenantRole::Member };
    assert_eq!(roster.member(user.id), Some(&seat));

    let gone = WorkspaceMember { removed_at: Some(noon()), version: 2, ..member.clone() };
    applied(store, sample.opening([put(Row::WorkspaceMember(gone.clone()))])).await;
    let roster = store.roster(sample.scope).await.expect("a read").expect("the workspace");
    assert_eq!(roster.seats.iter().map(|seat| &seat.member).collect::<Vec<_>>().last(), Some(&&gone));
    assert_eq!((roster.members().count(), roster.member(user.id)), (1, None));

    let back = WorkspaceMember { joined_at: noon() + Duration::from_secs(9), removed_at: None, version: 3, ..gone };
    applied(store, sample.opening([put(Row::WorkspaceMember(back.clone()))])).await;
    let roster = store.roster(sample.scope).await.expect("a read").expect("the workspace");
    assert_eq!(roster.member(user.id).map(|seat| &seat.member), Some(&back), "who comes back joins anew");

    let elsewhere = kernel::context::Scope { workspace_id: other.scope.workspace_id, ..sample.scope };
    assert_eq!(store.roster(elsewhere).await.expect("a read"), None);
    let alone = store.roster(other.scope).await.expect("a read").expect("the workspace");
    assert_eq!(alone.seats.len(), 1, "nobody of another workspace");
}

/// Neither in a workspace nor in a tenant, but is still somebody.
pub async fn who_was_removed_has_no_place(store: &impl Store) {
    let sample = seeded(store).await;
    let (user, place, member) = joined(store, &sample).await;
    let places = async || {
        let account = store.find_account(user.id).await.expect("a read").expect("the person");
        (account.tenants.len(), account.workspaces.len())
    };
    assert_eq!(places().await, (1, 1));
    let gone = WorkspaceMember { removed_at: Some(noon()), version: 2, ..member.clone() };
    applied(store, sample.opening([put(Row::WorkspaceMember(gone.clone()))])).await;
    assert_eq!(places().await, (1, 0));
    let back = WorkspaceMember { removed_at: None, version: 3, ..gone };
    let out = TenantMember { removed_at: Some(noon()), version: 2, ..place };
    applied(store, sample.opening([put(Row::WorkspaceMember(back)), put(Row::TenantMember(out.clone()))])).await;
    assert_eq!(places().await, (0, 0), "a place in a workspace needs one in its tenant");
    let found = store.find_tenant_member(sample.scope.tenant_id, user.id).await.expect("a read");
    assert_eq!(found, Some(out), "the row stays, for its version goes on");
}

/// Newest first, of the workspace alone; by its token wherever it lies.
pub async fn invitations_are_listed_and_found_by_their_token(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    let first = Invitation {
        id: sample.ids().invitation(),
        scope: sample.scope,
        email: "Guest@sample.example".to_owned(),
        email_key: "guest@sample.example".to_owned(),
        role: Role::Viewer,
        tenant_role: TenantRole::Member,
        digest: sample.digest(40),
        invited_by: sample.user_id,
        created_at: noon(),
        expires_at: noon() + Duration::from_secs(60),
        accepted: None,
        revoked_at: None,
        version: 1,
    };
    let second = Invitation {
        id: sample.ids().invitation(),
        digest: sample.digest(41),
        created_at: noon() + Duration::from_secs(1),
        revoked_at: Some(noon()),
        ..first.clone()
    };
    let rows = [first.clone(), second.clone()].map(|invitation| put(Row::Invitation(invitation)));
    applied(store, sample.opening(rows)).await;
    let used = Invitation { accepted: Some((noon(), sample.user_id)), version: 2, ..first.clone() };
    applied(store, sample.opening([put(Row::Invitation(used.clone()))])).await;
    assert_eq!(store.list_invitations(sample.scope).await.expect("a read"), [second.clone(), used.clone()]);
    assert_eq!(store.list_invitations(other.scope).await.expect("a read"), []);
    assert_eq!(store.find_invitation(used.digest).await.expect("a read"), Some(used.clone()));
    assert_eq!(store.find_invitation(sample.digest(42)).await.expect("a read"), None);
    let twin = Invitation { id: sample.ids().invitation(), version: 1, ..used };
    let refusal = refused(store, sample.opening([put(Row::Invitation(twin))])).await;
    assert_eq!(refusal, Refusal::Unique { constraint: "invitations_digest_key".to_owned() });
}
