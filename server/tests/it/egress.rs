//! The way out: no rule means no, and only what was checked is dialed.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use testkit::name_server::NameServer;
use testkit::upstream::Upstream;

use crate::gateway_kit::Kit;
use crate::util::books::{Stage, call};
use crate::util::process::Soit;
use crate::util::test_app::{Answer, TestApp};

fn error(text: &str) -> Value {
    serde_json::from_str::<Value>(text).expect("JSON")["error"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_rule_means_no_and_the_offered_rule_means_yes() {
    let kit = Kit::closed(TestApp::sqlite().await).await;
    let model = kit.model("plain").await;
    let refused = kit.ask(&model, "x").await;
    assert_eq!(refused.status, 403);
    let envelope = error(&refused.text);
    assert_eq!((&envelope["code"], &envelope["reason"]), (&json!("egress_denied"), &json!("not_allowed")));
    let run_id = refused.header("x-soit-run-id");
    let steps = kit.of_run(run_id, "steps").await;
    assert_eq!((&steps[0]["status"], &steps[0]["metrics"]["sent"]), (&json!("failed"), &json!(false)));
    assert!(kit.of_run(run_id, "costs").await.is_empty());
    assert!(kit.upstream.calls().is_empty());

    kit.open().await;
    let answer = kit.ask(&model, "x").await;
    answer.expect(200);
    let steps = kit.of_run(answer.header("x-soit-run-id"), "steps").await;
    let egress = &steps[0]["metrics"]["gates"]["egress"];
    assert_eq!((&egress["host"], &egress["addresses"]), (&json!("127.0.0.1"), &json!(["127.0.0.1"])));
    assert_eq!(egress["port"], kit.upstream.address().port());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_address_needs_its_network_opened_too() {
    let kit = Kit::closed(TestApp::sqlite().await).await;
    let model = kit.model("plain").await;
    let path = "/api/v1/security/egress/workspace";
    let present = kit.admin.get(path).await;
    let rule = json!({ "schemes": ["http"], "host": "127.0.0.1", "ports": [kit.upstream.address().port()] });
    let admin = kit.admin.clone().header(http::header::IF_MATCH, present.header("etag"));
    admin.send(http::Method::PUT, path, Some(json!({ "rules": [rule] }))).await.expect(200);
    let refused = kit.ask(&model, "x").await;
    assert_eq!((refused.status, &error(&refused.text)["reason"]), (403, &json!("non_public_address")));
    assert!(kit.upstream.calls().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deployment_that_opens_nothing_reaches_no_loopback() {
    let kit = Kit::closed(TestApp::with_settings(&[("EGRESS_PRIVATE_NETWORKS", "10.0.0.0/8")]).await).await;
    let account = kit.admin.get("/api/v1/modelhub/providers").await.expect(200);
    let id = account["items"][0]["id"].as_str().expect("an id");
    let offer = kit.admin.get(&format!("/api/v1/modelhub/providers/{id}")).await.expect(200)["egress"].clone();
    assert_eq!((&offer["allowed"], &offer["openable"]), (&json!(false), &json!(false)));
}

/// A model behind the name `models.test`, which the rules let out to 127.0.0.2 alone.
struct Named {
    kit: Kit,
    model: String,
    names: NameServer,
    /// Who listens on 127.0.0.2; on the same port of 127.0.0.1 listens `kit.upstream`.
    opened: Upstream,
}

impl Named {
    /// The addresses are given by how many lookups there were since the last [`Named::forget`].
    async fn new(
        script: impl Fn(usize) -> Option<Vec<&'static str>> + Send + Sync + 'static,
    ) -> (Self, Arc<AtomicUsize>) {
        let lookups = Arc::<AtomicUsize>::default();
        let counter = Arc::clone(&lookups);
        let names = NameServer::start(move |question, _| {
            if question.wants_v6 {
                return Some(Vec::new());
            }
            let found = script(counter.fetch_add(1, Ordering::SeqCst))?;
            Some(found.iter().map(|text| text.parse::<IpAddr>().expect("an address")).collect())
        });
        let names = names.await.expect("a name server");
        let server = names.address().to_string();
        let settings = [("DNS_SERVERS", server.as_str()), ("EGRESS_PRIVATE_NETWORKS", "127.0.0.2/32")];
        let kit = Kit::closed(TestApp::with_settings(&settings).await).await;
        let port = kit.upstream.address().port();
        let opened = Upstream::listen(SocketAddr::from(([127, 0, 0, 2], port))).await.expect("127.0.0.2");
        let account = json!({ "name": "Named", "slug": "named", "kind": "openai_compatible",
            "base_url": format!("http://models.test:{port}/v1"), "credential": "a-credential", "max_retries": 0 });
        let account = kit.admin.post("/api/v1/modelhub/providers", account).await.expect(201);
        let path = format!("/api/v1/modelhub/providers/{}/models", account["id"].as_str().expect("an id"));
        let model =
            json!({ "model_id": "plain", "pricing": { "currency": "USD", "rates": { "input": "1", "output": "2" } } });
        let model = kit.admin.post(&path, model).await.expect(201);
        let path = "/api/v1/security/egress/workspace";
        let present = kit.admin.get(path).await;
        let admin = kit.admin.clone().header(http::header::IF_MATCH, present.header("etag"));
        let rule = json!({ "schemes": ["http"], "host": "models.test", "ports": [port] });
        let layer = json!({ "rules": [rule], "private_networks": ["127.0.0.2/32"] });
        admin.send(http::Method::PUT, path, Some(layer)).await.expect(200);
        lookups.store(0, Ordering::SeqCst);
        let model = model["model_ref"].as_str().expect("a ref").to_owned();
        (Self { kit, model, names, opened }, lookups)
    }

    async fn ask(&self) -> Answer {
        self.kit.ask(&self.model, "x").await
    }

    /// A refusal by the rules: nothing was sent, nothing is charged or held.
    async fn refused(&self) -> String {
        let (here, there) = (self.kit.upstream.calls().len(), self.opened.calls().len());
        let answer = self.ask().await;
        let run_id = answer.header("x-soit-run-id");
        assert_eq!((self.kit.upstream.calls().len(), self.opened.calls().len()), (here, there), "nothing leaves");
        assert_eq!(self.kit.of_run(run_id, "steps").await[0]["metrics"]["sent"], false);
        assert!(self.kit.of_run(run_id, "costs").await.is_empty());
        let refused = error(&answer.text);
        refused["reason"].as_str().or(refused["code"].as_str()).expect("a reason").to_owned()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_changes_its_mind_reaches_nobody_else() {
    let (named, lookups) = Named::new(|before| Some(vec![if before == 0 { "127.0.0.2" } else { "127.0.0.1" }])).await;
    named.ask().await.expect(200);
    assert_eq!((named.opened.calls().len(), named.kit.upstream.calls().len()), (1, 0));
    assert_eq!(lookups.load(Ordering::SeqCst), 1, "one lookup a call: {:?}", named.names.asked());
    assert_eq!(named.refused().await, "non_public_address");
    assert!(named.kit.upstream.calls().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn one_closed_address_among_those_of_a_name_refuses_all() {
    for other in ["127.0.0.1", "10.1.2.3", "169.254.169.254"] {
        let (named, _) = Named::new(move |_| Some(vec!["127.0.0.2", other])).await;
        let reason = if other.starts_with("169") { "never_address" } else { "non_public_address" };
        assert_eq!(named.refused().await, reason, "{other}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_server_that_hangs_ends_the_call_unsent() {
    let (named, _) = Named::new(|_| None).await;
    assert_eq!(named.refused().await, "egress_dns_failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn proxies_of_the_environment_are_not_asked() {
    let proxy = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    proxy.set_nonblocking(true).expect("a socket");
    let url = format!("http://{}", proxy.local_addr().expect("an address"));
    let names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
    let mut soit = Soit::new(&names.map(|name| (name, url.as_str())));
    soit.start().await;
    let stage = Stage::new(&soit).await;
    let key = soit.admin().await.with_token(&stage.key);
    assert_eq!(call(&key, "direct", false).await, Some(200));
    assert!(stage.provider.answered().contains("direct"));
    assert!(proxy.accept().is_err(), "nobody called the proxy");
}
