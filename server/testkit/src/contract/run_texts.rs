//! Finding runs by a text: an index finds what reading every run would find.

use kernel::ledger::{NewRun, RunText, folded};
use types::id::RunId;
use types::run::{Capture, RunFilter, RunQuery, RunSort};

use super::runs::{end_after, found, run_at};
use super::{Store, applied, seeded};
use crate::sample::{Sample, open_run};

/// What texts are made of: letters of which some change in number or form with their case, wildcards, quotes, and parts that
/// overlap.
const PARTS: [&str; 18] = [
    "aba",
    "bab",
    "ABA",
    "Straße",
    "STRASSE",
    "ΟΔΟΣ",
    "οδος",
    "İstanbul",
    "é",
    "É",
    "%",
    "_",
    "\\",
    "\"",
    "'",
    "日本語",
    " ",
    "*",
];

/// The same numbers in every run of a test.
struct Dice(u32);

impl Dice {
    fn throw(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 16) as usize % sides
    }

    fn text(&mut self) -> String {
        let parts = 1 + self.throw(6);
        (0..parts).map(|_| PARTS[self.throw(PARTS.len())]).collect()
    }
}

/// Runs of every kind: some go on, some keep nothing.
async fn mixed(store: &impl Store, sample: &Sample, dice: &mut Dice) {
    for number in 0..80 {
        let mut run = run_at(sample, number);
        run.input.preview = Some(dice.text());
        if dice.throw(2) == 0 {
            run.labels.insert("team".to_owned(), dice.text());
        }
        if dice.throw(5) == 0 {
            run.capture = Capture::MetadataOnly;
            run.input.preview = None;
        }
        applied(store, sample.opening([open_run(&run)])).await;
        let end = match dice.throw(3) {
            0 => continue,
            1 => end_after(&run, 5, None),
            _ => end_after(&run, 5, Some("upstream_error")),
        };
        applied(store, sample.opening([end])).await;
    }
}

/// Every text, in whichever case, and parts of it.
pub async fn a_text_is_found_where_reading_finds_it(store: &impl Store) {
    let sample = seeded(store).await;
    let mut dice = Dice(11);
    mixed(store, &sample, &mut dice).await;
    let all = RunQuery { limit: 200, sort: RunSort::StartedAt, descending: false, ..RunQuery::default() };
    let runs = store.list_runs(sample.scope, &all).await.expect("a page").items;
    assert_eq!(runs.len(), 80);
    let (mut some, mut none) = (0, 0);
    for _ in 0..250 {
        let text = dice.text();
        let letters: Vec<char> = text.chars().collect();
        if letters.len() < 3 {
            continue;
        }
        let from = dice.throw(letters.len() - 2);
        let to = from + 3 + dice.throw(letters.len() - from - 2);
        let text: String = letters[from..to].iter().collect();
        let read: Vec<RunId> =
            runs.iter().filter(|run| RunText::of(run).holds(&folded(&text))).map(|run| run.id).collect();
        let filter = RunFilter { q: Some(text.clone()), ..RunFilter::default() };
        assert_eq!(found(store, &sample, filter).await, read, "{text:?}");
        if read.is_empty() { none += 1 } else { some += 1 }
    }
    assert!(some > 20 && none > 20, "{some} found, {none} not");
}

async fn holding(store: &impl Store, sample: &Sample, text: &str) -> Vec<RunId> {
    found(store, sample, RunFilter { q: Some(text.to_owned()), ..RunFilter::default() }).await
}

/// While it goes on by what went in, then by what came of it, too.
pub async fn what_opens_moves_and_ends_is_found_all_the_while(store: &impl Store) {
    let sample = seeded(store).await;
    let mut run = run_at(&sample, 0);
    run.input.preview = Some("Grüße aus Ψ".to_owned());
    applied(store, sample.opening([open_run(&run)])).await;
    assert_eq!(holding(store, &sample, "GRÜSSE").await, []);
    for text in ["GRÜßE", "aus ψ"] {
        assert_eq!(holding(store, &sample, text).await, [run.id], "{text}");
    }
    assert_eq!(holding(store, &sample, "upstream_error").await, []);
    applied(store, sample.opening([end_after(&run, 5, Some("upstream_error"))])).await;
    for text in ["GRÜßE", "Upstream_Error", "an answer", &run.id.to_string().to_uppercase()] {
        assert_eq!(holding(store, &sample, text).await, [run.id], "{text}");
    }
    let short: NewRun = run_at(&sample, 1);
    applied(store, sample.opening([open_run(&short), end_after(&short, 5, Some("timed_out"))])).await;
    assert_eq!(holding(store, &sample, "timed_out").await, [short.id]);
}

/// Neither by labels nor by what its error says.
pub async fn a_run_that_keeps_nothing_is_found_by_ids_and_codes_alone(store: &impl Store) {
    let sample = seeded(store).await;
    let mut run = run_at(&sample, 0);
    run.capture = Capture::MetadataOnly;
    run.input.preview = None;
    run.labels.insert("team".to_owned(), "canary".to_owned());
    applied(store, sample.opening([open_run(&run)])).await;
    for text in ["canary", "team=canary"] {
        assert_eq!(holding(store, &sample, text).await, [], "{text}");
    }
    applied(store, sample.opening([end_after(&run, 5, Some("upstream_error"))])).await;
    for text in ["canary", "it failed", "an answer"] {
        assert_eq!(holding(store, &sample, text).await, [], "{text}");
    }
    for text in ["upstream_error", &run.trace_id, &run.id.to_string()] {
        assert_eq!(holding(store, &sample, text).await, [run.id], "{text}");
    }
}
