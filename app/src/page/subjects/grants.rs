//! The grants.

use leptos::prelude::*;
use types::access::GrantSubject;

use super::shape::{Shape, listed};
use crate::backend::subjects::GrantView;
use crate::component::{
    Away, ButtonForm, FormState, FormSummary, Look, Place, changes, params, told_action, use_frame,
};
use crate::function::{RevokeGrant, list_grants};
use crate::page::access::AccessTab;
use crate::text::text;

/// The grants.
#[component]
pub(crate) fn Grants() -> impl IntoView {
    let frame = use_frame();
    let params = params();
    let revoked = told_action::<RevokeGrant>(text().subjects.told_revoked);
    let of_revocation = changes(revoked);
    let after = move || params.with(|params| params.get("after").map(str::to_owned));
    let list = frame.resource(move || (after(), of_revocation.get()), |slug, (after, _)| list_grants(slug, after));
    let subjects = &text().subjects;
    let shape = Shape {
        tab: AccessTab::Grants,
        count: subjects.count_grants,
        empty: (subjects.no_grants, subjects.no_grants_text),
        create: None,
    };
    listed(frame, list, params, shape, move |place, items| {
        view! {
            <FormSummary form=FormState::of(revoked) />
            <Table place=place items=items revoked=revoked />
        }
        .into_any()
    })
}

#[component]
fn Table(place: Place, items: Vec<GrantView>, revoked: ServerAction<RevokeGrant>) -> impl IntoView {
    let text = text();
    let row = move |view: GrantView| view! { <Row place=place.clone() view=view revoked=revoked /> };
    view! {
        <div class="table-wrap">
            <table class="table table--cards" data-testid="grants">
                <caption class="sr-only">{text.subjects.grants}</caption>
                <thead>
                    <tr>
                        <th scope="col">{text.subjects.subject}</th>
                        <th scope="col">{text.subjects.allows}</th>
                        <th scope="col">{text.subjects.resource}</th>
                        <th scope="col" data-priority="2">
                            {text.subjects.granted_by}
                        </th>
                        <th scope="col" class="num">
                            {text.subjects.ends}
                        </th>
                        <th scope="col">
                            <span class="sr-only">{text.common.edit}</span>
                        </th>
                    </tr>
                </thead>
                <tbody>{items.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}

#[component]
fn Row(place: Place, view: GrantView, revoked: ServerAction<RevokeGrant>) -> impl IntoView {
    let text = text();
    let GrantView { grant, subject, resource, granted_by } = view;
    let kind = match grant.subject {
        GrantSubject::User(_) => text.subjects.person,
        GrantSubject::Group(_) => text.subjects.group,
        GrantSubject::Principal(_) => text.subjects.principal,
    };
    let actions: Vec<&str> = grant.actions.iter().map(|action| (text.subjects.action)(*action)).collect();
    // Whoever may grant on their own things alone takes back what they gave.
    let is_own = grant.granted_by == place.shell.me.user.id || place.may("member.add");
    let revoke = (is_own && place.may("grant.delete")).then(|| {
        let sends = place.sends([("id", grant.id.to_string())]);
        view! { <ButtonForm action=revoked sends=sends label=text.subjects.revoke look=Look::Small /> }
    });
    let short = |id: &str| crate::format::short_id(id);
    view! {
        <tr data-testid="grant">
            <td data-label=text.subjects.subject class="cell-main">
                {subject.unwrap_or_else(|| short(&grant.subject.to_string()))}
                <span class="cell-sub">{kind}</span>
            </td>
            <td data-label=text.subjects.allows>{actions.join(", ")}</td>
            <td data-label=text.subjects.resource>
                <code class="id">{resource.unwrap_or_else(|| short(&grant.resource_id))}</code>
            </td>
            <td data-label=text.subjects.granted_by data-priority="2">
                {granted_by.unwrap_or_else(|| short(&grant.granted_by.to_string()))}
            </td>
            <td data-label=text.subjects.ends class="num">
                {grant
                    .expires_at
                    .map_or_else(|| text.subjects.never.into_any(), |at| view! { <Away at=at /> }.into_any())}
            </td>
            <td class="cell-actions">{revoke}</td>
        </tr>
    }
    .into_any()
}
