//! Runs and steps as spans, in OpenTelemetry's own words. Invariant: ids, words and numbers only, and the same for the same
//! runs: no content, no message of an error, nothing a caller wrote.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use kernel::observe::TracedRun;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue};
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span, Status};
use sha2::{Digest, Sha256};
use types::run::{Failure, Run, Step, StepType, UsageClass};

/// The runs of a trace as a request that a collector takes.
pub(super) fn request(runs: &[TracedRun]) -> ExportTraceServiceRequest {
    let known: HashSet<String> = runs.iter().map(|traced| traced.run.id.to_string()).collect();
    let of = |traced: &TracedRun| {
        let (run, trace) = (&traced.run, hex(&traced.run.trace_id));
        let steps = traced.steps.iter().map(|step| of_step(run, step, trace.clone()));
        std::iter::once(of_run(run, trace.clone(), &known)).chain(steps).collect::<Vec<_>>()
    };
    let scope = InstrumentationScope {
        name: "soit".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..InstrumentationScope::default()
    };
    let spans = ScopeSpans { scope: Some(scope), spans: runs.iter().flat_map(of).collect(), ..ScopeSpans::default() };
    let resource = Resource { attributes: vec![word("service.name", "soit")], ..Resource::default() };
    let resource_spans =
        vec![ResourceSpans { resource: Some(resource), scope_spans: vec![spans], ..ResourceSpans::default() }];
    ExportTraceServiceRequest { resource_spans }
}

fn of_run(run: &Run, trace_id: Vec<u8>, known: &HashSet<String>) -> Span {
    // A run whose parent the reader does not see is a root to them.
    let parent = run.parent_run_id.map(|id| id.to_string()).filter(|id| known.contains(id));
    let mut attributes = vec![
        word("soit.run.id", run.id),
        word("soit.run.mode", run.mode),
        word("soit.run.entry", run.entry),
        word("soit.run.source", run.source),
        word("soit.run.status", run.status),
        word("soit.workspace.id", run.workspace_id),
        number("soit.run.attempt", run.attempt_no.into()),
    ];
    attributes.extend(run.api_key_id.map(|id| word("soit.api_key.id", id)));
    attributes.extend(tokens("gen_ai.usage.input_tokens", run.totals.usage.get(UsageClass::Input)));
    attributes.extend(tokens("gen_ai.usage.output_tokens", run.totals.usage.get(UsageClass::Output)));
    attributes.extend(error_type(run.error.as_ref()));
    Span {
        trace_id,
        span_id: span_id(&run.id.to_string()),
        parent_span_id: parent.as_deref().map(span_id).unwrap_or_default(),
        name: format!("run {}", run.mode),
        kind: if parent.is_some() { SpanKind::Internal } else { SpanKind::Server } as i32,
        start_time_unix_nano: nanos(run.started_at),
        end_time_unix_nano: nanos(run.ended_at.unwrap_or(run.started_at)),
        attributes,
        status: status(run.error.as_ref()),
        ..Span::default()
    }
}

fn of_step(run: &Run, step: &Step, trace_id: Vec<u8>) -> Span {
    let parent = step.parent_step_id.map_or_else(|| run.id.to_string(), |id| id.to_string());
    let mut attributes = vec![
        word("soit.step.id", step.id),
        word("soit.step.type", step.step_type),
        word("soit.step.status", step.status),
        number("soit.step.seq", step.seq.into()),
        number("soit.step.attempt", step.attempt_no.into()),
    ];
    attributes.extend(operation(step.step_type).map(|name| word("gen_ai.operation.name", name)));
    // What was answered by stands in soit's own catalog; what was asked for is the caller's word.
    let known = |name: &str| step.metrics.get(name).and_then(|value| value.as_str());
    attributes.extend(known("target_ref").map(|name| word("gen_ai.request.model", name)));
    attributes.extend(known("provider").map(|name| word("gen_ai.provider.name", name)));
    let usage = |class: UsageClass| step.metrics.get("usage").and_then(|usage| usage.get(class.as_str())?.as_u64());
    attributes.extend(usage(UsageClass::Input).and_then(|count| tokens("gen_ai.usage.input_tokens", count)));
    attributes.extend(usage(UsageClass::Output).and_then(|count| tokens("gen_ai.usage.output_tokens", count)));
    attributes.extend(error_type(step.error.as_ref()));
    Span {
        trace_id,
        span_id: span_id(&step.id.to_string()),
        parent_span_id: span_id(&parent),
        name: step.step_type.to_string(),
        kind: kind(step.step_type) as i32,
        start_time_unix_nano: nanos(step.started_at),
        end_time_unix_nano: nanos(step.ended_at.unwrap_or(step.started_at)),
        attributes,
        status: status(step.error.as_ref()),
        ..Span::default()
    }
}

/// What leaves soit is a client's.
const fn kind(step: StepType) -> SpanKind {
    match step {
        StepType::ModelCall
        | StepType::Embedding
        | StepType::Image
        | StepType::Rerank
        | StepType::ToolCall
        | StepType::Retrieval => SpanKind::Client,
        _ => SpanKind::Internal,
    }
}

/// The operation's name among the GenAI conventions, where it has one.
const fn operation(step: StepType) -> Option<&'static str> {
    match step {
        StepType::ModelCall => Some("chat"),
        StepType::Embedding => Some("embeddings"),
        StepType::ToolCall => Some("execute_tool"),
        StepType::AgentTurn => Some("invoke_agent"),
        _ => None,
    }
}

/// The first 8 bytes of the SHA-256 of a record's id.
fn span_id(id: &str) -> Vec<u8> {
    Sha256::digest(id).iter().take(8).copied().collect()
}

/// The 16 bytes of a trace id.
fn hex(trace_id: &str) -> Vec<u8> {
    u128::from_str_radix(trace_id, 16).unwrap_or_default().to_be_bytes().to_vec()
}

fn nanos(at: DateTime<Utc>) -> u64 {
    at.timestamp_nanos_opt().and_then(|nanos| u64::try_from(nanos).ok()).unwrap_or_default()
}

/// The code says what went wrong; the message may quote somebody.
fn status(error: Option<&Failure>) -> Option<Status> {
    error.map(|_| Status { code: StatusCode::Error as i32, ..Status::default() })
}

fn error_type(error: Option<&Failure>) -> Option<KeyValue> {
    error.map(|error| word("error.type", &error.code))
}

fn tokens(name: &str, count: u64) -> Option<KeyValue> {
    (count > 0).then(|| number(name, i64::try_from(count).unwrap_or(i64::MAX)))
}

fn word(name: &str, value: impl ToString) -> KeyValue {
    attribute(name, Value::StringValue(value.to_string()))
}

fn number(name: &str, value: i64) -> KeyValue {
    attribute(name, Value::IntValue(value))
}

fn attribute(name: &str, value: Value) -> KeyValue {
    KeyValue { key: name.to_owned(), value: Some(AnyValue { value: Some(value) }), ..KeyValue::default() }
}
