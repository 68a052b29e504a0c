//! The outcome chart: own SVG, drawn on the server, each bucket a link to its runs.

use chrono::{DateTime, TimeDelta, Utc};
use leptos::ev::PointerEvent;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use types::observe::Bucket;

use crate::format::{self, Stamp};
use crate::query::{Params, Range};
use crate::text::text;
use crate::visit::visit;

/// Most labels under the axis.
const LABELS: usize = 7;
/// Distances of labels in seconds: five minutes to four weeks.
const STEPS: [i64; 14] =
    [300, 600, 900, 1800, 3600, 7200, 10_800, 14_400, 21_600, 43_200, 86_400, 172_800, 604_800, 2_419_200];
/// A label that begins further right would leave the picture, in percent.
const LAST_LABEL: f64 = 90.0;
/// Space between two bars, in parts of one.
const GAP: f64 = 0.28;

/// Runs by outcome over time.
#[component]
pub(crate) fn OutcomeChart(
    /// One entry a bar, oldest first, of equal length.
    buckets: Vec<Bucket>,
    /// End of the last bucket.
    to: DateTime<Utc>,
    /// The runs list, which bars lead to.
    runs: String,
    /// The page whose range a stretch dragged over becomes.
    page: String,
    /// Distinguishes the chart's patterns from those of another one on the page.
    id: &'static str,
    /// The bars dragged over. Of the page: new figures draw the chart anew, and the pointer goes on.
    dragged: Dragged,
) -> impl IntoView {
    let home = &text().home;
    let stretch = Stretch::of(&buckets, to, page, dragged);
    let visit = visit();
    let scale = Scale::of(buckets.iter().map(total).max().unwrap_or_default());
    let width = 100.0 / f64::from(u32::try_from(buckets.len().max(1)).unwrap_or(u32::MAX));
    let span = buckets.first().map_or(TimeDelta::zero(), |bucket| to - bucket.start);
    let label = |at: DateTime<Utc>| format::within_day(Stamp::new(at, &visit.zone), span, visit.lang);
    let at = |index: usize| width * f64::from(u32::try_from(index).unwrap_or(u32::MAX));

    let open = buckets.len().saturating_sub(1);
    let bars = buckets
        .iter()
        .enumerate()
        .map(|(index, bucket)| bar(bucket, at(index), width, &scale, (index == open).then_some(id)));
    let starts: Vec<Stamp> = buckets.iter().map(|bucket| Stamp::new(bucket.start, &visit.zone)).collect();
    let labels = labelled(&starts, span).into_iter().filter(|index| at(*index) < LAST_LABEL).filter_map(|index| {
        let bucket = buckets.get(index)?;
        Some(view! {
            <text x=percent(at(index)) y="100%" dy="18" text-anchor="start">
                {label(bucket.start)}
            </text>
        })
    });
    let slices = buckets.iter().zip(addresses(&buckets, to, &runs)).enumerate().map(|(index, (bucket, href))| {
        let name = (home.bucket)(&label(bucket.start), total(bucket), bucket.failed, bucket.refused);
        view! {
            <a
                href=href
                tabindex="-1"
                title=name
                style=format!("--from: {:.3}; --size: {width:.3}", at(index))
                draggable="false"
                data-selected=move || stretch.has(index).then_some("")
                on:pointerdown=move |event| stretch.begin(&event, index)
                on:pointerenter=move |_| stretch.reach(index)
            ></a>
        }
    });
    let sum: u64 = buckets.iter().map(total).sum();
    let high = buckets.iter().map(total).max().unwrap_or_default();
    let sentence = (home.chart)(sum, high, buckets.last().map(total).unwrap_or_default());
    view! {
        <div class="chart-frame" data-testid="chart">
            <svg class="chart-plot" role="img" aria-label=sentence>
                <Hatch id=id />
                <g class="chart-grid">{scale.lines()} {labels.collect_view()}</g>
                {bars.collect_view()}
            </svg>
            // For the pointer alone, as wide as a bar: the rows of the table are the same links for everyone.
            <div
                class="chart-slices"
                aria-hidden="true"
                on:pointerup=move |_| stretch.end()
                on:pointerleave=move |_| stretch.let_go()
            >
                {slices.collect_view()}
            </div>
        </div>
    }
    .into_any()
}

/// The first and the present bar, while the pointer is dragged over some.
pub(crate) type Dragged = RwSignal<Option<(usize, usize)>>;

/// The bars that the pointer is dragged over. A click on one bar is none.
#[derive(Clone, Copy)]
struct Stretch {
    bars: Dragged,
    /// Where bars begin, and where the last one ends.
    edges: StoredValue<Vec<DateTime<Utc>>>,
    go: StoredValue<Box<dyn Fn(Range) + Send + Sync>>,
}

