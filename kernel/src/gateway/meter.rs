//! What an attempt used: the provider's own numbers, else a count of what went in and came out.

use types::cost::UsageBasis;
use types::run::{Usage, UsageClass};

use super::flight::{Ended, Flight, Outcome};
use super::tokens;
use super::watch::Interrupt;
use super::{retry, usage};

/// The usage of a charged attempt.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Metered {
    pub(super) usage: Usage,
    pub(super) basis: UsageBasis,
    /// The provider gave numbers that contradict themselves.
    pub(super) is_inconsistent: bool,
}

impl Flight {
    /// What an attempt is charged for; `None` when it is not charged.
    pub(super) async fn meter(&self, ended: &Ended) -> Option<Metered> {
        if !self.call.is_live() || !is_charged(ended) {
            return None;
        }
        let said = &ended.trace.said;
        let reported = said.usage.as_ref().map(|reported| usage::from_openai(reported, said.answered));
        if let Some(Some(usage)) = reported {
            return Some(Metered { usage, basis: UsageBasis::Provider, is_inconsistent: false });
        }
        let (tokenizer, model) = (self.gateway.ports.tokenizer.as_ref(), &self.call.plan.target.tokenizer);
        let (prompt, basis) = self.call.plan.prompt.estimate(tokenizer, model, &self.call.wish.texts).await;
        let mut usage = Usage::default();
        usage.set(UsageClass::Input, prompt);
        if !said.text.is_empty() {
            let (output, _) = tokens::count(tokenizer, model, std::slice::from_ref(&said.text)).await;
            usage.set(UsageClass::Output, output);
        }
        Some(Metered { usage, basis, is_inconsistent: reported.is_some() })
    }
}

fn is_charged(ended: &Ended) -> bool {
    let trace = &ended.trace;
    match &ended.outcome {
        Outcome::Answered(_) | Outcome::OverCap | Outcome::Withheld(_) => true,
        Outcome::Refused(_) => false,
        Outcome::Failed(error) => trace.said.usage.is_some() || retry::is_charged(error.kind, trace.has_content),
        Outcome::Interrupted(Interrupt::Left | Interrupt::Aborted | Interrupt::Canceled) => trace.was_sent,
    }
}
