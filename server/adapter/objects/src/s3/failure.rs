//! What the server's refusals and silences mean.

use std::error::Error;

use aws_sdk_s3::error::{ProvideErrorMetadata, SdkError};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use kernel::port::ObjectError;

/// Codes by which servers say that no room is left.
const FULL: [&str; 4] = ["QuotaExceeded", "StorageFull", "XMinioStorageFull", "XMinioStorageQuotaExceeded"];
/// Codes by which they refuse who asks.
const DENIED: [&str; 5] =
    ["AccessDenied", "AllAccessDisabled", "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken"];

/// Why a request did not succeed.
pub(super) fn told<E: ProvideErrorMetadata + Error + 'static>(error: SdkError<E, HttpResponse>) -> ObjectError {
    let status = error.raw_response().map(|response| response.status().as_u16());
    let code = error.code().unwrap_or_default();
    let words = match status {
        Some(status) => format!("{code} (HTTP {status})"),
        None => chain(&error),
    };
    match (code, status) {
        ("NoSuchBucket", _) => ObjectError::NoPlace(words),
        ("NoSuchKey" | "NotFound", _) | ("", Some(404)) => ObjectError::Missing,
        (code, _) if FULL.contains(&code) => ObjectError::Full,
        (code, _) if DENIED.contains(&code) => ObjectError::Denied(words),
        (_, Some(507)) => ObjectError::Full,
        (_, Some(400 | 401 | 403)) => ObjectError::Denied(words),
        (_, Some(301 | 307)) => ObjectError::NoPlace(format!("{words}: the bucket is in another region")),
        (_, Some(429 | 500..) | None) => ObjectError::Unavailable(words),
        _ => ObjectError::Internal(words),
    }
}

/// An answer that ended too early.
pub(super) fn cut(error: &(dyn Error + 'static)) -> ObjectError {
    ObjectError::Unavailable(chain(error))
}

/// What an error says, and what caused it.
fn chain(error: &(dyn Error + 'static)) -> String {
    let (mut words, mut cause) = (error.to_string(), error.source());
    while let Some(error) = cause {
        words.push_str(": ");
        words.push_str(&error.to_string());
        cause = error.source();
    }
    words
}
