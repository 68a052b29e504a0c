//! The outgoing model call.

use std::time::Duration;

use async_trait::async_trait;
use futures::stream::BoxStream;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use types::id::{RunId, SecretId};
use types::modelhub::{Capability, ProviderKind};

use crate::context::Scope;
use crate::policy::{Permit, Pinned};
use crate::secret::Sealed;

/// Which operation of the provider's wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// Chat completions.
    Chat,
    /// Embeddings.
    Embeddings,
}

impl Wire {
    /// The path behind an account's base URL.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Chat => "chat/completions",
            Self::Embeddings => "embeddings",
        }
    }
}

/// An authorised model call: what exactly goes where. Reached only through a [`Permit`].
#[derive(Clone, Debug)]
pub struct ModelCall {
    /// Where it belongs.
    pub scope: Scope,
    /// The run, for providers that keep count of calls by run.
    pub run_id: RunId,
    /// Which attempt of the run, from 1.
    pub attempt_no: u32,
    /// Which wire the account speaks.
    pub kind: ProviderKind,
    /// Which operation.
    pub wire: Wire,
    /// The provider's own name of the model.
    pub upstream_model: String,
    /// The body exactly as it goes out.
    pub body: Value,
    /// Whether the answer is a stream.
    pub stream: bool,
    /// Where to, checked and pinned; none for providers inside this process.
    pub target: Option<Pinned>,
    /// The sealed credential: id, version, ciphertext.
    pub credential: Option<(SecretId, u32, Sealed)>,
    /// Until the answer is whole, or a stream's first frame.
    pub timeout: Duration,
    /// Between frames of a stream.
    pub frame_timeout: Duration,
}

/// What the provider answered.
pub enum Answer {
    /// A whole answer.
    Whole {
        /// The body.
        body: Value,
        /// The provider's id of the request.
        request_id: Option<String>,
    },
    /// A stream of frames as the provider sent them, `[DONE]` left out. Dropping it closes the connection.
    Stream {
        /// The frames; it ends after the provider's own end mark, or with an error.
        frames: BoxStream<'static, Result<Value, UpstreamError>>,
        /// The provider's id of the request.
        request_id: Option<String>,
    },
}

/// What kind of failure: decides whether it is charged, retried, and what the caller sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpstreamKind {
    /// Nothing was sent: no connection, no TLS.
    Connect,
    /// The connection broke after the request was sent.
    Reset,
    /// No answer, or no next frame, in time.
    Timeout,
    /// The provider answered with this status.
    Status(u16),
    /// An error object inside a 200.
    ErrorInBody,
    /// A frame or body that cannot be read.
    Garbage,
    /// A stream that ended without its end mark.
    Cut,
    /// The credential cannot be opened.
    Credential,
}

/// The provider failed.
#[derive(Clone, Debug, thiserror::Error, Serialize, Deserialize)]
#[error("the provider failed: {message}")]
pub struct UpstreamError {
    /// What kind.
    pub kind: UpstreamKind,
    /// The provider's own text, at most 500 characters, credentials masked.
    pub message: String,
    /// Seconds the provider asks to wait.
    pub retry_after: Option<u64>,
    /// The provider's id of the request.
    pub request_id: Option<String>,
}

/// Calls models. One permit, one call: own retries are the caller's business.
#[async_trait]
pub trait ModelProvider: Send + Sync {
    /// Sends the call. Dropping the future closes the connection.
    async fn call(&self, permit: Permit<ModelCall>) -> Result<Answer, UpstreamError>;
}

/// A model that is there without being set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltinModel {
    /// Its name behind `model:test:`.
    pub name: String,
    /// What it can do.
    pub capabilities: &'static [Capability],
}

/// The models of the built-in provider; a deployment without them has no such port.
pub trait BuiltinModels: Send + Sync {
    /// The model of a name, if it is one.
    fn find(&self, name: &str) -> Option<BuiltinModel>;
    /// Names to show: some stand for families.
    fn list(&self) -> Vec<BuiltinModel>;
}
