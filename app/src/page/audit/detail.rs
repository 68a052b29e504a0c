//! One row.

use std::collections::BTreeMap;

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use serde_json::Value;
use types::audit::AuditEntry as Entry;
use types::problem::{Code as ProblemCode, Problem};
use types::run::CallerKind;

use super::difference::{Difference, differences};
use super::list::{OutcomeMark, actor};
use crate::backend::audit::AuditDetail;
use crate::component::{Code, Id, Moment, Page, PageHead, Place, Width, use_frame};
use crate::format;
use crate::function::find_audit;
use crate::query::Params;
use crate::route::At;
use crate::text::text;

/// One audit row, by its number.
#[component]
pub(crate) fn AuditEntry() -> impl IntoView {
    let frame = use_frame();
    let path = use_params_map();
    let seq = Memo::new(move |_| path.with(|path| path.get_str("seq").and_then(|text| text.parse::<u64>().ok())));
    let detail = frame.resource(
        move || seq.get(),
        |slug, seq| async move {
            match seq {
                Some(seq) => find_audit(slug, seq).await,
                None => Err(Problem::new(ProblemCode::NotFound, "no such audit row").into()),
            }
        },
    );
    frame.page(detail, move |place, detail| view! { <Shown place=place detail=detail /> })
}

#[component]
fn Shown(place: Place, detail: AuditDetail) -> impl IntoView {
    let (audit, AuditDetail { entry, names }) = (&text().audit, detail);
    let who = actor(&entry, names.get(&entry.actor.id));
    let beside = view! { <OutcomeMark outcome=entry.outcome chip=true /> }.into_any();
    let above = Some((audit.title, place.at.audit()));
    view! {
        <Page width=Width::Detail>
            <PageHead title=entry.event_type.clone() above=above beside=Some(beside) meta=Some((audit.number)(entry.seq).into_any()) />
            <Facts at=place.at entry=entry.clone() who=who names=names />
            <Payload payload=entry.payload />
        </Page>
    }
    .into_any()
}

#[component]
fn Facts(at: At, entry: Entry, who: String, names: BTreeMap<String, String>) -> impl IntoView {
    let audit = &text().audit;
    // Every row alike, over the longest time there is.
    let alike = |name: &str, value: &str| Params::default().with("range", "90d").with(name, value).at(&at.audit());
    let fact = |label: &'static str, value: Option<String>| {
        value.map(|value| {
            view! {
                <dt>{label}</dt>
                <dd>{value}</dd>
            }
        })
    };
    let run = entry.run_id.map(|id| {
        view! {
            <dt>{audit.run}</dt>
            <dd>
                <a class="link" href=at.run(id)>
                    <code class="id">{format::short_id(&id.to_string())}</code>
                </a>
            </dd>
        }
    });
    let view_as = entry.payload.get("view_as").and_then(|role| role.as_str()?.parse().ok()).map(text().word.role);
    let credential = entry.credential_id.clone().map(|id| names.get(&id).cloned().unwrap_or(id));
    // Parts of soit have no id beside their name.
    let title = (entry.actor.kind != CallerKind::System).then(|| entry.actor.id.clone());
    view! {
        <dl class="dl" data-testid="facts">
            <dt>{audit.when}</dt>
            <dd>
                <Moment at=entry.occurred_at />
            </dd>
            <dt>{audit.actor}</dt>
            <dd>
                <a class="link" href=alike("f.actor", &entry.actor.id) title=title>
                    {who}
                </a>
            </dd>
            <dt>{audit.resource}</dt>
            <dd>
                <a class="link" href=alike("f.object", &entry.resource.id)>
                    {(audit.object)(&entry.resource.kind).to_owned()}
                </a>
                " "
                {names.get(&entry.resource.id).map(|name| format!("{name} "))}
                <Id id=entry.resource.id.clone() copy=true />
            </dd>
            <dt>{audit.operation}</dt>
            <dd>
                <a class="link" href=alike("f.action", &entry.operation)>
                    {entry.operation.clone()}
                </a>
            </dd>
            {fact(audit.view_as, view_as.map(str::to_owned))}
            {run}
            {fact(audit.address, entry.address)}
            {fact(audit.credential, credential)}
        </dl>
    }
    .into_any()
}

/// What changed, member by member, and whatever else is told of it.
#[component]
fn Payload(payload: Value) -> impl IntoView {
    let audit = &text().audit;
    let changed = differences(payload.get("before"), payload.get("after"));
    let is_whole = changed.is_none();
    let changed = changed.map(|changed| view! { <Changed changed=changed /> });
    // A table says what differs; the whole is there for who wants the rest.
    let code = (!payload.is_null()).then(|| format::sorted_json(&payload)).map(|code| {
        let code = view! { <Code title=audit.details code=code /> };
        match is_whole {
            true => code.into_any(),
            false => view! {
                <details class="section disclosure">
                    <summary class="btn">{audit.details}</summary>
                    {code}
                </details>
            }
            .into_any(),
        }
    });
    view! { {changed} {code} }.into_any()
}

#[component]
fn Changed(changed: Vec<Difference>) -> impl IntoView {
    let audit = &text().audit;
    if changed.is_empty() {
        return view! { <p class="muted">{audit.unchanged}</p> }.into_any();
    }
    let cell = |label: &'static str, value: Option<String>| {
        let value = value.map_or_else(
            || view! { <span class="none">"—"</span> }.into_any(),
            |value| view! { <code>{value}</code> }.into_any(),
        );
        view! {
            <td class="cell-wide" data-label=label>
                {value}
            </td>
        }
    };
    let row = |Difference { name, before, after }: Difference| {
        view! {
            <tr data-testid="difference">
                <th scope="row" data-label=audit.member>
                    <code>{name}</code>
                </th>
                {cell(audit.before, before)}
                {cell(audit.after, after)}
            </tr>
        }
    };
    view! {
        <div class="table-wrap">
            <table class="table table--cards">
                <caption class="sr-only">{audit.changes}</caption>
                <thead>
                    <tr>
                        <th scope="col">{audit.member}</th>
                        <th scope="col">{audit.before}</th>
                        <th scope="col">{audit.after}</th>
                    </tr>
                </thead>
                <tbody>{changed.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}
