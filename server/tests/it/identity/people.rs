//! People for tests: written as rows, signed in through the doors.

use std::sync::Arc;

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, COOKIE, SET_COOKIE};
use axum::http::{HeaderName, Method, Request};
use kernel::context::Scope;
use kernel::ledger::{Batch, Durability, Op};
use kernel::record::{
    ApiKey, KeySecret, Row, SavedView, SsoConnection, SsoGiven, SsoLink, Tenant, TenantMember, User, Workspace,
    WorkspaceMember,
};
use kernel::secret::SecretString;
use serde_json::json;
use types::id::{ApiKeyId, SsoConnectionId, SsoLinkId, TenantId, UserId, ViewId};
use types::identity::{Role, TenantRole, UnpricedPolicy, UserStatus};
use types::name::Slug;
use types::run::Capture;
use types::view::ViewPage;

use crate::util::test_app::{Answer, Caller, TestApp};

pub(crate) const PASSWORD: &str = "plum violin harbour 71";
pub(crate) const SAME_ORIGIN: (HeaderName, &str) = (HeaderName::from_static("sec-fetch-site"), "same-origin");
pub(crate) const WORKSPACE_ID: HeaderName = HeaderName::from_static("x-workspace-id");

/// A workspace with its tenant.
#[derive(Clone, Debug)]
pub(crate) struct Home {
    pub(crate) scope: Scope,
    pub(crate) slug: Slug,
}

/// Writes rows as they are.
pub(crate) async fn put(app: &TestApp, scope: Scope, rows: impl IntoIterator<Item = Row>) {
    let rows = rows.into_iter().map(|row| Op::RowPut(Arc::new(row)));
    let batch = Batch::opening(scope, Durability::Power).with(rows);
    app.app.ledger.commit(batch).await.expect("well-formed rows");
}

/// The workspace of the first account.
pub(crate) async fn first_home(app: &TestApp) -> Home {
    let me = app.admin().await.get("/api/v1/me").await.expect(200);
    let first = &me["workspaces"][0];
    let id = |name: &str| first[name].as_str().expect("an id").to_owned();
    let scope = Scope {
        tenant_id: id("tenant_id").parse().expect("a tenant's id"),
        workspace_id: id("id").parse().expect("a workspace's id"),
    };
    Home { scope, slug: id("slug").parse().expect("a slug") }
}

/// Another tenant with one workspace.
pub(crate) async fn new_home(app: &TestApp, slug: &str) -> Home {
    let (tenant_id, named): (_, Slug) = (app.app.ids.tenant(), slug.parse().expect("a slug"));
    let name = named.as_str().parse().expect("a name");
    let tenant = Tenant {
        id: tenant_id,
        name,
        slug: named,
        active: true,
        content_capture: Capture::Full,
        deleted_at: None,
        version: 1,
    };
    put(app, Scope { tenant_id, workspace_id: app.app.ids.workspace() }, [Row::Tenant(tenant)]).await;
    new_workspace(app, tenant_id, slug).await
}

/// Another workspace of a tenant.
pub(crate) async fn new_workspace(app: &TestApp, tenant_id: TenantId, slug: &str) -> Home {
    let scope = Scope { tenant_id, workspace_id: app.app.ids.workspace() };
    let slug: Slug = slug.parse().expect("a slug");
    let workspace = Workspace {
        id: scope.workspace_id,
        tenant_id,
        name: slug.as_str().parse().expect("a name"),
        slug: slug.clone(),
        archived: false,
        unpriced_call_policy: UnpricedPolicy::Allow,
        content_capture: Capture::Full,
        require_mfa_from: None,
        version: 1,
    };
    put(app, scope, [Row::Workspace(workspace)]).await;
    Home { scope, slug }
}

/// An account without a place.
pub(crate) async fn new_user(app: &TestApp, email: &str, is_operator: bool) -> UserId {
    let password_hash = app.app.hasher.hash(SecretString::new(PASSWORD.to_owned())).await.expect("a hash");
    let user = User {
        id: app.app.ids.user(),
        email: email.to_owned(),
        email_key: email.to_owned(),
        name: "Somebody".parse().expect("a name"),
        status: UserStatus::Active,
        is_operator,
        password_hash: Some(password_hash),
        default_password: false,
        created_at: app.app.clock.now(),
        email_verified_at: None,
        closes_at: None,
        version: 1,
    };
    let id = user.id;
    put(app, Scope::INSTANCE, [Row::User(user)]).await;
    id
}

