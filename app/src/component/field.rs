//! Fields: label, hint, control, and what is wrong, tied together for everyone who reads them.
//!
//! A field finds its form around it. Controls are uncontrolled: what is typed before the page wakes up, or while something reloads, stays.
//! Each control says in `data-stored` what is stored, and the form sends that along as `seen[…]`: so what was changed is told
//! from what was left alone, in the browser and at the server.

use leptos::ev::MouseEvent;
use leptos::prelude::*;
use leptos_router::hooks::use_location;

use super::form::{Start, TAKEN, use_form};
use super::{Icon, IconView};
use crate::browser;
use crate::query::Params;
use crate::text::text;

/// What a browser sends of a switch that is on.
const ON: &str = "on";

/// A line of text, or several.
#[component]
pub(crate) fn TextField(
    /// Its field in problems, and its id.
    field: &'static str,
    /// Its name in the form, where it is not `form[name]`. A password is an argument of its own, so that it is never given back.
    #[prop(optional, into)]
    name: Option<String>,
    /// What it is called.
    label: &'static str,
    /// What to know before filling it in.
    #[prop(optional)]
    hint: Option<&'static str>,
    /// What it starts with.
    #[prop(optional, into)]
    value: String,
    /// `text`, `password`, `email` …
    #[prop(default = "text")]
    kind: &'static str,
    /// What browsers may fill in.
    #[prop(default = "off")]
    autocomplete: &'static str,
    /// Whether it may stay empty.
    #[prop(optional)]
    optional: bool,
    /// An example, where the hint does not hold one.
    #[prop(optional)]
    placeholder: Option<&'static str>,
    /// In code type, for ids and addresses.
    #[prop(optional)]
    mono: bool,
    /// Digits, ending where they end.
    #[prop(optional)]
    digits: bool,
    /// After the text: its unit.
    #[prop(optional, into)]
    after: Option<String>,
    /// The list of suggestions, by its id.
    #[prop(optional)]
    list: Option<&'static str>,
    /// Lines; more than one makes a text area.
    #[prop(default = 1)]
    lines: u8,
) -> impl IntoView {
    let is_secret = kind == "password";
    let (form, name) =
        (use_form(), name.unwrap_or_else(|| if is_secret { field.to_owned() } else { form_name(field) }));
    let (start, wrong) = (form.start(field, value), form.wrong(field));
    let is_gone = is_secret && form.was_typed();
    let class = match (mono, digits) {
        (true, _) => "input input--mono",
        (_, true) => "input input--num",
        _ => "input",
    };
    let described = described(field, hint.is_some(), &start);
    let invalid = move || wrong.get().map(|_| "true");
    let control = if lines > 1 {
        view! {
            <textarea
                class=class
                id=field
                name=name
                rows=lines
                placeholder=placeholder
                data-stored=start.stored.clone()
                aria-describedby=described
                aria-invalid=invalid
            >
                {start.value.clone()}
            </textarea>
        }
        .into_any()
    } else {
        view! {
            <input
                class=class
                id=field
                name=name
                type=kind
                value=start.value.clone()
                data-stored=start.stored.clone()
                required=!optional
                autocomplete=autocomplete
                placeholder=placeholder
                list=list
                inputmode=digits.then_some("decimal")
                spellcheck="false"
                aria-describedby=described
                aria-invalid=invalid
            />
        }
        .into_any()
    };
    let control = match after {
        Some(unit) => {
            view! { <div class="input-group">{control} <span class="input-affix">{unit}</span></div> }.into_any()
        }
        None => control,
    };
    let shown = start.stored.clone();
    view! {
        <Field field=field label=label hint=hint optional=optional wrong=wrong>
            {control}
            {is_gone.then(|| view! { <p class="field-hint">{text().problem.secret_again}</p> })}
            {(!is_secret).then(|| view! { <Stored field=field label=label start=start shown=shown /> })}
        </Field>
    }
    .into_any()
}

