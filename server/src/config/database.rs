//! The database and how it is waited for.

use std::path::PathBuf;
use std::time::Duration;

use kernel::secret::SecretString;
use url::{Host, Url};

use super::reader::Reader;
use super::setting::{Setting, settings};
use super::value::Value;

settings! {
    /// The database and how it is waited for.
    pub struct Database {
        /// `sqlite://PATH` or `postgres://USER:PASSWORD@HOST/NAME`.
        pub url: DatabaseUrl = "DATABASE_URL" {
            default: Some("sqlite://{DATA_DIR}/soit.db"),
            production: "PostgreSQL: host, user, password or client certificate; off loopback `sslmode` of `require` or stronger"
        };
        /// Connections for reading; writing has its own (`LEDGER_LANES`).
        pub pool_size: u32 = "DATABASE_POOL_SIZE" { default: Some("10"), range: (1, 1000) };
        /// How long the start waits for the database.
        pub wait: Duration = "DATABASE_WAIT_SECONDS" { default: Some("60"), range: (0, 3600) };
        /// Whether the start brings the schema up to date by itself.
        pub auto_migrate: bool = "AUTO_MIGRATE" { default: Some("true"), production_default: Some("false") };
    }
}

/// Which database.
#[derive(Clone, Debug)]
pub enum DatabaseUrl {
    /// A file of this machine.
    Sqlite(PathBuf),
    /// A server; the URL may hold a password.
    Postgres(SecretString),
}

impl Value for DatabaseUrl {
    const SECRET: bool = true;

    fn form(_: &Setting) -> String {
        "`sqlite://PATH` or `postgres://USER:PASSWORD@HOST:PORT/NAME`".to_owned()
    }

    fn parse(text: &str, _: &Setting) -> Option<Self> {
        if let Some(path) = text.strip_prefix("sqlite://") {
            let plain = !path.is_empty() && !path.contains('?') && !path.contains(":memory:");
            return plain.then(|| Self::Sqlite(path.into()));
        }
        let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "postgres" | "postgresql"))?;
        let named = url.path().len() > 1;
        named.then(|| Self::Postgres(SecretString::new(text.to_owned())))
    }

    fn show(&self) -> String {
        match self {
            Self::Sqlite(path) => format!("sqlite://{}", path.display()),
            Self::Postgres(_) => "set".to_owned(),
        }
    }
}

impl Database {
    pub(super) fn rules(&self, reader: &mut Reader<'_>) {
        let DatabaseUrl::Postgres(url) = &self.url else { return };
        let Ok(url) = Url::parse(url.expose()) else { return };
        let option = |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
        let host = option("host").or_else(|| url.host_str().map(str::to_owned));
        let proof = url.password().is_some() || option("password").is_some() || option("sslcert").is_some();
        let refusals = [
            (host.is_none(), "names no host", "add the server's name"),
            (url.username().is_empty(), "names no user", "add the user soit signs in as"),
            (!proof, "holds neither password nor client certificate", "add `:PASSWORD` or `?sslcert=…&sslkey=…`"),
            (
                !is_local(&url, host.as_deref()) && !is_encrypted(option("sslmode").as_deref()),
                "does not demand TLS",
                "add `?sslmode=require`, better `verify-full`",
            ),
        ];
        for (broken, rule, remedy) in refusals {
            reader.refuse_in_production(broken, "DATABASE_URL", rule, remedy);
        }
    }
}

fn is_encrypted(sslmode: Option<&str>) -> bool {
    matches!(sslmode, Some("require" | "verify-ca" | "verify-full"))
}

/// A socket folder, `localhost` or a loopback address.
fn is_local(url: &Url, host: Option<&str>) -> bool {
    let loopback = match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => {
            name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        None => false,
    };
    loopback || host.is_some_and(|host| host.starts_with('/') || host == "localhost")
}
