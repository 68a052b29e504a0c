//! How long the workspace keeps what, and what purges did.

use leptos::prelude::*;
use types::retention::{Keep, KeptFor, PurgeCounts, Retention as Times, RetentionClass, RetentionReport};

use super::Frame;
use super::holds::Holds;
use crate::backend::retention::RetentionView;
use crate::component::{
    Empty, Form, FormActions, Icon, Moment, Notice, Place, TextField, Tone, changes, params, told_action, use_frame,
};
use crate::format;
use crate::function::{CreateLegalHold, ReleaseLegalHold, UpdateRetention, find_retention};
use crate::route::Section;
use crate::text::text;

/// How long the workspace keeps what.
#[component]
pub(super) fn Retention() -> impl IntoView {
    let (frame, text, params) = (use_frame(), text(), params());
    let updated = told_action::<UpdateRetention>(text.common.saved);
    let created = told_action::<CreateLegalHold>(text.common.told_created);
    let released = told_action::<ReleaseLegalHold>(text.retention.told_released);
    let (first, second, third) = (changes(updated), changes(created), changes(released));
    let shown = frame.resource(move || (first.get(), second.get(), third.get()), |slug, _| find_retention(slug));
    frame.page(shown, move |place, RetentionView { times, reports, holds }| {
        let holds = holds.map(|holds| {
            view! { <Holds place=place.clone() holds=holds params=params created=created released=released /> }
        });
        view! {
            <Frame place=place.clone() section=Section::Retention>
                <p class="muted">{text.retention.explain}</p>
                <TimesOf place=place times=times action=updated />
                <Reports reports=reports />
                {holds}
            </Frame>
        }
    })
}

#[component]
fn TimesOf(place: Place, times: Times, action: ServerAction<UpdateRetention>) -> impl IntoView {
    let text = text();
    let set = KeptFor {
        content: times.content,
        runs: times.runs,
        costs: times.costs,
        audit: times.audit,
        events: times.events,
    };
    let bound = (times.effective != set).then(|| {
        view! {
            <h3>{text.retention.effective}</h3>
            <Read kept=times.effective />
        }
    });
    let form = if place.may("retention.update") {
        let sends = place.sends([("version", times.version.to_string())]);
        let field = move |class: &RetentionClass| {
            view! {
                <TextField
                    field=class.as_str()
                    label=(text.retention.class)(*class)
                    hint=(text.retention.class_hint)(*class)
                    value=set.of(*class).days().map(|days| days.to_string()).unwrap_or_default()
                    after=text.retention.days
                    optional=true
                    digits=true
                />
            }
        };
        view! {
            <Form action=action sends=sends>
                {RetentionClass::ALL.iter().map(field).collect_view()} <FormActions label=text.common.save />
            </Form>
        }
        .into_any()
    } else {
        view! {
            <Notice tone=Tone::Neutral text=text.settings.read_only />
            <Read kept=set />
        }
        .into_any()
    };
    view! {
        {form}
        {bound}
    }
    .into_any()
}

#[component]
fn Read(kept: KeptFor) -> impl IntoView {
    let retention = &text().retention;
    let line = |class: &RetentionClass| {
        let time = match kept.of(*class) {
            Keep::Forever => retention.for_good.to_owned(),
            Keep::Days(days) => format!("{} {}", format::count(days.into()), retention.days),
        };
        view! {
            <dt>{(retention.class)(*class)}</dt>
            <dd>{time}</dd>
        }
    };
    view! { <dl class="dl">{RetentionClass::ALL.iter().map(line).collect_view()}</dl> }.into_any()
}

#[component]
fn Reports(reports: Vec<RetentionReport>) -> impl IntoView {
    let retention = &text().retention;
    if reports.is_empty() {
        return view! { <Empty icon=Icon::Check title=retention.no_reports text=retention.no_reports_text /> }
            .into_any();
    }
    let row = |report: RetentionReport| {
        view! {
            <tr data-testid="retention-report">
                <td class="cell-main" data-label=retention.began>
                    <Moment at=report.started_at />
                </td>
                <td data-label=retention.ended>{report.finished_at.map(|at| view! { <Moment at=at /> })}</td>
                <td class="cell-wide" data-label=retention.purged>
                    {counts(&report.purged)}
                </td>
            </tr>
        }
    };
    view! {
        <section class="section">
            <header class="section-head">
                <h2>{retention.reports}</h2>
            </header>
            <div class="table-wrap">
                <table class="table table--cards">
                    <caption class="sr-only">{retention.reports}</caption>
                    <thead>
                        <tr>
                            <th scope="col">{retention.began}</th>
                            <th scope="col">{retention.ended}</th>
                            <th scope="col">{retention.purged}</th>
                        </tr>
                    </thead>
                    <tbody>{reports.into_iter().map(row).collect_view()}</tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}

/// How much of what went, in words.
fn counts(purged: &PurgeCounts) -> String {
    let what = text().retention.what;
    let part = |(of, number): (&types::retention::Purged, &u64)| format!("{} {}", format::count(*number), what(*of));
    purged.iter().map(part).collect::<Vec<_>>().join(", ")
}