/// One of several, from a list.
#[component]
pub(crate) fn SelectField(
    /// Its field in problems, and its id.
    field: &'static str,
    /// Its name in the form, where it is not `form[name]`.
    #[prop(optional, into)]
    name: Option<String>,
    /// What it is called.
    label: &'static str,
    /// What to know before choosing.
    #[prop(optional)]
    hint: Option<&'static str>,
    /// What is chosen at the start.
    #[prop(into)]
    value: String,
    /// Values with their names.
    options: Vec<(String, String)>,
) -> impl IntoView {
    let (form, name) = (use_form(), name.unwrap_or_else(|| form_name(field)));
    // A value that is none of them chooses the first.
    let value =
        options.iter().find(|option| option.0 == value).or(options.first()).map_or(value, |(value, _)| value.clone());
    let (start, wrong) = (form.start(field, value), form.wrong(field));
    let shown = name_of(&start.stored, options.iter().map(|(value, name)| (value, name)));
    let (stored, described) = (start.stored.clone(), described(field, hint.is_some(), &start));
    let chosen = start.value.clone();
    let option = move |(value, name): (String, String)| {
        let selected = value == chosen;
        view! {
            <option value=value selected=selected>
                {name}
            </option>
        }
    };
    view! {
        <Field field=field label=label hint=hint wrong=wrong>
            <span class="select">
                <select
                    id=field
                    name=name
                    data-stored=stored
                    aria-describedby=described
                    aria-invalid=move || wrong.get().map(|_| "true")
                >
                    {options.into_iter().map(option).collect_view()}
                </select>
            </span>
            <Stored field=field label=label start=start shown=shown />
        </Field>
    }
    .into_any()
}

/// One of a few, each with a sentence.
#[component]
pub(crate) fn ChoiceField(
    /// Its field in problems, and its id.
    field: &'static str,
    /// Its name in the form, where it is not `form[name]`.
    #[prop(optional, into)]
    name: Option<String>,
    /// What it is called.
    label: &'static str,
    /// What is chosen at the start.
    #[prop(into)]
    value: String,
    /// Values with their names and what they mean.
    options: Vec<(String, String, String)>,
) -> impl IntoView {
    let (form, name) = (use_form(), name.unwrap_or_else(|| form_name(field)));
    let (start, wrong) = (form.start(field, value), form.wrong(field));
    let shown = name_of(&start.stored, options.iter().map(|(value, title, _)| (value, title)));
    let (chosen, stored) = (start.value.clone(), start.stored.clone());
    let choice = move |(value, title, meaning): (String, String, String)| {
        let (checked, stored) = (value == chosen, (value == stored).to_string());
        view! {
            <label class="choice">
                <input type="radio" name=name.clone() value=value checked=checked data-stored=stored />
                <span class="choice-title">{title}</span>
                <span class="choice-text">{meaning}</span>
            </label>
        }
    };
    view! {
        <div class="field" data-invalid=move || wrong.get().map(|_| "")>
            <span class="field-label" id=format!("{field}-label")>
                {label}
            </span>
            <div class="choices" role="radiogroup" id=field tabindex="-1" aria-labelledby=format!("{field}-label")>
                {options.into_iter().map(choice).collect_view()}
            </div>
            <Stored field=field label=label start=start shown=shown />
            <FieldError field=field wrong=wrong />
        </div>
    }
    .into_any()
}

/// Several of a few.
#[component]
pub(crate) fn ChecksField(
    /// Its field in problems, and its id.
    field: &'static str,
    /// What it is called.
    label: &'static str,
    /// What is chosen at the start.
    value: Vec<String>,
    /// Values with their names.
    options: Vec<(String, String)>,
) -> impl IntoView {
    let form = use_form();
    // In the order in which they are sent.
    let stored: Vec<&str> =
        options.iter().map(|option| option.0.as_str()).filter(|known| value.iter().any(|word| word == known)).collect();
    let (start, wrong) = (form.start(field, stored.join(",")), form.wrong(field));
    let shown: Vec<&str> =
        options.iter().filter(|option| value.contains(&option.0)).map(|option| option.1.as_str()).collect();
    let shown = shown.join(", ");
    let check = |(value, name): &(String, String)| {
        let is_in = |words: &str| words.split(',').any(|word| word == value);
        view! {
            <label class="check">
                <input
                    type="checkbox"
                    name=format!("form[{field}][]")
                    value=value.clone()
                    checked=is_in(&start.value)
                    data-stored=is_in(&start.stored).to_string()
                />
                <span>{name.clone()}</span>
            </label>
        }
    };
    let checks = options.iter().map(check).collect_view();
    view! {
        <fieldset class="field" id=field tabindex="-1" data-invalid=move || wrong.get().map(|_| "")>
            <legend class="field-label">{label}</legend>
            <div class="checks">{checks}</div>
            <Stored field=field label=label start=start shown=shown />
            <FieldError field=field wrong=wrong />
        </fieldset>
    }
    .into_any()
}

