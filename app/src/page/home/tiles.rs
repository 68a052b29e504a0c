//! The figures of the range, each against the range before.

use leptos::prelude::*;
use types::money::Money;
use types::observe::{Overview, Window};
use types::run::RunStatus;

use crate::component::MoneyList;
use crate::format;
use crate::query::{Params, Range};
use crate::route::At;
use crate::text::text;

/// The figures of the range.
#[component]
pub(super) fn Tiles(at: At, overview: Overview, range: Range) -> impl IntoView {
    let texts = text();
    let home = &texts.home;
    let Overview { now, previous, active, .. } = overview;
    let runs = |status: Option<RunStatus>| {
        let params = range.write(Params::default());
        status.map_or(params.clone(), |status| params.with("f.status", status.as_str())).at(&at.runs())
    };
    let span = match range {
        Range::Last(span) => (texts.common.span)(span.parts()),
        Range::Between { .. } => String::new(),
    };
    let versus = (!span.is_empty()).then(|| (home.versus)(&span));
    let rate = format::percent(now.failed, now.runs);
    let median = now.p50_ms.map(|time| (home.median)(&format::duration(time)));
    let delta = |now: u64, before: u64, good: Option<bool>| {
        view! { <Delta now=now before=before good=good versus=versus.clone() /> }
    };
    let runs_note = delta(now.runs, previous.runs, None);
    let spend_line =
        view! { {spend_note(&now)} " " {charges(&now, &previous).map(|(now, before)| delta(now, before, None))} };
    let p95_note =
        view! { {median} " " {now.p95_ms.zip(previous.p95_ms).map(|(now, before)| delta(now, before, Some(false)))} };
    let refused_note = view! { {home.refused_note} " " {delta(now.refused, previous.refused, Some(false))} };
    let failed_note = view! { {(home.failed_runs)(&format::count(now.failed))} " " <RateDelta now=now.clone() before=previous.clone() /> };
    view! {
        <div class="tiles" data-testid="tiles">
            <Tile label=home.active href=runs(Some(RunStatus::Running)) value=format::count(active).into_any() note=home.active_note.into_any() />
            <Tile label=home.runs href=runs(None) value=format::count(now.runs).into_any() note=runs_note.into_any() />
            <Tile
                label=home.failure_rate
                href=runs(Some(RunStatus::Failed))
                value=or_unknown(rate, home.no_ended_runs)
                note=failed_note.into_any()
            />
            <Tile label=home.refused href=runs(Some(RunStatus::Failed)) value=format::count(now.refused).into_any() note=refused_note.into_any() />
            <Tile label=home.spend href=runs(None) value=spend(&now) note=spend_line.into_any() />
            <Tile label=home.p95 href=runs(None) value=or_unknown(now.p95_ms.map(at_most), home.no_ended_runs) note=p95_note.into_any() />
        </div>
    }
    .into_any()
}

/// A time that is counted by classes: the longest of its class.
fn at_most(millis: u64) -> AnyView {
    view! {
        <span class="est" title=text().home.at_most>
            {format::duration(millis)}
        </span>
    }
    .into_any()
}

/// What was charged in the money that most was charged in, now and before; nothing where it was not charged in both.
fn charges(now: &Window, before: &Window) -> Option<(u64, u64)> {
    let nanos = |money: &Money| u64::try_from(money.amount.nanos()).ok();
    let first = now.cost.first()?;
    let same = before.cost.iter().find(|money| money.currency == first.currency)?;
    Some((nanos(first)?, nanos(same)?))
}

fn or_unknown(value: Option<impl IntoAny>, reason: &'static str) -> AnyView {
    match value {
        Some(value) => value.into_any(),
        None => view! { <span class="none" title=reason>"—"</span> }.into_any(),
    }
}

/// The charges of the currency with the most of them; the others stand beneath.
fn spend(window: &Window) -> AnyView {
    let first = window.cost.iter().take(1).copied().collect();
    let unpriced = if window.cost.is_empty() { window.unpriced } else { 0 };
    let estimated = window.estimated > 0;
    view! { <MoneyList amounts=first unpriced=unpriced estimated=estimated /> }.into_any()
}

fn spend_note(window: &Window) -> AnyView {
    let others = window.cost.iter().skip(1).map(|money| format::amount(*money));
    let unpriced = (window.unpriced > 0).then(|| (text().common.unpriced)(window.unpriced));
    others.chain(unpriced).collect::<Vec<_>>().join(" · ").into_any()
}

#[component]
fn Tile(label: &'static str, href: String, value: AnyView, note: AnyView) -> impl IntoView {
    view! {
        <a class="tile" href=href data-testid="tile">
            <span class="tile-label">{label}</span>
            <span class="tile-value">{value}</span>
            <span class="tile-note">{note}</span>
        </a>
    }
    .into_any()
}

/// The change of a count in percent; nothing where there was nothing to compare with.
#[component]
fn Delta(now: u64, before: u64, good: Option<bool>, versus: Option<String>) -> impl IntoView {
    let versus = versus?;
    let change = change(now, before)?;
    let good = good.map(|good| (good == (now >= before)).to_string());
    Some(view! {
        <span class="delta" data-trend=trend(now.cmp(&before)) data-good=good>
            {change}
        </span>
        " "
        {versus}
    })
}

/// The change of the failure rate, in points: less is better.
#[component]
fn RateDelta(now: Window, before: Window) -> impl IntoView {
    if now.runs == 0 || before.runs == 0 {
        return None;
    }
    // Tenths of a percent, exactly enough for a point.
    let tenths = |window: &Window| i128::from(window.failed) * 1000 / i128::from(window.runs);
    let (now, before) = (tenths(&now), tenths(&before));
    let difference = now - before;
    let sign = if difference < 0 { "−" } else { "+" };
    let size = difference.unsigned_abs();
    (difference != 0).then(|| {
        view! {
            <span class="delta" data-trend=trend(now.cmp(&before)) data-good=(difference < 0).to_string()>
                {format!("{sign}{}.{}", size / 10, size % 10)}
            </span>
        }
    })
}

const fn trend(order: std::cmp::Ordering) -> &'static str {
    match order {
        std::cmp::Ordering::Less => "down",
        std::cmp::Ordering::Equal => "flat",
        std::cmp::Ordering::Greater => "up",
    }
}

/// `+8 %`, `−50 %`; none where there was nothing before.
fn change(now: u64, before: u64) -> Option<String> {
    if before == 0 {
        return None;
    }
    let (now, before) = (i128::from(now), i128::from(before));
    let percent = (now - before) * 100 / before;
    let sign = match percent {
        0 => "±",
        1.. => "+",
        _ => "−",
    };
    Some(format!("{sign}{} %", format::count(u64::try_from(percent.unsigned_abs()).unwrap_or(u64::MAX))))
}

#[cfg(test)]
mod tests {
    use super::change;

    #[test]
    fn a_change_is_signed_and_needs_something_to_compare_with() {
        for (now, before, text) in
            [(108, 100, Some("+8 %")), (50, 100, Some("−50 %")), (100, 100, Some("±0 %")), (5, 0, None)]
        {
            assert_eq!(change(now, before).as_deref(), text);
        }
    }
}