impl Stretch {
    fn of(buckets: &[Bucket], to: DateTime<Utc>, page: String, bars: Dragged) -> Self {
        let edges = buckets.iter().map(|bucket| bucket.start).chain([to]).collect();
        let navigate = use_navigate();
        let go = move |range: Range| navigate(&range.write(Params::default()).at(&page), NavigateOptions::default());
        Self { bars, edges: StoredValue::new(edges), go: StoredValue::new(Box::new(go)) }
    }

    fn has(self, bar: usize) -> bool {
        self.bars.with(|bars| bars.is_some_and(|(first, last)| (first.min(last)..=first.max(last)).contains(&bar)))
    }

    /// Fingers scroll.
    fn begin(self, event: &PointerEvent, bar: usize) {
        if event.button() == 0 && event.pointer_type() == "mouse" {
            self.bars.set(Some((bar, bar)));
        }
    }

    fn reach(self, bar: usize) {
        if self.bars.with_untracked(Option::is_some) {
            self.bars.update(|bars| *bars = bars.map(|(first, _)| (first, bar)));
        }
    }

    fn let_go(self) {
        self.bars.set(None);
    }

    fn end(self) {
        let Some((first, last)) = self.bars.get_untracked().filter(|(first, last)| first != last) else {
            return self.let_go();
        };
        let edge = |index: usize| self.edges.with_value(|edges| edges.get(index).copied());
        let range = edge(first.min(last)).zip(edge(first.max(last) + 1));
        self.let_go();
        if let Some((from, to)) = range {
            self.go.with_value(|go| go(Range::Between { from, to }));
        }
    }
}

/// The same figures as a table, each row a link to its runs.
#[component]
pub(crate) fn OutcomeTable(
    /// One entry a row, oldest first.
    buckets: Vec<Bucket>,
    /// End of the last bucket.
    to: DateTime<Utc>,
    /// The runs list, which rows lead to.
    runs: String,
) -> impl IntoView {
    let text = text();
    let visit = visit();
    let addresses = addresses(&buckets, to, &runs);
    let row = |(bucket, href): (Bucket, String)| {
        view! {
            <tr>
                <td>
                    <a class="row-link" href=href>
                        {format::date_time(Stamp::new(bucket.start, &visit.zone))}
                    </a>
                </td>
                {[bucket.succeeded, bucket.failed, bucket.refused, bucket.active]
                    .map(|number| view! { <td class="num">{format::count(number)}</td> })
                    .collect_view()}
            </tr>
        }
    };
    view! {
        <details class="chart-table">
            <summary>{text.common.data}</summary>
            <div class="table-wrap">
                <table class="table">
                    <thead>
                        <tr>
                            <th scope="col">{text.home.bucket_start}</th>
                            {series(text.home.series).map(|(_, name)| view! { <th scope="col" class="num">{name}</th> }).collect_view()}
                        </tr>
                    </thead>
                    <tbody>{buckets.into_iter().zip(addresses).map(row).collect_view()}</tbody>
                </table>
            </div>
        </details>
    }
    .into_any()
}

/// What the colours mean.
#[component]
pub(crate) fn OutcomeLegend() -> impl IntoView {
    view! {
        <ul class="legend">
            {series(text().home.series)
                .map(|(series, name)| view! { <li data-series=series><i></i>{name}</li> })
                .collect_view()}
        </ul>
    }
    .into_any()
}

