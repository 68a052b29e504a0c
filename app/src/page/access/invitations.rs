//! The table of invitations.

use leptos::prelude::*;
use types::member::InvitationStatus;

use crate::backend::List;
use crate::backend::access::InvitationView;
use crate::component::{Away, ButtonForm, Empty, FormState, FormSummary, Icon, Look, Paged, Place, StateMark};
use crate::function::RevokeInvitation;
use crate::query::Params;
use crate::text::text;

/// The invitations.
#[component]
pub(super) fn InvitationList(
    place: Place,
    list: List<InvitationView>,
    params: Memo<Params>,
    revoked: ServerAction<RevokeInvitation>,
) -> impl IntoView {
    let access = &text().access;
    if list.total == 0 {
        return view! { <Empty icon=Icon::Access title=access.no_invitations text=access.no_invitations_text /> }
            .into_any();
    }
    let rows = move |items: Vec<InvitationView>| view! { <Table place=place items=items revoked=revoked /> }.into_any();
    view! {
        <FormSummary form=FormState::of(revoked) />
        <Paged list=list params=params.get_untracked() rows=rows />
    }
    .into_any()
}

#[component]
fn Table(place: Place, items: Vec<InvitationView>, revoked: ServerAction<RevokeInvitation>) -> impl IntoView {
    let text = text();
    let row = move |view: InvitationView| view! { <Row place=place.clone() view=view revoked=revoked /> };
    view! {
        <div class="table-wrap">
            <table class="table table--cards" data-testid="invitations">
                <caption class="sr-only">{text.access.invitations}</caption>
                <thead>
                    <tr>
                        <th scope="col">{text.common.status}</th>
                        <th scope="col">{text.access.email}</th>
                        <th scope="col">{text.access.role}</th>
                        <th scope="col" data-priority="2">
                            {text.access.invited_by}
                        </th>
                        <th scope="col" class="num">
                            {text.access.expires}
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
fn Row(place: Place, view: InvitationView, revoked: ServerAction<RevokeInvitation>) -> impl IntoView {
    let text = text();
    let InvitationView { invitation, inviter } = view;
    let waits = invitation.status == InvitationStatus::Pending;
    let revoke = (waits && place.may("invitation.revoke")).then(|| {
        let sends = place.sends([("id", invitation.id.to_string())]);
        view! { <ButtonForm action=revoked sends=sends label=text.access.revoke look=Look::Small /> }
    });
    view! {
        <tr data-testid="invitation" data-state=invitation.status.as_str()>
            <td data-label=text.common.status>
                <InvitationState status=invitation.status />
            </td>
            <td data-label=text.access.email class="cell-main">
                {invitation.email}
            </td>
            <td data-label=text.access.role>{(text.word.role)(invitation.role)}</td>
            <td data-label=text.access.invited_by data-priority="2">
                {inviter.unwrap_or_else(|| crate::format::short_id(&invitation.invited_by.to_string()))}
            </td>
            <td data-label=text.access.expires class="num">
                <Away at=invitation.expires_at />
            </td>
            <td class="cell-actions">{revoke}</td>
        </tr>
    }
    .into_any()
}

/// Where an invitation stands.
#[component]
fn InvitationState(status: InvitationStatus) -> impl IntoView {
    let state = match status {
        InvitationStatus::Pending => "queued",
        InvitationStatus::Accepted => "succeeded",
        InvitationStatus::Expired => "expired",
        InvitationStatus::Revoked => "canceled",
    };
    view! { <StateMark state=state label=(text().word.invitation)(status) /> }.into_any()
}
