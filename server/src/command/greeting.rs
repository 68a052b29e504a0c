//! What a started soit says on stdout, once, to the person who started it.

use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use tokio::net::TcpListener;

use super::output::print;
use crate::compose::App;
use crate::config::{DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD};

/// Where to go, how to sign in, and a first call to copy.
pub(super) async fn greet(app: &App, console: Option<&TcpListener>, api: Option<&TcpListener>) {
    let address = |socket: &TcpListener| socket.local_addr().ok();
    let (console, api) = (console.and_then(address), api.and_then(address));
    let has_default = has_default_password(app).await;
    let mut public = app.config.http.public_url.clone();
    if let (Some(0), Some(chosen)) = (public.port(), console) {
        // The system chose the port. Only a URL without a host has none to set.
        let _ = public.set_port(Some(chosen.port()));
    }
    print(greeting(public.as_str(), console, api, has_default));
}

async fn has_default_password(app: &App) -> bool {
    let account = app.directory.find_account_by_email(DEFAULT_ADMIN_EMAIL).await;
    matches!(account, Ok(Some(account)) if account.user.default_password)
}

fn greeting(public: &str, console: Option<SocketAddr>, api: Option<SocketAddr>, has_default: bool) -> String {
    let mut text = format!("\nsoit {} is ready.\n\n", env!("CARGO_PKG_VERSION"));
    if console.is_some() {
        let _ = writeln!(text, "  Console   {}", public.trim_end_matches('/'));
    }
    let Some(base) = api.or(console).map(reachable) else { return text };
    let _ = writeln!(text, "  API       {base}");
    if has_default {
        let _ = write!(
            text,
            "  Sign in   {DEFAULT_ADMIN_EMAIL} / {DEFAULT_ADMIN_PASSWORD}, then change the password\n\n\
             A first call, to paste into another terminal (the model answers by itself, nothing leaves this machine):\n\n  \
             TOKEN=$(curl -s {base}/api/v1/login -H 'Content-Type: application/json' \\\n    \
             -d '{{\"email\":\"{DEFAULT_ADMIN_EMAIL}\",\"password\":\"{DEFAULT_ADMIN_PASSWORD}\"}}' \\\n    \
             | sed 's/.*\"access_token\":\"\\([^\"]*\\)\".*/\\1/')\n"
        );
    } else {
        text.push_str("\nA first call, with an API key from the console (Keys & budgets):\n\n  TOKEN=sk_…\n");
    }
    let _ = write!(
        text,
        "  curl {base}/v1/chat/completions -H \"Authorization: Bearer $TOKEN\" -H 'Content-Type: application/json' \\\n    \
         -d '{{\"model\":\"model:test:echo\",\"messages\":[{{\"role\":\"user\",\"content\":\"Hello\"}}]}}'\n"
    );
    text
}

/// The address as seen from this machine.
fn reachable(mut address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        address.set_ip(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    format!("http://{address}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_install_says_how_to_sign_in_and_what_to_call() {
        let api = "0.0.0.0:9200".parse().ok();
        let text = greeting("http://localhost:5000/", "127.0.0.1:5000".parse().ok(), api, true);
        for part in [
            "Console   http://localhost:5000\n",
            "admin@example.com / changeme123",
            "curl -s http://127.0.0.1:9200/api/v1/login",
            r#"-d '{"email":"admin@example.com","password":"changeme123"}'"#,
            r#"sed 's/.*"access_token":"\([^"]*\)".*/\1/')"#,
            "curl http://127.0.0.1:9200/v1/chat/completions",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn later_starts_show_no_password() {
        let text = greeting("http://localhost:5000/", None, "127.0.0.1:9200".parse().ok(), false);
        assert!(!text.contains("changeme123") && !text.contains("Console"), "{text}");
    }
}
