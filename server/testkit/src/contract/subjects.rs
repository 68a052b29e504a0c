//! Service principals, groups, and what is granted to whom.

use std::time::Duration;

use kernel::ledger::Refusal;
use kernel::port::{Named, NamedIds};
use kernel::record::{
    ApiKey, Grant, Group, GroupMember, KeySecret, Row, ServicePrincipal, TenantMember, User, WorkspaceMember,
};
use types::access::{GrantAction, GrantSubject, PrincipalStatus, ResourceType};
use types::id::{GrantId, GroupId, ServicePrincipalId, UserId};
use types::identity::{Role, TenantRole};

use super::{Store, applied, refused, seeded, seeded_as};
use crate::sample::{Sample, noon, put};

fn principal(sample: &Sample, owner_id: UserId, name: &str) -> ServicePrincipal {
    ServicePrincipal {
        id: ServicePrincipalId::from_uuid(sample.ids().uuid()),
        scope: sample.scope,
        name: name.parse().expect("a name"),
        name_key: name.to_lowercase(),
        owner_id,
        role: Role::Dev,
        status: PrincipalStatus::Active,
        created_by: sample.user_id,
        created_at: noon(),
        version: 1,
    }
}

fn group(sample: &Sample, name: &str) -> Group {
    Group {
        id: GroupId::from_uuid(sample.ids().uuid()),
        scope: sample.scope,
        name: name.parse().expect("a name"),
        name_key: name.to_lowercase(),
        created_at: noon(),
        deleted_at: None,
        version: 1,
    }
}

fn place(group: &Group, user_id: UserId) -> GroupMember {
    GroupMember { scope: group.scope, group_id: group.id, user_id, removed_at: None, version: 1 }
}

fn grant(sample: &Sample, subject: GrantSubject) -> Grant {
    Grant {
        id: GrantId::from_uuid(sample.ids().uuid()),
        scope: sample.scope,
        subject,
        resource_type: ResourceType::Model,
        resource_id: "mdl_00000000000000000000000001".to_owned(),
        actions: vec![GrantAction::Execute],
        expires_at: Some(noon() + Duration::from_secs(60)),
        granted_by: sample.user_id,
        created_at: noon(),
        revoked_at: None,
        version: 1,
    }
}

/// Somebody else of the sample's workspace.
async fn guest(store: &impl Store, sample: &Sample) -> UserId {
    let user = User { id: sample.ids().user(), email_key: "guest@sample.example".to_owned(), ..sample.user() };
    let (user_id, tenant_id) = (user.id, sample.scope.tenant_id);
    let tenant = TenantMember { tenant_id, user_id, role: TenantRole::Member, removed_at: None, version: 1 };
    let member = WorkspaceMember {
        scope: sample.scope,
        user_id,
        role: Role::Viewer,
        joined_at: noon(),
        removed_at: None,
        version: 1,
    };
    let rows = [Row::User(user), Row::TenantMember(tenant), Row::WorkspaceMember(member)];
    applied(store, sample.opening(rows.map(put))).await;
    user_id
}

/// Not with its issuer.
pub async fn a_principals_key_is_found_with_it_and_its_owner(store: &impl Store) {
    let sample = seeded(store).await;
    let owner = guest(store, &sample).await;
    let acting = principal(&sample, owner, "CI");
    let key = ApiKey {
        id: sample.ids().api_key(),
        principal_id: Some(acting.id),
        content_capture: Some(types::run::Capture::MetadataOnly),
        labels: [("team".to_owned(), "search".to_owned())].into(),
        ..sample.api_key()
    };
    let secret = KeySecret { key_id: key.id, digest: sample.digest(8), ..sample.key_secret() };
    let rows = [Row::ServicePrincipal(acting.clone()), Row::ApiKey(key.clone()), Row::KeySecret(secret)];
    applied(store, sample.opening(rows.map(put))).await;
    let found = store.find_key(sample.digest(8)).await.expect("a read").expect("the key");
    assert_eq!((&found.key, &found.principal, found.account.user.id), (&key, &Some(acting.clone()), owner));
    assert_eq!(found.account.workspaces.iter().map(|(_, member)| member.role).collect::<Vec<_>>(), [Role::Viewer]);
    assert_eq!(store.find_key_by_id(sample.scope, key.id).await.expect("a read"), Some(key));
    let personal = store.find_key(sample.digest(0)).await.expect("a read").expect("the key");
    assert_eq!((personal.principal, personal.account.user.id), (None, sample.user_id));

    let moved = ServicePrincipal { owner_id: sample.user_id, status: PrincipalStatus::Disabled, version: 2, ..acting };
    applied(store, sample.opening([put(Row::ServicePrincipal(moved.clone()))])).await;
    let found = store.find_key(sample.digest(8)).await.expect("a read").expect("the key");
    assert_eq!((found.principal, found.account.user.id), (Some(moved), sample.user_id));
}

