//! Accounts as a whole instance has them.

use std::time::Duration;

use kernel::context::Scope;
use kernel::ledger::{Batch, Durability, Event, Op};
use kernel::record::{LegalHold, Row, TenantMember, User};
use serde_json::json;
use types::id::{MailId, TenantId};
use types::identity::{TenantRole, UserStatus};
use types::outbox::EventQuery;

use super::retentions::held;
use super::{Store, applied, seeded, seeded_as};
use crate::sample::{Sample, noon, put};

fn somebody(sample: &Sample, name: &str) -> User {
    User { id: sample.ids().user(), email_key: format!("{name}@sample.example"), ..sample.user() }
}

/// Not before, and never those who did not ask for it.
pub async fn accounts_are_closed_when_they_are_due(store: &impl Store) {
    let sample = seeded(store).await;
    let closing = |name, seconds| User {
        status: UserStatus::Closing,
        closes_at: Some(noon() + Duration::from_secs(seconds)),
        email_verified_at: Some(noon()),
        ..somebody(&sample, name)
    };
    let (second, first, late) = (closing("second", 2), closing("first", 1), closing("late", 3));
    let rows = [&second, &first, &late].map(|user| put(Row::User(user.clone())));
    applied(store, sample.opening(rows)).await;
    let due = async |seconds, limit| {
        store.list_due_closures(noon() + Duration::from_secs(seconds), limit).await.expect("a read")
    };
    assert_eq!(due(0, 9).await, []);
    assert_eq!(due(2, 9).await, [first.id, second.id]);
    assert_eq!(due(9, 1).await, [first.id]);
    let account = store.find_account(late.id).await.expect("a read").expect("an account");
    assert_eq!(account.user, late);

    let stays = User { status: UserStatus::Active, closes_at: None, version: 2, ..first };
    applied(store, sample.opening([put(Row::User(stays))])).await;
    assert_eq!(due(9, 9).await, [second.id, late.id]);

    let hold = LegalHold { caller_id: Some(second.id.to_string()), ..held(&sample) };
    applied(store, sample.opening([put(Row::LegalHold(hold))])).await;
    assert_eq!(due(9, 9).await, [late.id], "who is held stays who they are");
}

/// Whatever state their account is in.
pub async fn owners_of_a_tenant_are_those_who_have_not_left(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    let (second, member) = (somebody(&sample, "second"), somebody(&sample, "member"));
    let place = |user: &User, role| TenantMember {
        tenant_id: sample.scope.tenant_id,
        user_id: user.id,
        role,
        removed_at: None,
        version: 1,
    };
    let rows = [
        Row::User(second.clone()),
        Row::User(member.clone()),
        Row::TenantMember(place(&second, TenantRole::Owner)),
        Row::TenantMember(place(&member, TenantRole::Member)),
    ];
    applied(store, sample.opening(rows.map(put))).await;
    let owners = async |id: TenantId| -> Vec<_> {
        store.list_tenant_owners(id).await.expect("a read").into_iter().map(|user| user.id).collect()
    };
    let mut both = vec![sample.user_id, second.id];
    both.sort();
    assert_eq!(owners(sample.scope.tenant_id).await, both);
    assert_eq!(owners(other.scope.tenant_id).await, [other.user_id]);
    let left = TenantMember { removed_at: Some(noon()), version: 2, ..place(&second, TenantRole::Owner) };
    applied(store, sample.opening([put(Row::TenantMember(left))])).await;
    assert_eq!(owners(sample.scope.tenant_id).await, [sample.user_id]);
}

/// Of both together.
pub async fn a_place_is_found_by_the_names_of_tenant_and_workspace(store: &impl Store) {
    let sample = seeded(store).await;
    seeded_as(store, "other", 2).await;
    let place = async |tenant: &str, workspace: &str| {
        let (tenant, workspace) = (tenant.parse().expect("a slug"), workspace.parse().expect("a slug"));
        store.find_scope(&tenant, &workspace).await.expect("a read")
    };
    assert_eq!(place("sample", "sample").await, Some(sample.scope));
    assert_eq!(place("sample", "other").await, None);
    assert_eq!(place("nowhere", "sample").await, None);
}

/// An event of the instance is stored and delivered like any other.
pub async fn what_belongs_to_nobody_has_a_place(store: &impl Store) {
    let sample = Sample::default();
    let id = MailId::from_uuid(sample.ids().uuid());
    let event = Event::new(sample.ids(), "mail.requested", id, json!({}), noon());
    let batch = Batch::opening(Scope::INSTANCE, Durability::Power).with([Op::from(event)]);
    applied(store, batch).await;
    let events = store.list_events(Scope::INSTANCE, &EventQuery::default()).await.expect("a page");
    assert_eq!(events.items.len(), 1);
}
