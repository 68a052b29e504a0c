//! All settings together, and the rules between them.

use super::checkpoint::Checkpoints;
use super::choice::Role;
use super::database::{Database, DatabaseUrl};
use super::egress::Egress;
use super::gateway::Gateway;
use super::http::Http;
use super::identity::Identity;
use super::ledger::Ledger;
use super::mail::Mail;
use super::process::Process;
use super::reader::{Broken, Reader};
use super::report::{Line, lines};
use super::secret::Secrets;
use super::setting::Setting;
use super::shutdown::Shutdown;
use super::source::Source;
use super::storage::Storage;
use super::telemetry::Telemetry;
use super::worker::Worker;

/// Variables of soit that are not settings of the server: client programs read them.
const CLIENT_VARIABLES: [&str; 3] = ["SOIT_API_URL", "SOIT_API_KEY", "SOIT_CONFIG"];
/// Settings of parts that this version does not have yet: whoever sets one counts on what it would do.
const OF_LATER_VERSIONS: [&str; 14] = [
    "CONTENT_SAFETY_PROVIDER",
    "CONTENT_SAFETY_URL",
    "CREDIT_ENFORCEMENT_ENABLED",
    "EGRESS_BLOCK",
    "EGRESS_CEILING",
    "EGRESS_MODE",
    "EGRESS_PROXY",
    "ENGINE_SERVER_URL",
    "MCP_STDIO",
    "PLUGIN_SIGNATURE_REQUIRED",
    "SECRETS_BACKEND",
    "SECRET_BACKEND",
    "VECTOR_BACKEND",
    "WORKER_KINDS",
];
/// Names this close to a setting's are probably meant to be it.
const NEAR: usize = 2;

/// Everything soit is told at its start.
#[derive(Clone, Debug)]
pub struct Config {
    /// What kind of process this is.
    pub process: Process,
    /// The listeners.
    pub http: Http,
    /// The database.
    pub database: Database,
    /// How the ledger is written.
    pub ledger: Ledger,
    /// Where long content is kept.
    pub storage: Storage,
    /// Where checkpoints of hash chains are copied to.
    pub checkpoints: Checkpoints,
    /// The master keys.
    pub secrets: Secrets,
    /// Accounts, sessions, keys.
    pub identity: Identity,
    /// Mails of the deployment itself.
    pub mail: Mail,
    /// The one way out.
    pub egress: Egress,
    /// Calls to model providers.
    pub gateway: Gateway,
    /// Background tasks.
    pub worker: Worker,
    /// Logs, metrics, traces.
    pub telemetry: Telemetry,
    /// How soit ends.
    pub shutdown: Shutdown,
    /// Names that look like misspelled settings, to be logged once logging works.
    pub warnings: Vec<String>,
    /// Every setting as it stands, secrets as `set`: for who runs the instance.
    pub settings: Vec<Line>,
}

impl Config {
    /// Reads and checks all settings.
    pub fn from_source(source: &Source, role: Option<&str>) -> Result<Self, Broken> {
        let mut reader = Reader::new(source);
        match Self::read(&mut reader, role) {
            Some(config) if reader.broken.is_empty() => Ok(Self { settings: lines(&reader), ..config }),
            _ => Err(Broken(reader.broken)),
        }
    }

    /// Every setting, by concern, in the order of the documentation.
    pub(super) fn concerns() -> [(&'static str, &'static [Setting]); 14] {
        [
            ("Process", Process::SETTINGS),
            ("Listeners", Http::SETTINGS),
            ("Database", Database::SETTINGS),
            ("Ledger and shared state", Ledger::SETTINGS),
            ("Artifacts", Storage::SETTINGS),
            ("Copies of checkpoints", Checkpoints::SETTINGS),
            ("Master keys", Secrets::SETTINGS),
            ("Accounts, sessions and keys", Identity::SETTINGS),
            ("Mail", Mail::SETTINGS),
            ("Outgoing calls", Egress::SETTINGS),
            ("Model calls", Gateway::SETTINGS),
            ("Background tasks", Worker::SETTINGS),
            ("Logs, metrics and traces", Telemetry::SETTINGS),
            ("Shutdown", Shutdown::SETTINGS),
        ]
    }

