//! Live hints of the workspace: what changed, so that pages load it anew. One stream for all tabs of a browser, a few paints a
//! second at most, however much happens.

use std::collections::BTreeSet;
use std::time::Duration;

use leptos::prelude::*;
use types::id::{RunId, UserId};
use types::observe::{Hint, Topic};

use super::use_frame;
use crate::browser::{Incoming, Source, StreamState, open_stream};
use crate::function::list_changed;
use crate::query::Params;
use crate::route;
use crate::text::text;
use crate::visit::visit;

/// Hints are gathered this long before anyone hears of them.
const GATHER: Duration = Duration::from_millis(250);

/// What changed since the last time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// Ids of runs.
    pub(crate) runs: BTreeSet<String>,
    /// Whether a budget moved.
    pub(crate) budgets: bool,
    /// Whether a task did.
    pub(crate) tasks: bool,
    /// Whether something may have been missed: everything shown is to be loaded anew.
    pub(crate) missed: bool,
}

/// The live hints of the workspace.
#[derive(Clone, Copy)]
pub(crate) struct Live {
    state: RwSignal<StreamState>,
    changes: RwSignal<Changes>,
}

/// Makes the live hints; they flow once [`Live::connect`] is called inside a workspace.
pub(crate) fn provide_live() -> Live {
    let live = Live { state: RwSignal::new(StreamState::default()), changes: RwSignal::new(Changes::default()) };
    provide_context(live);
    live
}

/// The live hints of the workspace.
pub(crate) fn use_live() -> Live {
    use_context::<Live>().unwrap_or_else(provide_live)
}

impl Live {
    /// Listens to the workspace of the page.
    pub(crate) fn connect(self) {
        let frame = use_frame();
        let slug = frame.slug();
        // Who reads is known from then on, also while it is asked again.
        let user = Memo::new(move |known: Option<&Option<UserId>>| {
            let found = frame.shell().with(|shell| Some(shell.as_ref()?.as_ref().ok()?.me.user.id));
            found.or_else(|| known.copied().flatten())
        });
        let source = Signal::derive(move || {
            let url = Params::default().with("w", slug.get()?.as_str()).at(route::EVENTS);
            let shared_as = Some(format!("{url} {}", user.get()?));
            Some(Source { url, shared_as })
        });
        let waiting = StoredValue::new(Changes::default());
        let gather = move |change: &dyn Fn(&mut Changes)| {
            let first = waiting.with_value(|changes| *changes == Changes::default());
            waiting.update_value(|changes| change(changes));
            if first {
                let flush = move || {
                    if let Some(changes) = waiting.try_update_value(std::mem::take) {
                        let _ = self.changes.try_update(|present| *present = changes);
                    }
                };
                set_timeout(flush, GATHER);
            }
        };
        let state = open_stream(source, &["hint", "resync"], move |incoming| match incoming {
            Incoming::Event { name: "hint", data, .. } => {
                let Ok(hint) = serde_json::from_str::<Hint>(data) else { return };
                gather(&|changes| match hint.topic {
                    Topic::Runs => drop(changes.runs.insert(hint.id.clone())),
                    Topic::Budgets => changes.budgets = true,
                    Topic::Tasks => changes.tasks = true,
                });
            }
            Incoming::Event { .. } | Incoming::Reopened => gather(&|changes| changes.missed = true),
        });
        Effect::new(move || self.state.set(state.get()));
        // What happened between the page's reading and the stream's opening was told to nobody here.
        let read_at = visit().now;
        Effect::new(move |asked: Option<bool>| {
            let is_live = state.get() == StreamState::Live;
            let slug = slug.get_untracked().filter(|_| is_live && asked != Some(true));
            if let Some(slug) = slug {
                leptos::task::spawn_local(async move {
                    let Ok(changed) = list_changed(slug, read_at).await else { return };
                    gather(&|changes| match &changed {
                        Some(runs) => {
                            changes.tasks = true;
                            changes.budgets |= !runs.is_empty();
                            changes.runs.extend(runs.iter().map(RunId::to_string));
                        }
                        None => changes.missed = true,
                    });
                });
            }
            is_live || asked == Some(true)
        });
    }

    /// Calls back with what changed, whenever something did.
    pub(crate) fn on_change(self, listener: impl Fn(&Changes) + 'static) {
        Effect::new(move |before: Option<()>| {
            let changes = self.changes.get();
            // The first run only subscribes: the page has just been loaded.
            if before.is_some() && changes != Changes::default() {
                listener(&changes);
            }
        });
    }
}

/// Whether changes appear by themselves.
#[component]
pub(crate) fn LiveIndicator() -> impl IntoView {
    let state = use_live().state;
    view! { <StreamIndicator state=state.into() /> }.into_any()
}

/// How a stream is.
#[component]
pub(crate) fn StreamIndicator(
    /// The state.
    state: Signal<StreamState>,
) -> impl IntoView {
    let shell = &text().shell;
    let [live, reconnecting, paused, off] = shell.live;
    let [live_hint, reconnecting_hint, paused_hint, off_hint] = shell.live_hint;
    let shown = Memo::new(move |_| match state.get() {
        StreamState::Live => ("live", live, live_hint),
        StreamState::Reconnecting => ("reconnecting", reconnecting, reconnecting_hint),
        StreamState::Paused => ("paused", paused, paused_hint),
        StreamState::Off => ("off", off, off_hint),
    });
    view! {
        <span class="live" data-state=move || shown.get().0 title=move || shown.get().2 data-testid="live">
            <i class="live-mark"></i>
            {move || shown.get().1}
        </span>
    }
    .into_any()
}
