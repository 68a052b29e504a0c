//! `soit serve`: starts in order, then serves until a signal comes.

use std::process::ExitCode;

use anyhow::{Context, bail};
use futures::future::join;
use tokio::net::TcpListener;

use super::{end, greeting};
use crate::compose::{App, Chosen, compose, extra_roots, make_first_account};
use crate::config::{Config, Listen};
use crate::http::{api_router, console_router};
use crate::listener::{self, Limits};
use crate::shutdown::Signals;
use crate::task::Tracker;
use crate::{telemetry, worker};

/// Serves until a signal comes.
pub(super) async fn serve(config: Config) -> anyhow::Result<ExitCode> {
    let telemetry = telemetry::install(&config.telemetry, extra_roots(&config)?.as_deref())?;
    for warning in &config.warnings {
        tracing::warn!("{warning}");
    }
    let mut signals = Signals::install()?;
    let Started { app, loops, console, api } = tokio::select! {
        started = Box::pin(start(config)) => started?,
        signal = signals.next() => bail!("ended by {signal} while starting"),
    };
    greeting::greet(&app, console.as_ref(), api.as_ref()).await;
    let console = serve_on(console, console_router(app.clone()), &app);
    let api = serve_on(api, api_router(app.clone()), &app);
    let code = end::serve_to_the_end(&app, &loops, join(console, api), &mut signals).await;
    telemetry.flush().await;
    Ok(code)
}

/// A process that can answer.
struct Started {
    app: App,
    loops: Tracker,
    console: Option<TcpListener>,
    api: Option<TcpListener>,
}

/// Everything before the first request: ports open only when requests can be served.
async fn start(config: Config) -> anyhow::Result<Started> {
    let app = Box::pin(compose(config)).await?;
    let loops = worker::start(&app);
    match open(&app).await {
        Ok((console, api)) => Ok(Started { app, loops, console, api }),
        Err(error) => {
            app.shutdown.abort();
            loops.wait().await;
            app.close().await;
            Err(error)
        }
    }
}

async fn open(app: &App) -> anyhow::Result<(Option<TcpListener>, Option<TcpListener>)> {
    if make_first_account(app, Chosen::default()).await? {
        tracing::info!("first account made");
    }
    worker::reap(app).await?;
    app.health.check().await;
    let console = bind("LISTEN_CONSOLE", app.config.http.console).await?;
    let api = bind("LISTEN_API", app.config.http.api).await?;
    Ok((console, api))
}

async fn bind(name: &str, listen: Listen) -> anyhow::Result<Option<TcpListener>> {
    let Some(address) = listen.0 else { return Ok(None) };
    let socket = TcpListener::bind(address).await;
    socket.map(Some).with_context(|| format!("{name} `{address}` cannot be opened; free it or use another port"))
}

async fn serve_on(socket: Option<TcpListener>, router: axum::Router, app: &App) {
    let Some(socket) = socket else { return };
    let settings = &app.config.http;
    let limits = Limits { max_connections: settings.max_connections, header_timeout: settings.header_timeout };
    listener::serve(socket, router, limits, app.shutdown.clone()).await;
}
