//! What is done by mail, through the doors, with a real mail server.

use axum::http::header::{ACCEPT_LANGUAGE, HOST, LOCATION};
use axum::http::{HeaderName, Method};
use serde_json::{Value, json};
use testkit::database::TestDatabase;
use types::identity::Role;

use super::people::{PASSWORD, at_console, first_home, new_member, post_form, signed_in};
use crate::util::smtp::{MailServer, token};
use crate::util::test_app::{Answer, Caller, TestApp};

const NEW: &str = "lantern orchid gravel 42";

async fn with_mail(database: TestDatabase) -> (TestApp, MailServer) {
    let server = MailServer::start("plain").await;
    let url = format!("smtp://127.0.0.1:{}?tls=none", server.port());
    let settings = [
        ("SYSTEM_MAIL_ENABLED", "true"),
        ("SYSTEM_MAIL_URL", url.as_str()),
        ("SYSTEM_MAIL_FROM", "soit <soit@example.com>"),
        ("ALLOW_PUBLIC_REGISTRATION", "true"),
        ("PUBLIC_URL", "http://localhost:5000"),
    ];
    (TestApp::start(database, &settings).await, server)
}

/// Runs each test on SQLite and on PostgreSQL, beside a mail server.
macro_rules! on_both_with_mail {
    ($(async fn $name:ident($app:ident: TestApp, $mail:ident: MailServer) $body:block)+) => {$(
        async fn $name($app: TestApp, mut $mail: MailServer) $body

        mod $name {
            use testkit::database::TestDatabase;

            #[tokio::test(flavor = "multi_thread")]
            async fn on_sqlite() {
                let (app, mail) = super::with_mail(TestDatabase::sqlite().await).await;
                super::$name(app, mail).await;
            }

            #[tokio::test(flavor = "multi_thread")]
            async fn on_postgres() {
                let (app, mail) = super::with_mail(TestDatabase::postgres().await).await;
                super::$name(app, mail).await;
            }
        }
    )+};
}

async fn ask(caller: &Caller, email: &str) -> Answer {
    caller.post("/api/v1/auth/password-reset", json!({ "email": email })).await
}

async fn reset(app: &TestApp, token: &str, password: &str) -> Answer {
    app.anon().post("/api/v1/auth/password-reset/confirm", json!({ "token": token, "password": password })).await
}

async fn confirm(app: &TestApp, token: &str) -> Answer {
    app.anon().post("/api/v1/auth/email-verification/confirm", json!({ "token": token })).await
}

/// What an answer tells: all but what differs from one request to the next.
fn told(answer: &Answer) -> (u16, String, Vec<String>) {
    let mut names: Vec<String> = answer.headers.keys().map(ToString::to_string).collect();
    names.sort();
    (answer.status, answer.text.clone(), names)
}

/// Everything a database holds of the mails and of what was recorded about them.
async fn stored(app: &TestApp) -> String {
    let mut all = Vec::new();
    for sql in [
        "SELECT email || ' ' || email_key || ' ' || kind FROM mails",
        "SELECT payload FROM events",
        "SELECT payload || ' ' || resource_id || ' ' || actor_id FROM audit",
        "SELECT key FROM login_throttles",
    ] {
        all.extend(app.database.texts(sql).await);
    }
    all.join("\n")
}