    /// Reads all concerns before it gives up, so that every broken rule is noted.
    pub(super) fn read(reader: &mut Reader<'_>, role: Option<&str>) -> Option<Self> {
        let warnings = unknown_names(reader);
        let process = Process::read(reader);
        if let Some(process) = &process {
            reader.environment = process.environment;
            reader.data_dir = process.data_dir.display().to_string();
        }
        let (http, database, ledger) = (Http::read(reader), Database::read(reader), Ledger::read(reader));
        let (storage, checkpoints) = (Storage::read(reader), Checkpoints::read(reader));
        let (secrets, identity, egress) = (Secrets::read(reader), Identity::read(reader), Egress::read(reader));
        let (mail, worker) = (Mail::read(reader), Worker::read(reader));
        let (gateway, telemetry, shutdown) = (Gateway::read(reader), Telemetry::read(reader), Shutdown::read(reader));

        http.iter().for_each(|http| http.rules(reader));
        database.iter().for_each(|database| database.rules(reader));
        ledger.iter().for_each(|ledger| ledger.rules(reader));
        storage.iter().for_each(|storage| storage.rules(reader));
        checkpoints.iter().for_each(|checkpoints| checkpoints.rules(reader));
        secrets.iter().for_each(|secrets| secrets.rules(reader));
        identity.iter().for_each(|identity| identity.rules(mail.as_ref(), reader));
        mail.iter().for_each(|mail| mail.rules(reader));
        egress.iter().for_each(|egress| egress.rules(reader));
        telemetry.iter().for_each(|telemetry| telemetry.rules(reader));
        shutdown.iter().for_each(|shutdown| shutdown.rules(reader));

        let mut config = Self {
            process: process?,
            http: http?,
            database: database?,
            ledger: ledger?,
            storage: storage?,
            checkpoints: checkpoints?,
            secrets: secrets?,
            identity: identity?,
            mail: mail?,
            egress: egress?,
            gateway: gateway?,
            worker: worker?,
            telemetry: telemetry?,
            shutdown: shutdown?,
            warnings,
            settings: Vec::new(),
        };
        config.first_account(reader);
        config.take_role(reader, role);
        Some(config)
    }

    /// A new SQLite file surely holds no account; for other databases the start itself finds out.
    fn first_account(&self, reader: &mut Reader<'_>) {
        let DatabaseUrl::Sqlite(path) = &self.database.url else { return };
        for name in ["BOOTSTRAP_ADMIN_EMAIL", "BOOTSTRAP_ADMIN_PASSWORD"] {
            let missing = !reader.is_set(name) && !path.exists();
            reader.refuse_in_production(missing, name, "is not set for a new database", "name the first administrator");
        }
    }

    fn take_role(&mut self, reader: &mut Reader<'_>, role: Option<&str>) {
        match role {
            None => {}
            Some("all") => self.process.role = Role::All,
            Some(other) => reader.refuse("--role", format!("is `{other}`"), "use `all`, the only role of this version"),
        }
    }
}

