//! Identities.

use std::collections::BTreeSet;
use std::time::Duration;

use chrono::TimeDelta;
use kernel::ledger::Op;
use kernel::record::{KeySecret, LoginThrottle, Row, Session};
use types::id::UserId;
use types::identity::{Role, SessionKind, TenantRole};
use types::mfa::MfaLevel;

use super::{Store, applied, seeded, seeded_as};
use crate::sample::{Sample, noon, put};

/// A session that lives for an hour from now on.
async fn session(store: &impl Store, sample: &Sample) -> Session {
    let now = store.database_now().await.expect("a time");
    Session {
        id: sample.ids().session(),
        user_id: sample.user_id,
        kind: SessionKind::Api,
        token: sample.digest(1),
        refresh: Some(sample.digest(2)),
        spent_refresh: Some((sample.digest(3), noon())),
        workspace_id: Some(sample.scope.workspace_id),
        client: "Firefox".to_owned(),
        address: "10.0.0.1".to_owned(),
        mfa: MfaLevel::Totp,
        elevated_until: None,
        view_as: Some(Role::Dev),
        created_at: noon(),
        last_seen_at: noon(),
        token_expires_at: now + Duration::from_secs(900),
        expires_at: now + Duration::from_secs(3_600),
        ended_at: None,
        version: 1,
    }
}

/// With everything its power follows from.
pub async fn a_key_is_found_with_its_issuer(store: &impl Store) {
    assert!(store.is_empty().await.expect("a read"));
    let sample = seeded(store).await;
    assert!(!store.is_empty().await.expect("a read"));
    applied(store, sample.opening([Op::EpochRaise(sample.scope.tenant_id)])).await;
    let found = store.find_key(sample.digest(0)).await.expect("a read").expect("the key");
    assert_eq!(found.key, sample.api_key());
    assert_eq!((found.secret.key_id, found.secret.digest), (sample.key_id, sample.digest(0)));
    assert_eq!(found.account.user, sample.user());
    assert_eq!(found.account.tenants, [(sample.tenant(), TenantRole::Owner, 1)]);
    let [(workspace, member)] = found.account.workspaces.as_slice() else { panic!("one workspace") };
    assert_eq!((workspace, member.role, member.scope), (&sample.workspace(), Role::Owner, sample.scope));
    assert_eq!(store.find_key(sample.digest(9)).await.expect("a read"), None);
}

/// The present one, and the last spent refresh token.
pub async fn a_session_is_found_by_its_tokens(store: &impl Store) {
    let sample = seeded(store).await;
    let session = session(store, &sample).await;
    applied(store, sample.opening([put(Row::Session(session.clone()))])).await;
    let found = store.find_session(sample.digest(1)).await.expect("a read").expect("the session");
    assert_eq!(found.session, session);
    assert_eq!(found.account.user.id, sample.user_id);
    for (token, there) in [(1, false), (2, true), (3, true), (4, false)] {
        let found = store.find_session_by_refresh(sample.digest(token)).await.expect("a read");
        assert_eq!(found.is_some(), there, "{token}");
    }
    assert_eq!(store.find_session(sample.digest(2)).await.expect("a read"), None);
    let seen = Op::Touch(kernel::ledger::Touch::Session {
        id: session.id,
        at: noon() + TimeDelta::seconds(5),
        token_expires_at: session.token_expires_at + TimeDelta::seconds(5),
    });
    applied(store, sample.opening([seen])).await;
    let found = store.find_user_session(sample.user_id, session.id).await.expect("a read").expect("the session");
    assert_eq!(found.last_seen_at, noon() + TimeDelta::seconds(5));
    let other = seeded_as(store, "other", 2).await;
    assert_eq!(store.find_user_session(other.user_id, session.id).await.expect("a read"), None);
}

