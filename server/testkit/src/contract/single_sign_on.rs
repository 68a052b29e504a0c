//! Connections to identity providers, what is linked by them, and the sessions they opened.

use std::time::Duration;

use kernel::ledger::Refusal;
use kernel::record::{
    ClientSecret, Digest, Row, Session, SsoConnection, SsoGiven, SsoLink, SsoLogout, SsoSession, Tenant,
};
use kernel::secret::Sealed;
use types::id::{GroupId, SsoConnectionId, SsoLogoutId};
use types::identity::{Role, SessionKind};
use types::mfa::MfaLevel;
use types::sso::SsoMapping;

use super::{Store, applied, refused, seeded, seeded_as};
use crate::sample::{Sample, noon, put};

fn connection(sample: &Sample) -> SsoConnection {
    SsoConnection {
        id: sample.ids().sso_connection(),
        scope: sample.scope,
        label: "Company".parse().expect("a name"),
        issuer: "https://idp.example.com".to_owned(),
        client_id: "soit".to_owned(),
        secret: Some(ClientSecret {
            id: sample.ids().secret(),
            version: 2,
            sealed: Sealed { key_id: "k".to_owned(), nonce: vec![1; 24], ciphertext: vec![2; 40] },
        }),
        scopes: vec!["openid".to_owned(), "email".to_owned()],
        allowed_domains: vec!["example.com".to_owned()],
        group_claim: Some("groups".to_owned()),
        mappings: vec![SsoMapping {
            group: "devs".to_owned(),
            role: Some(Role::Dev),
            workspace_id: Some(sample.scope.workspace_id),
            group_id: None,
        }],
        jit: true,
        jit_role: Role::Viewer,
        enforced: true,
        created_at: noon(),
        deleted_at: None,
        version: 1,
    }
}

fn link(sample: &Sample, connection_id: SsoConnectionId, subject: &str) -> SsoLink {
    let workspace_id = sample.scope.workspace_id;
    SsoLink {
        id: sample.ids().sso_link(),
        user_id: sample.user_id,
        tenant_id: sample.scope.tenant_id,
        connection_id,
        issuer: "https://idp.example.com".to_owned(),
        subject: subject.to_owned(),
        email: Some("ada@example.com".to_owned()),
        given: SsoGiven {
            roles: vec![(workspace_id, Role::Dev)],
            groups: vec![(workspace_id, GroupId::from_uuid(sample.ids().uuid()))],
        },
        created_at: noon(),
        last_used_at: noon(),
        removed_at: None,
        version: 1,
    }
}

fn session(sample: &Sample, token: u8, now: chrono::DateTime<chrono::Utc>) -> Session {
    Session {
        id: sample.ids().session(),
        user_id: sample.user_id,
        kind: SessionKind::Console,
        token: Digest([token; 32]),
        refresh: None,
        spent_refresh: None,
        workspace_id: None,
        client: String::new(),
        address: String::new(),
        mfa: MfaLevel::Sso,
        view_as: None,
        elevated_until: None,
        created_at: noon(),
        last_seen_at: noon(),
        token_expires_at: now + Duration::from_secs(60),
        expires_at: now + Duration::from_secs(60),
        ended_at: None,
        version: 1,
    }
}

/// By its tenant, by its id, and by who has not signed in while the tenant is active.
pub async fn a_connection_is_read_as_it_was_written_until_it_is_deleted(store: &impl Store) {
    let (sample, other) = (seeded(store).await, seeded_as(store, "other", 2).await);
    let (one, theirs) = (connection(&sample), SsoConnection { secret: None, ..connection(&other) });
    applied(store, sample.opening([put(Row::SsoConnection(one.clone()))])).await;
    applied(store, other.opening([put(Row::SsoConnection(theirs.clone()))])).await;
    let of = async |sample: &Sample| store.list_connections(&[sample.scope.tenant_id]).await.expect("a read");
    assert_eq!((of(&sample).await, of(&other).await), (vec![one.clone()], vec![theirs.clone()]));
    assert_eq!(store.list_connections(&[]).await.expect("a read"), []);
    assert_eq!(store.find_connection(one.id).await.expect("a read"), Some(one.clone()));
    assert_eq!(store.list_offered(1).await.expect("a read"), std::slice::from_ref(&one));
    assert_eq!(store.list_offered(9).await.expect("a read").len(), 2);
    let asleep = Tenant { active: false, version: 2, ..other.tenant() };
    applied(store, other.opening([put(Row::Tenant(asleep))])).await;
    assert_eq!(store.list_offered(9).await.expect("a read"), std::slice::from_ref(&one));
    let deleted = SsoConnection { deleted_at: Some(noon()), secret: None, version: 2, ..one.clone() };
    applied(store, sample.opening([put(Row::SsoConnection(deleted))])).await;
    assert_eq!((of(&sample).await, store.find_connection(one.id).await.expect("a read")), (vec![], None));
}

