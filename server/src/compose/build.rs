//! Builds an [`App`]: data directory, keys, schema, store, process row, and everything on top.

use std::path::Path;
use std::sync::Arc;

use adapter_outbound::{Dns, Http, Keyring, MasterKey, Providers, TestProvider, Tiktoken, Unjudged};
use anyhow::{Context, bail};
use kernel::budget::Budgets;
use kernel::change::Editor;
use kernel::control::{self, Control};
use kernel::egress_policy::EgressPolicies;
use kernel::gateway::{self, Gateway};
use kernel::identity::{self, Epochs, Identity};
use kernel::modelhub::{self, ModelHub};
use kernel::observe::{self, Observe};
use kernel::outbox::Consumer;
use kernel::policy::egress::Deployment;
use kernel::port::{
    Audits, BuiltinModels, Catalog, Claims, Clock, Directory, Ids, Ledger, Limits, ModelProvider, Outbox,
    PasswordHasher, Processes, Resolver, Runs, Sealer, Spawner,
};
use kernel::reaper::{self, Reaper};
use kernel::repeat::{self, Repeats};
use kernel::search::Finder;
use kernel::view::{self, Views};
use tokio::sync::watch;

use super::{App, Parts, checks, database, neighbours};
use crate::asset::Site;
use crate::backend::Reveals;
use crate::config::{self, Config, DatabaseUrl};
use crate::data_dir::DataDir;
use crate::health::Health;
use crate::local::{Argon2Hasher, Bells, Life, LiveHub, LocalLimits, Observer, Pending, SystemClock, SystemIds};
use crate::metrics::{MeteredLedger, MeteredProvider, Metrics};
use crate::shutdown::Shutdown;
use crate::task::Tracker;

