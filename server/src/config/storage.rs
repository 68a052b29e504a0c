//! Where long content is kept.

use std::path::PathBuf;

use kernel::secret::SecretString;
use url::Url;

use super::reader::Reader;
use super::setting::{Setting, settings};
use super::value::Value;

/// What examples leave in.
const PLACEHOLDERS: [&str; 5] = ["minio", "minioadmin", "soitminio", "change-me", "changeme"];

settings! {
    /// Where long content is kept.
    pub struct Storage {
        /// The artifact store: a folder, or a bucket of an S3 server as `s3://BUCKET/PREFIX?region=…&endpoint=…&path_style=true`.
        pub url: StorageUrl = "STORAGE_URL" { default: Some("file://{DATA_DIR}/artifacts") };
        /// Who asks the S3 server.
        pub access_key_id: Option<SecretString> = "STORAGE_ACCESS_KEY_ID" {
            absent: "needed for `s3://`",
            production: "no placeholder"
        };
        /// Their secret.
        pub secret_access_key: Option<SecretString> = "STORAGE_SECRET_ACCESS_KEY" {
            absent: "needed for `s3://`",
            production: "no placeholder"
        };
        /// Whether the processes of one database see the same folder of artifacts; those of a bucket always do.
        pub shared: bool = "STORAGE_SHARED" { default: Some("false") };
    }
}

/// Which artifact store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorageUrl {
    /// A folder of this machine.
    Files(PathBuf),
    /// A bucket.
    S3(Bucket),
}

/// A bucket of an S3 server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// Its name.
    pub name: String,
    /// What every key begins with.
    pub prefix: String,
    /// Its region.
    pub region: String,
    /// Where the server is, unless it is Amazon's.
    pub endpoint: Option<Url>,
    /// Whether the bucket stands in the path.
    pub path_style: bool,
}

impl Value for StorageUrl {
    fn form(_: &Setting) -> String {
        "`file://FOLDER`, or `s3://BUCKET/PREFIX` with `?region=`, `endpoint=` and `path_style=` where they are needed"
            .to_owned()
    }

    fn parse(text: &str, _: &Setting) -> Option<Self> {
        match text.strip_prefix("file://") {
            Some(folder) => (!folder.is_empty() && !folder.contains('?')).then(|| Self::Files(folder.into())),
            None => Bucket::parse(text).map(Self::S3),
        }
    }

    fn show(&self) -> String {
        match self {
            Self::Files(folder) => format!("file://{}", folder.display()),
            Self::S3(bucket) => bucket.show(),
        }
    }
}

impl Bucket {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok().filter(|url| url.scheme() == "s3")?;
        let bare = url.username().is_empty() && url.password().is_none() && url.port().is_none();
        let name = url.host_str().filter(|_| bare && url.fragment().is_none())?.to_owned();
        let is_name = (3..=63).contains(&name.len())
            && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-'));
        let prefix = url.path().trim_matches('/').to_owned();
        let is_prefix = prefix.split('/').all(|part| part.bytes().all(is_plain)) && !prefix.contains("//");
        let mut bucket = Self { name, prefix, region: "us-east-1".to_owned(), endpoint: None, path_style: false };
        for (key, value) in url.query_pairs() {
            match &*key {
                "region" => bucket.region = Some(value.into_owned()).filter(|region| region.bytes().all(is_plain))?,
                "endpoint" => bucket.endpoint = Some(endpoint(&value)?),
                "path_style" => bucket.path_style = value.parse().ok()?,
                _ => return None,
            }
        }
        (is_name && is_prefix && !bucket.region.is_empty()).then_some(bucket)
    }

    pub(super) fn show(&self) -> String {
        let slash = if self.prefix.is_empty() { "" } else { "/" };
        let endpoint = self.endpoint.as_ref().map(|url| format!("&endpoint={url}")).unwrap_or_default();
        let path_style = if self.path_style { "&path_style=true" } else { "" };
        format!("s3://{}{slash}{}?region={}{endpoint}{path_style}", self.name, self.prefix, self.region)
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// The address of a server, without anything behind it.
fn endpoint(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty() && url.path() == "/";
    (matches!(url.scheme(), "http" | "https") && url.has_host() && plain).then_some(url)
}

impl Storage {
    /// Whether several processes may keep artifacts here.
    pub fn is_shared(&self) -> bool {
        self.shared || matches!(self.url, StorageUrl::S3(_))
    }

    pub(super) fn rules(&self, reader: &mut Reader<'_>) {
        let is_s3 = matches!(self.url, StorageUrl::S3(_));
        let credentials =
            [("STORAGE_ACCESS_KEY_ID", &self.access_key_id), ("STORAGE_SECRET_ACCESS_KEY", &self.secret_access_key)];
        for (name, value) in credentials {
            match value {
                None if is_s3 => {
                    reader.refuse(name, "is not set for an S3 server", "set it, or use `file://` as STORAGE_URL");
                }
                Some(_) if !is_s3 => {
                    reader.refuse(name, "has no effect beside `file://`", "remove it, or use `s3://` as STORAGE_URL");
                }
                value => {
                    let placeholder = value.as_ref().is_some_and(|value| PLACEHOLDERS.contains(&value.expose()));
                    reader.refuse_in_production(placeholder, name, "is a placeholder", "use a key of your own");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_a_folder_or_a_bucket() {
        let read = |text| StorageUrl::parse(text, &Setting::NEW).map(|url| url.show());
        for (text, shown) in [
            ("file:///var/lib/soit/artifacts", "file:///var/lib/soit/artifacts"),
            ("file://./data/artifacts", "file://./data/artifacts"),
            ("s3://soit", "s3://soit?region=us-east-1"),
            ("s3://soit/a/b/?region=eu-west-1", "s3://soit/a/b?region=eu-west-1"),
            (
                "s3://soit.artifacts/p?endpoint=http%3A%2F%2F127.0.0.1%3A9000&path_style=true",
                "s3://soit.artifacts/p?region=us-east-1&endpoint=http://127.0.0.1:9000/&path_style=true",
            ),
        ] {
            assert_eq!(read(text).as_deref(), Some(shown), "{text}");
        }
        for wrong in [
            "",
            "file://",
            "/var/lib",
            "s3://",
            "s3://ab",
            "s3://UPPER_case",
            "s3://key:secret@bucket",
            "s3://bucket:9000",
            "s3://bucket/a b",
            "s3://bucket/a//b",
            "s3://bucket?region=",
            "s3://bucket?endpoint=ftp://host",
            "s3://bucket?endpoint=https://host/path",
            "s3://bucket?path_style=yes",
            "s3://bucket?acl=public",
            "https://bucket.s3.amazonaws.com",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
