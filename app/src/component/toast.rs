//! Toasts: what has just been done, said once in the corner, also when doing it led to another page.

use std::time::Duration;

use leptos::prelude::*;

use super::form::Posted;
use super::{Icon, IconView};

/// How long a toast stays.
const STAY: Duration = Duration::from_secs(5);

/// What has just been done.
#[derive(Clone)]
pub(crate) struct Toasts {
    shown: RwSignal<Vec<(u32, &'static str)>>,
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
    fn tell(&self, words: &'static str) {
        let (shown, last) = (self.shown, self.last);
        last.update_value(|last| *last = last.wrapping_add(1));
        let id = last.get_value();
        shown.update(|shown| shown.push((id, words)));
        let end = move || {
            // The shell may be gone by then.
            let _ = shown.try_update(|shown| shown.retain(|(present, _)| *present != id));
        };
        set_timeout(end, STAY);
    }
}

/// An action whose success is told. It belongs to the shell: the page it leads away from may be gone by then.
pub(crate) fn told_action<Call: Posted>(words: &'static str) -> ServerAction<Call> {
    let toasts = use_context::<Toasts>();
    let Some((toasts, owner)) = toasts.and_then(|toasts| toasts.shell.upgrade().map(|owner| (toasts, owner))) else {
        return ServerAction::new();
    };
    owner.with(|| {
        let action = ServerAction::<Call>::new();
        let value = action.value();
        Effect::new(move |before: Option<()>| {
            let is_done = value.with(|value| matches!(value, Some(Ok(_))));
            if is_done && before.is_some() {
                toasts.tell(words);
            }
        });
        action
    })
}

/// Where toasts appear. It is there from the start, so that what appears in it is read out.
#[component]
pub(crate) fn ToastList() -> impl IntoView {
    let shown = use_context::<Toasts>().map(|toasts| toasts.shown);
    let toasts = move || shown.map(|shown| shown.get()).unwrap_or_default();
    view! {
        <div class="toasts" role="status" data-testid="toasts">
            <For each=toasts key=|(id, _)| *id let((_, words))>
                <div class="toast" data-tone="allow">
                    <IconView icon=Icon::Check />
                    <span>{words}</span>
                </div>
            </For>
        </div>
    }
    .into_any()
}
