//! Opens the place that copies of checkpoints go to.

use std::sync::Arc;
use std::time::Duration;

use adapter_objects::Files;
use anyhow::Context;
use async_trait::async_trait;
use kernel::port::{CheckpointSink, ObjectError};
use kernel::secret::SecretString;
use reqwest::StatusCode;
use reqwest::header::CONTENT_TYPE;
use url::Url;

use super::build::extra_roots;
use super::objects::{Access, s3};
use crate::config::{Config, Sink};

/// Time to a connection.
const CONNECT: Duration = Duration::from_secs(3);
/// Time of a whole request.
const REQUEST: Duration = Duration::from_secs(15);

/// The place, and the text that tells it from others; none where copies are not wanted. One that does not answer yet is waited
/// for by nobody: readiness tells.
pub(super) fn open(config: &Config) -> anyhow::Result<Option<(Arc<dyn CheckpointSink>, String)>> {
    let Some(sink) = &config.checkpoints.sink else { return Ok(None) };
    let (opened, place): (Arc<dyn CheckpointSink>, String) = match sink {
        Sink::Folder(folder) => {
            let files =
                Files::open(folder).context("CHECKPOINT_SINK cannot be used: name a folder soit may write to")?;
            (Arc::new(files), format!("file:{}", folder.display()))
        }
        Sink::S3(bucket) => {
            let access = Access {
                id: ("CHECKPOINT_SINK_ACCESS_KEY_ID", config.checkpoints.access_key_id.as_ref()),
                secret: ("CHECKPOINT_SINK_SECRET_ACCESS_KEY", config.checkpoints.secret_access_key.as_ref()),
            };
            let endpoint = bucket.endpoint.as_ref().map(Url::as_str).unwrap_or_default();
            (Arc::new(s3(config, bucket, access)?), format!("s3:{endpoint}:{}/{}", bucket.name, bucket.prefix))
        }
        Sink::Web(url) => {
            let web = Web::new(url.clone(), config.checkpoints.token.clone(), extra_roots(config)?.as_deref())?;
            (Arc::new(web), format!("web:{url}"))
        }
    };
    Ok(Some((opened, place)))
}

/// A web address that takes each copy by POST.
struct Web {
    url: Url,
    token: Option<SecretString>,
    http: reqwest::Client,
}

impl Web {
    #[expect(
        clippy::disallowed_methods,
        reason = "the operator names the place; no workspace has a say in where it is"
    )]
    fn new(url: Url, token: Option<SecretString>, extra_roots: Option<&[u8]>) -> anyhow::Result<Self> {
        let http = reqwest::Client::builder().tls_backend_preconfigured(adapter_outbound::tls(extra_roots)?);
        let http = http.no_proxy().redirect(reqwest::redirect::Policy::none()).retry(reqwest::retry::never());
        let http = http.user_agent(concat!("soit/", env!("CARGO_PKG_VERSION")));
        let http = http.connect_timeout(CONNECT).timeout(REQUEST).build()?;
        Ok(Self { url, token, http })
    }
}

#[async_trait]
impl CheckpointSink for Web {
    async fn take(&self, name: &str, copy: Vec<u8>) -> Result<(), ObjectError> {
        let post =
            self.http.post(self.url.clone()).header(CONTENT_TYPE, "application/json").header("x-soit-checkpoint", name);
        let post = match &self.token {
            Some(token) => post.bearer_auth(token.expose()),
            None => post,
        };
        // What an error says may hold the address, and an address may hold a secret.
        let answer =
            post.body(copy).send().await.map_err(|error| ObjectError::Unavailable(error.without_url().to_string()))?;
        match answer.status() {
            status if status.is_success() => Ok(()),
            status @ (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) => Err(ObjectError::Denied(told(status))),
            status @ (StatusCode::NOT_FOUND | StatusCode::GONE) => Err(ObjectError::NoPlace(told(status))),
            StatusCode::INSUFFICIENT_STORAGE => Err(ObjectError::Full),
            status => Err(ObjectError::Unavailable(told(status))),
        }
    }
}

fn told(status: StatusCode) -> String {
    format!("HTTP {}", status.as_u16())
}
