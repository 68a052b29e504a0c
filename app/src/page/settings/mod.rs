//! `/settings/{section}`: one's own account and the workspace.

mod about;
mod account;
mod appearance;
mod holds;
mod profile;
mod retention;
mod scrub;
mod sessions;
mod sso;
mod workspace;

use leptos::prelude::*;
use leptos_router::components::Redirect;
use leptos_router::hooks::use_params_map;

use crate::component::{NotFound, Page, PageHead, Place, use_frame};
use crate::route::{At, Section};
use crate::text::text;

use about::About;
use appearance::Appearance;
use profile::Profile;
use retention::Retention;
use sessions::Sessions;
use workspace::Workspace;

/// `/settings` leads to the first section.
#[component]
pub(crate) fn SettingsRoot() -> impl IntoView {
    view! { <Redirect path=use_frame().at().settings(Section::Profile) /> }.into_any()
}

/// A section of the settings.
#[component]
pub(crate) fn Settings() -> impl IntoView {
    let path = use_params_map();
    let section = Memo::new(move |_| path.with(|path| path.get_str("section").and_then(Section::read)));
    move || match section.get() {
        Some(Section::Profile) => view! { <Profile /> }.into_any(),
        Some(Section::Sessions) => view! { <Sessions /> }.into_any(),
        Some(Section::Appearance) => view! { <Appearance /> }.into_any(),
        Some(Section::Workspace) => view! { <Workspace /> }.into_any(),
        Some(Section::Retention) => view! { <Retention /> }.into_any(),
        Some(Section::About) => view! { <About /> }.into_any(),
        None => view! { <NotFound /> }.into_any(),
    }
}

/// The name of a section.
fn name(section: Section) -> &'static str {
    let [profile, sessions, appearance, workspace, about] = text().settings.section;
    match section {
        Section::Profile => profile,
        Section::Sessions => sessions,
        Section::Appearance => appearance,
        Section::Workspace => workspace,
        Section::Retention => text().retention.title,
        Section::About => about,
    }
}

/// The frame of a section: the list of sections beside it.
#[component]
fn Frame(place: Place, section: Section, children: Children) -> impl IntoView {
    let text = text();
    view! {
        <Page>
            <PageHead title=text.settings.title />
            <div class="settings">
                <Sections at=place.at present=section />
                <div class="stack" data-testid=section.as_str()>
                    <h2>{name(section)}</h2>
                    {children()}
                </div>
            </div>
        </Page>
    }
    .into_any()
}

#[component]
fn Sections(at: At, present: Section) -> impl IntoView {
    let link = |section: Section| {
        view! {
            <a class="settings-link" href=at.settings(section) aria-current=(section == present).then_some("page")>
                {name(section)}
            </a>
        }
    };
    view! {
        <nav class="settings-nav" aria-label=text().settings.sections>
            {Section::ALL.map(link).collect_view()}
        </nav>
    }
    .into_any()
}
