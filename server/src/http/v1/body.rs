//! The body of a model call: JSON by its type, read whole, within size and time.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use kernel::Error;
use tokio::time::timeout;
use types::problem::Code;

use crate::http::body::{check_kind, unread};

/// Largest body.
pub(super) const MAX_BODY: usize = 32 * 1024 * 1024;
/// Longest wait for all of it.
const MAX_TIME: Duration = Duration::from_secs(60);

/// Reads the body's bytes; what they say is the kernel's business.
pub(super) async fn read(request: Request) -> Result<Vec<u8>, Error> {
    check_kind(request.headers()).map_err(|wrong| Error::new(Code::UnsupportedMediaType, wrong))?;
    match timeout(MAX_TIME, Bytes::from_request(request, &())).await {
        Ok(Ok(bytes)) => Ok(bytes.into()),
        Ok(Err(rejection)) => {
            let problem = unread(rejection, MAX_BODY).0;
            Err(Error::new(problem.code, problem.detail))
        }
        Err(_) => Err(Error::new(Code::RequestTimeout, "the body did not arrive in 60 seconds")),
    }
}
