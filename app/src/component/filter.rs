//! What narrows a list: facets, chips of what is set, the time range. Every choice is a link, so every filtered list is a URL.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use leptos::prelude::*;
use types::id::{ServicePrincipalId, UserId};

use super::{Icon, IconView};
use crate::query::{Params, Range, Span};
use crate::text::text;
use crate::visit::visit;

/// One choice of a facet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    word: String,
    label: String,
    count: Option<String>,
}

impl Choice {
    /// A choice by its word in the URL and its name.
    pub(crate) fn new(word: &str, label: &str) -> Self {
        Self { word: word.to_owned(), label: label.to_owned(), count: None }
    }

    /// The same with how many rows it would show, where that is known.
    pub(crate) fn counted(self, count: Option<String>) -> Self {
        Self { count, ..self }
    }
}

/// The people and service principals among these names, as choices in the order of their names.
pub(crate) fn callers(names: &BTreeMap<String, String>) -> Vec<Choice> {
    let is_caller = |id: &str| id.parse::<UserId>().is_ok() || id.parse::<ServicePrincipalId>().is_ok();
    let mut callers: Vec<Choice> =
        names.iter().filter(|(id, _)| is_caller(id)).map(|(id, name)| Choice::new(id, name)).collect();
    callers.sort_by(|one, other| one.label.cmp(&other.label));
    callers
}

/// A filter with a few choices; several mean *or*, and each can be left out instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Facet {
    /// Its name in the URL.
    pub(crate) name: &'static str,
    /// What it is called.
    pub(crate) label: &'static str,
    /// What can be chosen.
    pub(crate) options: Vec<Choice>,
}

/// The row of what narrows a list.
#[component]
pub(crate) fn FilterBar(
    /// The list's address without parameters.
    path: String,
    /// Its parameters; the cursor of a page falls away with every change.
    params: Params,
    /// The facets.
    facets: Vec<Facet>,
    /// Parameters that "clear all" removes.
    names: &'static [&'static str],
    /// At the start: the search field.
    #[prop(optional)]
    start: Option<AnyView>,
    /// At the end: the range.
    #[prop(optional)]
    end: Option<AnyView>,
) -> impl IntoView {
    let common = &text().common;
    let params = params.without(&["after", "peek"]);
    let chips = facets
        .iter()
        .filter_map(|facet| {
            let chosen: Vec<String> = params.words(facet.name).map(|word| facet.term_of(word)).collect();
            (!chosen.is_empty()).then(|| {
                let without = params.clone().without(&[facet.name]).at(&path);
                view! {
                    <span class="filter" data-testid="filter">
                        <span class="filter-name">{(common.filter_name)(facet.label)}</span>
                        " "
                        {chosen.join(", ")}
                        " "
                        <a class="filter-drop" href=without aria-label=(common.remove_filter)(facet.label)>
                            <IconView icon=Icon::X />
                        </a>
                    </span>
                }
            })
        })
        .collect_view();
    let any = names.iter().any(|name| params.get(name).is_some());
    let clear = any.then(|| {
        view! {
            <a class="link link--quiet" href=params.clone().without(names).at(&path)>
                {common.clear_filters}
            </a>
        }
    });
    let menus =
        facets.iter().filter(|facet| !facet.options.is_empty()).map(|facet| facet.menu(&path, &params)).collect_view();
    view! {
        <div class="filter-bar" role="group" aria-label=common.filters data-testid="filters">
            {start}
            {menus}
            {chips}
            {clear}
            {end.map(|end| view! { <div class="filter-end">{end}</div> })}
        </div>
    }
    .into_any()
}

impl Facet {
    /// What a word of the address asks for, or leaves out.
    fn term_of(&self, word: &str) -> String {
        match word.strip_prefix('!') {
            Some(word) => (text().common.not)(&self.label_of(word)),
            None => self.label_of(word),
        }
    }

    /// The name of a choice; the word itself where the facet does not offer it.
    fn label_of(&self, word: &str) -> String {
        self.options
            .iter()
            .find(|option| option.word == word)
            .map_or_else(|| word.to_owned(), |option| option.label.clone())
    }

