//! What was given up: tried again, or let go.

use leptos::prelude::*;
use types::outbox::{DeadLetter, DeadLetterQuery};

use super::{Head, View};
use crate::backend::outbox::DeadLetterList;
use crate::component::{
    ButtonForm, Confirm, ConfirmActions, Empty, Form, FormState, FormSummary, Icon, Look, Moment, Notice, Page, Pager,
    Place, TextField, Tone, changes, counted, told_action, use_frame,
};
use crate::format;
use crate::function::{DiscardDeadLetter, RedriveDeadLetter, RedriveDeadLetters, list_dead_letters};
use crate::query::Params;
use crate::text::text;

/// What somebody decides about dead letters.
#[derive(Clone, Copy)]
struct Actions {
    redrive: ServerAction<RedriveDeadLetter>,
    redrive_all: ServerAction<RedriveDeadLetters>,
    discard: ServerAction<DiscardDeadLetter>,
}

/// The dead letters, last given up first.
#[component]
pub(super) fn DeadLetters(params: Memo<Params>) -> impl IntoView {
    let (frame, events) = (use_frame(), &text().events);
    let actions = Actions {
        redrive: told_action(events.told_redriven),
        redrive_all: told_action(events.told_redriven),
        discard: told_action(events.told_discarded),
    };
    let decided = (changes(actions.redrive), changes(actions.redrive_all), changes(actions.discard));
    let after = Memo::new(move |_| params.with(|params| params.get("after").map(str::to_owned)));
    let letters = frame.resource(
        move || (after.get(), decided.0.get(), decided.1.get(), decided.2.get()),
        |slug, (cursor, ..)| list_dead_letters(slug, DeadLetterQuery { cursor, ..DeadLetterQuery::default() }),
    );
    frame.page(letters, move |place, letters| {
        view! { <Shown place=place letters=letters params=params actions=actions /> }
    })
}

#[component]
fn Shown(place: Place, letters: DeadLetterList, params: Memo<Params>, actions: Actions) -> impl IntoView {
    let text = text();
    let DeadLetterList { page, cursor_refused } = letters;
    let present = params.get_untracked().without(&["discard", "redrive"]);
    let may_redrive = place.may("dead_letter.redrive") && !page.items.is_empty();
    let all = present.clone().with("redrive", "all").here();
    let refused =
        cursor_refused.then(|| view! { <Notice tone=Tone::Ask text=(text.common.wrong_parameter)("after") /> });
    let newest =
        (present.get("after").is_some() && !cursor_refused).then(|| present.clone().without(&["after"]).here());
    let older = page.next_cursor.as_ref().map(|cursor| present.clone().with("after", cursor).here());
    let shown = counted(page.items.len());
    let rows = if page.items.is_empty() {
        view! { <Empty icon=Icon::Check title=text.events.no_dead text=text.events.no_dead_text /> }.into_any()
    } else {
        view! {
            <Table place=place.clone() letters=page.items.clone() params=present actions=actions />
            <Pager info=shown newest=newest older=older />
        }
        .into_any()
    };
    view! {
        <Page>
            <Head place=place.clone() view=View::Dead>
                {may_redrive
                    .then(|| {
                        view! {
                            <a class="btn" href=all data-noscroll="">
                                {text.events.redrive_all}
                            </a>
                        }
                    })}
            </Head>
            {refused}
            <FormSummary form=FormState::of(actions.redrive) />
            {rows}
            <Dialog place=place letters=page.items params=params actions=actions />
        </Page>
    }
    .into_any()
}

