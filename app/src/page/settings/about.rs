//! What this installation is.

use leptos::prelude::*;

use super::Frame;
use crate::backend::settings::About as Installation;
use crate::component::{CopyButton, Place, use_frame};
use crate::format;
use crate::function::find_about;
use crate::route::Section;
use crate::text::text;

/// What this installation is.
#[component]
pub(super) fn About() -> impl IntoView {
    let frame = use_frame();
    let about = frame.resource(|| (), |_, ()| find_about());
    frame.page(about, |place, about| view! { <Shown place=place about=about /> })
}

#[component]
fn Shown(place: Place, about: Installation) -> impl IntoView {
    let settings = &text().settings;
    view! {
        <Frame place=place section=Section::About>
            <dl class="dl">
                <dt>{settings.version}</dt>
                <dd>{about.version}</dd>
                <dt>{settings.environment}</dt>
                <dd>
                    <code>{about.environment}</code>
                </dd>
                <dt>{settings.database}</dt>
                <dd>{about.database}</dd>
                <dt>{settings.durability}</dt>
                <dd>
                    <code>{about.durability}</code>
                </dd>
                <dt>{settings.processes}</dt>
                <dd>{format::count(about.processes)}</dd>
                <dt>{settings.console_url}</dt>
                <dd>
                    <code>{about.console_url}</code>
                </dd>
                <dt>{settings.api_url}</dt>
                <dd>
                    <code>{about.api_url.clone()}</code>
                    <CopyButton text_to_copy=about.api_url />
                </dd>
            </dl>
        </Frame>
    }
    .into_any()
}
