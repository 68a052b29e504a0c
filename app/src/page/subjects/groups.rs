//! The groups.

use leptos::prelude::*;

use super::group::{OVER, Peek};
use super::shape::{Shape, listed};
use crate::backend::subjects::GroupView;
use crate::component::{Moment, PeekCell, changes, params, peek_of, peeked, told_action, use_frame};
use crate::function::{DeleteGroup, UpdateGroup, list_groups, list_member_names};
use crate::page::access::AccessTab;
use crate::query::Params;
use crate::route::At;
use crate::text::text;

/// The groups.
#[component]
pub(crate) fn Groups() -> impl IntoView {
    let frame = use_frame();
    let params = params();
    let updated = told_action::<UpdateGroup>(text().common.saved);
    let deleted = told_action::<DeleteGroup>(text().common.told_deleted);
    let (of_update, of_deletion) = (changes(updated), changes(deleted));
    let after = move || params.with(|params| params.get("after").map(str::to_owned));
    let list = frame
        .resource(move || (after(), of_update.get(), of_deletion.get()), |slug, (after, ..)| list_groups(slug, after));
    let people = frame.resource(|| (), |slug, ()| list_member_names(slug));
    let subjects = &text().subjects;
    let shape = Shape {
        tab: AccessTab::Groups,
        count: subjects.count_groups,
        empty: (subjects.no_groups, subjects.no_groups_text),
        create: Some(("group.create", At::new_group, subjects.new_group)),
    };
    let rows = move |_, items: Vec<GroupView>| view! { <Table items=items params=params /> }.into_any();
    view! {
        {listed(frame, list, params, shape, rows)}
        <Peek list=list people=people params=params updated=updated deleted=deleted />
    }
    .into_any()
}

#[component]
fn Table(items: Vec<GroupView>, params: Memo<Params>) -> impl IntoView {
    let text = text();
    let row = move |(index, view): (usize, GroupView)| view! { <Row view=view first=index == 0 params=params /> };
    view! {
        <div class="table-wrap">
            <table class="table table--cards" data-testid="groups">
                <caption class="sr-only">{text.subjects.groups}</caption>
                <thead>
                    <tr>
                        <th scope="col">{text.common.name}</th>
                        <th scope="col">{text.subjects.members}</th>
                        <th scope="col" class="num" data-priority="2">
                            {text.common.created}
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
fn Row(view: GroupView, first: bool, params: Memo<Params>) -> impl IntoView {
    let text = text();
    let GroupView { group, .. } = view;
    let id = group.id.to_string();
    let peek = peek_of(id.clone(), params, OVER);
    view! {
        <tr aria-current=peeked(id, params) data-testid="group">
            <td data-label=text.common.name class="cell-main">
                <a class="row-link" href=peek.clone() data-noscroll="">
                    {group.name.to_string()}
                </a>
            </td>
            <td data-label=text.subjects.members>{(text.subjects.count_members)(group.members.len())}</td>
            <td data-label=text.common.created class="num" data-priority="2">
                <Moment at=group.created_at />
            </td>
            <PeekCell href=peek first=first params=params />
        </tr>
    }
    .into_any()
}