/// Gives somebody a place in a tenant, and perhaps in its workspace.
pub(crate) async fn join(app: &TestApp, home: &Home, user_id: UserId, tenant: TenantRole, role: Option<Role>) {
    let scope = home.scope;
    let member = TenantMember { tenant_id: scope.tenant_id, user_id, role: tenant, removed_at: None, version: 1 };
    let joined_at = app.app.clock.now();
    let place = role.map(|role| {
        Row::WorkspaceMember(WorkspaceMember { scope, user_id, role, joined_at, removed_at: None, version: 1 })
    });
    put(app, scope, [Row::TenantMember(member)].into_iter().chain(place)).await;
}

/// Somebody with a place in a tenant, and perhaps in its workspace, who cannot sign in: to act upon.
pub(crate) async fn place_of(app: &TestApp, home: &Home, role: Option<Role>) -> UserId {
    let id = app.app.ids.user();
    let email = format!("{id}@example.com");
    let user = User {
        id,
        email: email.clone(),
        email_key: email,
        name: "Somebody".parse().expect("a name"),
        status: UserStatus::Active,
        is_operator: false,
        password_hash: None,
        default_password: false,
        created_at: app.app.clock.now(),
        email_verified_at: None,
        closes_at: None,
        version: 1,
    };
    put(app, Scope::INSTANCE, [Row::User(user)]).await;
    join(app, home, id, TenantRole::Member, role).await;
    id
}

/// Takes somebody's place in a tenant away.
pub(crate) async fn leave_tenant(app: &TestApp, home: &Home, user_id: UserId) {
    let tenant_id = home.scope.tenant_id;
    let removed_at = Some(app.app.clock.now());
    let gone = TenantMember { tenant_id, user_id, role: TenantRole::Member, removed_at, version: 2 };
    put(app, home.scope, [Row::TenantMember(gone)]).await;
}

/// A new member of a workspace.
pub(crate) async fn new_member(app: &TestApp, home: &Home, email: &str, role: Role) -> UserId {
    let id = new_user(app, email, false).await;
    let tenant = if role == Role::Owner { TenantRole::Owner } else { TenantRole::Member };
    join(app, home, id, tenant, Some(role)).await;
    id
}

/// Somebody at the API, with an access token and a fresh proof.
pub(crate) async fn signed_in(app: &TestApp, email: &str) -> Caller {
    let session = app.anon().post("/api/v1/login", json!({ "email": email, "password": PASSWORD })).await.expect(200);
    let caller = app.anon().bearer(session["access_token"].as_str().expect("a token"));
    caller.post("/api/v1/me/step-up", json!({ "password": PASSWORD })).await.expect(204);
    caller
}

/// A form as the console's own pages post it.
pub(crate) async fn post_form(caller: &Caller, path: &str, form: &[(&str, &str)]) -> Answer {
    let mut body = url::form_urlencoded::Serializer::new(String::new());
    body.extend_pairs(form);
    let request = Request::builder()
        .method(Method::POST)
        .uri(path)
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(Body::from(body.finish()));
    caller.clone().header(SAME_ORIGIN.0, SAME_ORIGIN.1).send_raw(request.expect("a request")).await
}

