//! `soit health`: asks a running soit, for container health checks.

use std::net::{IpAddr, Ipv4Addr};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::Value;
use url::Url;

use super::output::{print, print_json};
use crate::config::{Config, Source};

/// Exit 0 when the answer is good.
pub(super) async fn ask(
    source: &Source,
    ready: bool,
    url: Option<Url>,
    timeout: u64,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let base = match url {
        Some(url) => url,
        None => own(&Config::from_source(source, None)?)?,
    };
    ensure!(base.path() == "/" && base.query().is_none(), "`--url` names a server: give it without a path");
    let target = base.join(if ready { "/health/ready" } else { "/health" })?;
    let response = client(Duration::from_secs(timeout))?.get(target.clone()).send().await;
    let response = response.with_context(|| format!("no answer from {target}"))?;
    let good = response.status().is_success();
    let body: Value = response.json().await.with_context(|| format!("{target} is no soit"))?;
    let status = body.get("status").and_then(Value::as_str).with_context(|| format!("{target} is no soit"))?;
    if json {
        print_json(&body)?;
    } else {
        print(status);
    }
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[expect(clippy::disallowed_methods, reason = "a command asks its own server; no workspace has a say in it")]
fn client(timeout: Duration) -> anyhow::Result<reqwest::Client> {
    let client = reqwest::Client::builder().tls_backend_preconfigured(adapter_outbound::tls(None)?);
    Ok(client.timeout(timeout).no_proxy().build()?)
}

/// Where a soit with these settings listens, as seen from this machine.
fn own(config: &Config) -> anyhow::Result<Url> {
    let listen = config.http.api.0.or(config.http.console.0);
    let mut address = listen.context("both listeners are off, name one with --url")?;
    if address.ip().is_unspecified() {
        address.set_ip(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    Ok(Url::parse(&format!("http://{address}"))?)
}