/// Builds the App and registers its process. Nothing is served and no loop runs yet.
pub async fn compose(config: Config) -> anyhow::Result<App> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
    let ids: Arc<dyn Ids> = Arc::new(SystemIds);
    let data_dir = DataDir::open(&config.process.data_dir)?;
    let keyring = Arc::new(keyring(&config, &data_dir, &*ids)?);
    let site = site(config.process.site_dir.as_deref())?;

    let shutdown = Shutdown::default();
    let tasks = Tracker::default();
    let metrics = Arc::new(Metrics::default());
    let live = Arc::new(LiveHub::new(shutdown.clone()));
    let (epochs, events) = (Arc::new(Epochs::default()), watch::Sender::new(()));
    let pending = Arc::<Pending>::default();
    let observer = Observer {
        live: Arc::clone(&live),
        metrics: Arc::clone(&metrics),
        epochs: Arc::clone(&epochs),
        events: events.clone(),
        pending: Arc::clone(&pending),
    };

    database::prepare(&config).await?;
    let store = database::open(&config, keyring.sign("cursor", &[]), Arc::new(observer)).await?;
    if !keyring.matches(&store.remember_key_check(&keyring.check_value()).await?) {
        bail!("secret_key_mismatch: SECRET_KEY is not the key of this database; use the one it was set up with");
    }
    let shares_store = matches!(config.database.url, DatabaseUrl::Postgres(_));
    let processes: Arc<dyn Processes> = Arc::new(store.clone());
    let role = config.process.role.as_str();
    let fence = processes.register(ids.process(), role, env!("CARGO_PKG_VERSION"), !shares_store).await?;
    let life = Arc::new(Life::new(fence, shutdown.clone()));
    neighbours::compare_clocks(&processes, &clock).await?;
    if let Err(refusal) = neighbours::check(&processes, &clock, fence, &config.ledger).await {
        processes.close(fence).await?;
        return Err(refusal);
    }
    neighbours::compare_connections(&store, &processes, &config).await?;

    let ledger: Arc<dyn Ledger> = Arc::new(MeteredLedger::new(Arc::new(store.clone()), Arc::clone(&metrics)));
    let runs: Arc<dyn Runs> = Arc::new(store.clone());
    let audits: Arc<dyn Audits> = Arc::new(store.clone());
    let directory: Arc<dyn Directory> = Arc::new(store.clone());
    let catalog: Arc<dyn Catalog> = Arc::new(store.clone());
    let claims: Arc<dyn Claims> = Arc::new(store.clone());
    let outbox: Arc<dyn Outbox> = Arc::new(store.clone());
    let limits: Arc<dyn Limits> = Arc::new(LocalLimits::new(Arc::clone(&clock)));
    let hasher: Arc<dyn PasswordHasher> = Arc::new(hasher(&config.identity)?);
    let sealer: Arc<dyn Sealer> = keyring.clone();
    let spawner: Arc<dyn Spawner> = Arc::new(tasks.clone());
    let tokenizer = Arc::new(Tiktoken);
    let safety = Arc::new(Unjudged);
    let resolver: Arc<dyn Resolver> =
        Arc::new(Dns::new(&config.egress.dns_servers).context("DNS_SERVERS cannot be used")?);
    let test = (!config.process.environment.is_production()).then(|| Arc::new(TestProvider::new(Arc::clone(&clock))));
    let builtin = test.clone().map(|test| -> Arc<dyn BuiltinModels> { test });
    let http = Http::new(extra_roots(&config)?.as_deref()).context("EXTRA_CA_FILE cannot be used")?;
    let providers = Providers::new(http, keyring, test.clone());
    let provider: Arc<dyn ModelProvider> =
        Arc::new(MeteredProvider::new(Arc::new(providers), Arc::clone(&metrics), Arc::clone(&clock)));
    let deployment = Deployment {
        private_networks: config.egress.private_networks(config.process.environment),
        own: config.http.addresses().collect(),
    };

    let identity = Arc::new(Identity::new(
        identity::Ports {
            directory: Arc::clone(&directory),
            people: Arc::new(store.clone()),
            ledger: Arc::clone(&ledger),
            clock: Arc::clone(&clock),
            ids: Arc::clone(&ids),
            hasher: Arc::clone(&hasher),
            sealer: Arc::clone(&sealer),
            spawner: Arc::clone(&spawner),
            epochs: Arc::clone(&epochs),
        },
        identity_settings(&config),
    ));
    let gateway = Arc::new(Gateway::new(
        gateway::Ports {
            ledger: Arc::clone(&ledger),
            claims: Arc::clone(&claims),
            sealer: Arc::clone(&sealer),
            catalog: Arc::clone(&catalog),
            access: identity.clone(),
            limits: Arc::clone(&limits),
            live: live.clone(),
            safety: safety.clone(),
            resolver: Arc::clone(&resolver),
            provider: Arc::clone(&provider),
            builtin: builtin.clone(),
            tokenizer: tokenizer.clone(),
            clock: Arc::clone(&clock),
            ids: Arc::clone(&ids),
            spawner: Arc::clone(&spawner),
            lifecycle: life.clone(),
        },
        gateway::Settings {
            egress: deployment.clone(),
            call_timeout: config.gateway.llm_timeout,
            answers_kept: config.ledger.answers_kept,
            sealed_answers_kept: config.ledger.sealed_answers_kept,
            ..gateway::Settings::default()
        },
    ));
    let repeats = Repeats::new(
        repeat::Ports {
            ledger: Arc::clone(&ledger),
            claims: Arc::clone(&claims),
            sealer: Arc::clone(&sealer),
            clock: Arc::clone(&clock),
            ids: Arc::clone(&ids),
            lifecycle: life.clone(),
        },
        repeat::Settings { kept_for: config.ledger.answers_kept },
    );
    let control = Control::new(control::Ports {
        access: identity.clone(),
        runs: Arc::clone(&runs),
        ledger: Arc::clone(&ledger),
        clock: Arc::clone(&clock),
        ids: Arc::clone(&ids),
        gateway: Arc::clone(&gateway),
    });
    let deployment = Arc::new(deployment);
    let editor = Editor::new(identity.clone(), Arc::clone(&ledger), Arc::clone(&catalog), Arc::clone(&ids));
    let modelhub = ModelHub::new(modelhub::Ports {
        editor: editor.clone(),
        sealer: Arc::clone(&sealer),
        resolver: Arc::clone(&resolver),
        clock: Arc::clone(&clock),
        builtin,
        deployment: Arc::clone(&deployment),
    });
    let budgets = Budgets::new(editor.clone(), Arc::clone(&directory), Arc::clone(&runs));
    let egress_policies = EgressPolicies::new(editor, Arc::clone(&resolver), deployment);
    let observe = Observe::new(observe::Ports {
        access: identity.clone(),
        epochs,
        runs: Arc::clone(&runs),
        outbox: Arc::clone(&outbox),
        audits,
        directory: Arc::clone(&directory),
        catalog: Arc::clone(&catalog),
        ledger: Arc::clone(&ledger),
        ids: Arc::clone(&ids),
        live: live.clone(),
        clock: Arc::clone(&clock),
        spawner: Arc::clone(&spawner),
    });
    let views = Views::new(view::Ports {
        access: identity.clone(),
        views: Arc::new(store.clone()),
        directory: Arc::clone(&directory),
        ledger: Arc::clone(&ledger),
        ids: Arc::clone(&ids),
    });
    let finder = Finder::new(identity.clone(), budgets.clone(), modelhub.clone(), observe.clone());
    let reaper = Reaper::new(reaper::Ports {
        processes: Arc::clone(&processes),
        claims: Arc::clone(&claims),
        ledger: Arc::clone(&ledger),
        runs: Arc::clone(&runs),
        directory: Arc::clone(&directory),
        catalog: Arc::clone(&catalog),
        clock: Arc::clone(&clock),
        ids: Arc::clone(&ids),
    });
    let health = Health::new(
        checks::checks(&store, &processes, &outbox, &life, shares_store),
        Arc::clone(&clock),
        shutdown.clone(),
        role,
    );
    Ok(App::new(Parts {
        fence,
        shares_store,
        life,
        shutdown,
        tasks,
        health: Arc::new(health),
        metrics,
        site,
        live,
        events,
        notices: Arc::new(store.clone()),
        pending,
        bells: Bells::default(),
        clock,
        ids,
        spawner,
        ledger,
        runs,
        directory,
        catalog,
        claims,
        outbox,
        consumers: consumers(&observe),
        processes,
        limits,
        hasher,
        sealer,
        tokenizer,
        resolver,
        provider,
        test_provider: test,
        safety,
        reaper,
        identity,
        reveals: Reveals::default(),
        gateway,
        control,
        repeats,
        modelhub,
        budgets,
        views,
        egress_policies,
        observe,
        finder,
        config,
        store,
        _data_dir: data_dir,
    }))
}