#[component]
fn Table(place: Place, letters: Vec<DeadLetter>, params: Params, actions: Actions) -> impl IntoView {
    let events = &text().events;
    let row = |letter: DeadLetter| {
        view! { <Row place=place.clone() letter=letter params=params.clone() actions=actions /> }
    };
    view! {
        <div class="table-wrap">
            <table class="table table--cards" data-testid="dead-letters">
                <caption class="sr-only">{events.tab_dead}</caption>
                <thead>
                    <tr>
                        <th scope="col">{events.event}</th>
                        <th scope="col">{events.consumer}</th>
                        <th scope="col" data-priority="3">
                            {events.subject}
                        </th>
                        <th scope="col">{events.error}</th>
                        <th scope="col" class="num" data-priority="2">
                            {events.attempts}
                        </th>
                        <th scope="col" class="num">
                            {events.died}
                        </th>
                        <th scope="col">
                            <span class="sr-only">{events.redrive}</span>
                        </th>
                    </tr>
                </thead>
                <tbody>{letters.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}

#[component]
fn Row(place: Place, letter: DeadLetter, params: Params, actions: Actions) -> impl IntoView {
    let events = &text().events;
    let redrive = place.may("dead_letter.redrive").then(|| {
        let sends = place.sends([("kind", letter.kind.to_string()), ("id", letter.id.clone())]);
        view! { <ButtonForm action=actions.redrive sends=sends label=events.redrive look=Look::Small /> }
    });
    let discard = place.may("dead_letter.discard").then(|| {
        let href = params.with("discard", &letter.id).here();
        view! {
            <a class="btn btn--sm" href=href data-noscroll="">
                {events.discard}
            </a>
        }
    });
    view! {
        <tr data-testid="dead-letter">
            <td class="cell-main" data-label=events.event>
                {letter.event_type}
            </td>
            <td data-label=events.consumer>
                <code>{letter.consumer}</code>
            </td>
            <td data-label=events.subject data-priority="3">
                <code class="id" title=letter.subject.clone()>
                    {format::short_id(&letter.subject)}
                </code>
            </td>
            <td class="cell-wide" data-label=events.error lang="en">
                {letter.error}
            </td>
            <td class="num" data-label=events.attempts data-priority="2">
                {format::count(letter.attempts.into())}
            </td>
            <td class="num" data-label=events.died>
                <Moment at=letter.died_at />
            </td>
            <td class="cell-actions">
                {redrive} {discard}
            </td>
        </tr>
    }
    .into_any()
}

/// The dialog the address asks for.
#[component]
fn Dialog(place: Place, letters: Vec<DeadLetter>, params: Memo<Params>, actions: Actions) -> impl IntoView {
    let told = StoredValue::new((place, letters));
    move || {
        let params = params.get();
        let back = params.clone().without(&["discard", "redrive"]).here();
        let (place, letters) = told.get_value();
        if params.get("redrive").is_some() && place.may("dead_letter.redrive") {
            return Some(view! { <RedriveAll place=place back=back actions=actions /> }.into_any());
        }
        let letter = letters.into_iter().find(|letter| params.get("discard") == Some(letter.id.as_str()))?;
        Some(view! { <Discard place=place letter=letter back=back actions=actions /> }.into_any())
    }
}

#[component]
fn RedriveAll(place: Place, back: String, actions: Actions) -> impl IntoView {
    let events = &text().events;
    view! {
        <Confirm title=events.redrive_question meaning=events.redrive_text>
            <Form action=actions.redrive_all sends=place.sends([])>
                <ConfirmActions back=back label=events.redrive_all />
            </Form>
        </Confirm>
    }
    .into_any()
}

#[component]
fn Discard(place: Place, letter: DeadLetter, back: String, actions: Actions) -> impl IntoView {
    let events = &text().events;
    let sends = place.sends([("kind", letter.kind.to_string()), ("id", letter.id)]);
    view! {
        <Confirm title=(events.discard_question)(&letter.event_type) meaning=events.discard_text>
            <Form action=actions.discard sends=sends>
                <TextField field="reason" label=events.reason hint=events.reason_hint />
                <ConfirmActions back=back label=events.discard danger=true />
            </Form>
        </Confirm>
    }
    .into_any()
}