/// On or off.
#[component]
pub(crate) fn SwitchField(
    /// Its field in problems, and its id.
    field: &'static str,
    /// Its name in the form, where it is not `form[name]`.
    #[prop(optional, into)]
    name: Option<String>,
    /// What it is called.
    label: &'static str,
    /// What it means.
    #[prop(optional)]
    hint: Option<&'static str>,
    /// Whether it is on at the start.
    #[prop(optional)]
    on: bool,
) -> impl IntoView {
    let (form, name) = (use_form(), name.unwrap_or_else(|| form_name(field)));
    let common = &text().common;
    let start = form.start(field, if on { ON } else { "" });
    let (checked, shown) = (!start.value.is_empty(), if on { common.on } else { common.off });
    view! {
        <div class="field">
            <label class="switch">
                <input type="checkbox" role="switch" id=field name=name checked=checked data-stored=on.to_string() />
                <span>{label} {hint.map(|hint| view! { <small>{hint}</small> })}</span>
            </label>
            <Stored field=field label=label start=start shown=shown.to_owned() />
        </div>
    }
    .into_any()
}

#[component]
fn Field(
    field: &'static str,
    label: &'static str,
    hint: Option<&'static str>,
    #[prop(optional)] optional: bool,
    wrong: Memo<Option<String>>,
    children: Children,
) -> impl IntoView {
    view! {
        <div class="field" data-invalid=move || wrong.get().map(|_| "")>
            <label class="field-label" for=field>
                {label}
                {optional.then(|| view! { " " <span class="field-optional">{text().common.optional}</span> })}
            </label>
            {hint.map(|hint| view! { <p class="field-hint" id=format!("{field}-hint")>{hint}</p> })}
            {children()}
            <FieldError field=field wrong=wrong />
        </div>
    }
    .into_any()
}

#[component]
fn FieldError(field: &'static str, wrong: Memo<Option<String>>) -> impl IntoView {
    move || {
        wrong.get().map(|message| {
            view! {
                <p class="field-error" id=format!("{field}-error")>
                    <IconView icon=Icon::Error />
                    {message}
                </p>
            }
        })
    }
}

/// What a form tells of a field besides what is typed: what was stored when it was shown; and, where it came too late, what is
/// stored by now and the way to take that.
#[component]
fn Stored(field: &'static str, label: &'static str, start: Start, shown: String) -> impl IntoView {
    let common = &text().common;
    let is_taken = RwSignal::new(false);
    let late = start.is_late.then(|| {
        let href = Params::parse(&use_location().search.get_untracked()).toggled(TAKEN, field).here();
        let take = move |event: MouseEvent| {
            event.prevent_default();
            browser::take_stored(field);
            is_taken.set(true);
            browser::focus(&format!("#{field}"));
        };
        let shown = if shown.is_empty() { common.none.to_owned() } else { shown };
        view! {
            <p class="field-hint" id=format!("{field}-stored") data-testid="stored" hidden=move || is_taken.get()>
                {common.stored} " " <strong>{shown}</strong> " "
                <a class="link" href=href data-noscroll="" data-stays="" on:click=take>
                    {common.take_stored} <span class="sr-only">" " {label}</span>
                </a>
            </p>
        }
    });
    let seen = start.is_posted.then(|| {
        view! { <input type="hidden" name=format!("seen[{field}]") value=start.stored /> }
    });
    view! {
        {late}
        {seen}
    }
    .into_any()
}

/// The name of a value.
fn name_of<'a>(value: &str, mut options: impl Iterator<Item = (&'a String, &'a String)>) -> String {
    options.find(|(known, _)| *known == value).map(|(_, name)| name.clone()).unwrap_or_default()
}

fn form_name(field: &str) -> String {
    format!("form[{field}]")
}

fn described(field: &str, hint: bool, start: &Start) -> String {
    let parts = [(hint, "hint"), (start.is_late, "stored"), (true, "error")];
    let ids: Vec<String> =
        parts.iter().filter(|(is_there, _)| *is_there).map(|(_, part)| format!("{field}-{part}")).collect();
    ids.join(" ")
}
