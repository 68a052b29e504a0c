//! Theme, density, language, zone, times, shortcuts: a plain form, answered with a cookie and a redirect.

use leptos::prelude::*;

use super::Frame;
use crate::component::{ChoiceField, Place, SelectField, TextField, use_frame};
use crate::prefs::{Density, Lang, Theme, TimeStyle};
use crate::route::{self, Section};
use crate::text::text;
use crate::visit::visit;

/// Zones offered by name; any other can be typed.
const ZONES: &[&str] = &[
    "UTC",
    "America/Los_Angeles",
    "America/Denver",
    "America/Chicago",
    "America/New_York",
    "America/Sao_Paulo",
    "Europe/London",
    "Europe/Berlin",
    "Europe/Helsinki",
    "Africa/Lagos",
    "Asia/Dubai",
    "Asia/Kolkata",
    "Asia/Shanghai",
    "Asia/Singapore",
    "Asia/Tokyo",
    "Australia/Sydney",
];

/// How the console looks.
#[component]
pub(super) fn Appearance() -> impl IntoView {
    let frame = use_frame();
    let nothing = frame.resource(|| (), |_, ()| async { Ok(()) });
    frame.page(nothing, |place, ()| view! { <Shown place=place /> })
}

#[component]
fn Shown(place: Place) -> impl IntoView {
    let text = text();
    let visit = visit();
    let (prefs, lang) = (visit.prefs.clone(), visit.lang);
    let choice = |word: &str, [title, meaning]: [&str; 2]| (word.to_owned(), title.to_owned(), meaning.to_owned());
    let [system, light, dark] = text.settings.theme_meaning;
    let themes = vec![
        choice(Theme::System.as_str(), [text.shell.system, system]),
        choice(Theme::Light.as_str(), [text.shell.light, light]),
        choice(Theme::Dark.as_str(), [text.shell.dark, dark]),
    ];
    let densities = vec![
        choice(Density::Comfortable.as_str(), text.settings.comfortable),
        choice(Density::Compact.as_str(), text.settings.compact),
    ];
    let times = vec![
        choice(TimeStyle::Absolute.as_str(), text.settings.absolute),
        choice(TimeStyle::Relative.as_str(), text.settings.relative),
    ];
    // Each language is called by its own name.
    let languages = [(Lang::En, "English"), (Lang::ZhCn, "简体中文")]
        .map(|(lang, name)| (lang.as_str().to_owned(), name.to_owned()));
    let shortcuts = [("on", text.settings.shortcuts_on), ("off", text.settings.shortcuts_off)];
    let shortcuts = shortcuts.map(|(word, name)| (word.to_owned(), name.to_owned()));
    let keys = if prefs.shortcuts_off { "off" } else { "on" };
    let here = place.at.settings(Section::Appearance);
    let zone = prefs.zone.clone().unwrap_or_else(|| visit.zone.name.clone());
    view! {
        <Frame place=place section=Section::Appearance>
            <form class="form" method="post" action=route::PREFS_POST data-testid="prefs">
                <p class="field-hint">{text.settings.appearance_hint}</p>
                <input type="hidden" name="next" value=here />
                <ChoiceField field="theme" name="theme" label=text.settings.theme value=prefs.theme.as_str() options=themes />
                <ChoiceField
                    field="density"
                    name="density"
                    label=text.settings.density
                    value=prefs.density.as_str()
                    options=densities
                />
                <ChoiceField field="time" name="time" label=text.settings.time value=prefs.time.as_str() options=times />
                <div class="field-row">
                    <SelectField
                        field="lang"
                        name="lang"
                        label=text.settings.language
                        value=lang.as_str()
                        options=languages.into()
                    />
                    <SelectField field="keys" name="keys" label=text.shell.shortcuts value=keys options=shortcuts.into() />
                </div>
                <TextField field="tz" name="tz" label=text.settings.zone hint=text.settings.zone_hint value=zone list="zones" />
                <datalist id="zones">{ZONES.iter().map(|zone| view! { <option value=*zone></option> }).collect_view()}</datalist>
                <div class="form-actions">
                    <button class="btn btn--primary" type="submit" data-testid="submit">
                        {text.common.save}
                    </button>
                </div>
            </form>
        </Frame>
    }
    .into_any()
}
