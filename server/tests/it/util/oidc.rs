//! Real and scripted identity providers for tests, each in a process of its own, and a browser's way through them.

use std::collections::BTreeMap;
use std::process::Stdio;

use axum::http::header::{COOKIE, LOCATION, SET_COOKIE};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// What the clients of the scripts prove themselves with.
pub(crate) const CLIENT_SECRET: &str = "secret-of-the-test-client";
/// Redirects a browser follows within a provider.
const HOPS: usize = 12;

/// An identity provider. It ends with the test.
pub(crate) struct Provider {
    _child: Child,
    client: reqwest::Client,
    pub(crate) issuer: String,
}

impl Provider {
    /// The package `oidc-provider`.
    pub(crate) async fn real() -> Self {
        Self::start("real").await
    }

    /// One that says what it is told.
    pub(crate) async fn scripted() -> Self {
        Self::start("scripted").await
    }

    #[expect(clippy::disallowed_methods, reason = "the browser of a test is no part of soit")]
    async fn start(mode: &str) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/util/oidc.mjs");
        let mut child = Command::new("node")
            .args([script, mode])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("node, which .ci/setup.sh installs");
        let mut lines = BufReader::new(child.stdout.take().expect("its stdout")).lines();
        let port = lines.next_line().await.expect("a line").expect("its port: is oidc-provider installed in end2end?");
        let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy().build();
        Self { _child: child, client: client.expect("a client"), issuer: format!("http://127.0.0.1:{port}") }
    }

    /// Gives an order.
    pub(crate) async fn order(&self, order: Value) -> Value {
        let answer = self.client.post(format!("{}/control", self.issuer)).body(order.to_string()).send().await;
        let answer = answer.expect("an answer");
        assert_eq!(answer.status().as_u16(), 200, "{order}");
        serde_json::from_str(&answer.text().await.expect("a body")).expect("JSON")
    }

    /// Who signs in from now on.
    pub(crate) async fn is(&self, sub: &str, more: Value) {
        let mut account =
            json!({ "sub": sub, "email": format!("{sub}@example.com"), "email_verified": true, "name": "Ada" });
        more.as_object().expect("claims").iter().for_each(|(name, value)| account[name] = value.clone());
        self.order(json!({ "account": account })).await;
    }

    /// Goes where soit sent the browser, and on until the provider sends it back; that address.
    pub(crate) async fn visit(&self, start: &str) -> String {
        let mut cookies: BTreeMap<String, String> = BTreeMap::new();
        let mut url = start.to_owned();
        for _ in 0..HOPS {
            let pairs: Vec<String> = cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let answer = self.client.get(&url).header(COOKIE, pairs.join("; ")).send().await.expect("an answer");
            for line in answer.headers().get_all(SET_COOKIE).iter().filter_map(|line| line.to_str().ok()) {
                let pair = line.split(';').next().and_then(|pair| pair.split_once('='));
                cookies.extend(pair.map(|(name, value)| (name.to_owned(), value.to_owned())));
            }
            let location = answer.headers().get(LOCATION).and_then(|value| value.to_str().ok()).map(str::to_owned);
            let Some(location) = location else {
                panic!("{url} leads nowhere: {} {}", answer.status(), answer.text().await.unwrap_or_default());
            };
            if location.starts_with('/') {
                url = format!("{}{location}", self.issuer);
            } else if location.starts_with(&self.issuer) {
                url = location;
            } else {
                return location;
            }
        }
        panic!("the provider sends the browser in circles");
    }
}
