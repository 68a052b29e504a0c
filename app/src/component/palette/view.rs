//! The dialog: a field over a list that follows it.

use std::time::Duration;

use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;
use leptos::{ev, html};
use types::search::Hit;

use super::entry::{Entry, Kind, Leads, find, recall, wanted};
use super::recent::{recents, remember};
use crate::browser;
use crate::component::{Frame, Icon, IconView, Place, use_frame};
use crate::function::search;
use crate::text::text;

/// Fewest letters things are found by.
const FINDABLE: usize = 2;
/// What narrows the list, at the start of what is typed.
const SIGNS: [&str; 4] = [ACTIONS, "@", "#", "?"];
/// The sign of actions.
const ACTIONS: &str = ">";
/// How long typing rests before things are asked for.
const REST: Duration = Duration::from_millis(150);

/// The dialog, and the button that opens it.
#[component]
pub(crate) fn Palette(
    /// The workspace.
    frame: Frame,
) -> impl IntoView {
    let shell = &text().shell;
    let dialog = NodeRef::<html::Dialog>::new();
    // What the field starts with, while it is open.
    let opened = RwSignal::new(None::<&'static str>);
    let here = StoredValue::new(Vec::new());
    let open = move |start| {
        if let Some(dialog) = dialog.get_untracked() {
            here.set_value(browser::page_actions());
            opened.set(Some(start));
            browser::enter_dialog(&dialog);
        }
    };
    let close = move || {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
    };
    // The browser says so a moment later, and by then it may be open again.
    let closed = move |_| {
        if dialog.get_untracked().is_none_or(|dialog| !dialog.open()) {
            opened.set(None);
        }
    };
    view! {
        <button
            class="btn btn--quiet btn--icon palette-open"
            type="button"
            data-shortcut="Ctrl k"
            aria-label=shell.palette
            on:click=move |_| open("")
        >
            <IconView icon=Icon::Search size=20 />
        </button>
        // For its key alone: whoever tabs finds the same behind the other button.
        <button class="sr-only" type="button" tabindex="-1" data-shortcut="." on:click=move |_| open(ACTIONS)>
            {shell.actions}
        </button>
        <dialog
            class="dialog palette"
            node_ref=dialog
            aria-label=shell.palette
            data-testid="palette"
            on:close=closed
        >
            {move || {
                opened
                    .get()
                    .map(|start| {
                        frame.around(move |place| view! { <Content place=place start=start here=here close=close /> }.into_any())
                    })
            }}
        </dialog>
    }
    .into_any()
}

#[component]
fn Content(
    place: Place,
    start: &'static str,
    here: StoredValue<Vec<(String, String)>>,
    close: impl Fn() + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let shell = &text().shell;
    let typed = RwSignal::new(start.to_owned());
    let chosen = RwSignal::new(0_usize);
    let things = things(typed);
    let before = recall(&place, &recents(&place));
    let place = StoredValue::new(place);
    // What was chosen before leads, as long as nothing is typed; then everything that fits.
    let found = Memo::new(move |_| {
        let typed = typed.get();
        let before = if typed.trim().is_empty() { before.clone() } else { Vec::new() };
        let fits = place.with_value(|place| here.with_value(|here| find(place, &typed, here, &things.get())));
        let fits: Vec<Entry> = fits.into_iter().filter(|entry| !before.contains(entry)).collect();
        (before, fits)
    });
    let count = move || found.with(|(before, fits)| before.len() + fits.len());
    let choose = move |entry: &Entry| {
        if let Some(recent) = entry.recent.clone() {
            place.with_value(|place| remember(place, recent));
        }
        close();
    };
    let input = NodeRef::<html::Input>::new();
    Effect::new(move || {
        if let Some(input) = input.get() {
            // Behind what is set is where the typing goes on.
            input.set_value(start);
            let _ = input.focus();
        }
    });
    let write = move |event| {
        typed.set(event_target_value(&event));
        chosen.set(0);
    };
    let press = move |event: ev::KeyboardEvent| {
        let last = count().saturating_sub(1);
        match event.key().as_str() {
            "ArrowDown" => chosen.update(|chosen| *chosen = if *chosen < last { *chosen + 1 } else { 0 }),
            "ArrowUp" => chosen.update(|chosen| *chosen = chosen.checked_sub(1).unwrap_or(last)),
            "Enter" => browser::press(&format!("#{}", option_id(chosen.get_untracked()))),
            _ => return,
        }
        event.prevent_default();
    };
    Effect::new(move || browser::show(&format!("#{}", option_id(chosen.get()))));
    let group = move |name: &'static str, first: usize, entries: Vec<Entry>| {
        let line = move |(index, entry): (usize, Entry)| {
            view! { <Line index=first + index entry=entry chosen=chosen choose=choose /> }
        };
        (!entries.is_empty()).then(|| {
            view! {
                <div role="group" aria-label=name>
                    <p class="menu-head" aria-hidden="true">
                        {name}
                    </p>
                    {entries.into_iter().enumerate().map(line).collect_view()}
                </div>
            }
        })
    };
    let groups = move || {
        let (before, fits) = found.get();
        let first = before.len();
        view! {
            {group(shell.palette_recent, 0, before)}
            {group(shell.palette_all, first, fits)}
        }
    };
    view! {
        <label class="palette-field">
            <IconView icon=Icon::Search />
            <input
                type="text"
                node_ref=input
                role="combobox"
                aria-label=shell.palette
                aria-expanded="true"
                aria-autocomplete="list"
                aria-controls="palette-list"
                aria-activedescendant=move || option_id(chosen.get())
                autocomplete="off"
                spellcheck="false"
                maxlength="200"
                placeholder=shell.palette_hint
                on:input=write
                on:keydown=press
            />
        </label>
        <div class="palette-list" id="palette-list" role="listbox" aria-label=shell.palette>
            {groups}
        </div>
        {move || (count() == 0).then(|| view! { <p class="palette-none" role="status">{shell.palette_none}</p> })}
        <p class="palette-foot" aria-hidden="true">
            {SIGNS
                .into_iter()
                .zip(shell.palette_signs)
                .map(|(sign, meaning)| view! { <span><kbd>{sign}</kbd> " " {meaning}</span> })
                .collect_view()}
        </p>
    }
    .into_any()
}

