//! A page whose part could not be loaded: the network is cut, or the server has a newer console than the one that runs here.

use leptos::ev::MouseEvent;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_meta::Title;

use super::{Drawn, Loaded};
use crate::component::{Empty, Icon};
use crate::text::text;

/// How it stands with a part that did not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attempt {
    Failed,
    Running,
    FailedAgain,
    Done,
}

/// The page, or why it is not there.
pub(super) async fn chosen(draw: impl Fn() -> Drawn + Send + 'static, load: fn() -> Loaded) -> AnyView {
    match draw().await {
        Ok(view) => view,
        Err(_) => missing(draw, load),
    }
}

/// Says so, and tries again: in place once, then by a full load, which brings the newer console.
fn missing(draw: impl Fn() -> Drawn + Send + 'static, load: fn() -> Loaded) -> AnyView {
    let attempt = RwSignal::new(Attempt::Failed);
    let retry = move |event: MouseEvent| {
        if attempt.get_untracked() == Attempt::FailedAgain {
            return;
        }
        event.prevent_default();
        if attempt.get_untracked() == Attempt::Failed {
            attempt.set(Attempt::Running);
            spawn_local(async move {
                let outcome = load().await;
                attempt.set(if outcome.is_ok() { Attempt::Done } else { Attempt::FailedAgain });
            });
        }
    };
    let is_done = Memo::new(move |_| attempt.get() == Attempt::Done);
    let shown = move || {
        if is_done.get() {
            let drawn = draw();
            return Suspend::new(async move { drawn.await.ok() }).into_any();
        }
        let text = &text().problem;
        let is_running = move || (attempt.get() == Attempt::Running).then_some("true");
        view! {
            <Title text=text.not_loaded />
            <div class="page" role="alert" data-testid="not-loaded">
                <Empty icon=Icon::Error title=text.not_loaded text=text.not_loaded_text whole=true>
                    <a
                        class="btn btn--primary"
                        href=""
                        rel="external"
                        aria-disabled=is_running
                        on:click=retry
                        data-testid="retry"
                    >
                        {text.retry}
                    </a>
                </Empty>
            </div>
        }
        .into_any()
    };
    shown.into_any()
}
