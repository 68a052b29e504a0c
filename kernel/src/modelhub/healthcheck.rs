//! Whether a provider account answers: one governed call of a few tokens, through every gate and into the ledger.

use std::sync::Arc;

use serde_json::{Value, json};
use types::id::ProviderId;
use types::modelhub::{Capability, Model, ProviderCheck};
use types::problem::Code;

use super::{ModelHub, provider};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::gateway::{Gateway, Operation, Refused, Reply, Request};
use crate::policy::guard;

/// Most tokens of the answer.
const MOST_TOKENS: u32 = 8;

impl ModelHub {
    /// Calls the account's first enabled model. A refusal on the way is an outcome, not an error.
    pub async fn check_provider(
        &self,
        ctx: &OpContext,
        gateway: &Arc<Gateway>,
        id: ProviderId,
    ) -> Result<ProviderCheck> {
        guard::authorize(ctx, "provider.test")?;
        let snapshot = self.ports.editor.read(ctx).await?;
        provider::find(&snapshot, id)?;
        let model = snapshot.models.iter().find(|model| model.provider_id == id && model.enabled);
        let model =
            model.ok_or_else(|| Error::new(Code::ModelNotFound, "the account has no enabled model, add one first"))?;
        let started = self.ports.clock.monotonic();
        let outcome = gateway.complete(ctx.clone(), request(model)).await;
        let took = self.ports.clock.monotonic().saturating_sub(started);
        let (run_id, error) = match outcome {
            Ok(Reply::Whole(whole)) => (Some(whole.facts.run_id), None),
            Ok(Reply::Stream(stream)) => (Some(stream.facts.run_id), None),
            Err(Refused { error, .. }) => (error.run_id(), Some(error)),
        };
        Ok(ProviderCheck {
            ok: error.is_none(),
            model_ref: model.model_ref.clone(),
            code: error.as_ref().map(Error::code),
            detail: error.map(|error| error.detail().to_owned()),
            latency_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            run_id,
        })
    }
}

fn request(model: &Model) -> Request {
    let ask = |operation, body: Value| Request { operation, body: body.to_string().into_bytes(), headers: Vec::new() };
    if model.capabilities.contains(&Capability::Chat) {
        let messages = json!([{ "role": "user", "content": "ping" }]);
        ask(Operation::Chat, json!({ "model": model.model_ref, "messages": messages, "max_tokens": MOST_TOKENS }))
    } else {
        ask(Operation::Embeddings, json!({ "model": model.model_ref, "input": "ping" }))
    }
}
