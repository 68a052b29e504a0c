//! The two listeners and what they accept.

use std::net::SocketAddr;
use std::time::Duration;

use ipnet::IpNet;
use kernel::secret::SecretString;
use url::Url;

use super::reader::Reader;
use super::setting::settings;
use super::value::{AllowedOrigins, Listen};

settings! {
    /// The two listeners and what they accept.
    pub struct Http {
        /// Where the console and everything else is served, or `off`. No TLS here: a proxy ends it.
        pub console: Listen = "LISTEN_CONSOLE" { default: Some("127.0.0.1:5000") };
        /// Where the machine surfaces (`/api/v1`, `/v1`, health, metrics) are served, or `off`.
        pub api: Listen = "LISTEN_API" { default: Some("127.0.0.1:9200") };
        /// How browsers reach the console: links, cookies, the origin of forms. By default where it listens, as seen from this machine.
        pub public_url: Url = "PUBLIC_URL" { default: Some("http://{LISTEN_CONSOLE}"), production: "`https`" };
        /// Networks whose `X-Forwarded-For` is believed.
        pub trusted_proxies: Vec<IpNet> = "TRUSTED_PROXIES" { production: "no `/0`" };
        /// Sites whose scripts may call the API, without credentials of the browser.
        pub cors_allowed_origins: AllowedOrigins = "CORS_ALLOWED_ORIGINS" { production: "no `*`" };
        /// Connections open at once, for each listener; more wait.
        pub max_connections: usize = "HTTP_MAX_CONNECTIONS" { default: Some("10000"), range: (1, 1_000_000) };
        /// Time for the head of a request, also the life of an idle connection; a body gets the same time and a second more for every 16 KiB.
        pub header_timeout: Duration = "HTTP_HEADER_TIMEOUT_SECONDS" { default: Some("10"), range: (1, 600) };
    }
}

impl Http {
    /// The addresses to listen on.
    pub fn addresses(&self) -> impl Iterator<Item = SocketAddr> {
        [self.console.0, self.api.0].into_iter().flatten()
    }

    /// The base URL that clients of the models are pointed at: behind TLS the public one, else the machine listener.
    pub fn api_url(&self) -> String {
        let host = self.public_url.host_str().unwrap_or("localhost");
        match self.api.0 {
            Some(address) if self.public_url.scheme() == "http" => format!("http://{host}:{}/v1", address.port()),
            _ => format!("{}/v1", self.public_url.as_str().trim_end_matches('/')),
        }
    }

    /// The link to a page that takes a token: it stands behind the `#`, which browsers send to no server.
    pub fn link(&self, page: &str, token: &SecretString) -> String {
        format!("{}#{}", self.page(page), token.expose())
    }

    /// The address of a page.
    pub fn page(&self, page: &str) -> String {
        let mut address = self.public_url.clone();
        address.set_path(page);
        address.into()
    }

    pub(super) fn rules(&self, reader: &mut Reader<'_>) {
        for (name, listen) in [("LISTEN_CONSOLE", self.console), ("LISTEN_API", self.api)] {
            let open = listen.0.filter(|address| !address.ip().is_loopback());
            if let (Some(address), false) = (open, reader.is_set("ENVIRONMENT")) {
                let rule = format!("is `{address}`, which others can reach, while ENVIRONMENT is not set");
                reader.refuse(name, rule, "set ENVIRONMENT to `production`, or to what this is");
            }
        }
        match (self.console.0, self.api.0) {
            (None, None) => reader.refuse("LISTEN_API", "is `off` like LISTEN_CONSOLE", "open one of the two"),
            (Some(console), Some(api)) if console == api && console.port() != 0 => {
                reader.refuse("LISTEN_API", "is the address of LISTEN_CONSOLE", "use another port");
            }
            _ => {}
        }
        let plain = self.public_url.scheme() != "https";
        reader.refuse_in_production(plain, "PUBLIC_URL", "is not `https`", "put a TLS proxy in front and name its URL");
        if self.public_url.path() != "/" {
            reader.refuse("PUBLIC_URL", "has a path", "serve soit at the root of a host");
        }
        let everyone = self.trusted_proxies.iter().any(|network| network.prefix_len() == 0);
        reader.refuse_in_production(everyone, "TRUSTED_PROXIES", "trusts every address", "name the proxies' networks");
        let any = self.cors_allowed_origins == AllowedOrigins::Any;
        reader.refuse_in_production(any, "CORS_ALLOWED_ORIGINS", "is `*`", "name the sites");
    }
}