/// Every consumer of events: those of [`kernel::outbox::SUBSCRIPTIONS`].
fn consumers(observe: &Observe) -> Vec<Arc<dyn Consumer>> {
    vec![Arc::new(observe.clone())]
}

fn keyring(config: &Config, data_dir: &DataDir, ids: &dyn Ids) -> anyhow::Result<Keyring> {
    let mut given = config.secrets.master_keys();
    if given.is_empty() {
        given.push(config::MasterKey::of_text(&data_dir.secret_key(ids)?));
    }
    Ok(Keyring::new(given.into_iter().map(|key| MasterKey::new(key.id, key.bytes.0)))?)
}

fn site(folder: Option<&Path>) -> anyhow::Result<Site> {
    let Some(folder) = folder else { return Ok(Site::embedded()) };
    Site::of_folder(folder).with_context(|| format!("SITE_DIR names `{}`, which cannot be read", folder.display()))
}

/// The certificate authorities of `EXTRA_CA_FILE`.
pub(crate) fn extra_roots(config: &Config) -> anyhow::Result<Option<Vec<u8>>> {
    let read = |path: &std::path::PathBuf| {
        std::fs::read(path).with_context(|| format!("EXTRA_CA_FILE `{}` cannot be read", path.display()))
    };
    config.egress.extra_ca_file.as_ref().map(read).transpose()
}

fn hasher(settings: &config::Identity) -> anyhow::Result<Argon2Hasher> {
    Argon2Hasher::new(settings.argon2_memory_kib, settings.argon2_passes, settings.argon2_lanes)
        .context("the settings ARGON2_… cannot be used together")
}

fn identity_settings(config: &Config) -> identity::Settings {
    let settings = &config.identity;
    identity::Settings {
        api_key_max_days: settings.api_key_max_days,
        access_token_life: settings.access_token_life,
        refresh_token_life: settings.refresh_token_life,
        session_idle: settings.session_idle,
        session_max: settings.session_max,
        invitation_life: settings.invitation_life,
        login_account_failures: settings.login_account_failures,
        login_address_failures: settings.login_address_failures,
        login_window: settings.login_window,
        login_max_delay: settings.login_max_delay,
    }
}
