//! The mail server, and whether anything is sent.

use adapter_outbound::{SmtpServer, SmtpTls};
use kernel::secret::SecretString;
use url::Url;

use super::reader::Reader;
use super::setting::{Setting, settings};
use super::value::Value;

settings! {
    /// Mails of the deployment itself: links that set passwords and prove addresses, invitations.
    pub struct Mail {
        /// Whether mails are sent. Without, links of invitations are shown to whoever invites, and `soit admin reset-link` helps who forgot a password.
        pub enabled: bool = "SYSTEM_MAIL_ENABLED" { default: Some("false") };
        /// The mail server: `smtps://USER:PASSWORD@HOST`, or `smtp://…` with STARTTLS, which `?tls=none` does without.
        pub url: Option<MailUrl> = "SYSTEM_MAIL_URL" { production: "TLS" };
        /// Who the mails are from: `soit@example.com`, or `soit <soit@example.com>`.
        pub from: Option<String> = "SYSTEM_MAIL_FROM" {};
    }
}

/// The value of `SYSTEM_MAIL_URL`.
#[derive(Clone, Debug)]
pub struct MailUrl(pub SmtpServer);

impl Value for MailUrl {
    const SECRET: bool = true;

    fn form(_: &Setting) -> String {
        "`smtps://USER:PASSWORD@HOST:PORT`, or `smtp://…` with STARTTLS or `?tls=none`".to_owned()
    }

    fn parse(text: &str, _: &Setting) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        let (tls, port) = match (url.scheme(), url.query()) {
            ("smtps", None) => (SmtpTls::Wrapped, 465),
            ("smtp", None) => (SmtpTls::StartTls, 587),
            ("smtp", Some("tls=none")) => (SmtpTls::None, 25),
            _ => return None,
        };
        let host = url.host_str().filter(|host| !host.is_empty())?.trim_matches(['[', ']']).to_owned();
        if !matches!(url.path(), "" | "/") || url.fragment().is_some() {
            return None;
        }
        let plain = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8().ok().map(String::from);
        let login = match (url.username(), url.password()) {
            ("", None) => None,
            (name, Some(password)) if !name.is_empty() => Some((plain(name)?, SecretString::new(plain(password)?))),
            _ => return None,
        };
        Some(Self(SmtpServer { host, port: url.port().unwrap_or(port), tls, login }))
    }

    fn show(&self) -> String {
        "set".to_owned()
    }
}

impl Mail {
    /// Where mails go and who they are from, if any are sent.
    pub fn sending(&self) -> Option<(&SmtpServer, &str)> {
        let (url, from) = (self.url.as_ref()?, self.from.as_deref()?);
        self.enabled.then_some((&url.0, from))
    }

    pub(super) fn rules(&self, reader: &mut Reader<'_>) {
        const NEEDED: &str = "is not set, but SYSTEM_MAIL_ENABLED is";
        if self.enabled && self.url.is_none() {
            reader.refuse("SYSTEM_MAIL_URL", NEEDED, "name the mail server, like `smtps://USER:PASSWORD@HOST`");
        }
        if self.enabled && self.from.is_none() {
            reader.refuse("SYSTEM_MAIL_FROM", NEEDED, "name the sender, like `soit@example.com`");
        }
        if self.from.as_ref().is_some_and(|from| !from.contains('@')) {
            reader.refuse("SYSTEM_MAIL_FROM", "is no e-mail address", "use one like `soit@example.com`");
        }
        let is_plain = self.url.as_ref().is_some_and(|url| url.0.tls == SmtpTls::None);
        reader.refuse_in_production(
            is_plain,
            "SYSTEM_MAIL_URL",
            "sends passwords and links without TLS",
            "use `smtps://`, or `smtp://` without `?tls=none`",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mail_server_is_named_by_a_url() {
        let read = |text: &str| MailUrl::parse(text, &Setting::NEW).map(|url| url.0);
        let server = read("smtps://soit%40example.com:p%2Fw@mail.example.com").expect("a server");
        let login = server.login.as_ref().map(|(name, password)| (name.as_str(), password.expose()));
        assert_eq!((server.host.as_str(), server.port, server.tls), ("mail.example.com", 465, SmtpTls::Wrapped));
        assert_eq!(login, Some(("soit@example.com", "p/w")));
        let told = |text| read(text).map(|server| (server.port, server.tls, server.login.is_some()));
        assert_eq!(told("smtp://mail.example.com"), Some((587, SmtpTls::StartTls, false)));
        assert_eq!(told("smtp://127.0.0.1:2525?tls=none"), Some((2525, SmtpTls::None, false)));
        assert_eq!(read("smtp://[::1]:2525").map(|server| server.host).as_deref(), Some("::1"));
        for wrong in [
            "mail.example.com",
            "smtp://",
            "https://mail.example.com",
            "smtps://mail.example.com?tls=none",
            "smtp://mail.example.com?tls=perhaps",
            "smtp://user@mail.example.com",
            "smtp://mail.example.com/box",
        ] {
            assert!(read(wrong).is_none(), "{wrong}");
        }
    }
}