/// The outcomes from the bottom of a bar to its top, by the colour's name.
fn series(names: [&'static str; 4]) -> [(&'static str, &'static str); 4] {
    let [succeeded, failed, refused, active] = names;
    [("allow", succeeded), ("deny", failed), ("ask", refused), ("running", active)]
}

/// The runs of each bucket.
fn addresses(buckets: &[Bucket], to: DateTime<Utc>, runs: &str) -> Vec<String> {
    let ends = buckets.iter().skip(1).map(|bucket| bucket.start).chain([to]);
    let address = |(bucket, to): (&Bucket, DateTime<Utc>)| {
        Range::Between { from: bucket.start, to }.write(Params::default()).at(runs)
    };
    buckets.iter().zip(ends).map(address).collect()
}

/// Which buckets carry a label: those that begin at a round time of the reader's clock, else every so many.
fn labelled(starts: &[Stamp], span: TimeDelta) -> Vec<usize> {
    let most = i64::try_from(LABELS).unwrap_or(i64::MAX);
    let step = STEPS.into_iter().find(|step| span.num_seconds() / step < most).unwrap_or(i64::MAX);
    let round = |(index, start): (usize, &Stamp)| (start.wall_seconds() % step == 0).then_some(index);
    let round: Vec<usize> = starts.iter().enumerate().filter_map(round).collect();
    if round.len() > 1 {
        return round;
    }
    (0..starts.len()).step_by(starts.len().div_ceil(LABELS).max(1)).collect()
}

fn total(bucket: &Bucket) -> u64 {
    bucket.succeeded.saturating_add(bucket.failed).saturating_add(bucket.refused).saturating_add(bucket.active)
}

fn percent(number: f64) -> String {
    format!("{number:.3}%")
}

fn bar(bucket: &Bucket, left: f64, width: f64, scale: &Scale, hatched: Option<&'static str>) -> AnyView {
    let mask = hatched.map(|id| format!("url(#{id}-mask)"));
    let mut below = 0;
    let parts =
        [("allow", bucket.succeeded), ("deny", bucket.failed), ("ask", bucket.refused), ("running", bucket.active)];
    parts
        .into_iter()
        .filter(|(_, number)| *number > 0)
        .map(|(series, number)| {
            below += number;
            view! {
                <rect
                    class="chart-bar"
                    data-series=series
                    mask=mask.clone()
                    x=percent(left + width * GAP / 2.0)
                    width=percent(width * (1.0 - GAP))
                    y=percent(100.0 - scale.height(below))
                    height=percent(scale.height(number))
                />
            }
        })
        .collect_view()
        .into_any()
}

/// Stripes for the bucket that is still filling.
#[component]
fn Hatch(id: &'static str) -> impl IntoView {
    view! {
        <defs>
            <pattern id=format!("{id}-pattern") width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                <rect width="2.4" height="4" fill="white" />
            </pattern>
            <mask id=format!("{id}-mask") maskUnits="userSpaceOnUse" x="0" y="0" width="100%" height="100%">
                <rect width="100%" height="100%" fill=format!("url(#{id}-pattern)") />
            </mask>
        </defs>
    }
    .into_any()
}

/// A scale from zero whose ticks are 1, 2 or 5 times a power of ten.
struct Scale {
    step: u64,
    top: u64,
}

impl Scale {
    fn of(highest: u64) -> Self {
        let rough = highest.div_ceil(3).max(1);
        let mut power = 1_u64;
        while power.saturating_mul(10) <= rough {
            power = power.saturating_mul(10);
        }
        let step = [1, 2, 5, 10]
            .map(|factor| power.saturating_mul(factor))
            .into_iter()
            .find(|step| *step >= rough)
            .unwrap_or(rough);
        let top = highest.max(1).div_ceil(step).saturating_mul(step);
        Self { step, top }
    }

    fn height(&self, number: u64) -> f64 {
        number as f64 / self.top as f64 * 100.0
    }

    fn lines(&self) -> AnyView {
        (0..=self.top / self.step)
            .map(|index| {
                let number = index * self.step;
                let y = percent(100.0 - self.height(number));
                view! {
                    <line x1="0" x2="100%" y1=y.clone() y2=y.clone() />
                    <text x="-8" y=y dy="4" text-anchor="end">
                        {format::count(number)}
                    </text>
                }
            })
            .collect_view()
            .into_any()
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta, Utc};

    use super::{Scale, labelled};
    use crate::format::Stamp;
    use crate::visit::Zone;

    #[test]
    fn labels_stand_at_round_times() {
        let start: DateTime<Utc> = "2026-01-28T19:25:00Z".parse().expect("a moment");
        let starts = |first: DateTime<Utc>| -> Vec<Stamp> {
            let next = "2026-01-28T19:30:00Z".parse::<DateTime<Utc>>().expect("a moment");
            let later = (0..48).map(|index| next + TimeDelta::minutes(30 * index));
            [first].into_iter().chain(later).map(|at| Stamp::new(at, &Zone::default())).collect()
        };
        // 20:00, 00:00, 04:00 and so on.
        assert_eq!(labelled(&starts(start), TimeDelta::hours(24)), [2, 10, 18, 26, 34, 42]);
        // Where no bucket begins at a round time, every so many.
        let odd: Vec<Stamp> =
            (0..14).map(|index| Stamp::new(start + TimeDelta::seconds(7 * index), &Zone::default())).collect();
        assert_eq!(labelled(&odd, TimeDelta::seconds(98)), [0, 2, 4, 6, 8, 10, 12]);
        assert!(labelled(&[], TimeDelta::zero()).is_empty());
    }

    #[test]
    fn ticks_are_round_and_the_highest_bar_fits() {
        for (highest, step, top) in [
            (0, 1, 1),
            (1, 1, 1),
            (3, 1, 3),
            (7, 5, 10),
            (96, 50, 100),
            (1204, 500, 1500),
            (u64::MAX, 10_000_000_000_000_000_000, u64::MAX),
        ] {
            let scale = Scale::of(highest);
            assert_eq!((scale.step, scale.top), (step, top), "{highest}");
            assert!(scale.height(highest) <= 100.0);
        }
    }
}
