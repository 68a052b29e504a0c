//! Legal holds: placed, listed, released.

use leptos::prelude::*;
use types::retention::{HoldFilter, LegalHold};

use crate::component::{Confirm, ConfirmActions, Form, FormActions, Look, Moment, Place, StateMark, TextField};
use crate::form::day;
use crate::function::{CreateLegalHold, ReleaseLegalHold};
use crate::query::Params;
use crate::text::text;

/// The parameter that asks for the dialog.
const RELEASE: &str = "release";

/// The holds, the form of a new one, and the dialog that releases one.
#[component]
pub(super) fn Holds(
    place: Place,
    holds: Vec<LegalHold>,
    params: Memo<Params>,
    created: ServerAction<CreateLegalHold>,
    released: ServerAction<ReleaseLegalHold>,
) -> impl IntoView {
    let retention = &text().retention;
    let list = if holds.is_empty() {
        view! { <p class="muted">{retention.no_holds}</p> }.into_any()
    } else {
        view! { <Table place=place.clone() holds=holds.clone() params=params.get_untracked() /> }.into_any()
    };
    let create = place.may("legal_hold.create").then(|| view! { <New place=place.clone() action=created /> });
    view! {
        <section class="section" data-testid="legal-holds">
            <header class="section-head">
                <h2>{retention.holds}</h2>
            </header>
            <p class="muted">{retention.holds_text}</p>
            {list}
            {create}
        </section>
        <Dialog place=place holds=holds params=params action=released />
    }
    .into_any()
}

#[component]
fn Table(place: Place, holds: Vec<LegalHold>, params: Params) -> impl IntoView {
    let text = text();
    let retention = &text.retention;
    let row = |hold: LegalHold| {
        let (state, label) = match hold.released_at {
            None => ("running", retention.holding),
            Some(_) => ("canceled", retention.released),
        };
        let release = (hold.released_at.is_none() && place.may("legal_hold.release")).then(|| {
            let href = params.clone().with(RELEASE, &hold.id.to_string()).here();
            view! {
                <a class="btn btn--sm" href=href data-noscroll="">
                    {retention.release}
                </a>
            }
        });
        view! {
            <tr data-testid="legal-hold">
                <td data-label=text.common.status>
                    <StateMark state=state label=label />
                </td>
                <td class="cell-main" data-label=text.common.name>
                    {hold.name.to_string()}
                </td>
                <td data-label=retention.filter>{told(&hold.filter)}</td>
                <td class="cell-wide" data-label=retention.reason>
                    {hold.release_reason.unwrap_or(hold.reason)}
                </td>
                <td class="num" data-label=text.common.created data-priority="2">
                    <Moment at=hold.created_at />
                </td>
                <td class="cell-actions">{release}</td>
            </tr>
        }
    };
    view! {
        <div class="table-wrap">
            <table class="table table--cards">
                <caption class="sr-only">{retention.holds}</caption>
                <thead>
                    <tr>
                        <th scope="col">{text.common.status}</th>
                        <th scope="col">{text.common.name}</th>
                        <th scope="col">{retention.filter}</th>
                        <th scope="col">{retention.reason}</th>
                        <th scope="col" class="num" data-priority="2">
                            {text.common.created}
                        </th>
                        <th scope="col">
                            <span class="sr-only">{retention.release}</span>
                        </th>
                    </tr>
                </thead>
                <tbody>{holds.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// What a hold holds, in words.
fn told(filter: &HoldFilter) -> String {
    let retention = &text().retention;
    let runs = (!filter.run_ids.is_empty()).then(|| (retention.runs_named)(filter.run_ids.len()));
    let caller = filter.caller_id.as_ref().map(|id| format!("{} {id}", retention.caller));
    let from = filter.from.map(|at| format!("{} {}", retention.from, day(at)));
    let to = filter.to.map(|at| format!("{} {}", retention.to, day(at)));
    [runs, caller, from, to].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[component]
fn New(place: Place, action: ServerAction<CreateLegalHold>) -> impl IntoView {
    let text = text();
    let retention = &text.retention;
    view! {
        <Form action=action sends=place.sends([])>
            <TextField field="name" label=text.common.name />
            <TextField field="reason" label=retention.reason hint=retention.reason_hint />
            <TextField
                field="run_ids"
                label=retention.run_ids
                hint=retention.run_ids_hint
                lines=3
                optional=true
                mono=true
            />
            <TextField field="caller_id" label=retention.caller hint=retention.caller_hint optional=true mono=true />
            <div class="field-row">
                <TextField field="from" label=retention.from hint=retention.day_hint optional=true mono=true />
                <TextField field="to" label=retention.to hint=retention.day_hint optional=true mono=true />
            </div>
            <FormActions label=retention.create look=Look::Plain />
        </Form>
    }
    .into_any()
}

/// The dialog the address asks for.
#[component]
fn Dialog(
    place: Place,
    holds: Vec<LegalHold>,
    params: Memo<Params>,
    action: ServerAction<ReleaseLegalHold>,
) -> impl IntoView {
    let told = StoredValue::new((place, holds));
    move || {
        let params = params.get();
        let back = params.clone().without(&[RELEASE]).here();
        let (place, holds) = told.get_value();
        let asked = params.get(RELEASE)?.to_owned();
        let hold = holds.into_iter().find(|hold| hold.id.to_string() == asked && hold.released_at.is_none())?;
        place.may("legal_hold.release").then(|| {
            let retention = &text().retention;
            let sends = place.sends([("id", asked)]);
            view! {
                <Confirm title=(retention.release_question)(hold.name.as_str()) meaning=retention.release_text>
                    <Form action=action sends=sends>
                        <TextField field="release_reason" label=retention.reason hint=retention.reason_hint />
                        <ConfirmActions back=back label=retention.release danger=true />
                    </Form>
                </Confirm>
            }
            .into_any()
        })
    }
}
