//! The service principals.

use leptos::prelude::*;
use types::access::PrincipalStatus;

use super::principal::{OVER, Peek};
use super::shape::{Shape, listed};
use crate::backend::subjects::PrincipalView;
use crate::component::{PeekCell, StateMark, changes, params, peek_of, peeked, switch_action, told_action, use_frame};
use crate::function::{SetPrincipalStatus, UpdatePrincipal, list_member_names, list_principals};
use crate::page::access::AccessTab;
use crate::query::Params;
use crate::route::At;
use crate::text::text;

/// The service principals.
#[component]
pub(crate) fn Principals() -> impl IntoView {
    let frame = use_frame();
    let params = params();
    let updated = told_action::<UpdatePrincipal>(text().common.saved);
    let slug = frame.slug();
    let switched = switch_action::<SetPrincipalStatus>(
        |principal| principal.status != PrincipalStatus::Disabled,
        move |principal| {
            let status = match principal.status {
                PrincipalStatus::Disabled => PrincipalStatus::Active,
                PrincipalStatus::Active | PrincipalStatus::Orphaned => PrincipalStatus::Disabled,
            };
            let (id, version) = (principal.id, principal.version);
            slug.get_untracked().map(|workspace| SetPrincipalStatus { workspace, id, version, status })
        },
    );
    let (of_update, of_switch) = (changes(updated), changes(switched));
    let after = move || params.with(|params| params.get("after").map(str::to_owned));
    let list = frame.resource(
        move || (after(), of_update.get(), of_switch.get()),
        |slug, (after, ..)| list_principals(slug, after),
    );
    let people = frame.resource(|| (), |slug, ()| list_member_names(slug));
    let subjects = &text().subjects;
    let shape = Shape {
        tab: AccessTab::Principals,
        count: subjects.count_principals,
        empty: (subjects.no_principals, subjects.no_principals_text),
        create: Some(("service_principal.create", At::new_principal, subjects.new_principal)),
    };
    let rows = move |_, items: Vec<PrincipalView>| view! { <Table items=items params=params /> }.into_any();
    view! {
        {listed(frame, list, params, shape, rows)}
        <Peek list=list people=people params=params updated=updated switched=switched />
    }
    .into_any()
}

#[component]
fn Table(items: Vec<PrincipalView>, params: Memo<Params>) -> impl IntoView {
    let text = text();
    let row = move |(index, view): (usize, PrincipalView)| view! { <Row view=view first=index == 0 params=params /> };
    view! {
        <div class="table-wrap">
            <table class="table table--cards" data-testid="principals">
                <caption class="sr-only">{text.subjects.principals}</caption>
                <thead>
                    <tr>
                        <th scope="col">{text.common.status}</th>
                        <th scope="col">{text.common.name}</th>
                        <th scope="col">{text.subjects.role}</th>
                        <th scope="col" data-priority="2">
                            {text.subjects.owner}
                        </th>
                        <th scope="col" class="num" data-priority="2">
                            {text.subjects.keys}
                        </th>
                        <th scope="col">
                            <span class="sr-only">{text.runs.peek}</span>
                        </th>
                    </tr>
                </thead>
                <tbody>{items.into_iter().enumerate().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}

#[component]
fn Row(view: PrincipalView, first: bool, params: Memo<Params>) -> impl IntoView {
    let text = text();
    let PrincipalView { principal, keys } = view;
    let id = principal.id.to_string();
    let peek = peek_of(id.clone(), params, OVER);
    let owner = principal.owner.map(|name| name.to_string());
    view! {
        <tr aria-current=peeked(id, params) data-testid="principal" data-state=principal.status.as_str()>
            <td data-label=text.common.status>
                <PrincipalState status=principal.status />
            </td>
            <td data-label=text.common.name class="cell-main">
                <a class="row-link" href=peek.clone() data-noscroll="">
                    {principal.name.to_string()}
                </a>
            </td>
            <td data-label=text.subjects.role>{(text.word.role)(principal.role)}</td>
            <td data-label=text.subjects.owner data-priority="2">
                {owner.unwrap_or_else(|| crate::format::short_id(&principal.owner_user_id.to_string()))}
            </td>
            <td data-label=text.subjects.keys class="num" data-priority="2">
                {keys.len()}
            </td>
            <PeekCell href=peek first=first params=params />
        </tr>
    }
    .into_any()
}

/// Whether a service principal may act.
#[component]
pub(super) fn PrincipalState(
    /// The state.
    status: PrincipalStatus,
    /// With a soft ground.
    #[prop(optional)]
    chip: bool,
) -> impl IntoView {
    let state = match status {
        PrincipalStatus::Active => "succeeded",
        PrincipalStatus::Disabled => "paused",
        PrincipalStatus::Orphaned => "expired",
    };
    view! { <StateMark state=state label=(text().subjects.status)(status) chip=chip /> }.into_any()
}
