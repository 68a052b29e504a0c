//! States and verdicts: a shape, a colour and a word, never colour alone.

use leptos::prelude::*;
use types::run::{RunStatus, StepStatus};

use crate::text::text;

/// A state by its word in the ledger.
#[component]
pub(crate) fn StateMark(
    /// The word the style sheet knows: `running`, `failed` …
    state: &'static str,
    /// The word the reader sees.
    label: &'static str,
    /// With a soft ground, for heads.
    #[prop(optional)]
    chip: bool,
) -> impl IntoView {
    let class = if chip { "status status--chip" } else { "status" };
    view! {
        <span class=class data-state=state data-testid="status">
            <i class="status-mark"></i>
            {label}
        </span>
    }
    .into_any()
}

/// Where a run stands.
#[component]
pub(crate) fn RunStatusView(
    /// The state.
    status: RunStatus,
    /// With a soft ground, for heads.
    #[prop(optional)]
    chip: bool,
) -> impl IntoView {
    view! { <StateMark state=status.as_str() label=(text().word.run_status)(status) chip=chip /> }.into_any()
}

/// Where a step stands.
#[component]
pub(crate) fn StepStatusView(
    /// The state.
    status: StepStatus,
    /// With a soft ground, for heads.
    #[prop(optional)]
    chip: bool,
) -> impl IntoView {
    view! { <StateMark state=status.as_str() label=(text().word.step_status)(status) chip=chip /> }.into_any()
}

/// What governance said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It may happen.
    Allow,
    /// A person is asked.
    Ask,
    /// It may not.
    Deny,
}

impl Verdict {
    pub(crate) const ALL: [Self; 3] = [Self::Allow, Self::Ask, Self::Deny];

    /// The word the style sheet knows.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// A verdict by its word in a decision.
    pub(crate) fn read(text: &str) -> Option<Self> {
        match text {
            "allow" | "allowed" | "pass" => Some(Self::Allow),
            "ask" | "asked" => Some(Self::Ask),
            "deny" | "denied" | "refuse" | "refused" => Some(Self::Deny),
            _ => None,
        }
    }
}

/// What governance said: ● allowed, ◆ asked, ■ denied.
#[component]
pub(crate) fn VerdictView(
    /// The verdict.
    verdict: Verdict,
    /// What it says, where it is not the verdict alone.
    #[prop(optional)]
    label: Option<&'static str>,
) -> impl IntoView {
    let words = &text().word;
    let label = label.unwrap_or(match verdict {
        Verdict::Allow => words.allowed,
        Verdict::Ask => words.asked,
        Verdict::Deny => words.denied,
    });
    view! {
        <span class="verdict" data-verdict=verdict.as_str() data-testid="verdict">
            <i class="verdict-mark"></i>
            {label}
        </span>
    }
    .into_any()
}
