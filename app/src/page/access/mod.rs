//! `/access`: who belongs in one tab, who is asked to in the other; `/access/new` and the one reveal of a link.

mod create;
mod invitations;
mod peek;
mod people;
mod reveal;
mod view_as;

use leptos::prelude::*;

use crate::component::{Page, PageHead, Place, Tab, Tabs, changes, params, told_action, use_frame};
use crate::function::{RemoveMember, RevokeInvitation, UpdateMember, list_invitations, list_members};
use crate::text::text;

pub(crate) use create::NewInvitation;
use invitations::InvitationList;
use peek::Peek;
use people::PeopleList;
pub(crate) use reveal::InvitationReveal;
use view_as::ViewAs;

/// Members and invitations.
#[component]
pub(crate) fn Access() -> impl IntoView {
    let frame = use_frame();
    let params = params();
    let is_invitations = Memo::new(move |_| params.with(|params| params.get("tab") == Some("invitations")));
    let updated = told_action::<UpdateMember>(text().access.told_role);
    let removed = told_action::<RemoveMember>(text().access.told_removed);
    let revoked = told_action::<RevokeInvitation>(text().access.told_revoked);
    let (of_role, of_removal, of_revocation) = (changes(updated), changes(removed), changes(revoked));
    let after = move |of_invitations: bool| {
        let cursor = params.with(|params| params.get("after").map(str::to_owned));
        cursor.filter(|_| is_invitations.get() == of_invitations)
    };
    let members = frame.resource(
        move || (after(false), of_role.get(), of_removal.get()),
        |slug, (after, ..)| list_members(slug, after),
    );
    // Who may not see the invitations is not told so before they look.
    let invitations = frame.resource(
        move || (is_invitations.get(), after(true), of_revocation.get()),
        |slug, (shown, after, _)| async move {
            if shown { list_invitations(slug, after).await.map(Some) } else { Ok(None) }
        },
    );
    view! {
        {move || {
            if is_invitations.get() {
                frame.page(invitations, move |place, invitations| {
                    view! {
                        <Page>
                            <Head place=place.clone() meta=None tab=AccessTab::Invitations />
                            {invitations
                                .map(|list| view! { <InvitationList place=place list=list params=params revoked=revoked /> })}
                        </Page>
                    }
                })
            } else {
                frame.page(members, move |place, members| {
                    let meta = (text().access.count)(members.total);
                    view! {
                        <Page>
                            <Head place=place.clone() meta=Some(meta) tab=AccessTab::People />
                            <PeopleList place=place members=members params=params />
                        </Page>
                    }
                })
            }
        }}
        <Peek members=members params=params updated=updated removed=removed />
    }
    .into_any()
}

/// The lists of this page and of those beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessTab {
    People,
    Invitations,
    Principals,
    Groups,
    Grants,
}

/// The title with the tabs, and what one may make in the list that is shown.
#[component]
pub(crate) fn Head(place: Place, meta: Option<String>, tab: AccessTab) -> impl IntoView {
    let (access, subjects) = (&text().access, &text().subjects);
    let at = &place.at;
    let entry = |label: &'static str, href: String, of: AccessTab| Tab { label, href, current: of == tab, count: None };
    let mut tabs = vec![entry(access.people, at.access(), AccessTab::People)];
    if place.may("invitation.list") || tab == AccessTab::Invitations {
        tabs.push(entry(access.invitations, at.invitations(), AccessTab::Invitations));
    }
    tabs.push(entry(subjects.principals, at.principals(), AccessTab::Principals));
    tabs.push(entry(subjects.groups, at.groups(), AccessTab::Groups));
    tabs.push(entry(subjects.grants, at.grants(), AccessTab::Grants));
    let (action, href, label) = match tab {
        AccessTab::People | AccessTab::Invitations => ("invitation.create", at.new_invitation(), access.invite),
        AccessTab::Principals => ("service_principal.create", at.new_principal(), subjects.new_principal),
        AccessTab::Groups => ("group.create", at.new_group(), subjects.new_group),
        AccessTab::Grants => ("grant.create", at.new_grant(), subjects.new_grant),
    };
    let create = place.may(action).then(|| {
        view! {
            <a class="btn btn--primary" href=href data-shortcut="c">
                {label}
            </a>
        }
    });
    let view_as = (tab == AccessTab::People).then(|| view! { <ViewAs place=place.clone() /> });
    view! {
        <PageHead title=access.title meta=meta.map(IntoAny::into_any)>
            {view_as}
            {create}
        </PageHead>
        <Tabs label=access.title tabs=tabs />
    }
    .into_any()
}
