//! A mail server that keeps what it is given, and can be told to fail.

use std::sync::Mutex;

use async_trait::async_trait;
use kernel::port::{Letter, MailError, Mailer};

/// Mails that were sent.
#[derive(Debug, Default)]
pub struct FakeMailer {
    sent: Mutex<Vec<Letter>>,
    failure: Mutex<Option<MailError>>,
}

impl FakeMailer {
    /// What was sent so far.
    pub fn sent(&self) -> Vec<Letter> {
        self.sent.lock().expect("no panic before").clone()
    }

    /// Fails every mail from now on, or none any more.
    pub fn fail(&self, failure: Option<MailError>) {
        *self.failure.lock().expect("no panic before") = failure;
    }
}

#[async_trait]
impl Mailer for FakeMailer {
    async fn send(&self, letter: &Letter) -> Result<(), MailError> {
        if let Some(failure) = &*self.failure.lock().expect("no panic before") {
            return Err(failure.clone());
        }
        self.sent.lock().expect("no panic before").push(letter.clone());
        Ok(())
    }
}
