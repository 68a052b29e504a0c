//! Where checkpoints of hash chains are copied to.

use std::path::PathBuf;

use kernel::secret::SecretString;
use url::{Host, Url};

use super::reader::Reader;
use super::setting::{Setting, settings};
use super::storage::Bucket;
use super::value::Value;

settings! {
    /// Where checkpoints of hash chains are copied to.
    pub struct Checkpoints {
        /// A place that who runs the database has no say in: a bucket, a web address that takes each by POST, or a folder.
        pub sink: Option<Sink> = "CHECKPOINT_SINK" { absent: "no copies" };
        /// Who asks the S3 server of `CHECKPOINT_SINK`.
        pub access_key_id: Option<SecretString> = "CHECKPOINT_SINK_ACCESS_KEY_ID" { absent: "needed for `s3://`" };
        /// Their secret.
        pub secret_access_key: Option<SecretString> = "CHECKPOINT_SINK_SECRET_ACCESS_KEY" { absent: "needed for `s3://`" };
        /// Bearer token for the web address of `CHECKPOINT_SINK`.
        pub token: Option<SecretString> = "CHECKPOINT_SINK_TOKEN" {};
    }
}

/// A place for copies of checkpoints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sink {
    /// A bucket.
    S3(Bucket),
    /// A web address.
    Web(Url),
    /// A folder of this machine.
    Folder(PathBuf),
}

impl Value for Sink {
    fn form(_: &Setting) -> String {
        "`s3://BUCKET/PREFIX` as in STORAGE_URL, `https://HOST/PATH` (`http://` on this machine alone), or `file://FOLDER`"
            .to_owned()
    }

    fn parse(text: &str, _: &Setting) -> Option<Self> {
        if let Some(folder) = text.strip_prefix("file://") {
            return (!folder.is_empty() && !folder.contains('?')).then(|| Self::Folder(folder.into()));
        }
        if text.starts_with("s3:") {
            return Bucket::parse(text).map(Self::S3);
        }
        let url = Url::parse(text).ok()?;
        let plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
        let is_web = url.scheme() == "https" && url.has_host() || url.scheme() == "http" && is_here(&url);
        (plain && is_web).then_some(Self::Web(url))
    }

    fn show(&self) -> String {
        match self {
            Self::S3(bucket) => bucket.show(),
            Self::Web(url) => url.to_string(),
            Self::Folder(folder) => format!("file://{}", folder.display()),
        }
    }
}

fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

impl Checkpoints {
    pub(super) fn rules(&self, reader: &mut Reader<'_>) {
        let is_s3 = matches!(self.sink, Some(Sink::S3(_)));
        let credentials = [
            ("CHECKPOINT_SINK_ACCESS_KEY_ID", &self.access_key_id),
            ("CHECKPOINT_SINK_SECRET_ACCESS_KEY", &self.secret_access_key),
        ];
        for (name, value) in credentials {
            if is_s3 && value.is_none() {
                reader.refuse(name, "is not set for an S3 server", "set it, or name another place as CHECKPOINT_SINK");
            }
            if !is_s3 && value.is_some() {
                reader.refuse(name, "has no effect without a bucket", "remove it, or use `s3://` as CHECKPOINT_SINK");
            }
        }
        if self.token.is_some() && !matches!(self.sink, Some(Sink::Web(_))) {
            let why = "has no effect without a web address";
            reader.refuse("CHECKPOINT_SINK_TOKEN", why, "remove it, or use `https://` as CHECKPOINT_SINK");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_for_copies_is_a_bucket_a_web_address_or_a_folder() {
        let read = |text| Sink::parse(text, &Setting::NEW).map(|sink| sink.show());
        for (text, shown) in [
            ("s3://copies/soit?region=eu-west-1", "s3://copies/soit?region=eu-west-1"),
            ("https://witness.example.com/soit?x=1", "https://witness.example.com/soit?x=1"),
            ("http://127.0.0.1:9/in", "http://127.0.0.1:9/in"),
            ("http://localhost/in", "http://localhost/in"),
            ("file:///mnt/worm", "file:///mnt/worm"),
        ] {
            assert_eq!(read(text).as_deref(), Some(shown), "{text}");
        }
        for wrong in [
            "",
            "file://",
            "/mnt/worm",
            "s3://",
            "s3://key:secret@bucket",
            "http://witness.example.com/soit",
            "https://user:pass@witness.example.com",
            "https://witness.example.com/#a",
            "ftp://witness.example.com",
            "witness",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
