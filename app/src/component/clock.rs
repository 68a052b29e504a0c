//! Moments and running times. The first view uses the server's time, which came with the page; afterwards a second hand goes.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use leptos::prelude::*;
use types::run::Run;

use crate::format::{self, Stamp};
use crate::prefs::TimeStyle;
use crate::visit::visit;

/// The time, as the page knows it.
#[derive(Clone, Copy)]
struct Clock(RwSignal<DateTime<Utc>>);

/// Starts the clock of the page.
pub(crate) fn provide_clock() {
    let start = visit().now;
    let clock = Clock(RwSignal::new(start));
    provide_context(clock);
    Effect::new(move || {
        let began = js_sys::Date::now();
        let tick = move || {
            let passed = (js_sys::Date::now() - began).max(0.0);
            clock.0.set(start + TimeDelta::milliseconds(passed as i64));
        };
        if let Ok(handle) = set_interval_with_handle(tick, Duration::from_secs(1)) {
            on_cleanup(move || handle.clear());
        }
    });
}

/// The time, as the page knows it: the server's at first, then going.
pub(crate) fn now() -> Signal<DateTime<Utc>> {
    use_context::<Clock>().map_or_else(|| Signal::stored(visit().now), |clock| clock.0.into())
}

/// A moment: absolute or relative as the reader prefers, the other on hover.
#[component]
pub(crate) fn Moment(
    /// When.
    at: DateTime<Utc>,
) -> impl IntoView {
    let visit = visit();
    let stamp = Stamp::new(at, &visit.zone);
    let full = format!("{} {}", format::date_time(stamp), visit.zone.name);
    let short = format::day_time(stamp, Stamp::new(visit.now, &visit.zone), visit.lang);
    let (style, lang, now) = (visit.prefs.time, visit.lang, now());
    let text = move || match style {
        TimeStyle::Absolute => short.clone(),
        TimeStyle::Relative => format::relative(at, now.get(), lang),
    };
    view! { <time datetime=format::iso(at) title=full>{text}</time> }.into_any()
}

/// How far away a moment is, whatever the reader prefers: for expiry and resets.
#[component]
pub(crate) fn Away(
    /// When.
    at: DateTime<Utc>,
) -> impl IntoView {
    let visit = visit();
    let full = format!("{} {}", format::date_time(Stamp::new(at, &visit.zone)), visit.zone.name);
    let (lang, now) = (visit.lang, now());
    view! { <time datetime=format::iso(at) title=full>{move || format::relative(at, now.get(), lang)}</time> }
        .into_any()
}

/// How long something has been going on.
#[component]
pub(crate) fn Elapsed(
    /// Since when.
    since: DateTime<Utc>,
) -> impl IntoView {
    let now = now();
    move || {
        let passed = (now.get() - since).num_milliseconds();
        // A running time in milliseconds would only flicker.
        format::duration(u64::try_from(passed).unwrap_or_default() / 1000 * 1000)
    }
}

/// How long a run took, or has been going on.
#[component]
pub(crate) fn RunDuration(
    /// The run.
    run: Run,
) -> impl IntoView {
    match run.duration_ms {
        Some(length) => format::duration(length).into_any(),
        None if run.status.is_final() => view! { <span class="none">"—"</span> }.into_any(),
        None => view! { <Elapsed since=run.started_at /> }.into_any(),
    }
}