/// Newest first, those of the workspace alone.
pub async fn principals_are_listed_and_found(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    let first = principal(&sample, sample.user_id, "A");
    let second = ServicePrincipal {
        created_at: noon() + Duration::from_secs(1),
        status: PrincipalStatus::Orphaned,
        role: Role::Admin,
        ..principal(&sample, sample.user_id, "B")
    };
    let rows = [&first, &second].map(|principal| put(Row::ServicePrincipal(principal.clone())));
    applied(store, sample.opening(rows)).await;
    assert_eq!(store.list_principals(sample.scope).await.expect("a read"), [second.clone(), first.clone()]);
    assert_eq!(store.list_principals(other.scope).await.expect("a read"), []);
    assert_eq!(store.find_principal(sample.scope, first.id).await.expect("a read"), Some(first.clone()));
    assert_eq!(store.find_principal(other.scope, first.id).await.expect("a read"), None);
    let refusal = refused(store, sample.opening([put(Row::ServicePrincipal(first))])).await;
    assert_eq!(refusal, Refusal::Version { table: "service principal", current: 1 });
}

/// By name, with those who left them, and without the deleted.
pub async fn groups_are_listed_with_their_members(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    let guest = guest(store, &sample).await;
    let (second, first) = (group(&sample, "Beta"), group(&sample, "alpha"));
    let gone = Group { deleted_at: Some(noon()), ..group(&sample, "Gone") };
    let places = [place(&first, guest), place(&first, sample.user_id)];
    let rows = [&first, &second, &gone].map(|group| put(Row::Group(group.clone())));
    applied(store, sample.opening(rows)).await;
    applied(store, sample.opening(places.clone().map(|place| put(Row::GroupMember(place))))).await;
    let mut sorted = places.to_vec();
    sorted.sort_by_key(|place| place.user_id);
    let listed = store.list_groups(sample.scope).await.expect("a read");
    assert_eq!(listed, [(first.clone(), sorted), (second, Vec::new())]);
    assert_eq!(store.list_groups(other.scope).await.expect("a read"), []);
    let left = GroupMember { removed_at: Some(noon()), version: 2, ..place(&first, guest) };
    applied(store, sample.opening([put(Row::GroupMember(left.clone()))])).await;
    let (_, places) = store.list_groups(sample.scope).await.expect("a read").swap_remove(0);
    assert!(places.contains(&left), "{places:?}");
}

/// And of nobody outside: people of the tenant, keys and service principals of the workspace.
pub async fn names_are_told_of_the_workspace(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    let own = principal(&sample, sample.user_id, "nightly");
    let foreign = principal(&other, other.user_id, "foreign");
    let of_principal = ApiKey { id: sample.ids().api_key(), principal_id: Some(own.id), ..sample.api_key() };
    let rows = [Row::ServicePrincipal(own.clone()), Row::ApiKey(of_principal.clone())].map(put);
    applied(store, sample.opening(rows)).await;
    applied(store, other.opening([put(Row::ServicePrincipal(foreign.clone()))])).await;
    let mut asked = NamedIds::default();
    for id in [sample.user_id, other.user_id].map(|id| id.to_string()) {
        asked.note(&id);
    }
    asked.note("run_01j00000000000000000000000");
    asked.keys.extend([sample.key_id, other.key_id, of_principal.id]);
    asked.principals.extend([own.id, foreign.id]);
    let names = store.list_names(sample.scope, &asked).await.expect("names");
    let key = |id| Named::Key { id, name: sample.api_key().name, owner_id: sample.user_id };
    let expected = [
        Named::User(sample.user_id, sample.user().name),
        key(sample.key_id),
        key(of_principal.id),
        Named::Principal { id: own.id, name: own.name, owner: sample.user().name },
    ];
    assert_eq!(names.len(), expected.len(), "{names:?}");
    assert!(expected.iter().all(|named| names.contains(named)), "{names:?}");
    assert_eq!(store.list_names(sample.scope, &NamedIds::default()).await.expect("names"), []);
    let every = NamedIds { every_key: true, ..NamedIds::default() };
    let keys = store.list_names(sample.scope, &every).await.expect("names");
    assert_eq!(keys.len(), 2, "the keys of this workspace: {keys:?}");
}

