//! The palette: every page, action and named thing of the workspace by a few letters of its name, a run by its id. It leads to
//! the search of what runs hold.
//!
//! Pages and actions are known here and appear at once; things are asked of the server, once the typing rests.

use std::time::Duration;

use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;
use leptos::{ev, html};
use types::search::{Hit, HitKind};

use super::{Frame, Icon, IconView, Place, use_frame};
use crate::browser;
use crate::format;
use crate::function::search;
use crate::query::Params;
use crate::route::{self, Section};
use crate::text::text;

/// Fewest letters the search of runs takes.
const SEARCHABLE: usize = 3;
/// Fewest letters things are found by.
const FINDABLE: usize = 2;
/// How long typing rests before things are asked for.
const REST: Duration = Duration::from_millis(150);

/// What a name leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Page,
    Action,
    Setting,
    Thing,
}

/// What choosing does.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Leads {
    /// To an address.
    To(String),
    /// To the control of a selector, which is pressed.
    Press(String),
}

/// A line of the palette.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    kind: Kind,
    icon: Icon,
    name: String,
    leads: Leads,
}

/// The dialog, and the button that opens it.
#[component]
pub(crate) fn Palette(
    /// The workspace.
    frame: Frame,
) -> impl IntoView {
    let shell = &text().shell;
    let dialog = NodeRef::<html::Dialog>::new();
    let is_open = RwSignal::new(false);
    let open = move |_| {
        if let Some(dialog) = dialog.get_untracked() {
            is_open.set(true);
            browser::enter_dialog(&dialog);
        }
    };
    let close = move || {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
    };
    view! {
        <button
            class="btn btn--quiet btn--icon palette-open"
            type="button"
            data-shortcut="Ctrl k"
            aria-label=shell.palette
            on:click=open
        >
            <IconView icon=Icon::Search size=20 />
        </button>
        <dialog
            class="dialog palette"
            node_ref=dialog
            aria-label=shell.palette
            data-testid="palette"
            on:close=move |_| is_open.set(false)
        >
            {move || {
                is_open.get().then(|| frame.around(move |place| view! { <Content place=place close=close /> }.into_any()))
            }}
        </dialog>
    }
    .into_any()
}

#[component]
fn Content(place: Place, close: impl Fn() + Copy + Send + Sync + 'static) -> impl IntoView {
    let shell = &text().shell;
    let typed = RwSignal::new(String::new());
    let chosen = RwSignal::new(0_usize);
    let things = things(typed);
    let found = Memo::new(move |_| typed.with(|typed| find(&place, typed, &things.get())));
    let input = NodeRef::<html::Input>::new();
    Effect::new(move || {
        if let Some(input) = input.get() {
            let _ = input.focus();
        }
    });
    let write = move |event| {
        typed.set(event_target_value(&event));
        chosen.set(0);
    };
    let press = move |event: ev::KeyboardEvent| {
        let last = found.with(Vec::len).saturating_sub(1);
        match event.key().as_str() {
            "ArrowDown" => chosen.update(|chosen| *chosen = if *chosen < last { *chosen + 1 } else { 0 }),
            "ArrowUp" => chosen.update(|chosen| *chosen = chosen.checked_sub(1).unwrap_or(last)),
            "Enter" => browser::press(&format!("#{}", option_id(chosen.get_untracked()))),
            _ => return,
        }
        event.prevent_default();
    };
    let line = move |(index, entry): (usize, Entry)| {
        view! { <Line index=index entry=entry chosen=chosen close=close /> }
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
            {move || found.get().into_iter().enumerate().map(line).collect_view()}
        </div>
        {move || found.with(Vec::is_empty).then(|| view! { <p class="palette-none" role="status">{shell.palette_none}</p> })}
    }
    .into_any()
}