/// Where new accounts can begin.
pub async fn the_workspaces_of_a_tenant_are_listed_while_they_are_not_archived(store: &impl Store) {
    let (sample, _) = (seeded(store).await, seeded_as(store, "other", 2).await);
    let ids = async || {
        let listed = store.list_tenant_workspaces(sample.scope.tenant_id).await.expect("a read");
        listed.into_iter().map(|workspace| workspace.id).collect::<Vec<_>>()
    };
    assert_eq!(ids().await, [sample.scope.workspace_id]);
    let archived = kernel::record::Workspace { archived: true, version: 2, ..sample.workspace() };
    applied(store, sample.opening([put(Row::Workspace(archived))])).await;
    assert!(ids().await.is_empty());
}

/// Issuer and subject together; an account at the provider signs in to one account here, until it is let go.
pub async fn an_account_at_a_provider_is_linked_once(store: &impl Store) {
    let sample = seeded(store).await;
    let connection = connection(&sample);
    let (first, second) = (link(&sample, connection.id, "ada"), link(&sample, connection.id, "ben"));
    let rows = [Row::SsoConnection(connection.clone()), Row::SsoLink(first.clone()), Row::SsoLink(second.clone())];
    applied(store, sample.opening(rows.map(put))).await;
    let find = async |issuer: &str, subject: &str| store.find_link(issuer, subject).await.expect("a read");
    assert_eq!(find("https://idp.example.com", "ada").await, Some(first.clone()));
    assert_eq!(find("https://idp.example.com/", "ada").await, None);
    assert_eq!(find("https://idp.example.com", "Ada").await, None);
    assert_eq!(store.list_links(sample.user_id).await.expect("a read"), [first.clone(), second]);
    let twin = link(&sample, connection.id, "ada");
    let refusal = refused(store, sample.opening([put(Row::SsoLink(twin.clone()))])).await;
    assert_eq!(refusal, Refusal::Unique { constraint: "sso_links_issuer_subject_key".to_owned() });
    let removed = SsoLink { removed_at: Some(noon()), version: 2, ..first };
    applied(store, sample.opening([put(Row::SsoLink(removed))])).await;
    applied(store, sample.opening([put(Row::SsoLink(twin.clone()))])).await;
    assert_eq!(find("https://idp.example.com", "ada").await, Some(twin));
}

/// By link, by the provider's own session, or by both.
pub async fn sessions_are_found_by_what_opened_them_until_they_end(store: &impl Store) {
    let sample = seeded(store).await;
    let now = store.database_now().await.expect("a time");
    let connection = connection(&sample);
    let (ada, ben) = (link(&sample, connection.id, "ada"), link(&sample, connection.id, "ben"));
    let sessions = [1, 2, 3].map(|token| session(&sample, token, now));
    let opened = |index: usize, link: &SsoLink, sid: Option<&str>| {
        Row::SsoSession(SsoSession {
            session_id: sessions[index].id,
            connection_id: connection.id,
            link_id: link.id,
            sid: sid.map(str::to_owned),
            version: 1,
        })
    };
    let before = [Row::SsoConnection(connection.clone()), Row::SsoLink(ada.clone()), Row::SsoLink(ben.clone())];
    let theirs = [opened(0, &ada, Some("a")), opened(1, &ada, None), opened(2, &ben, Some("b"))];
    let rows = before.into_iter().chain(sessions.clone().map(Row::Session)).chain(theirs);
    applied(store, sample.opening(rows.map(put).collect::<Vec<_>>())).await;
    let found = async |link: Option<&SsoLink>, sid: Option<&str>| {
        let link = link.map(|link| link.id);
        let found = store.list_opened(connection.id, link, sid).await.expect("a read");
        found.into_iter().map(|session| session.token.0[0]).collect::<Vec<_>>()
    };
    assert_eq!(found(None, None).await, [1, 2, 3]);
    assert_eq!(found(Some(&ada), None).await, [1, 2]);
    assert_eq!(found(None, Some("b")).await, [3]);
    assert!(found(Some(&ada), Some("b")).await.is_empty());
    let strange = SsoConnectionId::from_uuid(sample.ids().uuid());
    assert!(store.list_opened(strange, None, None).await.expect("a read").is_empty());
    let ended = Session { ended_at: Some(noon()), version: 2, ..sessions[0].clone() };
    applied(store, sample.opening([put(Row::Session(ended))])).await;
    assert_eq!(found(Some(&ada), None).await, [2]);
}

/// The same word a second time is refused, until it is too old to be believed.
pub async fn a_sign_out_is_told_once(store: &impl Store) {
    let sample = seeded(store).await;
    let now = store.database_now().await.expect("a time");
    let connection = connection(&sample);
    let logout = |expires_at| SsoLogout {
        id: SsoLogoutId::from_uuid(sample.ids().uuid()),
        connection_id: connection.id,
        expires_at,
        version: 1,
    };
    let (live, old) = (logout(now + Duration::from_secs(300)), logout(noon()));
    let rows = [Row::SsoConnection(connection.clone()), Row::SsoLogout(live.clone()), Row::SsoLogout(old)];
    applied(store, sample.opening(rows.map(put))).await;
    let refusal = refused(store, sample.opening([put(Row::SsoLogout(live))])).await;
    assert_eq!(refusal, Refusal::Version { table: "sso logout", current: 1 });
    assert_eq!(store.prune_logouts(10).await.expect("a deletion"), 1);
    assert_eq!(store.prune_logouts(10).await.expect("a deletion"), 0);
}