    fn menu(&self, path: &str, params: &Params) -> impl IntoView + use<> {
        let common = &text().common;
        let chosen = |word: &str| params.words(self.name).any(|known| known == word).then_some("true");
        let href = |word: &str| params.clone().toggled(self.name, word).at(path);
        let item = |Choice { word, label, count }: &Choice| {
            let opposite = format!("!{word}");
            let count = count.clone().map(|count| view! { <span class="count">{count}</span> });
            view! {
                <div class="menu-choice">
                    <a class="menu-item" href=href(word) aria-current=chosen(word)>
                        {label.clone()}
                        " "
                        {count}
                    </a>
                    <a class="menu-item menu-not" href=href(&opposite) aria-current=chosen(&opposite) aria-label=(common.not)(label)>
                        {common.not_this}
                    </a>
                </div>
            }
        };
        view! {
            <details class="menu" name="menu">
                <summary class="btn">{self.label} <IconView icon=Icon::ChevronDown /></summary>
                <div class="menu-panel">{self.options.iter().map(item).collect_view()}</div>
            </details>
        }
    }
}

/// Spans that end now, as links, and a field for any other time.
#[component]
pub(crate) fn RangePicker(
    /// The list's address without parameters.
    path: String,
    /// Its parameters.
    params: Params,
    /// What is chosen.
    range: Range,
    /// What can be chosen.
    spans: &'static [Span],
) -> impl IntoView {
    let common = &text().common;
    let params = params.without(&["after", "peek"]);
    let choice = |span: &Span| {
        let href = Range::Last(*span).write(params.clone()).at(&path);
        let current = range == Range::Last(*span);
        view! {
            <a class="btn" href=href aria-current=current.then_some("true")>
                {(common.span)(span.parts())}
            </a>
        }
    };
    // What is chosen and not offered is said by the button that leads to the field.
    let other = spans.iter().all(|span| range != Range::Last(*span));
    let (class, name, label) = match range {
        Range::Last(span) if other => ("btn", (common.span)(span.parts()).into_any(), None),
        _ => ("btn btn--icon", view! { <IconView icon=Icon::Clock /> }.into_any(), Some(common.range_typed)),
    };
    let (from, to) = range.bounds(visit().now);
    let moment = |name, label, at: DateTime<Utc>| {
        view! {
            <label class="field">
                <span class="field-label">{label}</span>
                <input class="input" type="datetime-local" name=name value=visit().zone.wall(at) required=true />
            </label>
        }
    };
    let typed = if other { params.get("range").unwrap_or_default().to_owned() } else { String::new() };
    view! {
        <div class="btn-group" role="group" aria-label=common.range data-testid="range">
            {spans.iter().map(choice).collect_view()}
        </div>
        <details class="menu menu--end" name="menu" data-testid="range-other">
            <summary class=class title=common.range_typed aria-label=label aria-current=other.then_some("true")>
                {name}
            </summary>
            <div class="menu-panel">
                <form class="range-form" method="get" action=path.clone()>
                    <HiddenParams params=params.clone().without(Range::NAMES) />
                    <label class="field">
                        <span class="field-label">{common.range}</span>
                        <input class="input" name="range" value=typed required=true autocomplete="off" />
                        <span class="field-hint">{(common.range_hint)(&visit().zone.name)}</span>
                    </label>
                    <button class="btn btn--primary btn--sm" type="submit">
                        {common.range_apply}
                    </button>
                </form>
                <form class="range-form" method="get" action=path.clone() data-testid="calendar">
                    <HiddenParams params=params.clone().without(Range::NAMES) />
                    {moment("from", common.range_from, from)}
                    {moment("to", common.range_to, to)}
                    <button class="btn btn--sm" type="submit">
                        {common.range_apply}
                    </button>
                </form>
            </div>
        </details>
    }
    .into_any()
}

/// Parameters that a form of the address carries along unseen.
#[component]
pub(crate) fn HiddenParams(
    /// The parameters.
    params: Params,
) -> impl IntoView {
    let hidden =
        |(name, value): (&str, &str)| view! { <input type="hidden" name=name.to_owned() value=value.to_owned() /> };
    params.iter().map(hidden).collect_view()
}
