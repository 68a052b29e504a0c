//! The span around a request, joined to the caller's trace.

use std::collections::HashMap;

use axum::http::{HeaderMap, Method};
use kernel::OpContext;
use kernel::context::Scope;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::TraceContextExt;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing::field::{Empty, display};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use types::id::RequestId;

/// A request's span and its W3C trace id: the caller's, the exporter's, or one made from the request's id.
pub(crate) fn request_span(id: RequestId, method: &Method, route: Option<&str>, headers: &HeaderMap) -> (Span, String) {
    let route = route.unwrap_or("unmatched");
    let span = tracing::info_span!(
        "request",
        otel.name = format!("{method} {route}"),
        otel.kind = "server",
        otel.status_code = Empty,
        request.id = %id,
        trace.id = Empty,
        run.id = Empty,
        tenant.id = Empty,
        workspace.id = Empty,
        http.request.method = method.as_str(),
        http.route = route,
        http.response.status_code = Empty,
    );
    let caller = caller(headers);
    let caller_trace = caller.span().span_context().trace_id();
    // Without an exporter there is nothing to join, which is no error.
    let _ = span.set_parent(caller);
    let exported_trace = span.context().span().span_context().trace_id();
    let trace = [caller_trace, exported_trace].into_iter().find(|trace| *trace != opentelemetry::TraceId::INVALID);
    let trace = trace.map_or_else(|| format!("{:032x}", id.as_uuid().as_u128()), |trace| trace.to_string());
    span.record("trace.id", trace.as_str());
    (span, trace)
}

/// Who asks is known: log lines and the request's span name their workspace from now on.
pub(crate) fn note_caller(ctx: &OpContext) {
    if ctx.scope == Scope::INSTANCE {
        return;
    }
    let span = Span::current();
    span.record("tenant.id", display(ctx.scope.tenant_id));
    span.record("workspace.id", display(ctx.scope.workspace_id));
}

/// What `traceparent` and `tracestate` say.
fn caller(headers: &HeaderMap) -> opentelemetry::Context {
    let header = |name: &str| Some((name.to_owned(), headers.get(name)?.to_str().ok()?.to_owned()));
    let carrier: HashMap<String, String> = ["traceparent", "tracestate"].into_iter().filter_map(header).collect();
    TraceContextPropagator::new().extract_with_context(&opentelemetry::Context::new(), &carrier)
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::id::Uuid;

    fn trace(parent: &str) -> String {
        let headers = HeaderMap::from_iter([("traceparent".parse().unwrap(), parent.parse().unwrap())]);
        request_span(RequestId::from_uuid(Uuid::from_u128(7)), &Method::GET, None, &headers).1
    }

    #[test]
    fn the_caller_s_trace_goes_on_and_nonsense_begins_a_new_one() {
        let given = "4bf92f3577b34da6a3ce929d0e0e4736";
        assert_eq!(trace(&format!("00-{given}-00f067aa0ba902b7-01")), given);
        for nonsense in ["", "00-short-00f067aa0ba902b7-01", &format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32))] {
            assert_eq!(trace(nonsense), format!("{:032x}", 7), "{nonsense}");
        }
    }
}
