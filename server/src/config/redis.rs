//! The URL of Redis.

use adapter_outbound::redis::Address;
use kernel::secret::SecretString;

use super::reader::Reader;
use super::setting::Setting;
use super::value::Value;

/// The URL of Redis; it may hold a password.
#[derive(Clone, Debug)]
pub struct RedisUrl(Address);

impl RedisUrl {
    /// What it names.
    pub fn address(&self) -> &Address {
        &self.0
    }

    pub(super) fn rules(&self, reader: &mut Reader<'_>) {
        if self.0.is_loopback() {
            return;
        }
        let name = "REDIS_URL";
        reader.refuse_in_production(!self.0.is_tls(), name, "does not demand TLS", "use `rediss://`");
        reader.refuse_in_production(
            !self.0.has_password(),
            name,
            "holds no password",
            "add `:PASSWORD@` before the host",
        );
    }
}

impl Value for RedisUrl {
    const SECRET: bool = true;

    fn form(_: &Setting) -> String {
        "`redis://USER:PASSWORD@HOST:PORT/NUMBER`, or `rediss://` for TLS".to_owned()
    }

    fn parse(text: &str, _: &Setting) -> Option<Self> {
        Address::try_from(&SecretString::new(text.to_owned())).ok().map(Self)
    }

    fn show(&self) -> String {
        "set".to_owned()
    }
}
