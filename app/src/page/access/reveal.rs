//! `/access/invitations/{id}/reveal`: the link of a new invitation, once. As with a key, a POST takes it and a GET only says
//! whether it is still there.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use types::id::InvitationId;
use types::member::Invitation;
use types::name::Slug;
use types::problem::{Code, Problem};

use crate::backend::keys::Reveal;
use crate::component::{Empty, Icon, Page, PageHead, Place, Width, use_frame};
use crate::error::AppError;
use crate::function::take_link;
use crate::text::text;

/// The one reveal.
#[component]
pub(crate) fn InvitationReveal() -> impl IntoView {
    let frame = use_frame();
    let path = use_params_map();
    let id = Memo::new(move |_| {
        path.with(|path| path.get_str("invitation").and_then(|text| text.parse::<InvitationId>().ok()))
    });
    let revealed = frame.resource(move || id.get(), reveal);
    frame.page(revealed, |place, (invitation, link)| {
        view! { <Shown place=place invitation=invitation link=link /> }
    })
}

async fn reveal(slug: Slug, id: Option<InvitationId>) -> Result<(Invitation, Reveal), AppError> {
    let id = id.ok_or_else(|| AppError::from(Problem::new(Code::NotFound, "no such invitation")))?;
    take_link(slug, id).await
}

#[component]
fn Shown(place: Place, invitation: Invitation, link: Reveal) -> impl IntoView {
    let text = text();
    let access = &text.access;
    let list = place.at.invitations();
    let above = (access.title, list.clone());
    let body = match link {
        Reveal::Secret(link) => view! {
            <div class="reveal" data-testid="reveal">
                <p class="reveal-text">{access.reveal}</p>
                <div class="reveal-line">
                    <code class="reveal-value" tabindex="0" data-testid="secret">
                        {link.clone()}
                    </code>
                    <button class="btn" type="button" data-copy=link>
                        {text.common.copy}
                    </button>
                </div>
            </div>
            <div class="form-actions">
                <a class="btn btn--primary" href=list>
                    {access.to_list}
                </a>
            </div>
        }
        .into_any(),
        Reveal::Waiting => view! {
            <Empty icon=Icon::Hidden title=access.link_ready text=access.link_ready_text>
                <form method="post">
                    <button class="btn btn--primary" type="submit" data-testid="show">
                        {access.show_link}
                    </button>
                </form>
            </Empty>
        }
        .into_any(),
        Reveal::Sent => view! {
            <Empty
                icon=Icon::Check
                title=text.account.invitation_sent_title
                text=(text.account.invitation_sent)(&invitation.email)
            >
                <a class="btn" href=list>
                    {access.to_list}
                </a>
            </Empty>
        }
        .into_any(),
        Reveal::Gone => view! {
            <Empty icon=Icon::Hidden title=access.gone text=access.gone_text>
                <a class="btn" href=list>
                    {access.to_list}
                </a>
            </Empty>
        }
        .into_any(),
    };
    view! {
        <Page width=Width::Narrow>
            <PageHead title=(access.reveal_title)(&invitation.email) above=Some(above) />
            {body}
        </Page>
    }
    .into_any()
}
