//! Builds an [`App`]: data directory, keys, schema, store, process row, and everything on top.

use std::path::Path;
use std::sync::Arc;

use adapter_outbound::{
    Dns, Http, Keyring, MasterKey, OpenidProviders, Providers, Smtp, TestProvider, Tiktoken, Unjudged,
};
use anyhow::{Context, bail};
use kernel::artifact::{Keeper, Library, LongAudits, Sweeper};
use kernel::budget::Budgets;
use kernel::chain::{self, Chain, Copier, CopierPorts, Rotator, RotatorPorts};
use kernel::change::Editor;
use kernel::control::{self, Control};
use kernel::egress_policy::EgressPolicies;
use kernel::evidence::{self, Evidence};
use kernel::feedback::{self, Feedback};
use kernel::gateway::{self, Gateway};
use kernel::identity::{self, Epochs, Identity};
use kernel::modelhub::{self, ModelHub};
use kernel::observe::{self, Observe};
use kernel::outbox::Consumer;
use kernel::policy::egress::Deployment;
use kernel::port::{
    self, Artifacts, Audits, BuiltinModels, Catalog, Chains, Claims, Clock, Counters, Directory, Ids, Ledger, Limits,
    Live, Mailer, Mails, ModelProvider, Objects, Outbox, PasswordHasher, Processes, Resolver, Runs, Sealer,
    SecondFactors, SingleSignOn, Spawner, Totp,
};
use kernel::reaper::{self, Reaper};
use kernel::repeat::{self, Repeats};
use kernel::replay::{self, Replays};
use kernel::retention::{self, ErasePorts, PurgePorts, Purger, Retention};
use kernel::search::Finder;
use kernel::task::{self, ContentScrub, TaskWork, Worker, WorkerPorts};
use kernel::usage::UsageReports;
use kernel::view::{self, Views};
use tokio::sync::{Notify, watch};

use super::signing::SigningKeys;
use super::{App, Parts, Shared, checkpoint_sink, checks, database, neighbours, objects};
use crate::asset::Site;
use crate::backend::Reveals;
use crate::config::{self, Config, DatabaseUrl};
use crate::data_dir::DataDir;
use crate::health::Health;
use crate::local::{
    Argon2Hasher, Bells, Degraded, Life, LiveHub, LocalLimits, Observer, Pending, SystemClock, SystemIds,
};
use crate::metrics::{MeteredLedger, MeteredMailer, MeteredObjects, MeteredProvider, Metrics};
use crate::shutdown::Shutdown;
use crate::task::Tracker;

/// What an App is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// Serving.
    Serve,
    /// One command, which may run beside processes that serve.
    Command,
}

/// Builds the App and registers its process. Nothing is served and no loop runs yet.
pub async fn compose(config: Config) -> anyhow::Result<App> {
    Box::pin(build(config, Purpose::Serve)).await
}

/// The same for one command of a person, beside whatever serves.
pub async fn compose_for_command(config: Config) -> anyhow::Result<App> {
    Box::pin(build(config, Purpose::Command)).await
}