on_both_with_mail! {
    async fn a_forgotten_password_is_reset_by_a_link(app: TestApp, mail: MailServer) {
        let home = first_home(&app).await;
        new_member(&app, &home, "ada@example.com", Role::Owner).await;
        let session = signed_in(&app, "ada@example.com").await;
        // A host that a request names leads nowhere.
        let evil = app.anon().header(HOST, "evil.test").header(HeaderName::from_static("x-forwarded-host"), "evil.test");
        let (known, unknown) = (ask(&evil, "Ada@example.com").await, ask(&app.anon(), "nobody@example.com").await);
        assert_eq!(told(&known), told(&unknown), "nothing tells the two apart");
        assert_eq!((known.status, known.text.as_str()), (204, ""));
        let sent = mail.mail().await;
        assert_eq!((&sent["to"], &sent["from"]), (&json!(["ada@example.com"]), &json!("soit@example.com")));
        let link = format!("http://localhost:5000/reset-password#{}", token(&sent));
        for body in ["text", "html"] {
            let body = sent[body].as_str().expect("a text");
            assert!(body.contains(&link) && !body.contains("evil.test"), "{body}");
        }
        let stored = stored(&app).await;
        assert!(!stored.contains(&token(&sent)) && !stored.contains("sl_") && !stored.contains("nobody@example.com"));
        let logged = app.database.texts("SELECT payload FROM audit").await.join("\n");
        assert!(!logged.contains("ada@example.com"), "{logged}");

        let weak = reset(&app, &token(&sent), "password1234").await;
        assert_eq!((weak.refusal(400).as_str(), &weak.json()["errors"][0]["field"]), ("weak_password", &json!("password")));
        reset(&app, &token(&sent), NEW).await.expect(204);
        assert_eq!(reset(&app, &token(&sent), NEW).await.refusal(410), "link_expired");
        assert_eq!(session.get("/api/v1/me").await.status, 401, "every session has ended");
        let login = |password: &str| json!({ "email": "ada@example.com", "password": password });
        assert_eq!(app.anon().post("/api/v1/login", login(PASSWORD)).await.status, 401);
        app.anon().post("/api/v1/login", login(NEW)).await.expect(200);
        assert!(mail.is_quiet(std::time::Duration::from_secs(2)).await, "an address without an account gets no mail");
    }

    async fn an_account_is_made_by_who_proves_an_address(app: TestApp, mail: MailServer) {
        let offers = app.anon().get("/api/v1/auth/capabilities").await.expect(200);
        for offer in ["registration", "password_reset", "email_verification", "password_login"] {
            assert_eq!(offers[offer], true, "{offer}");
        }
        let form = |email: &str| json!({ "email": email, "name": "Ada", "password": PASSWORD });
        let chinese = app.anon().header(ACCEPT_LANGUAGE, "zh-CN,zh;q=0.9");
        let known = app.anon().post("/api/v1/register", form("admin@example.com")).await;
        let new = chinese.post("/api/v1/register", form("ada@example.com")).await;
        assert_eq!(told(&known), told(&new), "nothing tells the two apart");
        assert_eq!(new.status, 202);
        let mails = [mail.mail().await, mail.mail().await];
        let of = |to: &str| mails.iter().find(|mail| mail["to"] == json!([to])).expect("a mail");
        assert!(!of("admin@example.com")["text"].as_str().expect("a text").contains('#'), "a notice, no link");
        let sent = of("ada@example.com");
        assert_eq!(sent["subject"], "完成 soit 注册");
        let login = json!({ "email": "ada@example.com", "password": PASSWORD });
        assert_eq!(app.anon().post("/api/v1/login", login.clone()).await.status, 401);
        confirm(&app, &token(sent)).await.expect(204);
        assert_eq!(confirm(&app, &token(sent)).await.refusal(410), "link_expired");
        let session = app.anon().post("/api/v1/login", login).await.expect(200);
        assert_eq!((&session["user"]["email_verified"], &session["workspaces"][0]["role"]), (&json!(true), &json!("owner")));
        let admin = app.admin().await.get("/api/v1/me/workspaces").await.expect(200);
        assert_ne!(session["workspaces"][0]["tenant_id"], admin["items"][0]["tenant_id"], "it joins no other");
    }

    async fn an_address_is_changed_by_who_proves_the_new_one(app: TestApp, mail: MailServer) {
        let home = first_home(&app).await;
        new_member(&app, &home, "ada@example.com", Role::Owner).await;
        let ada = signed_in(&app, "ada@example.com").await;
        let path = "/api/v1/me/email-verification";
        ada.post(path, json!({})).await.expect(204);
        let proof = mail.mail().await;
        assert_eq!(proof["to"], json!(["ada@example.com"]));
        confirm(&app, &token(&proof)).await.expect(204);
        assert_eq!(ada.get("/api/v1/me").await.expect(200)["user"]["email_verified"], true);
        ada.post(path, json!({ "email": "New@example.com" })).await.expect(204);
        let change = mail.mail().await;
        assert_eq!(change["to"], json!(["New@example.com"]));
        confirm(&app, &token(&change)).await.expect(204);
        let notice = mail.mail().await;
        assert_eq!(notice["to"], json!(["ada@example.com"]));
        signed_in(&app, "new@example.com").await;
        for wrong in ["two@at@example.com", "ada@example.com\r\nBcc: eve@example.com", &format!("{}@e.com", "x".repeat(255))] {
            let refused = ada.post(path, json!({ "email": wrong })).await;
            assert_eq!((refused.refusal(400).as_str(), &refused.json()["errors"][0]["field"]), ("invalid", &json!("email")));
        }
    }

    async fn an_invitation_goes_to_its_address_and_to_nobody_else(app: TestApp, mail: MailServer) {
        let home = first_home(&app).await;
        new_member(&app, &home, "ada@example.com", Role::Owner).await;
        let ada = signed_in(&app, "ada@example.com").await;
        let path = format!("/api/v1/workspaces/{}/invitations", home.scope.workspace_id);
        let made = ada.post(&path, json!({ "email": "guest@example.com", "role": "dev" })).await.expect(201);
        assert_eq!(made.get("link"), None, "{made}");
        let sent = mail.mail().await;
        assert_eq!(sent["to"], json!(["guest@example.com"]));
        let accept = json!({ "token": token(&sent), "name": "Guest", "password": PASSWORD });
        app.anon().post("/api/v1/invitations/accept", accept).await.expect(200);
        let guest = signed_in(&app, "guest@example.com").await;
        assert_eq!(guest.get("/api/v1/me").await.expect(200)["user"]["email_verified"], true);

        let console = at_console(&app, "ada@example.com").await;
        let form = [("workspace", home.slug.as_str()), ("form[email]", "other@example.com"), ("form[role]", "viewer")];
        let invitation = post_form(&console, "/ui/fn/create_invitation", &form).await.expect(200);
        let id = invitation["id"].as_str().expect("an id");
        let shown = post_form(&console, &format!("/w/{}/access/invitations/{id}/reveal", home.slug), &[]).await;
        assert!(shown.text.contains("The link went to other@example.com") && !shown.text.contains("#si_"), "{}", shown.text);
        assert_eq!(mail.mail().await["to"], json!(["other@example.com"]));
    }

    async fn everything_works_at_the_console_without_scripts(app: TestApp, mail: MailServer) {
        let nobody = app.browser();
        let sign_in = nobody.get("/sign-in").await;
        assert!(sign_in.text.contains("href=\"/forgot-password\"") && sign_in.text.contains("href=\"/register\""));
        let location = |answer: &Answer| answer.header(LOCATION.as_str()).to_owned();

        let register = |email: &'static str, repeated: &'static str| {
            [("email", email), ("name", "Ada"), ("password", PASSWORD), ("repeated", repeated)]
        };
        let differs = post_form(&nobody, "/ui/register", &register("ada@example.com", "else")).await;
        assert_eq!(location(&differs), "/register?error=invalid");
        assert!(nobody.get("/register?error=invalid").await.text.contains("the two passwords differ"));
        let asked = post_form(&nobody, "/ui/register", &register("ada@example.com", PASSWORD)).await;
        assert_eq!(location(&asked), "/register?sent=1");
        assert_eq!(nobody.get("/register?sent=1").await.status, 200);
        let link = token(&mail.mail().await);
        assert!(nobody.get("/confirm-email").await.text.contains("name=\"token\""));
        let confirmed = post_form(&nobody, "/ui/confirm-email", &[("token", link.as_str())]).await;
        assert_eq!(location(&confirmed), "/confirm-email?done=1");
        let again = post_form(&nobody, "/ui/confirm-email", &[("token", link.as_str())]).await;
        assert_eq!(location(&again), "/confirm-email?error=link_expired");
        at_console(&app, "ada@example.com").await;

        let asked = post_form(&nobody, "/ui/forgot-password", &[("email", "ada@example.com")]).await;
        assert_eq!(location(&asked), "/forgot-password?sent=1");
        let link = token(&mail.mail().await);
        let form = |password| [("token", link.as_str()), ("password", password), ("repeated", password)];
        let weak = post_form(&nobody, "/ui/reset-password", &form("password1234")).await;
        assert_eq!(location(&weak), "/reset-password?error=weak_password");
        let set = post_form(&nobody, "/ui/reset-password", &form(NEW)).await;
        assert_eq!(location(&set), "/sign-in?done=password_reset");
        assert!(nobody.get("/sign-in?done=password_reset").await.text.contains("Your password is set"));
        let signed_in = post_form(&nobody, "/ui/sign-in", &[("email", "ada@example.com"), ("password", NEW)]).await;
        assert_eq!(location(&signed_in), "/");
    }

    async fn three_mails_an_hour_and_no_word_about_it(app: TestApp, mail: MailServer) {
        let home = first_home(&app).await;
        new_member(&app, &home, "ada@example.com", Role::Owner).await;
        for _ in 0..6 {
            ask(&app.anon(), "ada@example.com").await.expect(204);
        }
        let mut newest = Value::Null;
        while !mail.is_quiet(std::time::Duration::from_secs(3)).await {
            // What was superseded before its turn is not sent at all.
            newest = json!(true);
        }
        assert_eq!(newest, json!(true), "at least the newest arrives");
        let written = app.database.texts("SELECT kind FROM mails").await;
        assert_eq!(written.len(), 3);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_mail_nothing_is_promised() {
    let app = TestApp::sqlite().await;
    let offers = app.anon().get("/api/v1/auth/capabilities").await.expect(200);
    assert_eq!((&offers["registration"], &offers["password_reset"]), (&json!(false), &json!(false)));
    assert_eq!(ask(&app.anon(), "admin@example.com").await.refusal(503), "not_configured");
    let form = json!({ "email": "ada@example.com", "name": "Ada", "password": PASSWORD });
    assert_eq!(app.anon().post("/api/v1/register", form).await.refusal(404), "not_found");
    let nobody = app.browser();
    let sign_in = nobody.get("/sign-in").await.text;
    assert!(!sign_in.contains("/forgot-password") && !sign_in.contains("/register"));
    assert_eq!(nobody.get("/register").await.status, 404);
    assert!(nobody.get("/forgot-password").await.text.contains("sends no mail"));
}

crate::util::test_app::on_both! {
    async fn an_account_is_closed_kept_or_refused(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, "ada@example.com", Role::Dev).await;
        let ada = signed_in(&app, "ada@example.com").await;
        let path = "/api/v1/me/deletion-request";
        assert_eq!(ada.get(path).await.expect(200), json!({ "closes_at": null }));
        let asked = ada.send(Method::POST, path, None).await.expect(200);
        let closes = asked["closes_at"].as_str().expect("a day").parse::<chrono::DateTime<chrono::Utc>>().expect("a time");
        assert_eq!((closes - app.app.clock.now()).num_days(), 6);
        let ada = signed_in(&app, "ada@example.com").await;
        assert_eq!(ada.get(path).await.expect(200), asked);
        ada.send(Method::DELETE, path, None).await.expect(204);
        let ada = signed_in(&app, "ada@example.com").await;
        assert_eq!(ada.get(path).await.expect(200), json!({ "closes_at": null }));
        let admin = app.admin().await;
        let refused = admin.send(Method::POST, path, None).await;
        assert_eq!(refused.refusal(409), "last_owner");
    }

    async fn who_has_to_go_is_gone_and_the_record_stays(app: TestApp) {
        let home = first_home(&app).await;
        let id = new_member(&app, &home, "ada@example.com", Role::Dev).await;
        let ada = signed_in(&app, "ada@example.com").await;
        ada.send(Method::POST, "/api/v1/me/deletion-request", None).await.expect(200);
        let account = app.app.directory.find_account(id).await.expect("a read").expect("an account");
        let due = kernel::record::User {
            closes_at: Some(app.app.clock.now()),
            version: account.user.version + 1,
            ..account.user.clone()
        };
        super::people::put(&app, home.scope, [kernel::record::Row::User(due)]).await;
        app.app.identity.close_due_accounts().await.expect("a go");
        let account = app.app.directory.find_account(id).await.expect("a read").expect("the id stays");
        assert_eq!(account.user.status, types::identity::UserStatus::Closed);
        let users = app.database.texts("SELECT email || ' ' || email_key || ' ' || name FROM users").await.join("\n");
        assert!(!users.contains("ada@example.com") && users.contains("Closed account"), "{users}");
        let login = json!({ "email": "ada@example.com", "password": PASSWORD });
        assert_eq!(app.anon().post("/api/v1/login", login).await.status, 401);
        assert_eq!(ada.get("/api/v1/me").await.status, 401);
        let members = app.admin().await.get(&format!("/api/v1/workspaces/{}/members", home.scope.workspace_id)).await;
        assert!(!members.text.contains(&id.to_string()));
        let audit = app.admin().await.get(&format!("/api/v1/audit?actor_id={id}")).await;
        assert_eq!(audit.status, 200, "{}", audit.text);
        assert!(audit.text.contains("user.closure_requested"), "{}", audit.text);
    }
}