/// The `name=value` of a cookie an answer sets.
pub(crate) fn set_cookie(answer: &Answer, name: &str) -> Option<String> {
    let lines = answer.headers.get_all(SET_COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = lines.filter_map(|line| line.split(';').next());
    pairs.find(|pair| pair.starts_with(name) && !pair.ends_with('=')).map(str::to_owned)
}

/// Somebody at the console, with a session's cookie and a fresh proof.
pub(crate) async fn at_console(app: &TestApp, email: &str) -> Caller {
    let form = [("email", email), ("password", PASSWORD)];
    let answer = post_form(&app.browser(), "/ui/sign-in", &form).await;
    assert_eq!((answer.status, answer.header("location")), (303, "/"), "{}", answer.text);
    let before = app.browser().header(COOKIE, &set_cookie(&answer, "soit_session").expect("a cookie"));
    let answer = post_form(&before, "/ui/fn/step_up", &[("password", PASSWORD)]).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    app.browser().header(COOKIE, &set_cookie(&answer, "soit_session").expect("a new cookie"))
}

/// A key written as rows, owned by somebody.
pub(crate) async fn key_of(app: &TestApp, home: &Home, created_by: UserId) -> ApiKeyId {
    let now = app.app.clock.now();
    let mut digest = [0; 32];
    app.app.ids.random(&mut digest);
    let key = ApiKey {
        id: app.app.ids.api_key(),
        scope: home.scope,
        name: "k".parse().expect("a name"),
        hint: "sk_0000…0000".to_owned(),
        scopes: vec![types::identity::Scope::Read],
        created_by,
        created_at: now,
        expires_at: now + chrono::TimeDelta::days(1),
        revoked_at: None,
        last_used_at: None,
        last_used_address: None,
        rate_limit_per_minute: Some(1_000),
        daily_request_quota: None,
        daily_token_quota: None,
        ip_allowlist: None,
        allowed_models: None,
        allowed_tools: None,
        content_capture: None,
        labels: std::collections::BTreeMap::new(),
        principal_id: None,
        version: 1,
    };
    let secret = KeySecret {
        id: app.app.ids.key_secret(),
        scope: home.scope,
        key_id: key.id,
        digest: kernel::record::Digest(digest),
        expires_at: None,
        version: 1,
    };
    let id = key.id;
    put(app, home.scope, [Row::ApiKey(key), Row::KeySecret(secret)]).await;
    id
}

/// A saved view written as a row, owned by somebody.
pub(crate) async fn view_of(app: &TestApp, home: &Home, owner_id: UserId, shared: bool) -> ViewId {
    let (id, now) = (ViewId::from_uuid(app.app.ids.uuid()), app.app.clock.now());
    let view = SavedView {
        id,
        scope: home.scope,
        owner_id,
        page: ViewPage::Runs,
        name: id.to_string().parse().expect("a name"),
        name_key: id.to_string(),
        query: String::new(),
        shared,
        created_at: now,
        updated_at: now,
        deleted_at: None,
        version: 1,
    };
    put(app, home.scope, [Row::SavedView(view)]).await;
    id
}

/// A connection to an identity provider that does not answer, written as a row.
pub(crate) async fn sso_connection(app: &TestApp, home: &Home) -> SsoConnectionId {
    let id = app.app.ids.sso_connection();
    let connection = SsoConnection {
        id,
        scope: home.scope,
        label: "idp".parse().expect("a name"),
        issuer: "http://127.0.0.1:9".to_owned(),
        client_id: "soit".to_owned(),
        secret: None,
        scopes: vec!["openid".to_owned()],
        allowed_domains: Vec::new(),
        group_claim: None,
        mappings: Vec::new(),
        jit: false,
        jit_role: Role::Viewer,
        enforced: false,
        created_at: app.app.clock.now(),
        deleted_at: None,
        version: 1,
    };
    put(app, home.scope, [Row::SsoConnection(connection)]).await;
    id
}

/// An account of one, linked to somebody's, written as rows.
pub(crate) async fn sso_link_of(app: &TestApp, home: &Home, user_id: UserId) -> SsoLinkId {
    let (connection_id, id, now) = (sso_connection(app, home).await, app.app.ids.sso_link(), app.app.clock.now());
    let link = SsoLink {
        id,
        user_id,
        tenant_id: home.scope.tenant_id,
        connection_id,
        issuer: "http://127.0.0.1:9".to_owned(),
        subject: id.to_string(),
        email: None,
        given: SsoGiven::default(),
        created_at: now,
        last_used_at: now,
        removed_at: None,
        version: 1,
    };
    put(app, home.scope, [Row::SsoLink(link)]).await;
    id
}
