//! Single sign-on through the doors, with the real `oidc-provider`, and with one that says what it is told.

use std::time::Duration;

use axum::body::Body;
use axum::http::header::{ACCEPT, CONTENT_TYPE, COOKIE, IF_MATCH};
use axum::http::{Method, Request};
use serde_json::{Value, json};
use testkit::database::TestDatabase;
use types::identity::{Role, TenantRole};

use super::people::{
    Home, PASSWORD, SAME_ORIGIN, at_console, first_home, join, new_home, new_member, new_user, put, set_cookie,
    signed_in,
};
use crate::util::oidc::{CLIENT_SECRET, Provider};
use crate::util::test_app::{Answer, Caller, TestApp, on_both};

const BOSS: &str = "boss@example.com";
const PUBLIC_URL: &str = "http://soit.test:5000";

/// A soit with a connection to a provider, and an owner of its tenant.
struct Scene {
    app: TestApp,
    home: Home,
    provider: Provider,
    boss: Caller,
    connection: String,
}

async fn app(database: TestDatabase) -> TestApp {
    TestApp::start(database, &[("PUBLIC_URL", PUBLIC_URL)]).await
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// The name and value of a flow's cookie.
fn flow(answer: &Answer) -> String {
    set_cookie(answer, "soit_sso_").expect("what the browser takes along")
}

impl Scene {
    async fn set(database: TestDatabase, provider: Provider, more: Value) -> Self {
        let app = app(database).await;
        let home = first_home(&app).await;
        new_member(&app, &home, BOSS, Role::Owner).await;
        let boss = signed_in(&app, BOSS).await;
        let mut command = json!({
            "label": "Company", "issuer": provider.issuer, "client_id": "soit", "client_secret": CLIENT_SECRET,
            "allowed_domains": ["example.com"], "jit": true,
        });
        more.as_object().expect("members").iter().for_each(|(name, value)| command[name] = value.clone());
        let path = format!("/api/v1/tenants/{}/sso", home.scope.tenant_id);
        let made = boss.post(&path, command).await.expect(201);
        let redirect_uri = text(&made["redirect_uri"]);
        assert_eq!(redirect_uri, format!("{PUBLIC_URL}/auth/oidc/{}/callback", text(&made["id"])));
        let client = json!({ "redirect_uris": [redirect_uri], "client_secret": CLIENT_SECRET });
        provider.order(json!({ "client": client })).await;
        Self { app, home, provider, boss, connection: text(&made["id"]) }
    }

    async fn real(database: TestDatabase, more: Value) -> Self {
        Self::set(database, Provider::real().await, more).await
    }

    /// Where everything about the tenant lies.
    fn tenant(&self) -> String {
        format!("/tenants/{}", self.home.scope.tenant_id)
    }

    /// Where everything about the connection lies.
    fn path(&self) -> String {
        format!("/api/v1{}/sso/{}", self.tenant(), self.connection)
    }

    async fn change(&self, change: Value) -> Answer {
        let etag = self.boss.get(&self.path()).await.header("etag").to_owned();
        self.boss.clone().header(IF_MATCH, &etag).send(Method::PATCH, &self.path(), Some(change)).await
    }

    /// Starts a sign-in in a browser.
    async fn start(&self, browser: &Caller) -> Answer {
        browser.get(&format!("/auth/oidc/{}/start?next=/w/default/runs", self.connection)).await
    }

    /// Comes back to soit with an address of its public URL, the flow's cookie and others.
    async fn come_back(&self, address: &str, cookies: &[&str]) -> Answer {
        let path = address.strip_prefix(PUBLIC_URL).expect("an address of soit");
        self.app.browser().header(COOKIE, &cookies.join("; ")).get(path).await
    }

    /// The whole way of somebody the provider knows.
    async fn enter(&self, sub: &str, more: Value) -> Answer {
        self.provider.is(sub, more).await;
        let started = self.start(&self.app.browser()).await;
        assert_eq!(started.status, 303, "{}", started.text);
        let back = self.provider.visit(started.header("location")).await;
        self.come_back(&back, &[&flow(&started)]).await
    }

    /// The same for who gets in: their browser.
    async fn browser_of(&self, sub: &str, more: Value) -> Caller {
        let answer = self.enter(sub, more).await;
        assert_eq!((answer.status, answer.header("location")), (303, "/w/default/runs"), "{}", answer.text);
        self.app.browser().header(COOKIE, &set_cookie(&answer, "soit_session").expect("a session"))
    }

    /// The members of the workspace, by address.
    async fn role(&self, email: &str) -> Option<String> {
        let path = format!("/api/v1/workspaces/{}/members?limit=200", self.home.scope.workspace_id);
        let listed = self.boss.get(&path).await.expect(200);
        let members = listed["items"].as_array().expect("a list");
        members.iter().find(|member| member["email"] == email).map(|member| text(&member["role"]))
    }

    /// How often something stands in the audit of the workspace, or of the tenant as a whole.
    async fn audited(&self, place: &str, event: &str) -> usize {
        let path = format!("/api/v1{place}/audit?limit=200&event_type={event}");
        self.boss.get(&path).await.expect(200)["items"].as_array().expect("a list").len()
    }
}

/// What a refusal of a way back says, and why.
fn refused(answer: &Answer, status: u16) -> (String, String) {
    let code = answer.refusal(status);
    (code, answer.json()["reason"].as_str().unwrap_or_default().to_owned())
}

/// Runs each test on SQLite and on PostgreSQL, beside the real provider.
macro_rules! on_both_with_provider {
    ($(async fn $name:ident($scene:ident: Scene) $body:block)+) => {$(
        async fn $name($scene: Scene) $body

        mod $name {
            use serde_json::json;
            use testkit::database::TestDatabase;

            #[tokio::test(flavor = "multi_thread")]
            async fn on_sqlite() {
                super::$name(super::Scene::real(TestDatabase::sqlite().await, json!({})).await).await;
            }

            #[tokio::test(flavor = "multi_thread")]
            async fn on_postgres() {
                super::$name(super::Scene::real(TestDatabase::postgres().await, json!({})).await).await;
            }
        }
    )+};
}

on_both_with_provider! {
    async fn who_comes_first_is_a_viewer_and_comes_back_as_the_same(scene: Scene) {
        let ada = scene.browser_of("ada", json!({})).await;
        assert_eq!(scene.role("ada@example.com").await.as_deref(), Some("viewer"));
        assert_eq!(ada.get("/w/default/runs").await.status, 200);
        let again = scene.browser_of("ada", json!({ "email": "moved@example.com" })).await;
        assert_eq!(again.get("/w/default").await.status, 200);
        assert_eq!(scene.role("moved@example.com").await, None, "it is the same person, by issuer and subject");
        let strangers_password = json!({ "email": "ada@example.com", "password": PASSWORD });
        assert_eq!(scene.app.anon().post("/api/v1/login", strangers_password).await.refusal(401), "invalid_credentials");
        assert_eq!((scene.audited("", "sso.account_created").await, scene.audited(&scene.tenant(), "sso.failed").await), (1, 0));
        let offered = scene.app.anon().get("/api/v1/auth/capabilities").await.expect(200);
        assert_eq!(offered["sso"], json!([{
            "id": scene.connection, "label": "Company", "start_url": format!("/auth/oidc/{}/start", scene.connection),
        }]));
        let page = scene.app.browser().get("/sign-in?next=/w/default/runs").await;
        let link = format!("href=\"/auth/oidc/{}/start?next=/w/default/runs\"", scene.connection);
        let other = link.replace("next=/w/default/runs", "next=%2Fw%2Fdefault%2Fruns");
        assert!(page.text.contains("Sign in with Company") && (page.text.contains(&link) || page.text.contains(&other)));
    }

    async fn who_may_not_come_in_is_told_why(scene: Scene) {
        new_member(&scene.app, &scene.home, "known@example.com", Role::Dev).await;
        for (sub, more, expected) in [
            ("a", json!({ "email_verified": false }), "email_unverified"),
            ("b", json!({ "email": "b@other.com" }), "domain_not_allowed"),
            ("known", json!({}), "email_taken"),
        ] {
            let answer = scene.enter(sub, more).await;
            assert_eq!(refused(&answer, 403), ("sso_refused".to_owned(), expected.to_owned()));
            assert_eq!(set_cookie(&answer, "soit_session"), None, "no session is opened");
        }
        assert_eq!(scene.role("a@example.com").await, None);
        scene.change(json!({ "jit": false })).await.expect(200);
        assert_eq!(refused(&scene.enter("c", json!({})).await, 403).1, "no_account");
        scene.provider.order(json!({ "refuse": true })).await;
        let denied = scene.enter("d", json!({})).await;
        assert_eq!(refused(&denied, 401), ("sso_failed".to_owned(), "provider".to_owned()));
        assert_eq!(scene.audited(&scene.tenant(), "sso.failed").await, 5);
        let html = scene.app.browser().header(ACCEPT, "text/html");
        let led_back = html.get(&format!("/auth/oidc/{}/callback?state=x&code=y", scene.connection)).await;
        assert_eq!((led_back.status, led_back.header("location")), (303, "/sign-in?error=sso_failed&reason=state"));
        let page = html.get(led_back.header("location")).await;
        assert!(page.text.contains("longer than ten minutes"), "{}", page.text);
    }

    async fn what_comes_back_counts_once_in_the_browser_that_started_it(scene: Scene) {
        scene.provider.is("ada", json!({})).await;
        let (one, two) = (scene.start(&scene.app.browser()).await, scene.start(&scene.app.browser()).await);
        let (first, second) = (flow(&one), flow(&two));
        let set = one.headers.get_all("set-cookie").iter().filter_map(|line| line.to_str().ok()).collect::<Vec<_>>().join("\n");
        assert!(set.contains("HttpOnly; SameSite=Lax") && set.contains("Path=/; Max-Age=600"), "{set}");
        let (back, other) =
            (scene.provider.visit(one.header("location")).await, scene.provider.visit(two.header("location")).await);
        for cookies in [vec![], vec![second.as_str()]] {
            let strange = scene.come_back(&back, &cookies).await;
            assert_eq!(refused(&strange, 401), ("sso_failed".to_owned(), "state".to_owned()));
        }
        let forged = back.replace("state=", "state=x");
        assert_eq!(refused(&scene.come_back(&forged, &[&first]).await, 401).1, "state");
        let twice = format!("{back}&code=other");
        assert_eq!(refused(&scene.come_back(&twice, &[&first]).await, 401).1, "code", "what stands twice is not there");
        // Two tabs, each with the cookies of both.
        let both = [first.as_str(), second.as_str()];
        assert_eq!(scene.come_back(&other, &both).await.status, 303);
        let entered = scene.come_back(&back, &both).await;
        assert_eq!(entered.status, 303);
        let mut spent = entered.headers.get_all("set-cookie").iter().filter_map(|line| line.to_str().ok());
        assert!(spent.any(|line| line.starts_with("soit_sso_") && line.contains("Max-Age=0")));
        assert_eq!(refused(&scene.come_back(&back, &both).await, 401), ("sso_failed".to_owned(), "code".to_owned()));
        assert_eq!(refused(&scene.come_back(&back, &[]).await, 401).1, "state");
    }

    async fn keys_that_the_provider_changed_are_looked_for_once_a_minute(scene: Scene) {
        scene.browser_of("ada", json!({})).await;
        scene.provider.order(json!({ "rotate": "second" })).await;
        let early = scene.enter("ada", json!({})).await;
        assert_eq!(refused(&early, 401), ("sso_failed".to_owned(), "key".to_owned()));
    }

    async fn an_enforced_provider_turns_passwords_away(scene: Scene) {
        let ben = "ben@example.com";
        new_member(&scene.app, &scene.home, ben, Role::Dev).await;
        let login = |email: &str| json!({ "email": email, "password": PASSWORD });
        let early = scene.change(json!({ "enforced": true })).await;
        assert_eq!((early.refusal(400), text(&early.json()["errors"][0]["field"])), ("invalid".to_owned(), "enforced".to_owned()));
        let setup = scene.boss.send(Method::POST, "/api/v1/me/mfa/setup", None).await.expect(200);
        let code = testkit::totp::code(&text(&setup["secret"]), scene.app.app.clock.now());
        scene.boss.post("/api/v1/me/mfa/confirm", json!({ "code": code })).await.expect(200);
        scene.change(json!({ "enforced": true })).await.expect(200);
        assert_eq!(scene.app.anon().post("/api/v1/login", login(ben)).await.refusal(403), "sso_required");
        let boss = scene.app.anon().post("/api/v1/login", login(BOSS)).await.expect(200);
        assert_eq!(boss["mfa_required"], true, "an owner with a second factor gets in");
        let form = [("email", ben), ("password", PASSWORD)];
        let console = super::people::post_form(&scene.app.browser(), "/ui/sign-in", &form).await;
        assert_eq!(console.header("location"), "/sign-in?error=sso_required");
        assert_eq!((scene.audited("", "sso.required").await, scene.audited("", "sso.bypassed").await), (2, 1));
        scene.browser_of("ada", json!({})).await;
    }

    async fn groups_of_the_provider_give_roles_at_each_sign_in(scene: Scene) {
        let mappings = json!([{ "group": "devs", "role": "Dev" }, { "group": "admins", "role": "admin" }]);
        let change = json!({ "group_claim": "groups", "mappings": mappings, "scopes": ["email", "profile", "groups"] });
        scene.change(change).await.expect(200);
        for (groups, expected) in [(json!(["devs"]), "dev"), (json!(["admins", "x"]), "admin"), (json!([]), "viewer")] {
            scene.browser_of("ada", json!({ "groups": groups })).await;
            assert_eq!(scene.role("ada@example.com").await.as_deref(), Some(expected));
        }
        let owner = scene.change(json!({ "mappings": [{ "group": "g", "role": "owner" }] })).await;
        assert_eq!(text(&owner.expect(400)["errors"][0]["field"]), "mappings[0].role");
    }

    async fn a_sign_out_at_the_provider_ends_the_session_and_its_stream(scene: Scene) {
        let ada = scene.browser_of("ada", json!({})).await;
        let stream = Request::get("/ui/events?workspace=default").body(Body::empty()).expect("a request");
        let mut stream = ada.respond(stream).await.into_body().into_data_stream();
        scene.provider.order(json!({ "logout": "ada" })).await;
        let caught = scene.provider.order(json!({ "caught": true })).await;
        let path = format!("/auth/oidc/{}/backchannel-logout", scene.connection);
        let tell = async |token: &str| {
            let form = format!("logout_token={token}");
            let request = Request::post(&path).header(CONTENT_TYPE, "application/x-www-form-urlencoded");
            scene.app.browser().send_raw(request.body(Body::from(form)).expect("a request")).await
        };
        assert_eq!(ada.get("/w/default/runs").await.status, 200);
        let told = tell(&text(&caught[0])).await;
        assert_eq!((told.status, told.header("cache-control")), (200, "no-store"), "{}", told.text);
        assert_eq!(ada.get("/w/default/runs").await.status, 303, "signed out");
        let ends = async { while futures::StreamExt::next(&mut stream).await.is_some_and(|chunk| chunk.is_ok()) {} };
        tokio::time::timeout(Duration::from_secs(10), ends).await.expect("the stream ends with the session");
        assert_eq!(tell(&text(&caught[0])).await.expect(400)["error"], "invalid_request", "each word counts once");
        assert_eq!(tell("a.b.c").await.status, 400);
        assert_eq!(scene.audited(&scene.tenant(), "sso.logout").await, 1);
    }

    async fn whoever_was_switched_off_stays_out(scene: Scene) {
        let ada = scene.browser_of("ada", json!({})).await;
        let session = scene.app.app.directory.find_account_by_email("ada@example.com").await.expect("a read");
        let user = session.expect("the account").user;
        let off = kernel::record::User { status: types::identity::UserStatus::Disabled, version: user.version + 1, ..user };
        put(&scene.app, kernel::context::Scope::INSTANCE, [kernel::record::Row::User(off)]).await;
        assert_eq!(scene.enter("ada", json!({})).await.refusal(403), "subject_disabled");
        drop(ada);
    }

    async fn an_account_is_linked_by_its_signed_in_and_proven_owner_alone(scene: Scene) {
        scene.change(json!({ "jit": false })).await.expect(200);
        new_member(&scene.app, &scene.home, "dev@example.com", Role::Dev).await;
        let dev = at_console(&scene.app, "dev@example.com").await;
        let page = dev.get("/w/default/settings/profile").await;
        let (_, rest) = page.text.split_once(&format!("/auth/oidc/{}/start?link=", scene.connection)).expect("an offer");
        let proof: String = rest.chars().take_while(char::is_ascii_hexdigit).collect();
        let next = "next=/w/default/settings/profile";
        let made_up = dev.get(&format!("/auth/oidc/{}/start?link={}&{next}", scene.connection, "0".repeat(64))).await;
        assert_eq!(made_up.refusal(403), "csrf_failed");
        let link = format!("/auth/oidc/{}/start?link={proof}&{next}", scene.connection);
        assert_eq!(scene.app.browser().get(&link).await.status, 401, "nobody's link");

        scene.provider.is("ada", json!({})).await;
        let started = dev.get(&link).await;
        let back = scene.provider.visit(started.header("location")).await;
        let path = back.strip_prefix(PUBLIC_URL).expect("an address of soit");
        let stranger = scene.app.browser().header(COOKIE, &flow(&started)).get(path).await;
        assert_eq!(refused(&stranger, 401).1, "state", "another session's link");
        let started = dev.get(&link).await;
        let back = scene.provider.visit(started.header("location")).await;
        let cookies = format!("{}; {}", dev.sends(COOKIE), flow(&started));
        let linked = scene.app.browser().header(COOKIE, &cookies).get(back.strip_prefix(PUBLIC_URL).expect("soit")).await;
        assert_eq!((linked.status, linked.header("location")), (303, "/w/default/settings/profile"), "{}", linked.text);
        let entered = scene.browser_of("ada", json!({ "email_verified": false })).await;
        assert_eq!(entered.get("/w/default/models").await.status, 200);
        assert_eq!(scene.audited("", "sso.linked").await, 1);

        let api = signed_in(&scene.app, "dev@example.com").await;
        let links = api.get("/api/v1/me/sso").await.expect(200);
        let id = text(&links["items"][0]["id"]);
        let other = signed_in(&scene.app, BOSS).await;
        assert_eq!(other.send(Method::DELETE, &format!("/api/v1/me/sso/{id}"), None).await.refusal(404), "not_found");
        api.send(Method::DELETE, &format!("/api/v1/me/sso/{id}"), None).await.expect(204);
        assert_eq!(refused(&scene.enter("ada", json!({})).await, 403).1, "no_account");
    }

    async fn who_has_no_password_proves_themselves_again_at_the_provider(scene: Scene) {
        let ada = scene.browser_of("ada", json!({})).await;
        let page = ada.get("/w/default/settings/profile").await;
        let (_, rest) = page.text.split_once(&format!("/auth/oidc/{}/start?link=", scene.connection)).expect("an offer");
        let proof: String = rest.chars().take_while(char::is_ascii_hexdigit).collect();
        let link = format!("/auth/oidc/{}/start?link={proof}", scene.connection);
        let unproven = ada.get(&link).await;
        assert_eq!(refused(&unproven, 403), ("step_up_required".to_owned(), "identity_provider".to_owned()));
        let html = ada.clone().header(ACCEPT, "text/html");
        let asked = html.get(&format!("{link}&next=/w/default/settings/profile")).await;
        let shown = ada.get(asked.header("location")).await;
        let (_, form) = shown.text.split_once("data-testid=\"step-up\"").expect("the form that asks");
        let (form, _) = form.split_once("</form>").expect("its end");
        assert!(form.contains("href=\"/auth/step-up?next=") && !form.contains("name=\"password\""), "{form}");
        let next = "/w/default/settings/profile";
        let path = format!("/auth/step-up?next={next}");
        assert_eq!(ada.get(&path).await.refusal(403), "csrf_failed", "no other page leads there");
        let started = ada.clone().header(SAME_ORIGIN.0, SAME_ORIGIN.1).get(&path).await;
        assert_eq!(started.status, 303, "{}", started.text);
        assert!(started.header("location").contains("prompt=login&max_age=0"));
        scene.provider.is("ben", json!({})).await;
        let other = scene.provider.visit(started.header("location")).await;
        let cookies = [ada.sends(COOKIE), &flow(&started)].join("; ");
        let back = async |address: &str, cookies: &str| {
            let path = address.strip_prefix(PUBLIC_URL).expect("an address of soit");
            scene.app.browser().header(COOKIE, cookies).get(path).await
        };
        assert_eq!(refused(&back(&other, &cookies).await, 403), ("sso_refused".to_owned(), "other_account".to_owned()));

        scene.provider.is("ada", json!({})).await;
        let started = ada.clone().header(SAME_ORIGIN.0, SAME_ORIGIN.1).get(&path).await;
        let address = scene.provider.visit(started.header("location")).await;
        let cookies = [ada.sends(COOKIE), &flow(&started)].join("; ");
        let proven = back(&address, &cookies).await;
        assert_eq!((proven.status, proven.header("location")), (303, next), "{}", proven.text);
        let cookie = set_cookie(&proven, "soit_session").expect("the session under another cookie");
        let ada = scene.app.browser().header(COOKIE, &cookie);
        assert_eq!(ada.get(&link).await.status, 303, "freshly proven");
        let told = scene.boss.get("/api/v1/audit?limit=200&event_type=step_up").await.expect(200);
        let by_provider = told["items"].as_array().expect("a list").iter().filter(|row| row["payload"]["method"] == "sso");
        assert_eq!(by_provider.count(), 1);
    }
}

/// Claims of the scripted provider for a sign-in that was started.
fn claims(scene: &Scene, started: &Answer) -> Value {
    let now = scene.app.app.clock.now().timestamp();
    let url = url::Url::parse(started.header("location")).expect("an address");
    let nonce = url.query_pairs().find(|(name, _)| name == "nonce").expect("a nonce").1.into_owned();
    json!({
        "iss": scene.provider.issuer, "aud": "soit", "sub": "ada", "iat": now, "exp": now + 300, "nonce": nonce,
        "email": "ada@example.com", "email_verified": true,
    })
}

fn state(started: &Answer) -> String {
    let url = url::Url::parse(started.header("location")).expect("an address");
    let state = url.query_pairs().find(|(name, _)| name == "state").expect("a state").1.into_owned();
    url::form_urlencoded::byte_serialize(state.as_bytes()).collect()
}

/// A sign-in whose token is scripted.
async fn scripted(scene: &Scene, alg: &str, header: Value, more: Value) -> Answer {
    let started = scene.start(&scene.app.browser()).await;
    assert_eq!(started.status, 303, "{}", started.text);
    let mut claims = claims(scene, &started);
    more.as_object().expect("claims").iter().for_each(|(name, value)| claims[name] = value.clone());
    scene.provider.order(json!({ "token": { "alg": alg, "header": header, "claims": claims } })).await;
    let back = format!("{PUBLIC_URL}/auth/oidc/{}/callback?code=c&state={}", scene.connection, state(&started));
    scene.come_back(&back, &[&flow(&started)]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn only_tokens_that_are_signed_as_they_must_and_say_what_they_must_are_believed() {
    let scene = Scene::set(TestDatabase::sqlite().await, Provider::scripted().await, json!({})).await;
    for alg in ["RS256", "PS256", "ES256", "EdDSA"] {
        assert_eq!(scripted(&scene, alg, json!({}), json!({})).await.status, 303, "{alg}");
    }
    let now = scene.app.app.clock.now().timestamp();
    for (alg, header, more, expected) in [
        ("none", json!({}), json!({}), "algorithm"),
        ("HS256", json!({}), json!({}), "algorithm"),
        ("RS256", json!({ "kid": "strange" }), json!({}), "key"),
        ("RS256", json!({ "kid": "ES256" }), json!({}), "signature"),
        ("RS256", json!({ "alg": "ES256" }), json!({}), "signature"),
        ("EdDSA", json!({ "crit": ["x"] }), json!({}), "malformed"),
        ("ES256", json!({}), json!({ "iss": "https://evil.example.com" }), "issuer"),
        ("ES256", json!({}), json!({ "aud": "other" }), "audience"),
        ("ES256", json!({}), json!({ "aud": ["soit", "other"] }), "azp"),
        ("ES256", json!({}), json!({ "azp": "other" }), "azp"),
        ("ES256", json!({}), json!({ "exp": now - 120 }), "expired"),
        ("ES256", json!({}), json!({ "iat": now + 600 }), "early"),
        ("ES256", json!({}), json!({ "nonce": "other" }), "nonce"),
        ("ES256", json!({}), json!({ "sub": "" }), "subject"),
    ] {
        let answer = scripted(&scene, alg, header.clone(), more.clone()).await;
        assert_eq!(refused(&answer, 401), ("sso_failed".to_owned(), expected.to_owned()), "{alg} {header} {more}");
    }
    let trades = scene.provider.order(json!({ "trades": true })).await;
    let first = &trades[0];
    assert_eq!(first["form"]["grant_type"], "authorization_code");
    assert_eq!(first["form"]["code_verifier"].as_str().map(str::len), Some(43));
    assert!(text(&first["authorization"]).starts_with("Basic "));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_fails_is_told_and_other_sign_ins_live_on() {
    let scene = Scene::set(TestDatabase::sqlite().await, Provider::scripted().await, json!({})).await;
    let other = json!({ "described": { "issuer": "http://127.0.0.1:1" } });
    scene.provider.order(other).await;
    let other = scene.app.browser().get(&format!("/auth/oidc/{}/start", scene.connection)).await;
    assert_eq!(refused(&other, 401), ("sso_failed".to_owned(), "issuer".to_owned()));
    scene.provider.order(json!({ "down": true, "described": {} })).await;
    let down = scene.app.browser().get(&format!("/auth/oidc/{}/start", scene.connection)).await;
    assert_eq!(down.refusal(503), "sso_unavailable");
    assert!(!down.header("retry-after").is_empty());
    let html = scene.app.browser().header(ACCEPT, "text/html");
    let led_back = html.get(&format!("/auth/oidc/{}/start?next=/w/default", scene.connection)).await;
    assert_eq!(led_back.header("location"), "/sign-in?error=sso_unavailable&retry_after=5&next=%2Fw%2Fdefault");
    let check = scene.boss.send(Method::POST, &format!("{}/test", scene.path()), None).await.expect(200);
    assert_eq!((&check["ok"], &check["code"]), (&json!(false), &json!("sso_unavailable")));
    signed_in(&scene.app, BOSS).await;
    scene.provider.order(json!({ "down": "silent" })).await;
    let silent = scene.boss.send(Method::POST, &format!("{}/test", scene.path()), None).await.expect(200);
    assert_eq!(silent["code"], "sso_unavailable", "one that never answers is waited for ten seconds");
    scene.provider.order(json!({ "down": false })).await;
    let check = scene.boss.send(Method::POST, &format!("{}/test", scene.path()), None).await.expect(200);
    assert_eq!(check["ok"], true, "{check}");
    // A redirect is not followed.
    let moved = json!({ "described": { "jwks_uri": format!("{}/redirect", scene.provider.issuer) } });
    scene.provider.order(moved).await;
    let check = scene.boss.send(Method::POST, &format!("{}/test", scene.path()), None).await.expect(200);
    assert_eq!(check["ok"], false, "{check}");
}

on_both! {
    async fn connections_are_those_of_their_tenant_and_hold_no_secret_to_be_read(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, BOSS, Role::Owner).await;
        let boss = signed_in(&app, BOSS).await;
        let path = format!("/api/v1/tenants/{}/sso", home.scope.tenant_id);
        let command = json!({
            "label": "Company", "issuer": "https://idp.example.com", "client_id": "soit", "client_secret": "s3cret-of-soit",
        });
        let made = boss.post(&path, command.clone()).await;
        assert!(!made.text.contains("s3cret") && made.json()["secret_id"].is_string(), "{}", made.text);
        let id = text(&made.expect(201)["id"]);
        assert_eq!(made.json()["scopes"], json!(["openid", "email", "profile"]));
        let own = format!("{path}/{id}");
        let etag = made.header("etag").to_owned();
        let patch = async |etag: &str, change: Value| {
            boss.clone().header(IF_MATCH, etag).send(Method::PATCH, &own, Some(change)).await
        };
        assert_eq!(boss.send(Method::PATCH, &own, Some(json!({}))).await.refusal(428), "precondition_required");
        assert_eq!(patch("\"9\"", json!({ "label": "Other" })).await.refusal(412), "precondition_failed");
        assert_eq!(text(&patch(&etag, json!({ "client_secret": null })).await.expect(200)["label"]), "Company");
        assert!(boss.get(&own).await.expect(200)["secret_id"].is_null());
        for (wrong, field) in [
            (json!({ "issuer": "ftp://x" }), "issuer"),
            (json!({ "jit": true }), "allowed_domains"),
            (json!({ "jit_role": "owner" }), "jit_role"),
            (json!({ "workspace_id": "wsp_01jz8k0000000000000000000a" }), "workspace_id"),
            (json!({ "group_claim": "g", "mappings": [{ "group": "a", "group_id": "grp_01jz8k0000000000000000000a" }] }), "mappings[0].group_id"),
        ] {
            let refused = patch("\"2\"", wrong.clone()).await;
            assert_eq!(text(&refused.expect(400)["errors"][0]["field"]), field, "{wrong}");
        }
        assert_eq!(boss.post(&path, json!({ "label": "x", "strange": 1 })).await.refusal(400), "invalid");

        let elsewhere = new_home(&app, "elsewhere").await;
        new_member(&app, &elsewhere, "outsider@example.com", Role::Owner).await;
        let outsider = signed_in(&app, "outsider@example.com").await;
        let theirs = format!("/api/v1/tenants/{}/sso/{id}", elsewhere.scope.tenant_id);
        let nowhere = format!("/api/v1/tenants/ten_01jz8k0000000000000000000a/sso/{id}");
        let mut told = Vec::new();
        for foreign in [&own, &theirs, &nowhere] {
            let answer = outsider.get(foreign).await;
            assert_eq!(answer.refusal(404), "not_found");
            told.push(text(&answer.json()["detail"]));
        }
        told.dedup();
        assert_eq!(told.len(), 1, "an unknown id and a foreign one are answered alike");
        assert_eq!(outsider.get(&path).await.refusal(404), "not_found");
        // Who owns the tenant and belongs to none of its workspaces.
        let unjoined = new_user(&app, "unjoined@example.com", false).await;
        join(&app, &home, unjoined, TenantRole::Owner, None).await;
        let unjoined = signed_in(&app, "unjoined@example.com").await;
        assert_eq!(unjoined.get(&path).await.expect(200)["items"].as_array().map(Vec::len), Some(1));
        new_member(&app, &home, "dev@example.com", Role::Dev).await;
        let dev = signed_in(&app, "dev@example.com").await;
        assert_eq!(dev.get(&path).await.refusal(403), "role_required");
        let login = json!({ "email": BOSS, "password": PASSWORD });
        let unproven = app.anon().post("/api/v1/login", login).await.expect(200);
        let unproven = app.anon().bearer(&text(&unproven["access_token"]));
        assert_eq!(unproven.get(&path).await.refusal(403), "step_up_required");
        boss.send(Method::DELETE, &own, None).await.expect(204);
        assert_eq!(boss.send(Method::DELETE, &own, None).await.refusal(404), "not_found");
        let written = app.database.texts("SELECT payload FROM audit").await.join("\n");
        assert!(!written.contains("s3cret"), "{written}");
    }
}