async fn build(config: Config, purpose: Purpose) -> anyhow::Result<App> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
    let ids: Arc<dyn Ids> = Arc::new(SystemIds);
    let shares_store = matches!(config.database.url, DatabaseUrl::Postgres(_));
    let data_dir = match purpose {
        Purpose::Command if shares_store => DataDir::open_beside(&config.process.data_dir)?,
        _ => DataDir::open(&config.process.data_dir)?,
    };
    let keyring = Arc::new(keyring(&config, &data_dir, &*ids)?);
    let site = site(config.process.site_dir.as_deref())?;

    let objects = objects::open(&config).await?;

    let shutdown = Shutdown::default();
    let tasks = Tracker::default();
    let metrics = Arc::new(Metrics::default());
    let hub = Arc::new(LiveHub::new(shutdown.clone()));
    let shared = Shared::open(&config, hub.clone(), &clock, &*ids).await?;
    let live: Arc<dyn Live> = match &shared {
        Some(shared) => shared.live.clone(),
        None => hub.clone(),
    };
    let (epochs, events) = (Arc::new(Epochs::default()), watch::Sender::new(()));
    let (pending, tasks_changed) = (Arc::<Pending>::default(), Arc::<Notify>::default());
    let observer = Observer {
        live: Arc::clone(&live),
        metrics: Arc::clone(&metrics),
        epochs: Arc::clone(&epochs),
        events: events.clone(),
        tasks: Arc::clone(&tasks_changed),
        clock: Arc::clone(&clock),
        pending: Arc::clone(&pending),
    };

    database::prepare(&config).await?;
    let store = database::open(&config, keyring.sign("cursor", &[]), Arc::new(observer)).await?;
    if !keyring.matches(&store.remember_key_check(&keyring.check_value()).await?) {
        bail!("secret_key_mismatch: SECRET_KEY is not the key of this database; use the one it was set up with");
    }
    let signing = Arc::new(SigningKeys::open(Arc::clone(&keyring), store.clone(), Arc::clone(&ids)).await?);
    let signer = signing.signer();
    let processes: Arc<dyn Processes> = Arc::new(store.clone());
    let role = config.process.role.as_str();
    let fence = processes.register(ids.process(), role, env!("CARGO_PKG_VERSION"), !shares_store).await?;
    let life = Arc::new(Life::new(fence, shutdown.clone()));
    neighbours::compare_clocks(&processes, &clock).await?;
    if purpose == Purpose::Serve {
        if let Err(refusal) = neighbours::check(&processes, &clock, fence, &config).await {
            processes.close(fence).await?;
            return Err(refusal);
        }
        neighbours::compare_connections(&store, &processes, &config).await?;
    }

    let objects: Arc<dyn Objects> = Arc::new(MeteredObjects::new(objects, Arc::clone(&metrics), Arc::clone(&clock)));
    let artifacts: Arc<dyn Artifacts> = Arc::new(store.clone());
    let keeper = Keeper::new(Arc::clone(&objects), Arc::clone(&clock), Arc::clone(&ids));
    let library = Library::new(Arc::clone(&artifacts), Arc::clone(&objects));
    let sweeper = Sweeper::new(artifacts, Arc::clone(&objects), Arc::clone(&clock));
    let ledger = MeteredLedger::new(Arc::new(store.clone()), Arc::clone(&metrics));
    let ledger: Arc<dyn Ledger> = Arc::new(LongAudits::new(Arc::new(ledger), keeper.clone()));
    let runs: Arc<dyn Runs> = Arc::new(store.clone());
    let audits: Arc<dyn Audits> = Arc::new(store.clone());
    let directory: Arc<dyn Directory> = Arc::new(store.clone());
    let second_factors: Arc<dyn SecondFactors> = Arc::new(store.clone());
    let catalog: Arc<dyn Catalog> = Arc::new(store.clone());
    let claims: Arc<dyn Claims> = Arc::new(store.clone());
    let mails: Arc<dyn Mails> = Arc::new(store.clone());
    let outbox: Arc<dyn Outbox> = Arc::new(store.clone());
    let degraded = Arc::<Degraded>::default();
    let limits: Arc<dyn Limits> = match &shared {
        Some(shared) => shared.limits(&store, &config, &degraded, &metrics, &clock).await?,
        None => Arc::new(LocalLimits::new(Arc::clone(&clock))),
    };
    let hasher: Arc<dyn PasswordHasher> = Arc::new(hasher(&config.identity)?);
    let sealer: Arc<dyn Sealer> = keyring.clone();
    let totp: Arc<dyn Totp> = keyring.clone();
    let spawner: Arc<dyn Spawner> = Arc::new(tasks.clone());
    let tokenizer = Arc::new(Tiktoken);
    let safety = Arc::new(Unjudged);
    let resolver: Arc<dyn Resolver> =
        Arc::new(Dns::new(&config.egress.dns_servers).context("DNS_SERVERS cannot be used")?);
    let test = (!config.process.environment.is_production()).then(|| Arc::new(TestProvider::new(Arc::clone(&clock))));
    let builtin = test.clone().map(|test| -> Arc<dyn BuiltinModels> { test });
    let mailer = mailer(&config, &metrics)?;
    let http = Http::new(extra_roots(&config)?.as_deref()).context("EXTRA_CA_FILE cannot be used")?;
    let openid = OpenidProviders::new(http.clone(), keyring.clone());
    let providers = Providers::new(http, keyring, test.clone());
    let provider: Arc<dyn ModelProvider> =
        Arc::new(MeteredProvider::new(Arc::new(providers), Arc::clone(&metrics), Arc::clone(&clock)));
    let deployment = Deployment {
        private_networks: config.egress.private_networks(config.process.environment),
        own: config.http.addresses().collect(),
    };

    let sso: Arc<dyn SingleSignOn> = Arc::new(store.clone());
    let identity = Arc::new(Identity::new(
        identity::Ports {
            directory: Arc::clone(&directory),
            people: Arc::new(store.clone()),
            tenants: Arc::new(store.clone()),
            subjects: Arc::new(store.clone()),
            catalog: Arc::clone(&catalog),
            second_factors: Arc::clone(&second_factors),
            accounts: Arc::new(store.clone()),
            mails: Arc::clone(&mails),
            mailer,
            links: links(&config),
            ledger: Arc::clone(&ledger),
            clock: Arc::clone(&clock),
            ids: Arc::clone(&ids),
            hasher: Arc::clone(&hasher),
            sealer: Arc::clone(&sealer),
            totp,
            spawner: Arc::clone(&spawner),
            epochs: Arc::clone(&epochs),
            sso: identity::SsoPorts {
                store: Arc::clone(&sso),
                provider: Arc::new(openid),
                resolver: Arc::clone(&resolver),
                deployment: Arc::new(deployment.clone()),
                public_url: config.http.page("").trim_end_matches('/').to_owned(),
            },
        },
        identity_settings(&config),
    ));
    let gateway = Arc::new(Gateway::new(
        gateway::Ports {
            ledger: Arc::clone(&ledger),
            claims: Arc::clone(&claims),
            keeper: keeper.clone(),
            library: library.clone(),
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
            keeper: keeper.clone(),
            library: library.clone(),
            sealer: Arc::clone(&sealer),
            clock: Arc::clone(&clock),
            ids: Arc::clone(&ids),
            lifecycle: life.clone(),
        },
        repeat::Settings { kept_for: config.ledger.answers_kept },
    );
    let control = Arc::new(Control::new(control::Ports {
        access: identity.clone(),
        runs: Arc::clone(&runs),
        ledger: Arc::clone(&ledger),
        clock: Arc::clone(&clock),
        ids: Arc::clone(&ids),
        gateway: Arc::clone(&gateway),
    }));
    let stored_tasks: Arc<dyn port::Tasks> = Arc::new(store.clone());
    let tasks_of_people = task::Tasks::new(task::Ports {
        tasks: Arc::clone(&stored_tasks),
        ledger: Arc::clone(&ledger),
        control: Arc::clone(&control),
        ids: Arc::clone(&ids),
    });
    let erase = ErasePorts {
        purges: Arc::new(store.clone()),
        objects: Arc::clone(&objects),
        clock: Arc::clone(&clock),
        ids: Arc::clone(&ids),
    };
    let worker = Worker::new(
        WorkerPorts {
            tasks: Arc::clone(&stored_tasks),
            ledger: Arc::clone(&ledger),
            clock: Arc::clone(&clock),
            ids: Arc::clone(&ids),
            lifecycle: life.clone(),
        },
        works(erase.clone()),
    );
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
    let replays = Replays::new(replay::Ports {
        runs: Arc::clone(&runs),
        library: library.clone(),
        ids: Arc::clone(&ids),
        runners: vec![gateway.clone()],
    });
    let chains: Arc<dyn Chains> = Arc::new(store.clone());
    let observe = Observe::new(observe::Ports {
        access: identity.clone(),
        epochs,
        runs: Arc::clone(&runs),
        outbox: Arc::clone(&outbox),
        tasks: Arc::clone(&stored_tasks),
        library,
        exports: Arc::new(store.clone()),
        audits,
        chains: Arc::clone(&chains),
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
    let retention = Retention::new(retention::Ports {
        access: identity.clone(),
        retentions: Arc::new(store.clone()),
        ledger: Arc::clone(&ledger),
        ids: Arc::clone(&ids),
    });
    let purger = Purger::new(PurgePorts {
        retentions: Arc::new(store.clone()),
        erase: erase.clone(),
        ledger: Arc::clone(&ledger),
    });
    let chains: Arc<dyn Chains> = Arc::new(store.clone());
    let chain = Chain::new(chain::Ports {
        chains: Arc::clone(&chains),
        signer: Arc::clone(&signer),
        clock: Arc::clone(&clock),
    });
    let copier = checkpoint_sink::open(&config)?.map(|(sink, place)| {
        let ports = CopierPorts {
            sink,
            copies: Arc::new(store.clone()),
            signer: Arc::clone(&signer),
            clock: Arc::clone(&clock),
            process_id: fence.process_id,
        };
        Copier::new(ports, &place)
    });
    let rotator = Rotator::new(RotatorPorts {
        keeper: signing.clone(),
        signer: Arc::clone(&signer),
        chains: Arc::clone(&chains),
        ledger: Arc::clone(&ledger),
        ids: Arc::clone(&ids),
        clock: Arc::clone(&clock),
    });
    let evidence = Evidence::new(evidence::Ports {
        chain: chain.clone(),
        chains,
        runs: Arc::clone(&runs),
        catalog: Arc::clone(&catalog),
        ledger: Arc::clone(&ledger),
        ids: Arc::clone(&ids),
        signer,
    });
    let feedback = Feedback::new(feedback::Ports {
        runs: Arc::clone(&runs),
        feedbacks: Arc::new(store.clone()),
        directory: Arc::clone(&directory),
        ledger: Arc::clone(&ledger),
        ids: Arc::clone(&ids),
    });
    let counters: Arc<dyn Counters> = Arc::new(store.clone());
    let finder = Finder::new(identity.clone(), budgets.clone(), modelhub.clone(), observe.clone());
    let reaper = Reaper::new(reaper::Ports {
        processes: Arc::clone(&processes),
        claims: Arc::clone(&claims),
        tasks: Arc::clone(&stored_tasks),
        ledger: Arc::clone(&ledger),
        runs: Arc::clone(&runs),
        directory: Arc::clone(&directory),
        catalog: Arc::clone(&catalog),
        clock: Arc::clone(&clock),
        ids: Arc::clone(&ids),
    });
    let others = checks::Others {
        shared: shared.as_ref(),
        share_store: shares_store,
        on_store_down: config.ledger.limits_on_store_down,
        copier: copier.as_ref(),
    };
    let health = Health::new(
        checks::checks(&store, &processes, &outbox, &objects, &life, &others),
        Arc::clone(&clock),
        shutdown.clone(),
        role,
    );
    let usage = UsageReports::new(Arc::clone(&counters), Arc::clone(&runs));
    Ok(App::new(Parts {
        fence,
        shares_store,
        life,
        shutdown,
        tasks,
        health: Arc::new(health),
        metrics,
        site,
        live: hub,
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
        second_factors,
        sso,
        catalog,
        claims,
        mails,
        outbox,
        keeper,
        sweeper,
        retention,
        erase,
        purger,
        consumers: consumers(&observe, &identity),
        processes,
        limits,
        shared,
        degraded,
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
        task_list: tasks_of_people,
        stored_tasks,
        worker: Arc::new(worker),
        tasks_changed,
        repeats,
        replays,
        modelhub,
        budgets,
        views,
        feedback,
        egress_policies,
        observe,
        chain,
        copier,
        signing_keys: signing,
        rotator,
        evidence,
        usage,
        counters,
        finder,
        config,
        store,
        _data_dir: data_dir,
    }))
}

/// Every consumer of events: those of [`kernel::outbox::SUBSCRIPTIONS`].
fn consumers(observe: &Observe, identity: &Arc<Identity>) -> Vec<Arc<dyn Consumer>> {
    vec![Arc::new(observe.clone()), identity.clone()]
}

/// Whatever does a type of task: those of [`kernel::task::TYPES`].
fn works(erase: ErasePorts) -> Vec<Arc<dyn TaskWork>> {
    vec![Arc::new(ContentScrub::new(erase))]
}

/// How mail leaves, if any does.
fn mailer(config: &Config, metrics: &Arc<Metrics>) -> anyhow::Result<Option<Arc<dyn Mailer>>> {
    let Some((server, from)) = config.mail.sending() else { return Ok(None) };
    let smtp = Smtp::new(server, from, extra_roots(config)?.as_deref()).context("SYSTEM_MAIL_… cannot be used")?;
    Ok(Some(Arc::new(MeteredMailer::new(Arc::new(smtp), Arc::clone(metrics)))))
}

/// Where links of mails lead: never to a host that a request names.
fn links(config: &Config) -> identity::Links {
    let page = |path| config.http.page(path);
    identity::Links {
        reset_password: page(app::route::RESET_PASSWORD),
        confirm_email: page(app::route::CONFIRM_EMAIL),
        invitation: page(app::route::INVITE),
        sign_in: page(app::route::SIGN_IN),
    }
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
        registration: settings.registration,
        password_reset_life: settings.password_reset_life,
        email_link_life: settings.email_link_life,
        mails_to_address: settings.mails_to_address,
        closure_grace: settings.closure_grace,
        login_account_failures: settings.login_account_failures,
        login_address_failures: settings.login_address_failures,
        login_window: settings.login_window,
        login_max_delay: settings.login_max_delay,
    }
}
