//! Everything of soit that talks to the outside: model providers, DNS, sealed secrets, token counts, Redis.
//! Everything of soit that talks to the outside: model providers, mail, DNS, sealed secrets, token counts.
//!
//! [`Providers`] is the way out: it takes a `Permit` and nothing else, dials only the addresses in it, and opens the
//! credential in it at the last moment. Invariant: one HTTP client type (`http`), made in one place; no proxy, no redirect,
//! no name looked up twice. Mails of the deployment itself go to the server it names ([`Smtp`]). Nothing here decides whether a call is allowed. A provider lives in its own folder under
//! `provider` and in one line of its registry.

mod dns;
mod http;
mod mail;
mod provider;
pub mod redis;
mod safety;
mod secret;
mod sso;
#[cfg(test)]
mod testing;
mod tokenizer;

pub use dns::{Dns, DnsError};
pub use http::{Http, HttpError, tls};
pub use mail::{Smtp, SmtpError, SmtpServer, SmtpTls};
pub use provider::{Providers, ReceivedCall, TestProvider};
pub use safety::Unjudged;
pub use secret::{Ed25519Signer, Keyring, MasterKey, NoKeys};
pub use sso::OpenidProviders;
pub use tokenizer::Tiktoken;
