//! A bucket of an S3 server, and servers that refuse or hang.

use std::time::{Duration, Instant};

use adapter_objects::{S3, S3Settings};
use chrono::NaiveDate;
use kernel::context::Scope;
use kernel::port::{ObjectError, ObjectKey, Objects};
use kernel::record::Digest;
use kernel::secret::SecretString;
use testkit::s3::{Bucket, S3Answer, ScriptedS3};
use types::id::Uuid;

fn settings(bucket: &str, prefix: &str, endpoint: &str) -> S3Settings {
    S3Settings {
        bucket: bucket.to_owned(),
        prefix: prefix.to_owned(),
        region: "us-east-1".to_owned(),
        endpoint: Some(endpoint.to_owned()),
        path_style: true,
        access_key_id: SecretString::new("an-id".to_owned()),
        secret_access_key: SecretString::new("the-secret-itself".to_owned()),
    }
}

#[expect(clippy::disallowed_methods, reason = "a server of the test's own")]
fn http() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().expect("a client")
}

async fn open() -> (S3, ()) {
    let bucket = Bucket::new().await;
    (S3::new(settings(&bucket.name, "a/prefix", &bucket.endpoint), http()), ())
}

testkit::objects_contract!(open);

fn key() -> ObjectKey {
    let scope = Scope { tenant_id: Uuid::from_u128(1).into(), workspace_id: Uuid::from_u128(2).into() };
    ObjectKey::new(NaiveDate::from_ymd_opt(2026, 1, 15).expect("a day"), scope, &Digest([1; 32]))
}

#[tokio::test]
async fn prefixes_of_one_bucket_do_not_see_each_other() {
    let bucket = Bucket::new().await;
    let [one, other, bare] =
        ["one", "other", ""].map(|prefix| S3::new(settings(&bucket.name, prefix, &bucket.endpoint), http()));
    one.put(&key(), vec![1]).await.expect("a put");
    assert_eq!(bucket.names().await, [format!("one/{}", key())]);
    assert_eq!((other.head(&key()).await, other.list_days().await), (Ok(None), Ok(Vec::new())));
    assert_eq!(bare.list_days().await, Ok(Vec::new()), "what is none of soit's is left alone");
    bare.put(&key(), vec![1, 2]).await.expect("a put");
    assert_eq!((one.head(&key()).await, bare.head(&key()).await), (Ok(Some(1)), Ok(Some(2))));
}

#[tokio::test]
async fn a_bucket_that_is_not_there_is_named() {
    let bucket = Bucket::new().await;
    let objects = S3::new(settings("no-such-bucket", "", &bucket.endpoint), http());
    let Err(ObjectError::NoPlace(words)) = objects.check().await else { panic!("there is no such bucket") };
    assert!(words.contains("no-such-bucket"), "{words}");
    assert!(matches!(objects.put(&key(), vec![1]).await, Err(ObjectError::NoPlace(_))));
}

/// What a server refuses is told by its kind, and never with a credential.
#[tokio::test]
async fn refusals_of_a_server_are_told_apart() {
    let server = ScriptedS3::new(S3Answer::Nothing).await;
    let objects = S3::new(settings("bucket", "", &server.endpoint), http());
    for (status, code, kind) in [
        (403, "InvalidAccessKeyId", "Denied"),
        (403, "SignatureDoesNotMatch", "Denied"),
        (403, "AccessDenied", "Denied"),
        (404, "NoSuchBucket", "NoPlace"),
        (301, "PermanentRedirect", "NoPlace"),
        (507, "XMinioStorageFull", "Full"),
        (400, "QuotaExceeded", "Full"),
        (503, "SlowDown", "Unavailable"),
        (500, "InternalError", "Unavailable"),
    ] {
        server.set(S3Answer::Refusal(status, code));
        let error = objects.put(&key(), vec![1]).await.expect_err("a refusal");
        let shown = format!("{error:?} {error}");
        assert!(shown.starts_with(kind), "{status} {code}: {shown}");
        assert!(!shown.contains("the-secret-itself") && !shown.contains("an-id"), "{shown}");
    }
    server.set(S3Answer::Refusal(404, "NoSuchKey"));
    assert_eq!(objects.get(&key()).await.err(), Some(ObjectError::Missing));
    assert_eq!(objects.delete(&key()).await, Ok(()));
    server.set(S3Answer::Refusal(403, "AccessDenied"));
    assert!(matches!(objects.check().await, Err(ObjectError::Denied(_))));
}

#[tokio::test]
async fn a_server_that_hangs_or_is_away_is_given_up() {
    let server = ScriptedS3::new(S3Answer::Nothing).await;
    let objects = S3::new(settings("bucket", "", &server.endpoint), http());
    let started = Instant::now();
    assert!(matches!(objects.put(&key(), vec![1]).await, Err(ObjectError::Unavailable(_))));
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    let nobody = S3::new(settings("bucket", "", "http://127.0.0.1:1"), http());
    assert!(matches!(nobody.put(&key(), vec![1]).await, Err(ObjectError::Unavailable(_))));
}

#[test]
fn settings_show_no_secret() {
    let shown = format!("{:?}", settings("bucket", "", "http://127.0.0.1:1"));
    assert!(!shown.contains("the-secret-itself"), "{shown}");
}
