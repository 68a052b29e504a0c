//! Logs, metrics and traces.

use kernel::secret::SecretString;
use url::Url;

use super::choice::{LogFormat, LogLevel};
use super::reader::Reader;
use super::setting::settings;

settings! {
    /// Logs, metrics and traces.
    pub struct Telemetry {
        /// From which level on events are logged.
        pub log_level: LogLevel = "LOG_LEVEL" { default: Some("info"), production: "not `trace`" };
        /// `json` or `text`.
        pub log_format: Option<LogFormat> = "LOG_FORMAT" { absent: "`json`, on a terminal `text`" };
        /// Bearer token that `/metrics` asks for.
        pub metrics_token: Option<SecretString> = "METRICS_TOKEN" { absent: "`/metrics` is open", production: "set" };
        /// Collector that receives traces as OTLP over HTTP (protobuf); `/v1/traces` is added.
        pub otlp_endpoint: Option<Url> = "OTEL_EXPORTER_OTLP_ENDPOINT" { absent: "off" };
        /// Headers for the collector: `name=value`, several with commas.
        pub otlp_headers: Option<SecretString> = "OTEL_EXPORTER_OTLP_HEADERS" {};
        /// Share of traces that are sent.
        pub otlp_share: f64 = "OTEL_TRACES_SAMPLER_ARG" { default: Some("0.1") };
        /// Name of the service in traces.
        pub service_name: String = "OTEL_SERVICE_NAME" { default: Some("soit") };
    }
}

impl Telemetry {
    /// The headers for the collector.
    pub fn otlp_headers(&self) -> Vec<(String, String)> {
        let text = self.otlp_headers.as_ref().map_or("", SecretString::expose);
        let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
        pairs.map(|(name, value)| (name.trim().to_lowercase(), value.trim().to_owned())).collect()
    }

    pub(super) fn rules(&self, reader: &mut Reader<'_>) {
        reader.refuse_in_production(
            self.log_level == LogLevel::Trace,
            "LOG_LEVEL",
            "is `trace`",
            "use `debug` or a higher level",
        );
        reader.refuse_in_production(
            self.metrics_token.is_none(),
            "METRICS_TOKEN",
            "is not set",
            "choose a token and give it to the scraper",
        );
        let text = self.otlp_headers.as_ref().map_or("", SecretString::expose);
        if text.split(',').any(|pair| !pair.trim().is_empty() && !pair.contains('=')) {
            reader.refuse("OTEL_EXPORTER_OTLP_HEADERS", "has a wrong form", "use `name=value`, several with commas");
        }
    }
}
