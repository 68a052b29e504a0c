//! The section of the page, as Markdown.

use std::fmt::Write;

use testkit::database::Engine;

use crate::list::List;
use crate::load::Cell;
use crate::outbox::Consumers;

/// Goals and figures, collected while measuring.
#[derive(Default)]
pub(crate) struct Section {
    goals: String,
    cells: String,
    pages: String,
}

fn name(engine: Engine) -> &'static str {
    match engine {
        Engine::Sqlite => "SQLite",
        Engine::Postgres => "PostgreSQL",
    }
}

impl Section {
    fn goal(&mut self, asked: &str, measured: f64, is_met: bool) {
        let verdict = if is_met { "met" } else { "**missed**" };
        let _ = writeln!(self.goals, "| {asked} | {measured:.2} | {verdict} |");
    }

    /// One writer, and as many as there are, apart and together.
    pub(crate) fn writers(&mut self, engine: Engine, alone: &Cell, apart: &Cell, together: &Cell) {
        let engine = name(engine);
        for (crowd, cell) in [("one workspace", alone), ("one each", apart), ("one workspace", together)] {
            self.cell(engine, crowd, cell);
        }
        let times = together.rate / alone.rate;
        self.goal(&format!("{engine}: 64 writers ÷ one by one: at least 10"), times, times >= 10.0);
        let shared = apart.shared.min(together.shared);
        self.goal(&format!("{engine}: batches a transaction at 64 writers: at least 8"), shared, shared >= 8.0);
        let share = together.rate / apart.rate;
        self.goal(&format!("{engine}: 64 writers of one workspace ÷ of 64: at least 0.5"), share, share >= 0.5);
    }

    /// Writers whose batches are refused once access rules have changed.
    pub(crate) fn epoch(&mut self, engine: Engine, together: &Cell, checked: &Cell) {
        let engine = name(engine);
        self.cell(engine, "one workspace, access rules checked", checked);
        let share = checked.rate / together.rate;
        self.goal(&format!("{engine}: with the check of access rules ÷ without: at least 0.95"), share, share >= 0.95);
    }

    /// Consumers of events beside one that takes nothing.
    pub(crate) fn consumers(&mut self, engine: Engine, consumers: &Consumers) {
        let times = consumers.beside_broken / consumers.well;
        let asked = format!(
            "{}: 10000 events, three consumers beside one that always fails ÷ beside a fourth that is well: at most 1.3",
            name(engine)
        );
        self.goal(&asked, times, times <= 1.3);
    }

    /// Writers whose runs end in their batch.
    pub(crate) fn chain(&mut self, engine: Engine, ending: &Cell) {
        let engine = name(engine);
        self.cell(engine, "one workspace, runs end", ending);
        let asked =
            format!("{engine}: hash chain's part of the time of transactions in which every run ends: at most 0.15");
        self.goal(&asked, ending.chained, ending.chained <= 0.15);
    }

    fn cell(&mut self, engine: &str, crowd: &str, cell: &Cell) {
        let deadlocks = cell.deadlocks.as_deref().unwrap_or("—");
        let _ = writeln!(
            self.cells,
            "| {engine} | {} | {crowd} | {:.0} | {:.1} | {} | {deadlocks} |",
            cell.writers, cell.rate, cell.shared, cell.retries
        );
    }

    /// What the server could do at best.
    pub(crate) fn floor(&mut self, together: &Cell, floor: f64) {
        let _ = writeln!(self.cells, "| pgbench, one insert a transaction | 64 | | {floor:.0} | 1.0 | | |");
        let share = together.rate / floor;
        self.goal("PostgreSQL: batches/s ÷ pgbench's transactions/s at 64: at least 0.8", share, share >= 0.8);
    }

    /// A short list and a long one.
    pub(crate) fn lists(&mut self, engine: Engine, short: List, long: List) {
        let engine = name(engine);
        for list in [&short, &long] {
            let millis = |time: std::time::Duration| format!("{:.2}", time.as_secs_f64() * 1e3);
            let (first, far) = (millis(list.first), millis(list.far));
            let _ = writeln!(self.pages, "| {engine} | {} | {first} | {far} (page {}) |", list.runs, list.page);
        }
        let far = long.far.as_secs_f64() / long.first.as_secs_f64();
        self.goal(&format!("{engine}: far page ÷ first page of {} runs: at most 2", long.runs), far, far <= 2.0);
        let grown = long.first.as_secs_f64() / short.first.as_secs_f64();
        let asked = format!("{engine}: first page of {} runs ÷ of {}: at most 2", long.runs, short.runs);
        self.goal(&asked, grown, grown <= 2.0);
    }

    /// The whole section.
    pub(crate) fn text(&self) -> String {
        format!(
            "## The store\n\nA batch is a run, three steps, a cost, two counters and an event, synced; 5 s a cell.\n\n\
             | goal | measured | |\n|---|--:|---|\n{}\n\
             | store | writers | working for | batches/s | batches a transaction | retries | deadlocks |\n\
             |---|--:|---|--:|--:|--:|--:|\n{}\n\
             | store | runs | first page ms | far page ms |\n|---|--:|--:|--:|\n{}\n",
            self.goals, self.cells, self.pages
        )
    }
}
