//! Fields: label, hint, control, and what is wrong, tied together for everyone who reads them.
//!
//! A field finds its form around it. Controls are uncontrolled: what is typed before the page wakes up, or while something reloads, stays.

use leptos::prelude::*;

use super::form::use_form;
use super::{Icon, IconView};
use crate::text::text;

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
    let class = match (mono, digits) {
        (true, _) => "input input--mono",
        (_, true) => "input input--num",
        _ => "input",
    };
    let described = described(field, hint.is_some());
    let invalid = move || wrong.get().map(|_| "true");
    let control = if lines > 1 {
        view! {
            <textarea class=class id=field name=name rows=lines placeholder=placeholder aria-describedby=described aria-invalid=invalid>
                {start}
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
                value=start
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
    view! {
        <Field field=field label=label hint=hint optional=optional wrong=wrong>
            {control}
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
    let (start, wrong) = (form.start(field, value), form.wrong(field));
    let option = move |(value, name): (String, String)| {
        let selected = value == start;
        view! {
            <option value=value selected=selected>
                {name}
            </option>
        }
    };
    view! {
        <Field field=field label=label hint=hint wrong=wrong>
            <span class="select">
                <select id=field name=name aria-describedby=described(field, hint.is_some()) aria-invalid=move || wrong.get().map(|_| "true")>
                    {options.into_iter().map(option).collect_view()}
                </select>
            </span>
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
    let choice = move |(value, title, meaning): (String, String, String)| {
        let checked = value == start;
        view! {
            <label class="choice">
                <input type="radio" name=name.clone() value=value checked=checked />
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
            <FieldError field=field wrong=wrong />
        </div>
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
    let start = if form.was_typed() { !form.start(field, "").is_empty() } else { on };
    view! {
        <div class="field">
            <label class="switch">
                <input type="checkbox" role="switch" id=field name=name checked=start />
                <span>{label} {hint.map(|hint| view! { <small>{hint}</small> })}</span>
            </label>
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

fn form_name(field: &str) -> String {
    format!("form[{field}]")
}

fn described(field: &str, hint: bool) -> String {
    if hint { format!("{field}-hint {field}-error") } else { format!("{field}-error") }
}
