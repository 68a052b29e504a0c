//! Objects on an S3 server, by whoever it is made.
//!
//! Requests go over an HTTP client that is handed in, so that trusted roots are those of the rest of soit. Nothing waits for
//! the server without bound.

mod connector;
mod failure;

use std::time::Duration;

use async_trait::async_trait;
use aws_sdk_s3::Client;
use aws_sdk_s3::config::retry::RetryConfig;
use aws_sdk_s3::config::timeout::TimeoutConfig;
use aws_sdk_s3::config::{
    BehaviorVersion, Credentials, Region, RequestChecksumCalculation, ResponseChecksumValidation,
    StalledStreamProtectionConfig,
};
use aws_sdk_s3::primitives::ByteStream;
use chrono::NaiveDate;
use futures::stream::{StreamExt, TryStreamExt, iter, try_unfold};
use kernel::port::{CheckpointSink, Keys, ObjectBody, ObjectError, ObjectKey, Objects};
use kernel::secret::SecretString;

use self::connector::Over;
use self::failure::{cut, told};

/// One try of a request, up to the head of its answer.
const ATTEMPT: Duration = Duration::from_secs(5);
/// All tries of a request.
const REQUEST: Duration = Duration::from_secs(12);
const ATTEMPTS: u32 = 3;

/// Which bucket, where, and who asks.
#[derive(Clone, Debug)]
pub struct S3Settings {
    /// The bucket.
    pub bucket: String,
    /// What every key begins with, without a slash at its end; may be empty.
    pub prefix: String,
    /// The region.
    pub region: String,
    /// Where the server is, unless it is Amazon's.
    pub endpoint: Option<String>,
    /// Whether the bucket stands in the path and not in the host's name.
    pub path_style: bool,
    /// Who asks.
    pub access_key_id: SecretString,
    /// Their secret.
    pub secret_access_key: SecretString,
}

/// Objects on an S3 server. Clones share its connections.
#[derive(Clone, Debug)]
pub struct S3 {
    client: Client,
    bucket: String,
    prefix: String,
}

impl S3 {
    /// The store in that bucket.
    pub fn new(settings: S3Settings, http: reqwest::Client) -> Self {
        let (id, secret) = (settings.access_key_id.expose(), settings.secret_access_key.expose());
        let timeouts = TimeoutConfig::builder().operation_attempt_timeout(ATTEMPT).operation_timeout(REQUEST).build();
        let mut config = aws_sdk_s3::Config::builder()
            .behavior_version(BehaviorVersion::v2026_01_12())
            .region(Region::new(settings.region))
            .credentials_provider(Credentials::new(id, secret, None, None, "settings"))
            .force_path_style(settings.path_style)
            .timeout_config(timeouts)
            .retry_config(RetryConfig::standard().with_max_attempts(ATTEMPTS))
            // Bytes are checked by SHA-256 when they are read; not every server knows the newer checksums.
            .request_checksum_calculation(RequestChecksumCalculation::WhenRequired)
            .response_checksum_validation(ResponseChecksumValidation::WhenRequired)
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
            .http_client(Over::new(http));
        if let Some(endpoint) = settings.endpoint {
            config = config.endpoint_url(endpoint);
        }
        let prefix = if settings.prefix.is_empty() { String::new() } else { format!("{}/", settings.prefix) };
        Self { client: Client::from_conf(config.build()), bucket: settings.bucket, prefix }
    }

    fn name(&self, key: &ObjectKey) -> String {
        format!("{}{key}", self.prefix)
    }

    fn key(&self, name: &str) -> Option<ObjectKey> {
        name.strip_prefix(&self.prefix).and_then(ObjectKey::from_text)
    }
}

#[async_trait]
impl Objects for S3 {
    async fn put(&self, key: &ObjectKey, bytes: Vec<u8>) -> Result<(), ObjectError> {
        let put = self.client.put_object().bucket(&self.bucket).key(self.name(key));
        put.body(ByteStream::from(bytes)).send().await.map(drop).map_err(told)
    }

    async fn get(&self, key: &ObjectKey) -> Result<ObjectBody, ObjectError> {
        let got = self.client.get_object().bucket(&self.bucket).key(self.name(key)).send().await.map_err(told)?;
        let pieces = try_unfold(got.body, |mut body| async move {
            Ok(body.try_next().await.map_err(|error| cut(&error))?.map(|piece| (Vec::from(piece), body)))
        });
        Ok(pieces.boxed())
    }

    async fn head(&self, key: &ObjectKey) -> Result<Option<u64>, ObjectError> {
        let found = self.client.head_object().bucket(&self.bucket).key(self.name(key)).send().await;
        match found.map_err(told) {
            Ok(found) => Ok(Some(found.content_length().and_then(|size| size.try_into().ok()).unwrap_or_default())),
            Err(ObjectError::Missing) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn delete(&self, key: &ObjectKey) -> Result<(), ObjectError> {
        let deleted = self.client.delete_object().bucket(&self.bucket).key(self.name(key)).send().await;
        match deleted.map_err(told) {
            Err(ObjectError::Missing) => Ok(()),
            deleted => deleted.map(drop),
        }
    }

    async fn list_days(&self) -> Result<Vec<NaiveDate>, ObjectError> {
        let listing = self.client.list_objects_v2().bucket(&self.bucket).prefix(&self.prefix).delimiter("/");
        let mut pages = listing.into_paginator().send();
        let mut days = Vec::new();
        while let Some(page) = pages.next().await {
            let page = page.map_err(told)?;
            let names = page.common_prefixes().iter().filter_map(|found| found.prefix()?.strip_prefix(&self.prefix));
            days.extend(names.filter_map(|name| name.strip_suffix('/')?.parse::<NaiveDate>().ok()));
        }
        days.sort();
        Ok(days)
    }

    async fn list_objects(&self, day: NaiveDate) -> Result<Keys, ObjectError> {
        let listing = self.client.list_objects_v2().bucket(&self.bucket).prefix(format!("{}{day}/", self.prefix));
        let pages = listing.into_paginator().send();
        let store = self.clone();
        let pages = try_unfold((pages, store), |(mut pages, store)| async move {
            let Some(page) = pages.next().await.transpose().map_err(told)? else { return Ok(None) };
            let keys: Vec<_> = page.contents().iter().filter_map(|found| store.key(found.key()?)).map(Ok).collect();
            Ok(Some((iter(keys), (pages, store))))
        });
        Ok(pages.try_flatten().boxed())
    }

    async fn check(&self) -> Result<(), ObjectError> {
        match self.client.head_bucket().bucket(&self.bucket).send().await.map_err(told) {
            Err(ObjectError::Missing) => Err(ObjectError::NoPlace(format!("no bucket `{}`", self.bucket))),
            checked => checked.map(drop),
        }
    }
}

#[async_trait]
impl CheckpointSink for S3 {
    async fn take(&self, name: &str, copy: Vec<u8>) -> Result<(), ObjectError> {
        let put = self.client.put_object().bucket(&self.bucket).key(format!("{}{name}", self.prefix));
        put.content_type("application/json").body(ByteStream::from(copy)).send().await.map(drop).map_err(told)
    }
}
