//! Mails over SMTP.

use std::time::Duration;

use async_trait::async_trait;
use kernel::port::{Letter, MailError, Mailer};
use kernel::secret::SecretString;
use lettre::message::{Mailbox, MultiPart};
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use tokio::time::timeout;

/// What one mail may take, from the connection to the server's last word.
const TIME: Duration = Duration::from_secs(15);
/// Answers that concern the mailbox and will not change: RFC 5321, 4.2.3. Others, wrong credentials among them, may.
const FOR_GOOD: [u16; 5] = [550, 551, 552, 553, 555];

/// Why a mail server cannot be used as it was named.
#[derive(Debug, thiserror::Error)]
pub enum SmtpError {
    /// The sender is no address.
    #[error("`{0}` is no address to send from")]
    Sender(String),
    /// The certificates cannot be read, or the host's name is none.
    #[error("TLS with the mail server cannot be set up")]
    Tls(#[source] Error),
}

/// How a connection is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmtpTls {
    /// From its first byte.
    Wrapped,
    /// By `STARTTLS`, without which nothing is sent.
    StartTls,
    /// Not at all.
    None,
}

/// A mail server.
#[derive(Clone, Debug)]
pub struct SmtpServer {
    /// Its name.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How connections to it are protected.
    pub tls: SmtpTls,
    /// Name and password there.
    pub login: Option<(String, SecretString)>,
}

/// Sends mails through a mail server, one connection each: a deployment sends few.
pub struct Smtp {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

impl Smtp {
    /// Sends through `server` as `from` (`soit <soit@example.com>`), trusting further authorities in PEM.
    pub fn new(server: &SmtpServer, from: &str, extra_roots: Option<&[u8]>) -> Result<Self, SmtpError> {
        let from: Mailbox = from.parse().map_err(|_| SmtpError::Sender(from.to_owned()))?;
        let tls = || tls_of(&server.host, extra_roots).map_err(SmtpError::Tls);
        let tls = match server.tls {
            SmtpTls::Wrapped => Tls::Wrapper(tls()?),
            SmtpTls::StartTls => Tls::Required(tls()?),
            SmtpTls::None => Tls::None,
        };
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(server.host.as_str())
            .port(server.port)
            .tls(tls)
            .timeout(Some(TIME));
        if let Some((name, password)) = &server.login {
            builder = builder.credentials(Credentials::new(name.clone(), password.expose().to_owned()));
        }
        Ok(Self { transport: builder.build(), from })
    }

    fn message(&self, letter: &Letter) -> Result<Message, MailError> {
        // Neither error is told: they repeat the address.
        let to = letter
            .to
            .parse()
            .map_err(|_| MailError::Refused("the address has no form that can be sent to".to_owned()))?;
        let message_id = format!("<{}@{}>", letter.id, self.from.email.domain());
        Message::builder()
            .message_id(Some(message_id))
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(letter.subject.as_str())
            .multipart(MultiPart::alternative_plain_html(letter.text.clone(), letter.html.clone()))
            .map_err(|_| MailError::Refused("the mail cannot be written".to_owned()))
    }
}

impl std::fmt::Debug for Smtp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Smtp").finish_non_exhaustive()
    }
}

#[async_trait]
impl Mailer for Smtp {
    async fn send(&self, letter: &Letter) -> Result<(), MailError> {
        let message = self.message(letter)?;
        match timeout(TIME, self.transport.send(message)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(told(&error)),
            Err(_) => Err(MailError::Unavailable("no answer in time".to_owned())),
        }
    }
}

fn tls_of(host: &str, extra_roots: Option<&[u8]>) -> Result<TlsParameters, Error> {
    let mut builder = TlsParameters::builder(host.to_owned());
    if let Some(pem) = extra_roots {
        builder = builder.add_root_certificate(Certificate::from_pem(pem)?);
    }
    builder.build()
}

/// What went wrong, without the server's own words.
fn told(error: &Error) -> MailError {
    if let Some(code) = error.status().map(u16::from) {
        let answer = format!("it answers {code}");
        return if FOR_GOOD.contains(&code) { MailError::Refused(answer) } else { MailError::Unavailable(answer) };
    }
    let what = match error {
        error if error.is_timeout() => "no answer in time",
        error if error.is_tls() => "TLS fails",
        error if error.is_client() => "it does not offer what is needed",
        error if error.is_response() => "it speaks no SMTP",
        _ => "it cannot be reached",
    };
    MailError::Unavailable(what.to_owned())
}