/// With all tenants and workspaces, or none.
pub async fn an_account_is_found_by_address_and_id(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    let guest = kernel::record::TenantMember {
        tenant_id: other.scope.tenant_id,
        user_id: sample.user_id,
        role: TenantRole::Member,
        removed_at: None,
        version: 1,
    };
    applied(store, other.opening([put(Row::TenantMember(guest.clone()))])).await;
    let account = store.find_account_by_email("owner@sample.example").await.expect("a read").expect("the account");
    assert_eq!(
        account.tenants.iter().map(|(tenant, role, _)| (tenant.id, *role)).collect::<Vec<_>>(),
        [(sample.scope.tenant_id, TenantRole::Owner), (other.scope.tenant_id, TenantRole::Member),]
    );
    assert_eq!(
        account.workspaces.iter().map(|(workspace, _)| workspace.id).collect::<Vec<_>>(),
        [sample.scope.workspace_id]
    );
    assert_eq!(store.find_account(sample.user_id).await.expect("a read"), Some(account));
    assert_eq!(store.find_account_by_email("Owner@sample.example").await.expect("a read"), None);
    assert_eq!(store.find_tenant_member(other.scope.tenant_id, sample.user_id).await.expect("a read"), Some(guest));
    assert_eq!(store.find_tenant_member(sample.scope.tenant_id, other.user_id).await.expect("a read"), None);

    let mut alone = sample.user();
    (alone.id, alone.email_key) = (sample.ids().user(), "alone@sample.example".to_owned());
    applied(store, sample.opening([put(Row::User(alone.clone()))])).await;
    let account = store.find_account(alone.id).await.expect("a read").expect("the account");
    assert_eq!((account.user, account.tenants.len(), account.workspaces.len()), (alone.clone(), 0, 0));

    let users = store.list_users(&[alone.id, other.user_id, sample.ids().user()].into()).await.expect("a read");
    let ids: BTreeSet<UserId> = users.iter().map(|user| user.id).collect();
    assert_eq!((ids, users.len()), ([alone.id, other.user_id].into(), 2), "the one who is gone is left out");
    assert!(users.contains(&alone));
}

/// Newest first.
pub async fn sessions_are_listed_while_they_live(store: &impl Store) {
    let sample = seeded(store).await;
    let first = session(store, &sample).await;
    let numbered = |number: u8| {
        let mut session = first.clone();
        session.id = sample.ids().session();
        (session.token, session.refresh) = (sample.digest(10 + number), Some(sample.digest(20 + number)));
        session.created_at = noon() + Duration::from_secs(u64::from(number));
        session
    };
    let (newer, mut ended, mut over) = (numbered(1), numbered(2), numbered(3));
    ended.ended_at = Some(noon());
    over.expires_at = noon();
    let all = [&first, &newer, &ended, &over].map(|session| put(Row::Session(session.clone())));
    applied(store, sample.opening(all)).await;
    let listed = store.list_sessions(sample.user_id).await.expect("sessions");
    assert_eq!(listed.iter().map(|session| session.id).collect::<Vec<_>>(), [newer.id, first.id]);
    let found = store.find_session(ended.token).await.expect("a read").expect("ended ones too");
    assert_eq!(found.session.ended_at, Some(noon()));
}

/// Newest first, revoked ones too.
pub async fn keys_and_secrets_are_listed(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    let mut second = sample.api_key();
    (second.id, second.created_at) = (sample.ids().api_key(), noon() + Duration::from_secs(1));
    (second.revoked_at, second.ip_allowlist, second.allowed_models) = (Some(noon()), None, None);
    let secret = KeySecret { digest: sample.digest(7), expires_at: Some(noon()), ..sample.key_secret() };
    applied(store, sample.opening([put(Row::ApiKey(second.clone())), put(Row::KeySecret(secret.clone()))])).await;
    assert_eq!(store.list_keys(sample.scope).await.expect("keys"), [second.clone(), sample.api_key()]);
    assert_eq!(store.find_key_by_id(sample.scope, second.id).await.expect("a read"), Some(second.clone()));
    assert_eq!(store.find_key_by_id(other.scope, second.id).await.expect("a read"), None);
    let secrets = store.list_key_secrets(sample.scope, sample.key_id).await.expect("secrets");
    assert_eq!(secrets.iter().map(|secret| secret.digest).collect::<Vec<_>>(), [secret.digest, sample.digest(0)]);
    assert!(store.list_key_secrets(other.scope, sample.key_id).await.expect("secrets").is_empty());
}

/// For caches and for sign-in.
pub async fn epochs_and_throttles_are_read(store: &impl Store) {
    let sample = seeded(store).await;
    let unknown = sample.ids().tenant();
    let epochs = store.epochs(&[sample.scope.tenant_id, unknown]).await.expect("epochs");
    assert_eq!(epochs, [(sample.scope.tenant_id, 0)]);
    let throttle = LoginThrottle {
        key: "hash".to_owned(),
        failures: 3,
        window_start: noon(),
        blocked_until: Some(noon() + Duration::from_secs(1)),
        version: 1,
    };
    applied(store, sample.opening([put(Row::LoginThrottle(throttle.clone()))])).await;
    let raised = LoginThrottle { failures: 4, blocked_until: None, version: 2, ..throttle };
    applied(store, sample.opening([put(Row::LoginThrottle(raised.clone()))])).await;
    assert_eq!(store.find_throttle("hash").await.expect("a read"), Some(raised));
    assert_eq!(store.find_throttle("other").await.expect("a read"), None);
}
