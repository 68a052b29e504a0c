//! The table of members.

use leptos::prelude::*;
use types::identity::UserStatus;
use types::member::Member;

use super::peek::OVER;
use crate::backend::List;
use crate::component::{Moment, Paged, PeekCell, Place, StateMark, peek_of, peeked};
use crate::query::Params;
use crate::text::text;

/// The members.
#[component]
pub(super) fn PeopleList(place: Place, members: List<Member>, params: Memo<Params>) -> impl IntoView {
    let rows = move |members: Vec<Member>| view! { <Table place=place members=members params=params /> }.into_any();
    view! { <Paged list=members params=params.get_untracked() rows=rows /> }.into_any()
}

#[component]
fn Table(place: Place, members: Vec<Member>, params: Memo<Params>) -> impl IntoView {
    let text = text();
    let me = place.shell.me.user.id;
    let row = move |(index, member): (usize, Member)| {
        view! { <Row is_me=member.user_id == me member=member first=index == 0 params=params /> }
    };
    view! {
        <div class="table-wrap">
            <table class="table table--cards" data-testid="members">
                <caption class="sr-only">{text.access.people}</caption>
                <thead>
                    <tr>
                        <th scope="col">{text.common.status}</th>
                        <th scope="col">{text.common.name}</th>
                        <th scope="col">{text.access.role}</th>
                        <th scope="col" data-priority="3">
                            {text.access.tenant_role}
                        </th>
                        <th scope="col" class="num" data-priority="2">
                            {text.access.joined}
                        </th>
                        <th scope="col">
                            <span class="sr-only">{text.runs.peek}</span>
                        </th>
                    </tr>
                </thead>
                <tbody>{members.into_iter().enumerate().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}

#[component]
fn Row(member: Member, is_me: bool, first: bool, params: Memo<Params>) -> impl IntoView {
    let text = text();
    let id = member.user_id.to_string();
    let peek = peek_of(id.clone(), params, OVER);
    view! {
        <tr aria-current=peeked(id, params) data-testid="member">
            <td data-label=text.common.status>
                <AccountState status=member.status />
            </td>
            <td data-label=text.common.name class="cell-main">
                <a class="row-link" href=peek.clone() data-noscroll="">
                    {member.name.to_string()}
                </a>
                {is_me.then(|| view! { " " <span class="chip">{text.access.you}</span> })}
                <span class="cell-sub">{member.email}</span>
            </td>
            <td data-label=text.access.role>{(text.word.role)(member.role)}</td>
            <td data-label=text.access.tenant_role data-priority="3">
                {(text.word.tenant_role)(member.tenant_role)}
            </td>
            <td data-label=text.access.joined class="num" data-priority="2">
                <Moment at=member.joined_at />
            </td>
            <PeekCell href=peek first=first params=params />
        </tr>
    }
    .into_any()
}

/// Whether an account may act.
#[component]
pub(super) fn AccountState(
    /// The state.
    status: UserStatus,
    /// With a soft ground.
    #[prop(optional)]
    chip: bool,
) -> impl IntoView {
    let state = match status {
        UserStatus::Active => "succeeded",
        UserStatus::Closing => "waiting_approval",
        UserStatus::Disabled | UserStatus::Closed => "canceled",
    };
    view! { <StateMark state=state label=(text().word.user_status)(status) chip=chip /> }.into_any()
}
