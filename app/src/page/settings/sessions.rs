//! Where one is signed in.

use leptos::prelude::*;
use types::identity::{Session, SessionKind};

use super::Frame;
use crate::component::{ButtonForm, FormState, FormSummary, Look, Moment, Place, told_action, use_frame};
use crate::format;
use crate::function::{RevokeOtherSessions, RevokeSession, list_sessions};
use crate::route::Section;
use crate::text::text;

/// Where one is signed in.
#[component]
pub(super) fn Sessions() -> impl IntoView {
    let frame = use_frame();
    let ended = text().common.told_ended;
    let (one, others) = (told_action::<RevokeSession>(ended), told_action::<RevokeOtherSessions>(ended));
    let (one_version, others_version) = (one.version(), others.version());
    let sessions = frame.resource(move || (one_version.get(), others_version.get()), |_, _| list_sessions());
    frame.page(sessions, move |place, sessions| view! { <Shown place=place sessions=sessions one=one others=others /> })
}

#[component]
fn Shown(
    place: Place,
    sessions: Vec<Session>,
    one: ServerAction<RevokeSession>,
    others: ServerAction<RevokeOtherSessions>,
) -> impl IntoView {
    let settings = &text().settings;
    let several = sessions.len() > 1;
    view! {
        <Frame place=place section=Section::Sessions>
            <FormSummary form=FormState::of(one) />
            <FormSummary form=FormState::of(others) />
            <Table sessions=sessions one=one />
            {several
                .then(|| {
                    view! { <ButtonForm action=others label=settings.revoke_others /> }
                })}
        </Frame>
    }
    .into_any()
}

#[component]
fn Table(sessions: Vec<Session>, one: ServerAction<RevokeSession>) -> impl IntoView {
    let settings = &text().settings;
    let row = |session: Session| {
        let kind = match session.kind {
            SessionKind::Console => settings.session_console,
            SessionKind::Api => settings.session_api,
        };
        let end = (!session.current).then(|| {
            let sends = vec![("id", session.id.to_string())];
            view! { <ButtonForm action=one sends=sends label=settings.revoke look=Look::Small /> }
        });
        view! {
            <tr data-testid="session">
                <td class="cell-main" data-label=settings.client>
                    <span title=session.client.clone()>{format::client(&session.client)}</span>
                    {session.current.then(|| view! { " " <span class="chip" data-tone="accent">{settings.this_session}</span> })}
                </td>
                <td data-label=settings.kind>{kind}</td>
                <td data-label=text().second_factor.title data-priority="2">
                    {(settings.level)(session.mfa)}
                </td>
                <td data-label=settings.address data-priority="2">
                    {session.address}
                </td>
                <td class="num" data-label=settings.signed_in data-priority="2">
                    <Moment at=session.created_at />
                </td>
                <td class="num" data-label=settings.last_seen>
                    <Moment at=session.last_seen_at />
                </td>
                <td class="cell-actions">{end}</td>
            </tr>
        }
    };
    view! {
        <div class="table-wrap">
            <table class="table table--cards" data-testid="sessions-table">
                <caption class="sr-only">{super::name(Section::Sessions)}</caption>
                <thead>
                    <tr>
                        <th scope="col">{settings.client}</th>
                        <th scope="col">{settings.kind}</th>
                        <th scope="col" data-priority="2">
                            {text().second_factor.title}
                        </th>
                        <th scope="col" data-priority="2">
                            {settings.address}
                        </th>
                        <th scope="col" class="num" data-priority="2">
                            {settings.signed_in}
                        </th>
                        <th scope="col" class="num">
                            {settings.last_seen}
                        </th>
                        <th scope="col">
                            <span class="sr-only">{settings.revoke}</span>
                        </th>
                    </tr>
                </thead>
                <tbody>{sessions.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}