#[component]
fn Line(
    index: usize,
    entry: Entry,
    chosen: RwSignal<usize>,
    close: impl Fn() + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let [page, action, setting, thing] = text().shell.palette_kinds;
    let Entry { kind, icon, name, leads } = entry;
    let kind = match kind {
        Kind::Page => page,
        Kind::Action => action,
        Kind::Setting => setting,
        Kind::Thing => thing,
    };
    let is_chosen = move || if chosen.get() == index { "true" } else { "false" };
    let inside = view! {
        <IconView icon=icon />
        <span class="truncate">{name}</span>
        <span class="count">{kind}</span>
    };
    match leads {
        Leads::To(href) => view! {
            <a class="menu-item" id=option_id(index) role="option" tabindex="-1" aria-selected=is_chosen href=href on:click=move |_| close()>
                {inside}
            </a>
        }
        .into_any(),
        Leads::Press(selector) => {
            let press = move |_| {
                close();
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

/// What is typed without the sign that narrows it to one kind.
fn wanted(typed: &str) -> (Option<Kind>, &str) {
    let typed = typed.trim();
    let kinds = [('>', Kind::Action), ('#', Kind::Setting), ('@', Kind::Thing)];
    let narrowed = kinds.into_iter().find_map(|(sign, kind)| Some((Some(kind), typed.strip_prefix(sign)?.trim())));
    narrowed.unwrap_or((None, typed))
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

/// The page of a thing.
fn thing(place: &Place, hit: &Hit) -> Entry {
    let peek = |list: String| Params::default().with("peek", &hit.id).at(&list);
    let (icon, href) = match hit.kind {
        HitKind::Run => (Icon::Runs, place.at.run(&hit.id)),
        HitKind::ApiKey => (Icon::Keys, peek(place.at.keys())),
        HitKind::Budget => (Icon::Wallet, place.at.budget(&hit.id)),
        HitKind::Provider => (Icon::Server, place.at.provider(&hit.id)),
        HitKind::Model => (Icon::Models, place.at.provider(hit.parent_id.as_deref().unwrap_or_default())),
    };
    let name =
        if hit.kind == HitKind::Run { format!("{} {}", format::short_id(&hit.id), hit.name) } else { hit.name.clone() };
    Entry { kind: Kind::Thing, icon, name, leads: Leads::To(href) }
}

/// What fits the letters: `>` asks for actions alone, `#` for settings, `@` for things.
fn find(place: &Place, typed: &str, things: &[Hit]) -> Vec<Entry> {
    let (wanted, words) = wanted(typed);
    let letters = words.to_lowercase();
    let fits = |entry: &Entry| {
        wanted.is_none_or(|wanted| entry.kind == wanted) && entry.name.to_lowercase().contains(&letters)
    };
    let mut found: Vec<Entry> = entries(place).into_iter().filter(fits).collect();
    // What begins with the letters comes first.
    found.sort_by_key(|entry| !entry.name.to_lowercase().starts_with(&letters));
    if matches!(wanted, None | Some(Kind::Thing)) {
        // What was asked before the last letter came may fit no more.
        let fits = |hit: &&Hit| hit.id == letters || hit.name.to_lowercase().contains(&letters);
        found.extend(things.iter().filter(fits).map(|hit| thing(place, hit)));
    }
    if wanted.is_none() {
        found.extend(runs(place, words));
    }
    found
}

/// The search for runs that hold the words.
fn runs(place: &Place, words: &str) -> Option<Entry> {
    let leads = Leads::To(Params::default().with("q", words).at(&place.at.runs()));
    let name = (text().shell.palette_search)(words);
    (words.chars().count() >= SEARCHABLE).then_some(Entry { kind: Kind::Page, icon: Icon::Runs, name, leads })
}

/// Everything the reader may open or do.
fn entries(place: &Place) -> Vec<Entry> {
    let (text, at) = (text(), &place.at);
    let shell = &text.shell;
    let to = |kind: Kind, icon: Icon, name: &str, href: String| Entry {
        kind,
        icon,
        name: name.to_owned(),
        leads: Leads::To(href),
    };
    let press = |icon: Icon, name: String, selector: String| Entry {
        kind: Kind::Action,
        icon,
        name,
        leads: Leads::Press(selector),
    };
    let theme = |icon: Icon, name: &str, word: &str| {
        let selector = format!("form[action='{}'] [name=theme][value={word}]", route::PREFS_POST);
        press(icon, format!("{}: {name}", shell.theme), selector)
    };
    let create = [
        ("api_key.create", Icon::Keys, text.keys.new, at.new_key()),
        ("budget.create", Icon::Wallet, text.budgets.new, at.new_budget()),
        ("provider.create", Icon::Server, text.models.new_provider, at.new_provider()),
    ];
    let mut all = vec![
        to(Kind::Page, Icon::Home, shell.home, at.home()),
        to(Kind::Page, Icon::Runs, shell.runs, at.runs()),
        to(Kind::Page, Icon::Keys, text.keys.tab, at.keys()),
        to(Kind::Page, Icon::Wallet, text.budgets.tab, at.budgets()),
        to(Kind::Page, Icon::Models, shell.models, at.models()),
        to(Kind::Page, Icon::Costs, text.models.tab_prices, at.prices()),
        to(Kind::Page, Icon::Network, text.models.tab_egress, at.egress()),
    ];
    all.extend(
        create
            .into_iter()
            .filter(|(action, ..)| place.may(action))
            .map(|(_, icon, name, href)| to(Kind::Action, icon, name, href)),
    );
    let sections = Section::ALL.into_iter().zip(text.settings.section);
    all.extend(sections.map(|(section, name)| {
        to(Kind::Setting, Icon::Settings, &format!("{}: {name}", shell.settings), at.settings(section))
    }));
    all.extend([
        theme(Icon::Monitor, shell.system, "system"),
        theme(Icon::Sun, shell.light, "light"),
        theme(Icon::Moon, shell.dark, "dark"),
        press(Icon::Logout, shell.sign_out.to_owned(), format!("form[action='{}'] button", route::SIGN_OUT_POST)),
    ]);
    all
}
