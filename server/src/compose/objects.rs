//! Opens the artifact store that the settings name.

use std::sync::Arc;
use std::time::Duration;

use adapter_objects::{Files, S3, S3Settings};
use anyhow::{Context, bail};
use kernel::port::{ObjectError, Objects};
use kernel::secret::SecretString;

use super::build::extra_roots;
use crate::config::{Bucket, Config, StorageUrl};

/// Time to a connection.
const CONNECT: Duration = Duration::from_secs(3);
/// Silence in the middle of an answer.
const SILENCE: Duration = Duration::from_secs(10);

/// Who asks an S3 server, and by which settings.
pub(super) struct Access<'a> {
    pub(super) id: (&'static str, Option<&'a SecretString>),
    pub(super) secret: (&'static str, Option<&'a SecretString>),
}

/// The store. One that takes the settings for wrong is refused by name; one that does not answer yet is waited for by nobody.
pub(super) async fn open(config: &Config) -> anyhow::Result<Arc<dyn Objects>> {
    let objects: Arc<dyn Objects> = match &config.storage.url {
        StorageUrl::Files(folder) => Arc::new(
            Files::open(folder).with_context(|| "STORAGE_URL cannot be used: name a folder soit may write to")?,
        ),
        StorageUrl::S3(bucket) => {
            let access = Access {
                id: ("STORAGE_ACCESS_KEY_ID", config.storage.access_key_id.as_ref()),
                secret: ("STORAGE_SECRET_ACCESS_KEY", config.storage.secret_access_key.as_ref()),
            };
            Arc::new(s3(config, bucket, access)?)
        }
    };
    match objects.check().await {
        Ok(()) => {}
        Err(ObjectError::Denied(words)) => bail!(
            "the artifact store refuses STORAGE_ACCESS_KEY_ID and STORAGE_SECRET_ACCESS_KEY, or does not let them use what \
             STORAGE_URL names: {words}"
        ),
        Err(ObjectError::NoPlace(words)) => bail!("STORAGE_URL names what is not there, make it first: {words}"),
        Err(error) => {
            tracing::warn!(%error, "the artifact store does not answer: long content is not kept until it does")
        }
    }
    Ok(objects)
}

#[expect(clippy::disallowed_methods, reason = "the deployment's own store; no workspace has a say in where it is")]
pub(super) fn s3(config: &Config, bucket: &Bucket, access: Access<'_>) -> anyhow::Result<S3> {
    let (Some(id), Some(secret)) = (access.id.1, access.secret.1) else {
        bail!("{} and {} are needed for an S3 server", access.id.0, access.secret.0);
    };
    let tls = adapter_outbound::tls(extra_roots(config)?.as_deref())?;
    let http = reqwest::Client::builder().tls_backend_preconfigured(tls).no_proxy();
    let http =
        http.redirect(reqwest::redirect::Policy::none()).connect_timeout(CONNECT).read_timeout(SILENCE).build()?;
    let settings = S3Settings {
        bucket: bucket.name.clone(),
        prefix: bucket.prefix.clone(),
        region: bucket.region.clone(),
        endpoint: bucket.endpoint.as_ref().map(|url| url.as_str().trim_end_matches('/').to_owned()),
        path_style: bucket.path_style,
        access_key_id: id.clone(),
        secret_access_key: secret.clone(),
    };
    Ok(S3::new(settings, http))
}
