//! A run while it happens: its stored events load the page anew, its text is shown as it comes.

use std::time::Duration;

use leptos::prelude::*;
use serde::Deserialize;

use crate::browser::{Incoming, Source, StreamState, open_stream};
use crate::component::Code;
use crate::text::text;

/// Events are gathered this long before the page is loaded anew.
const GATHER: Duration = Duration::from_millis(250);
/// Stands where text was missed.
const GAP: &str = "… ";

/// A run while it happens.
#[derive(Clone, Copy)]
pub(super) struct LiveRun {
    state: ReadSignal<StreamState>,
    output: RwSignal<String>,
}

/// Text that is not stored yet.
#[derive(Deserialize)]
struct Delta {
    text: String,
}

impl LiveRun {
    /// Follows the stream of a run, as long as there is one, and asks for what was stored to be loaded anew.
    pub(super) fn follow(url: Signal<Option<String>>, load: impl Fn() + Copy + Send + Sync + 'static) -> Self {
        let output = RwSignal::new(String::new());
        let waits = StoredValue::new(false);
        let load_soon = move || {
            if !waits.get_value() {
                waits.set_value(true);
                let now = move || {
                    // The reader may have left the page in the meantime.
                    if waits.try_set_value(false).is_none() {
                        load();
                    }
                };
                set_timeout(now, GATHER);
            }
        };
        let names = &["message", "delta", "lagged", "end"];
        let source = Signal::derive(move || url.get().map(|url| Source { url, shared_as: None }));
        let state = open_stream(source, names, move |incoming| match incoming {
            Incoming::Event { name: "delta", data, id } => {
                if let Ok(delta) = serde_json::from_str::<Delta>(data) {
                    output.update(|output| add(output, &delta.text, id));
                }
            }
            Incoming::Event { name: "lagged", .. } => output.update(|output| output.push_str(GAP)),
            Incoming::Event { .. } | Incoming::Reopened => load_soon(),
        });
        Self { state, output }
    }

    /// How the stream is.
    pub(super) fn state(self) -> Signal<StreamState> {
        self.state.into()
    }
}

/// Adds new text. The id ends in the characters sent so far, these included: where they are more than what is here, some were
/// missed.
fn add(output: &mut String, text: &str, id: &str) {
    let sent = id.rsplit('/').next().and_then(|count| count.parse::<usize>().ok()).unwrap_or_default();
    if output.is_empty() && sent > text.chars().count() {
        output.push_str(GAP);
    }
    output.push_str(text);
}

/// The output of a step that is still running.
#[component]
pub(super) fn LiveOutput(live: LiveRun) -> impl IntoView {
    let run = &text().run;
    move || {
        let output = live.output.get();
        if output.is_empty() {
            return view! { <p class="muted">{run.waiting_for_output}</p> }.into_any();
        }
        view! { <Code title=run.output_so_far code=output wrap=true /> }.into_any()
    }
}

#[cfg(test)]
mod tests {
    use super::add;

    #[test]
    fn what_was_missed_is_marked() {
        let (mut whole, mut late) = (String::new(), String::new());
        add(&mut whole, "Hel", "3/3");
        add(&mut whole, "lo", "3/5");
        add(&mut late, "lo", "3/5");
        assert_eq!((whole.as_str(), late.as_str()), ("Hello", "… lo"));
    }
}