/// Themselves, by a group they are in, or as a principal; until it is revoked, the group goes or they leave it.
pub async fn grants_reach_their_subjects(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    let guest = guest(store, &sample).await;
    let (crew, acting) = (group(&sample, "Crew"), principal(&sample, sample.user_id, "CI"));
    let rows = [Row::Group(crew.clone()), Row::GroupMember(place(&crew, guest)), Row::ServicePrincipal(acting.clone())];
    applied(store, sample.opening(rows.map(put))).await;
    let own = grant(&sample, GrantSubject::User(guest));
    let shared = Grant { expires_at: None, ..grant(&sample, GrantSubject::Group(crew.id)) };
    let of_principal =
        Grant { created_at: noon() + Duration::from_secs(1), ..grant(&sample, GrantSubject::Principal(acting.id)) };
    let rows = [&own, &shared, &of_principal].map(|grant| put(Row::Grant(grant.clone())));
    applied(store, sample.opening(rows)).await;
    let granted = async |to| store.list_granted(to).await.expect("a read");
    assert_eq!(granted(GrantSubject::User(guest)).await, [own.clone(), shared.clone()]);
    assert_eq!(granted(GrantSubject::User(sample.user_id)).await, []);
    assert_eq!(granted(GrantSubject::Principal(acting.id)).await, std::slice::from_ref(&of_principal));
    assert_eq!(granted(GrantSubject::Group(crew.id)).await, std::slice::from_ref(&shared));
    let listed = store.list_grants(sample.scope).await.expect("a read");
    assert_eq!((listed.len(), listed.first()), (3, Some(&of_principal)), "newest first");
    assert_eq!(store.list_grants(other.scope).await.expect("a read"), []);

    let left = GroupMember { removed_at: Some(noon()), version: 2, ..place(&crew, guest) };
    applied(store, sample.opening([put(Row::GroupMember(left.clone()))])).await;
    assert_eq!(granted(GrantSubject::User(guest)).await, std::slice::from_ref(&own));
    let back = GroupMember { removed_at: None, version: 3, ..left };
    let revoked = Grant { revoked_at: Some(noon()), version: 2, ..own };
    applied(store, sample.opening([put(Row::GroupMember(back)), put(Row::Grant(revoked))])).await;
    assert_eq!(granted(GrantSubject::User(guest)).await, [shared]);
    let gone = Group { deleted_at: Some(noon()), version: 2, ..crew };
    applied(store, sample.opening([put(Row::Group(gone))])).await;
    assert_eq!(granted(GrantSubject::User(guest)).await, []);
    assert_eq!(store.list_grants(sample.scope).await.expect("a read"), [of_principal]);
}

/// Among principals, and among groups that were not deleted.
pub async fn a_taken_name_of_a_subject_is_refused(store: &impl Store) {
    let sample = seeded(store).await;
    let (one, twin) = (principal(&sample, sample.user_id, "CI"), principal(&sample, sample.user_id, "ci"));
    applied(store, sample.opening([put(Row::ServicePrincipal(one))])).await;
    let refusal = refused(store, sample.opening([put(Row::ServicePrincipal(twin))])).await;
    let constraint = "service_principals_workspace_id_name_key_key";
    assert_eq!(refusal, Refusal::Unique { constraint: constraint.to_owned() });
    assert_eq!(kernel::ledger::unique_field(constraint), "name");
    let (crew, twin) = (group(&sample, "Crew"), group(&sample, "crew"));
    applied(store, sample.opening([put(Row::Group(crew.clone()))])).await;
    let refusal = refused(store, sample.opening([put(Row::Group(twin.clone()))])).await;
    let constraint = "workspace_groups_workspace_id_name_key_key";
    assert_eq!(refusal, Refusal::Unique { constraint: constraint.to_owned() });
    assert_eq!(kernel::ledger::unique_field(constraint), "name");
    let gone = Group { deleted_at: Some(noon()), version: 2, ..crew };
    for group in [gone, twin] {
        applied(store, sample.opening([put(Row::Group(group))])).await;
    }
}
