//! The hash chain over the audit: where it stands, and whether everything is as it was written.

use leptos::prelude::*;
use types::chain::{ChainState, ChainVerification};

use crate::backend::audit::ChainView;
use crate::component::{BrowserCheck, Checked, Loading, Moment, Notice, Tone, panel};
use crate::format;
use crate::query::Params;
use crate::text::text;

/// The parameter that asks for a check.
const VERIFY: &str = "verify";

/// Whether the address asks for a check.
pub(super) fn asks(params: &Params) -> bool {
    params.get(VERIFY) == Some("1")
}

/// The parameters of the list alone.
pub(super) fn without_check(params: Params) -> Params {
    params.without(&[VERIFY])
}

/// A line about the chain. The check is a link, so that it works without scripts.
#[component]
pub(super) fn Chain(
    chain: Loading<ChainView>,
    params: Params,
    /// Where the chain and what proves it come from, for who may read all of it.
    proof: Option<String>,
) -> impl IntoView {
    let href = params.with(VERIFY, "1").here();
    panel(text().audit.chain, chain, move |ChainView { state, found }| {
        let (href, proof) = (href.clone(), proof.clone());
        view! {
            <div class="chain">
                <p class="muted" data-testid="chain">
                    <State state=state />
                    " "
                    <a class="link" href=href>
                        {text().audit.verify}
                    </a>
                </p>
                {found.map(|found| view! { <Found found=found /> })}
                {proof.map(|href| view! { <BrowserCheck what=Checked::Chain href=href /> })}
            </div>
        }
        .into_any()
    })
}

#[component]
fn State(state: ChainState) -> impl IntoView {
    let audit = &text().audit;
    let sealed = match state.last_checkpoint {
        Some(last) => view! { {audit.checkpoint} " " <Moment at=last.sealed_at /> }.into_any(),
        None => audit.no_checkpoint.into_any(),
    };
    view! { {(audit.chain_entries)(&format::count(state.entries))} " · " {sealed} " · " }.into_any()
}

#[component]
fn Found(found: ChainVerification) -> impl IntoView {
    let audit = &text().audit;
    let checked = format::count(found.checked);
    match (found.first_bad_seq, found.problem) {
        (Some(seq), Some(problem)) => {
            let what = (audit.broken)(seq, (audit.problem)(problem));
            let record = found.record.map(|record| view! { <code class="id">{record}</code> });
            view! {
                <Notice tone=Tone::Deny text=what>
                    {record}
                </Notice>
            }
            .into_any()
        }
        _ if found.next_from.is_some() => {
            view! { <Notice tone=Tone::Ask text=(audit.verified_part)(&checked) /> }.into_any()
        }
        _ => view! { <Notice tone=Tone::Allow text=(audit.verified)(&checked) /> }.into_any(),
    }
}
