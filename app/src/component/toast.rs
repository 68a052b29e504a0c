//! Toasts: what has just been done, said once in the corner, also when doing it led to another page.

use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;

use super::form::Posted;
use super::{Icon, IconView};
use crate::text::text;

/// How long a toast stays, and one that offers to undo.
const STAY: Duration = Duration::from_secs(5);
const STAY_WITH_UNDO: Duration = Duration::from_secs(8);

/// Takes back what was done.
type Undo = Arc<dyn Fn() + Send + Sync>;

/// What has just been done.
#[derive(Clone)]
struct Toast {
    id: u32,
    words: String,
    undo: Option<Undo>,
}

/// What has just been done, newest last.
#[derive(Clone)]
pub(crate) struct Toasts {
    shown: RwSignal<Vec<Toast>>,
    last: StoredValue<u32>,
    // Weak, because the shell owns this.
    shell: WeakOwner,
}

/// Makes toasts available to the pages inside.
pub(crate) fn provide_toasts() {
    if let Some(owner) = Owner::current() {
        provide_context(Toasts { shown: RwSignal::default(), last: StoredValue::new(0), shell: owner.downgrade() });
    }
}

impl Toasts {
    fn tell(&self, words: impl Into<String>, undo: Option<Undo>) {
        let (shown, last) = (self.shown, self.last);
        last.update_value(|last| *last = last.wrapping_add(1));
        let (id, words) = (last.get_value(), words.into());
        let stay = if undo.is_some() { STAY_WITH_UNDO } else { STAY };
        shown.update(|shown| shown.push(Toast { id, words, undo }));
        // The shell may be gone by then.
        let end = move || shown.try_update(|shown| shown.retain(|toast| toast.id != id)).unwrap_or_default();
        set_timeout(end, stay);
    }
}

/// An action whose success is told. It belongs to the shell: the page it leads away from may be gone by then.
pub(crate) fn told_action<Call: Posted>(words: &'static str) -> ServerAction<Call> {
    action_of_shell(move |toasts, _, _| toasts.tell(words, None))
}

/// The same where the answer says what was done.
pub(crate) fn answered_action<Call: Posted>(words: fn(&Call::Output) -> String) -> ServerAction<Call> {
    action_of_shell(move |toasts, _, answer| toasts.tell(words(answer), None))
}

/// The same for an action that switches something, with an offer to switch it back: `on` says how it is after an answer,
/// `back` is the call that undoes it.
pub(crate) fn switch_action<Call: Posted>(
    on: fn(&Call::Output) -> bool,
    back: impl Fn(&Call::Output) -> Option<Call> + Send + Sync + 'static,
) -> ServerAction<Call> {
    let common = &text().common;
    let undoing = StoredValue::new(false);
    action_of_shell(move |toasts, action: ServerAction<Call>, answer| {
        if undoing.try_update_value(std::mem::take).unwrap_or_default() {
            toasts.tell(common.told_undone, None);
            return;
        }
        let undo = back(answer).map(|call| {
            Arc::new(move || {
                let _ = undoing.try_set_value(true);
                action.dispatch(call.clone());
            }) as Undo
        });
        toasts.tell(if on(answer) { common.told_enabled } else { common.told_disabled }, undo);
    })
}

/// An action of the shell; `done` is told each answer.
fn action_of_shell<Call: Posted>(
    done: impl Fn(&Toasts, ServerAction<Call>, &Call::Output) + Send + Sync + 'static,
) -> ServerAction<Call> {
    let toasts = use_context::<Toasts>();
    let Some((toasts, owner)) = toasts.and_then(|toasts| toasts.shell.upgrade().map(|owner| (toasts, owner))) else {
        return ServerAction::new();
    };
    owner.with(|| {
        let action = ServerAction::<Call>::new();
        let value = action.value();
        Effect::new(move |before: Option<()>| {
            value.with(|value| {
                if let (Some(Ok(answer)), Some(())) = (value, before) {
                    done(&toasts, action, answer);
                }
            });
        });
        action
    })
}

/// Where toasts appear. It is there from the start, so that what appears in it is read out.
#[component]
pub(crate) fn ToastList() -> impl IntoView {
    let shown = use_context::<Toasts>().map(|toasts| toasts.shown);
    let toasts = move || shown.map(|shown| shown.get()).unwrap_or_default();
    let toast = move |Toast { id, words, undo }: Toast| {
        let undo = undo.map(|undo| {
            let press = move |_| {
                if let Some(shown) = shown {
                    shown.update(|shown| shown.retain(|toast| toast.id != id));
                }
                undo();
            };
            view! {
                <button class="btn btn--quiet btn--sm" type="button" on:click=press>
                    {text().common.undo}
                </button>
            }
        });
        view! {
            <div class="toast" data-tone="allow">
                <IconView icon=Icon::Check />
                <span>{words}</span>
                {undo}
            </div>
        }
    };
    view! {
        <div class="toasts" role="status" data-testid="toasts">
            <For each=toasts key=|toast| toast.id children=toast />
        </div>
    }
    .into_any()
}