/// Refuses names of parts that are not there and unknown names that claim to be soit's, and warns about near misses of
/// known ones.
fn unknown_names(reader: &mut Reader<'_>) -> Vec<String> {
    let all = || Config::concerns().into_iter().flat_map(|(_, settings)| settings);
    let known = |name: &str| {
        let base = name.strip_suffix("_FILE");
        let is = |setting: &Setting, name: &str| setting.name == name || !name.is_empty() && setting.alias == name;
        all().any(|setting| is(setting, name) || base.is_some_and(|base| is(setting, base)))
            || CLIENT_VARIABLES.contains(&name)
    };
    let near = |name: &str| all().map(|setting| setting.name).find(|known| strsim::osa_distance(known, name) <= NEAR);
    let mut warnings = Vec::new();
    let unknown: Vec<&str> = reader.source.names().filter(|name| !known(name)).collect();
    for name in unknown {
        if OF_LATER_VERSIONS.contains(&name) {
            reader.refuse(name, "has no effect: its part is not in this version", "remove it");
        } else if name.starts_with("SOIT_") {
            let remedy = near(name).map_or_else(|| "remove it".to_owned(), |known| format!("did you mean {known}?"));
            reader.refuse(name, "is no setting", remedy);
        } else if let Some(known) = near(name) {
            warnings.push(format!("{name} is no setting, did you mean {known}?"));
        }
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(values: &[(&str, &str)]) -> Vec<String> {
        let source = Source::of_values(values.iter().copied());
        match Config::from_source(&source, None) {
            Ok(_) => Vec::new(),
            Err(Broken(rules)) => rules.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn an_empty_environment_is_enough_outside_production() {
        let config = Config::from_source(&Source::default(), None).unwrap();
        assert_eq!(config.http.console.0, "127.0.0.1:5000".parse().ok());
        assert!(matches!(&config.database.url, DatabaseUrl::Sqlite(path) if path.ends_with("data/soit.db")));
        assert!(config.database.auto_migrate && config.warnings.is_empty());
    }

    #[test]
    fn the_public_url_is_where_the_console_listens_unless_it_is_set() {
        for (listen, public, expected) in [
            ("", "", "http://localhost:5000/"),
            ("127.0.0.1:5001", "", "http://localhost:5001/"),
            ("[::1]:5001", "", "http://localhost:5001/"),
            ("0.0.0.0:5001", "", "http://localhost:5001/"),
            ("192.0.2.7:5001", "", "http://192.0.2.7:5001/"),
            ("[2001:db8::7]:5001", "", "http://[2001:db8::7]:5001/"),
            ("127.0.0.1:5001", "https://soit.example.com", "https://soit.example.com/"),
            ("off", "", "http://localhost/"),
        ] {
            let source =
                Source::of_values([("ENVIRONMENT", "test"), ("LISTEN_CONSOLE", listen), ("PUBLIC_URL", public)]);
            let config = Config::from_source(&source, None).unwrap();
            assert_eq!(config.http.public_url.as_str(), expected, "{listen}");
        }
    }

    #[test]
    fn each_mistake_is_named_with_what_is_allowed() {
        for (name, value, part) in [
            ("SOIT_ROEL", "api", "SOIT_ROEL is no setting: did you mean SOIT_ROLE?"),
            ("SOIT_ROLE", "apis", "SOIT_ROLE is `apis`: use `all`"),
            ("SECRET_BACKEND", "vault", "SECRET_BACKEND has no effect: its part is not in this version: remove it"),
            ("REDIS_URL", "localhost:6379", "REDIS_URL has a wrong form: use `redis://USER:PASSWORD@HOST:PORT/NUMBER`"),
            ("REDIS_URL", "memcached://localhost", "REDIS_URL has a wrong form"),
            ("EVENT_BUS_REDIS_URL", "rediss://localhost/#insecure", "REDIS_URL has a wrong form"),
            ("LISTEN_API", "9200", "LISTEN_API is `9200`: use `ADDRESS:PORT`"),
            ("LISTEN_API", "127.0.0.1:5000", "LISTEN_API is the address of LISTEN_CONSOLE"),
            ("LISTEN_API", "0.0.0.0:9200", "while ENVIRONMENT is not set"),
            ("DATABASE_URL", "mysql://host/name", "DATABASE_URL has a wrong form: use `sqlite://PATH`"),
            ("DATABASE_POOL_SIZE", "0", "a whole number from 1 to 1000"),
            ("EGRESS_PRIVATE_NETWORKS", "0.0.0.0/0", "EGRESS_PRIVATE_NETWORKS opens every address"),
            ("SHUTDOWN_DRAIN_SECONDS", "45", "SHUTDOWN_DRAIN_SECONDS leaves no time"),
            ("SECRET_KEY_FILE", "/nowhere/key", "SECRET_KEY_FILE names `/nowhere/key`, which cannot be read"),
            ("EXTRA_CA_FILE", "/nowhere/ca.pem", "EXTRA_CA_FILE names"),
            (
                "STORAGE_URL",
                "ftp://host/folder",
                "STORAGE_URL is `ftp://host/folder`: use `file://FOLDER`, or `s3://BUCKET",
            ),
            ("STORAGE_ACCESS_KEY_ID", "x", "STORAGE_ACCESS_KEY_ID has no effect beside `file://`"),
            ("PUBLIC_URL", "https://example.com/soit", "PUBLIC_URL has a path"),
            ("ALLOW_PUBLIC_REGISTRATION", "true", "ALLOW_PUBLIC_REGISTRATION is set without SYSTEM_MAIL_ENABLED"),
            ("SYSTEM_MAIL_URL", "mail.example.com", "SYSTEM_MAIL_URL has a wrong form: use `smtps://"),
            ("SYSTEM_MAIL_FROM", "soit", "SYSTEM_MAIL_FROM is no e-mail address"),
        ] {
            let rules = broken(&[(name, value)]);
            assert!(rules.len() == 1 && rules.iter().all(|rule| rule.contains(part)), "{name}={value}: {rules:?}");
        }
    }

    #[test]
    fn all_mistakes_are_told_together() {
        assert_eq!(broken(&[("LOG_LEVEL", "loud"), ("LEDGER_LANES", "x"), ("AUTO_MIGRATE", "yes")]).len(), 3);
    }

    #[test]
    fn a_bucket_needs_credentials_that_are_no_placeholders_in_production() {
        let names = |values: &[(&str, &str)]| -> Vec<String> {
            let rules = broken(values);
            let of_storage = rules.iter().filter(|rule| rule.starts_with("STORAGE_"));
            of_storage.filter_map(|rule| Some(rule.split_once(' ')?.0.to_owned())).collect()
        };
        let both = ["STORAGE_ACCESS_KEY_ID", "STORAGE_SECRET_ACCESS_KEY"];
        let url = ("STORAGE_URL", "s3://soit/artifacts?region=eu-west-1");
        assert_eq!(names(&[url]), both);
        let placeholders = [url, (both[0], "minioadmin"), (both[1], "change-me")];
        assert_eq!(names(&placeholders), Vec::<String>::new());
        assert_eq!(names(&[&placeholders[..], &[("ENVIRONMENT", "production")]].concat()), both);
    }

    #[test]
    fn production_refuses_what_is_unsafe_by_name() {
        let rules = broken(&[
            ("ENVIRONMENT", "production"),
            ("DATA_DIR", "/nowhere"),
            ("TRUSTED_PROXIES", "0.0.0.0/0"),
            ("CORS_ALLOWED_ORIGINS", "*"),
            ("LEDGER_DURABILITY", "process"),
            ("LOG_LEVEL", "trace"),
        ]);
        for name in [
            "PUBLIC_URL",
            "TRUSTED_PROXIES",
            "CORS_ALLOWED_ORIGINS",
            "LEDGER_DURABILITY",
            "SECRET_KEY",
            "LOG_LEVEL",
            "METRICS_TOKEN",
            "BOOTSTRAP_ADMIN_EMAIL",
            "BOOTSTRAP_ADMIN_PASSWORD",
        ] {
            assert_eq!(
                rules.iter().filter(|rule| rule.starts_with(&format!("{name} "))).count(),
                1,
                "{name}: {rules:?}"
            );
        }
        assert_eq!(rules.len(), 9);
    }

    #[test]
    fn production_starts_with_everything_set() {
        let base = [
            ("ENVIRONMENT", "production"),
            ("LISTEN_CONSOLE", "0.0.0.0:5000"),
            ("PUBLIC_URL", "https://soit.example.com"),
            ("SECRET_KEY", "Zt8rP2mQ0wX5nC7vB1kL4jH6gF3dS9aY"),
            ("METRICS_TOKEN", "a-token"),
            ("DATABASE_URL", "postgres://soit:word@db.internal/soit?sslmode=verify-full"),
        ];
        assert_eq!(broken(&base), Vec::<String>::new());
        let redis = |url| broken(&[&base[..], &[("REDIS_URL", url)]].concat());
        assert_eq!(redis("redis://127.0.0.1"), Vec::<String>::new());
        assert_eq!(redis("rediss://:word@cache.internal:6380/1"), Vec::<String>::new());
        let refused = redis("redis://cache.internal").join("\n");
        for part in ["REDIS_URL does not demand TLS", "REDIS_URL holds no password"] {
            assert!(refused.contains(part), "{part}: {refused}");
        }
        let open = |url| broken(&[&base[..5], &[("DATABASE_URL", url)]].concat());
        assert_eq!(open("postgres://soit:word@127.0.0.1/soit"), Vec::<String>::new());
        let refused = open("postgres://db.internal/soit").join("\n");
        for part in ["names no user", "neither password nor client certificate", "does not demand TLS"] {
            assert!(refused.contains(part), "{part}: {refused}");
        }
    }

    #[test]
    fn mail_needs_a_server_and_a_sender_and_tls_in_production() {
        let on = ("SYSTEM_MAIL_ENABLED", "true");
        let missing = broken(&[on]).join("\n");
        assert!(
            missing.contains("SYSTEM_MAIL_URL is not set") && missing.contains("SYSTEM_MAIL_FROM is not set"),
            "{missing}"
        );
        let from = ("SYSTEM_MAIL_FROM", "soit <soit@example.com>");
        let plain = ("SYSTEM_MAIL_URL", "smtp://user:hidden@mail.example.com?tls=none");
        assert_eq!(broken(&[on, from, plain, ("ALLOW_PUBLIC_REGISTRATION", "true")]), Vec::<String>::new());
        let refused = broken(&[("ENVIRONMENT", "production"), on, from, plain, ("ALLOW_PUBLIC_REGISTRATION", "true")]);
        let of_mail: Vec<_> =
            refused.iter().filter(|rule| rule.contains("SYSTEM_MAIL") || rule.contains("REGISTRATION")).collect();
        assert!(of_mail.len() == 1 && of_mail.iter().all(|rule| rule.contains("without TLS")), "{refused:?}");
        assert!(!refused.join("\n").contains("hidden"));
        let registration = broken(&[("ENVIRONMENT", "production"), ("ALLOW_PUBLIC_REGISTRATION", "true")]).join("\n");
        assert!(
            registration.contains("ALLOW_PUBLIC_REGISTRATION is set without SYSTEM_MAIL_ENABLED"),
            "{registration}"
        );
    }

    #[test]
    fn near_misses_of_other_programs_are_only_warned_about() {
        let source = Source::of_values([
            ("LOG_LEVL", "debug"),
            ("SECRET_KEY_FILES", "x"),
            ("PATH", "/bin"),
            ("SOIT_API_KEY", "sk_x"),
        ]);
        let config = Config::from_source(&source, None).unwrap();
        assert_eq!(config.warnings, ["LOG_LEVL is no setting, did you mean LOG_LEVEL?"]);
    }

    #[test]
    fn secrets_come_from_files_and_are_never_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        std::fs::write(&path, "the-value-itself\n").unwrap();
        let source = Source::of_values([
            ("SECRET_KEY_FILE", path.display().to_string()),
            ("DATABASE_URL", "postgres://a:hidden@h/n".to_owned()),
            ("EVENT_BUS_REDIS_URL", "redis://:hidden@h".to_owned()),
        ]);
        let config = Config::from_source(&source, None).unwrap();
        assert_eq!(config.secrets.key.as_ref().map(|key| key.expose()), Some("the-value-itself"));
        let shown = serde_json::to_string(&crate::config::Report::of(&source)).unwrap() + &format!("{config:?}");
        assert!(!shown.contains("the-value-itself") && !shown.contains("hidden"), "{shown}");
        assert!(config.ledger.redis_url.is_some(), "the other name is taken too");
        assert_eq!(broken(&[("SECRET_KEY", "x"), ("SECRET_KEY_FILE", "/y")]).len(), 1);
        let both = broken(&[("REDIS_URL", "redis://a"), ("EVENT_BUS_REDIS_URL", "redis://b")]);
        assert_eq!(both, ["EVENT_BUS_REDIS_URL is set beside REDIS_URL: set one of the two"]);
    }

    #[test]
    fn only_the_role_of_this_version_is_taken() {
        let role = |role| Config::from_source(&Source::default(), Some(role)).is_ok();
        assert!(role("all") && !role("gateway"));
    }
}
