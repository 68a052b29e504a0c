//! One call: open the credential, send, tell answers from failures.

use std::sync::Arc;
use std::time::Duration;

use kernel::port::{Answer, ModelCall, SealError, UpstreamError, UpstreamKind, Wire};
use kernel::secret::SecretString;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::stream::{self, Patience};
use super::wire::{self, Notes};
use crate::http::{Http, Response};
use crate::secret::{Keyring, Mask};

/// Error bodies are read up to here, and no longer waited for than this.
const MAX_ERROR: usize = 64 * 1024;
const ERROR_PATIENCE: Duration = Duration::from_secs(5);
const MAX_CHAT: usize = 32 * 1024 * 1024;
/// 2048 vectors of 3072 numbers are about 75 MB of text.
const MAX_EMBEDDINGS: usize = 128 * 1024 * 1024;

/// Calls such servers.
#[derive(Debug)]
pub(in crate::provider) struct OpenaiCompatible {
    http: Http,
    keyring: Arc<Keyring>,
}

impl OpenaiCompatible {
    pub(in crate::provider) fn new(http: Http, keyring: Arc<Keyring>) -> Self {
        Self { http, keyring }
    }

    pub(in crate::provider) async fn call(&self, call: ModelCall) -> Result<Answer, UpstreamError> {
        let deadline = Instant::now() + call.timeout;
        let (credential, mask) = self.credential(&call)?;
        let response = timeout_at(deadline, self.post(&call, credential)).await;
        let response = response.map_err(|_| Notes::default().timeout(call.timeout, "the answer"))??;
        let notes = Notes::read(&response.headers);
        if !response.status.is_success() {
            return Err(refused(response, &mask, &notes, deadline).await);
        }
        if call.stream && stream::is_event_stream(&response.headers) {
            let patience = Patience { first: call.timeout, deadline, between: call.frame_timeout };
            let request_id = notes.request_id.clone();
            return Ok(Answer::Stream { frames: stream::frames(response.body, mask, notes, patience), request_id });
        }
        let body = whole(response, &call, &mask, &notes, deadline).await?;
        if call.stream {
            let message = "a stream was asked for and a whole answer came".to_owned();
            return Err(notes.error(UpstreamKind::Garbage, message));
        }
        Ok(Answer::Whole { body, request_id: notes.request_id })
    }

    fn credential(&self, call: &ModelCall) -> Result<(Option<SecretString>, Mask), UpstreamError> {
        let Some((id, version, sealed)) = &call.credential else { return Ok((None, Mask::default())) };
        let opened = self.keyring.open(call.scope, *id, *version, sealed).map_err(|error| {
            let message = match error {
                SealError::UnknownKey(_) => "the credential was sealed with a key this deployment does not have",
                SealError::Unreadable => "the credential cannot be opened",
            };
            Notes::default().error(UpstreamKind::Credential, message.to_owned())
        })?;
        let mask = Mask::of(*id, &opened);
        Ok((Some(opened), mask))
    }

    async fn post(&self, call: &ModelCall, credential: Option<SecretString>) -> Result<Response, UpstreamError> {
        let unsent = |kind, message: &str| Notes::default().error(kind, message.to_owned());
        let target = call.target.as_ref().ok_or_else(|| unsent(UpstreamKind::Connect, "the call has no target"))?;
        let headers = wire::headers(credential.as_ref(), call.stream)
            .ok_or_else(|| unsent(UpstreamKind::Credential, "the credential holds a character no header can carry"))?;
        let body = call.body.to_string().into_bytes();
        let sent = self.http.post(call.scope.workspace_id, target, headers, body).await;
        sent.map_err(|failure| Notes::default().failure(&failure))
    }
}

async fn whole(
    response: Response,
    call: &ModelCall,
    mask: &Mask,
    notes: &Notes,
    deadline: Instant,
) -> Result<Value, UpstreamError> {
    let limit = match call.wire {
        Wire::Chat => MAX_CHAT,
        Wire::Embeddings => MAX_EMBEDDINGS,
    };
    let read = timeout_at(deadline, response.body.whole(limit)).await;
    let bytes = read.map_err(|_| notes.timeout(call.timeout, "the whole answer"))?;
    wire::whole(&bytes.map_err(|failure| notes.failure(&failure))?, mask, notes)
}

/// The status alone decides; the body explains it if it comes in time.
async fn refused(response: Response, mask: &Mask, notes: &Notes, deadline: Instant) -> UpstreamError {
    let status = response.status.as_u16();
    let patience = deadline.min(Instant::now() + ERROR_PATIENCE);
    let body = timeout_at(patience, response.body.whole(MAX_ERROR)).await;
    let body = body.ok().and_then(Result::ok).unwrap_or_default();
    notes.error(UpstreamKind::Status(status), wire::reason(&String::from_utf8_lossy(&body), mask))
}
