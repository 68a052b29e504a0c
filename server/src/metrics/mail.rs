//! Mails of the deployment itself.

use std::sync::Arc;

use async_trait::async_trait;
use kernel::port::{Letter, MailError, Mailer};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;

use super::Metrics;
use super::catalog::Catalog;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Outcome {
    outcome: &'static str,
}

/// Mails of the deployment itself.
#[derive(Debug)]
pub(crate) struct Mail {
    mails: Family<Outcome, Counter>,
}

impl Mail {
    pub(super) fn new(catalog: &mut Catalog) -> Self {
        let meaning = "Tries to send a mail: sent, put off because the server was not to be had, refused for good";
        Self { mails: catalog.add("soit_mails_total", &["outcome"], meaning, Family::default()) }
    }

    pub(super) fn tried(&self, outcome: &'static str) {
        self.mails.get_or_create(&Outcome { outcome }).inc();
    }
}

/// A mailer that counts.
pub(crate) struct MeteredMailer {
    inner: Arc<dyn Mailer>,
    metrics: Arc<Metrics>,
}

impl MeteredMailer {
    /// Counts what `inner` sends.
    pub(crate) fn new(inner: Arc<dyn Mailer>, metrics: Arc<Metrics>) -> Self {
        Self { inner, metrics }
    }
}

#[async_trait]
impl Mailer for MeteredMailer {
    async fn send(&self, letter: &Letter) -> Result<(), MailError> {
        let sent = self.inner.send(letter).await;
        self.metrics.mail.tried(match &sent {
            Ok(()) => "sent",
            Err(MailError::Unavailable(_)) => "put_off",
            Err(MailError::Refused(_)) => "refused",
        });
        sent
    }
}
