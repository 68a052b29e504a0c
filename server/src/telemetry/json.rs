//! Log lines as JSON: one object an event, the ids of its request, run and workspace beside it.

use std::fmt::Debug;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use super::rate::Rate;

/// Fields of spans that every line below them repeats, and their names in the line.
const CONTEXT: [(&str, &str); 5] = [
    ("request.id", "request_id"),
    ("run.id", "run_id"),
    ("trace.id", "trace_id"),
    ("tenant.id", "tenant_id"),
    ("workspace.id", "workspace_id"),
];

/// Writes events as lines of JSON, at most so many a second.
pub(super) struct JsonLines<W> {
    out: Mutex<(W, Rate)>,
    start: Instant,
}

impl<W: Write> JsonLines<W> {
    pub(super) fn new(writer: W) -> Self {
        Self { out: Mutex::new((writer, Rate::default())), start: Instant::now() }
    }

    fn write(&self, line: &Map<String, Value>) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let (writer, rate) = &mut *out;
        let admission = rate.admit(self.start.elapsed().as_secs());
        if admission.dropped > 0 {
            let mut notice = head("WARN", module_path!(), "log_dropped");
            notice.insert("count".to_owned(), admission.dropped.into());
            write_line(writer, &notice);
        }
        if admission.admitted {
            write_line(writer, line);
        }
    }
}

/// A log that cannot be written is no reason to stop.
fn write_line(writer: &mut impl Write, line: &Map<String, Value>) {
    if let Ok(mut bytes) = serde_json::to_vec(line) {
        bytes.push(b'\n');
        let _ = writer.write_all(&bytes);
    }
}

fn head(level: &str, target: &str, message: &str) -> Map<String, Value> {
    let mut line = Map::new();
    line.insert("ts".to_owned(), now().to_rfc3339_opts(SecondsFormat::Micros, true).into());
    line.insert("level".to_owned(), level.to_lowercase().into());
    line.insert("target".to_owned(), target.into());
    line.insert("message".to_owned(), message.into());
    line
}

#[expect(clippy::disallowed_methods, reason = "a log line tells when it was written; no run depends on it")]
fn now() -> DateTime<Utc> {
    Utc::now()
}

/// The context of a span, under the names it has in lines.
#[derive(Default)]
struct Ids(Vec<(&'static str, String)>);

impl Ids {
    fn put(&mut self, field: &Field, value: impl FnOnce() -> String) {
        if let Some((_, name)) = CONTEXT.iter().find(|(known, _)| *known == field.name()) {
            // What is recorded later is known better.
            match self.0.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => *known = value(),
                None => self.0.push((name, value())),
            }
        }
    }
}

impl Visit for Ids {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, || value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.put(field, || format!("{value:?}"));
    }
}

impl<S, W> Layer<S> for JsonLines<W>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
    W: Write + 'static,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut ids = Ids::default();
        attributes.record(&mut ids);
        span.extensions_mut().insert(ids);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(ids) = span.extensions_mut().get_mut::<Ids>() {
            values.record(ids);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let message = fields.0.shift_remove("message");
        let message = message.as_ref().and_then(Value::as_str).unwrap_or_default();
        let metadata = event.metadata();
        let mut line = head(metadata.level().as_str(), metadata.target(), message);
        for span in context.event_scope(event).into_iter().flatten() {
            let extensions = span.extensions();
            for (name, value) in extensions.get::<Ids>().into_iter().flat_map(|ids| &ids.0) {
                line.entry(*name).or_insert_with(|| value.as_str().into());
            }
        }
        for (name, value) in fields.0 {
            line.entry(name).or_insert(value);
        }
        self.write(&line);
    }
}

/// Collects fields as JSON values.
#[derive(Default)]
struct Fields(Map<String, Value>);

impl Fields {
    fn put(&mut self, field: &Field, value: Value) {
        self.0.insert(field.name().to_owned(), value);
    }
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value.into());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value.into());
    }

    fn record_u128(&mut self, field: &Field, value: u128) {
        self.put(field, u64::try_from(value).unwrap_or(u64::MAX).into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.put(field, format!("{value:?}").into());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use tracing_subscriber::layer::SubscriberExt;

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn lines(work: impl FnOnce()) -> Vec<Map<String, Value>> {
        let out = Shared::default();
        let subscriber = tracing_subscriber::registry().with(JsonLines::new(out.clone()));
        tracing::subscriber::with_default(subscriber, work);
        let text = String::from_utf8(out.0.lock().unwrap().clone()).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn a_line_has_its_ids_then_its_own_fields() {
        let found = lines(|| {
            let span =
                tracing::info_span!("request", request.id = "req_1", run.id = tracing::field::Empty, secret = "no");
            span.record("run.id", "run_0");
            span.record("run.id", "run_1");
            span.in_scope(|| tracing::warn!(status = 503, "request refused"));
        });
        let line = found.first().unwrap();
        let names: Vec<&str> = line.keys().map(String::as_str).collect();
        assert_eq!(names, ["ts", "level", "target", "message", "request_id", "run_id", "status"]);
        assert_eq!((&line["level"], &line["status"], &line["run_id"]), (&"warn".into(), &503.into(), &"run_1".into()));
    }
}
