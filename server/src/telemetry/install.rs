//! Puts the layers together and installs them for the whole process.

use std::io::IsTerminal;
use std::panic::PanicHookInfo;

use opentelemetry::trace::TracerProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::{FilterExt, Targets, filter_fn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt};

use super::json::JsonLines;
use super::traces;
use crate::config::{self, LogFormat, LogLevel};

/// Our own crates: only their events and spans go below `warn`.
const OURS: [&str; 6] = ["server", "soit", "kernel", "adapter_store", "adapter_outbound", "app"];

/// What must be flushed at the end.
#[derive(Debug)]
pub struct Telemetry {
    traces: Option<SdkTracerProvider>,
}

/// Installs logs and, where a collector is named, traces: it is trusted by public certificate authorities, or by those of
/// a PEM text. Called once, inside the runtime.
pub fn install(settings: &config::Telemetry, extra_roots: Option<&[u8]>) -> anyhow::Result<Telemetry> {
    let traces = traces::provider(settings, extra_roots)?;
    let exporting = traces.as_ref().map(|provider| {
        let tracer = provider.tracer("soit");
        tracing_opentelemetry::layer().with_tracer(tracer).with_location(false).with_threads(false)
    });
    // Spans carry ids, enums and numbers; what events say is for the log.
    let spans = targets(LevelFilter::INFO).and(filter_fn(|metadata| metadata.is_span()));
    let exporting = exporting.map(|layer| layer.with_filter(spans));
    let logging = log_layer(settings.log_format).with_filter(targets(level(settings.log_level)));
    tracing_subscriber::registry().with(logging).with(exporting).try_init()?;
    std::panic::set_hook(Box::new(log_panic));
    Ok(Telemetry { traces })
}

fn log_layer(format: Option<LogFormat>) -> Box<dyn Layer<Registry> + Send + Sync> {
    let terminal = std::io::stderr().is_terminal();
    match format.unwrap_or(if terminal { LogFormat::Text } else { LogFormat::Json }) {
        LogFormat::Json => Box::new(JsonLines::new(std::io::stderr())),
        LogFormat::Text => Box::new(fmt::layer().with_writer(std::io::stderr).with_ansi(terminal).with_target(false)),
    }
}

fn targets(level: LevelFilter) -> Targets {
    let others = level.min(LevelFilter::WARN);
    OURS.into_iter().fold(Targets::new().with_default(others), |targets, ours| targets.with_target(ours, level))
}

fn level(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    }
}

/// One line with the place; the message may hold values, so it is left out.
fn log_panic(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    tracing::error!(place, "panicked");
}

impl Telemetry {
    /// Sends what is still waiting; gives up by itself when the collector is away.
    pub async fn flush(self) {
        let Some(provider) = self.traces else { return };
        // The provider waits for its own thread.
        let flushed = tokio::task::spawn_blocking(move || provider.shutdown()).await;
        if !matches!(flushed, Ok(Ok(()))) {
            tracing::warn!("some traces could not be sent");
        }
    }
}