#[component]
fn Line(
    index: usize,
    entry: Entry,
    chosen: RwSignal<usize>,
    choose: impl Fn(&Entry) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let Entry { label, icon, name, leads, .. } = entry.clone();
    let is_chosen = move || if chosen.get() == index { "true" } else { "false" };
    let inside = view! {
        <IconView icon=icon />
        <span class="truncate">{name}</span>
        <span class="count">{label}</span>
    };
    match leads {
        Leads::To(href) => view! {
            <a class="menu-item" id=option_id(index) role="option" tabindex="-1" aria-selected=is_chosen href=href on:click=move |_| choose(&entry)>
                {inside}
            </a>
        }
        .into_any(),
        Leads::Press(selector) => {
            let press = move |_| {
                choose(&entry);
                browser::press(&selector);
            };
            view! {
                <button class="menu-item" id=option_id(index) type="button" role="option" tabindex="-1" aria-selected=is_chosen on:click=press>
                    {inside}
                </button>
            }
            .into_any()
        }
    }
}

fn option_id(index: usize) -> String {
    format!("palette-{index}")
}

/// Things that fit what is typed, as far as the server has told.
fn things(typed: RwSignal<String>) -> Signal<Vec<Hit>> {
    let frame = use_frame();
    let asked = RwSignal::new(String::new());
    Effect::new(move |waiting: Option<Option<TimeoutHandle>>| {
        if let Some(handle) = waiting.flatten() {
            handle.clear();
        }
        let typed = typed.get();
        let ask = move || {
            // The palette may be closed by then.
            let _ = asked.try_update(|asked| *asked = typed);
        };
        set_timeout_with_handle(ask, REST).ok()
    });
    let found = frame.resource(
        move || asked.get(),
        |slug, typed| async move {
            match wanted(&typed) {
                (None | Some(Kind::Thing), letters) if letters.chars().count() >= FINDABLE => {
                    search(slug, letters.to_owned()).await
                }
                _ => Ok(Vec::new()),
            }
        },
    );
    // The palette works without them.
    Signal::derive(move || found.get().and_then(Result::ok).unwrap_or_default())
}
