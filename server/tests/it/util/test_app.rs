//! A whole soit inside the test: on a fresh SQLite file or PostgreSQL database, asked through its routers.

use axum::Router;
use axum::body::{Body, BodyDataStream, to_bytes};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request};
use axum::response::Response;
use serde_json::{Value, json};
use server::compose::{App, Chosen, compose, make_first_account};
use server::config::{Config, Source};
use server::http::{api_router, console_router};
use server::worker;
use tempfile::TempDir;
use testkit::database::TestDatabase;
use tower::ServiceExt;

/// The first account, as soit makes it.
pub(crate) const ADMIN_EMAIL: &str = "admin@example.com";
pub(crate) const ADMIN_PASSWORD: &str = "changeme123";

/// A running soit without sockets. Its loops run; what it holds is gone when the test ends.
pub(crate) struct TestApp {
    pub(crate) app: App,
    api: Router,
    console: Router,
    _data: TempDir,
    pub(crate) database: TestDatabase,
}

impl TestApp {
    /// On a fresh SQLite file.
    pub(crate) async fn sqlite() -> Self {
        Self::start(TestDatabase::sqlite().await, &[]).await
    }

    /// On a fresh PostgreSQL database.
    pub(crate) async fn postgres() -> Self {
        Self::start(TestDatabase::postgres().await, &[]).await
    }

    /// On a fresh SQLite file, with further settings.
    pub(crate) async fn with_settings(settings: &[(&str, &str)]) -> Self {
        Self::start(TestDatabase::sqlite().await, settings).await
    }

    /// On a database, with further settings.
    pub(crate) async fn start(database: TestDatabase, settings: &[(&str, &str)]) -> Self {
        let data = tempfile::tempdir().expect("a data directory");
        let path = data.path().display().to_string();
        let mut values = vec![("ENVIRONMENT", "test"), ("DATA_DIR", path.as_str()), ("DATABASE_URL", database.url())];
        values.extend(settings.iter().copied());
        let config = Config::from_source(&Source::of_values(values), None).expect("sound settings");
        let app = compose(config).await.expect("a whole soit");
        make_first_account(&app, Chosen::default()).await.expect("the first account");
        worker::start(&app);
        app.health.check().await;
        let (api, console) = (api_router(app.clone()), console_router(app.clone()));
        Self { app, api, console, _data: data, database }
    }

    /// Nobody, at the API.
    pub(crate) fn anon(&self) -> Caller {
        Caller { router: self.api.clone(), headers: HeaderMap::new() }
    }

    /// Nobody, at the console.
    pub(crate) fn browser(&self) -> Caller {
        Caller { router: self.console.clone(), headers: HeaderMap::new() }
    }

    /// The first account's owner with an access token and a fresh proof of identity.
    pub(crate) async fn admin(&self) -> Caller {
        let login = json!({ "email": ADMIN_EMAIL, "password": ADMIN_PASSWORD });
        let session = self.anon().post("/api/v1/login", login).await.expect(200);
        let admin = self.anon().bearer(session["access_token"].as_str().expect("an access token"));
        admin.post("/api/v1/me/step-up", json!({ "password": ADMIN_PASSWORD })).await.expect(204);
        admin
    }

    /// A fresh API key of the administrator with these scopes.
    pub(crate) async fn key(&self, scopes: &[&str]) -> Caller {
        let command = json!({ "name": "test", "scopes": scopes });
        let made = self.admin().await.post("/api/v1/api-keys", command).await.expect(201);
        self.anon().bearer(made["api_key"].as_str().expect("a key"))
    }
}

/// Someone who sends requests.
#[derive(Clone)]
pub(crate) struct Caller {
    router: Router,
    headers: HeaderMap,
}

impl Caller {
    /// What is asked.
    pub(crate) fn router(&self) -> &Router {
        &self.router
    }

    /// The same, with a bearer.
    pub(crate) fn bearer(self, token: &str) -> Self {
        self.header(AUTHORIZATION, &format!("Bearer {token}"))
    }

    /// The same, with one more header.
    pub(crate) fn header(mut self, name: HeaderName, value: &str) -> Self {
        self.headers.insert(name, HeaderValue::from_str(value).expect("a header"));
        self
    }

    /// The value of a header it sends with everything.
    pub(crate) fn sends(&self, name: HeaderName) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, Some(body)).await
    }

    /// Sends JSON, or nothing.
    pub(crate) async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Answer {
        let request = Request::builder().method(method).uri(path);
        let request = match body {
            Some(body) => request.header(CONTENT_TYPE, "application/json").body(Body::from(body.to_string())),
            None => request.body(Body::empty()),
        };
        self.send_raw(request.expect("a request")).await
    }

    /// Posts JSON and gives the answer's body as it comes; dropping it hangs up.
    pub(crate) async fn open(&self, path: &str, body: Value) -> BodyDataStream {
        let request = Request::post(path).header(CONTENT_TYPE, "application/json").body(Body::from(body.to_string()));
        self.respond(request.expect("a request")).await.into_body().into_data_stream()
    }

    /// Sends any request, with this caller's headers where it has none of its own.
    pub(crate) async fn send_raw(&self, request: Request<Body>) -> Answer {
        let (parts, body) = self.respond(request).await.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.expect("a whole body");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Answer { status: parts.status.as_u16(), headers: parts.headers, text }
    }

    /// Sends any request; the body of the answer is still to be read.
    pub(crate) async fn respond(&self, mut request: Request<Body>) -> Response {
        for (name, value) in &self.headers {
            request.headers_mut().entry(name).or_insert_with(|| value.clone());
        }
        self.router.clone().oneshot(request).await.expect("an answer")
    }
}

/// What came back.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    /// A header's value, or nothing.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The body, which must be JSON unless it is empty.
    pub(crate) fn json(&self) -> Value {
        if self.text.is_empty() { Value::Null } else { serde_json::from_str(&self.text).expect("a JSON body") }
    }

    /// The body of an answer that must have this status.
    #[track_caller]
    pub(crate) fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        self.json()
    }

    /// The code of a refusal that must have this status.
    #[track_caller]
    pub(crate) fn refusal(&self, status: u16) -> String {
        let problem = self.expect(status);
        problem["code"].as_str().expect("a problem code").to_owned()
    }
}

/// Runs each test on SQLite and on PostgreSQL.
macro_rules! on_both {
    ($($(#[$meta:meta])* async fn $name:ident($app:ident: TestApp) $body:block)+) => {$(
        async fn $name($app: $crate::util::test_app::TestApp) $body

        mod $name {
            use $crate::util::test_app::TestApp;

            $(#[$meta])*
            #[tokio::test(flavor = "multi_thread")]
            async fn on_sqlite() {
                super::$name(TestApp::sqlite().await).await;
            }

            $(#[$meta])*
            #[tokio::test(flavor = "multi_thread")]
            async fn on_postgres() {
                super::$name(TestApp::postgres().await).await;
            }
        }
    )+};
}
pub(crate) use on_both;
