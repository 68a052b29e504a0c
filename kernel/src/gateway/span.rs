//! The span around a call, by the names of OpenTelemetry's conventions for generative AI. Ids, enums and numbers only.

use tracing::Span;
use tracing::field::{Empty, display};
use types::cost::Cost;
use types::run::UsageClass;

use super::intent::Call;
use super::request::Operation;
use crate::{Error, OpContext};

/// A span without what is not known yet.
pub(super) fn model_call(ctx: &OpContext, operation: Operation) -> Span {
    tracing::info_span!(
        "model_call",
        otel.name = operation.convention(),
        otel.kind = "client",
        gen_ai.operation.name = operation.convention(),
        gen_ai.provider.name = Empty,
        gen_ai.request.model = Empty,
        gen_ai.response.id = Empty,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        error.type = Empty,
        run.id = Empty,
        request.id = %ctx.request_id,
        tenant.id = %ctx.scope.tenant_id,
        workspace.id = %ctx.scope.workspace_id,
    )
}

/// The call is decided.
pub(super) fn note_call(call: &Call) {
    let span = Span::current();
    span.record("run.id", display(call.run_id));
    span.record("gen_ai.provider.name", call.plan.target.kind.as_str());
    span.record("gen_ai.request.model", call.plan.target.upstream_model.as_str());
}

/// The call is over.
pub(super) fn note_end(cost: Option<&Cost>, error: Option<&Error>) {
    let span = Span::current();
    if let Some(cost) = cost {
        let output = cost.usage.get(UsageClass::Output).saturating_add(cost.usage.get(UsageClass::Reasoning));
        span.record("gen_ai.usage.input_tokens", cost.usage.tokens().saturating_sub(output));
        span.record("gen_ai.usage.output_tokens", output);
        if let Some(id) = &cost.upstream_id {
            span.record("gen_ai.response.id", id);
        }
    }
    if let Some(error) = error {
        note_error(error);
    }
}

/// The call was refused or failed.
pub(super) fn note_error(error: &Error) {
    Span::current().record("error.type", error.code().as_str());
}

impl Operation {
    /// The operation's name in the conventions.
    const fn convention(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Embeddings => "embeddings",
        }
    }
}
