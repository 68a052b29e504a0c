//! The runs list's state in its URL.

use std::collections::BTreeSet;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use types::id::RunId;
use types::run::{RunFilter, RunQuery, RunSort};

use super::{Params, Range};
use crate::visit::Zone;

/// What the URL of the runs list says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunsQuery {
    /// Which time.
    pub range: Range,
    /// Which runs, in which order, after which cursor.
    pub query: RunQuery,
    /// The run in the drawer: as given, and read if it is an id.
    pub peek: Option<(String, Option<RunId>)>,
    /// The columns shown, in order.
    pub columns: Vec<RunColumn>,
    /// Parameters that could not be read.
    pub wrong: Vec<&'static str>,
    /// Parameters that ask for more than is taken.
    pub beyond: Vec<&'static str>,
}

/// A column of the runs list that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunColumn {
    Model,
    Key,
    Mode,
    Entry,
    Tokens,
    Cost,
    Duration,
    Started,
}

impl RunColumn {
    /// Every column, in the order they stand in.
    pub(crate) const ALL: [Self; 8] =
        [Self::Model, Self::Key, Self::Mode, Self::Entry, Self::Tokens, Self::Cost, Self::Duration, Self::Started];
    /// Those shown where nothing is chosen.
    const USUAL: [Self; 6] = [Self::Model, Self::Key, Self::Tokens, Self::Cost, Self::Duration, Self::Started];

    /// Its word in the URL.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Key => "key",
            Self::Mode => "mode",
            Self::Entry => "entry",
            Self::Tokens => "tokens",
            Self::Cost => "cost",
            Self::Duration => "duration",
            Self::Started => "started",
        }
    }

    /// The parameters with this column shown, where it usually stands, or left out.
    pub(crate) fn toggled(self, shown: &[Self], params: Params) -> Params {
        let mut columns = shown.to_vec();
        match shown.iter().position(|column| *column == self) {
            Some(index) => drop(columns.remove(index)),
            None => {
                let before = shown.iter().position(|column| self.place() < column.place());
                columns.insert(before.unwrap_or(shown.len()), self);
            }
        }
        Self::write(&columns, params)
    }

    /// The parameters with this column one place earlier or later; none where there is no such place.
    pub(crate) fn moved(self, shown: &[Self], later: bool, params: Params) -> Option<Params> {
        let index = shown.iter().position(|column| *column == self)?;
        let other =
            if later { index.checked_add(1).filter(|other| *other < shown.len()) } else { index.checked_sub(1) };
        let mut columns = shown.to_vec();
        columns.swap(index, other?);
        Some(Self::write(&columns, params))
    }

    fn place(self) -> Option<usize> {
        Self::ALL.iter().position(|column| *column == self)
    }

    /// The usual columns leave no trace.
    fn write(columns: &[Self], params: Params) -> Params {
        if columns == Self::USUAL {
            return params.without(&["cols"]);
        }
        let words: Vec<&str> = columns.iter().map(|column| column.as_str()).collect();
        params.with("cols", &if words.is_empty() { "none".to_owned() } else { words.join(",") })
    }

    fn read(params: &Params, wrong: &mut Vec<&'static str>) -> Vec<Self> {
        match params.get("cols") {
            None => Self::USUAL.to_vec(),
            Some("none") => Vec::new(),
            Some(_) => {
                let mut columns = Vec::new();
                for column in words(params, "cols", wrong) {
                    if !columns.contains(&column) {
                        columns.push(column);
                    }
                }
                columns
            }
        }
    }
}

impl FromStr for RunColumn {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|column| column.as_str() == text).ok_or(())
    }
}

/// Names of the filters, as the URL has them.
pub(crate) const FILTERS: &[&str] = &[
    "f.id",
    "f.status",
    "f.mode",
    "f.entry",
    "f.key",
    "f.model",
    "f.caller",
    "f.error",
    "f.feedback",
    "f.sandbox",
    "q",
];

/// Fewest and most characters of a text search.
pub(crate) const SEARCH: std::ops::RangeInclusive<usize> = 3..=200;

/// The rows of a list that are ticked: their name in the address.
pub(crate) const PICK: &str = "pick";
/// All that match.
pub(crate) const PICK_ALL: &str = "all";

/// The rows of a list that are ticked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Picked {
    /// Those with these ids.
    These(BTreeSet<String>),
    /// All that match.
    All,
}

impl Default for Picked {
    fn default() -> Self {
        Self::These(BTreeSet::new())
    }
}

impl Picked {
    /// Whether a row is.
    pub(crate) fn has(&self, id: &str) -> bool {
        match self {
            Self::These(ids) => ids.contains(id),
            Self::All => true,
        }
    }

    /// The parameters that say so.
    pub(crate) fn write(&self, params: Params) -> Params {
        params.with(PICK, &self.words())
    }

    /// The parameters of a list of just these; what is picked by its id is found whatever else narrows the list.
    pub(crate) fn narrow(&self, params: Params) -> Params {
        let params = params.without(&[PICK]);
        match self {
            // Without an id it would be the whole list: what cannot be read is refused.
            Self::These(ids) if ids.is_empty() => params.without(FILTERS).with("f.id", "none"),
            Self::These(_) => params.without(FILTERS).with("f.id", &self.words()),
            Self::All => params,
        }
    }

    fn words(&self) -> String {
        match self {
            Self::These(ids) => ids.iter().map(String::as_str).collect::<Vec<_>>().join(","),
            Self::All => PICK_ALL.to_owned(),
        }
    }
}

/// What the address says is ticked: a form without scripts names it once a row.
pub(crate) fn picked_of(params: &Params) -> Picked {
    let named = params.iter().filter(|(name, _)| *name == PICK);
    let mut ids: BTreeSet<String> = named.flat_map(|(_, value)| value.split(',')).map(str::to_owned).collect();
    if ids.contains(PICK_ALL) {
        return Picked::All;
    }
    ids.retain(|id| id.parse::<RunId>().is_ok());
    Picked::These(ids)
}

/// Which runs, of which time, an address of the list speaks of in a zone; what cannot be read takes its default.
#[must_use]
pub fn runs_of(params: &Params, zone: &Zone) -> (Range, RunQuery) {
    let read = RunsQuery::read(params, zone);
    (read.range, read.query)
}

/// The parameters of an address that could not be read, or ask for more than is taken. A list leaves them out and says so;
/// who does something to the runs of an address must not: what is left of it names more of them.
#[must_use]
pub fn misread(params: &Params, zone: &Zone) -> Vec<&'static str> {
    let RunsQuery { mut wrong, beyond, .. } = RunsQuery::read(params, zone);
    wrong.extend(beyond);
    wrong
}

/// A filter within a time, when it is `now`. Runs that are named one by one are found whenever they started, in the sandbox
/// and outside of it.
#[must_use]
pub fn within(range: Range, now: DateTime<Utc>, filter: RunFilter) -> RunFilter {
    if !filter.id.is_empty() {
        let sandbox = if filter.sandbox.is_empty() { vec![true, false] } else { filter.sandbox };
        return RunFilter { sandbox, ..filter };
    }
    let (from, to) = range.bounds(now);
    RunFilter { started_from: Some(from), started_to: Some(to), ..filter }
}

impl RunsQuery {
    /// Reads the parameters; what cannot be read, or is more than is taken, takes its default and is named.
    pub(crate) fn read(params: &Params, zone: &Zone) -> Self {
        let beyond: Vec<&str> = FILTERS.iter().copied().filter(|name| is_beyond(params, name)).collect();
        let params = &params.clone().without(&beyond);
        let mut wrong = Vec::new();
        let range = Range::read(params, zone, &mut wrong);
        let filter = RunFilter {
            id: words(params, "f.id", &mut wrong),
            status: words(params, "f.status", &mut wrong),
            mode: words(params, "f.mode", &mut wrong),
            entry: words(params, "f.entry", &mut wrong),
            api_key_id: words(params, "f.key", &mut wrong),
            model_ref: words(params, "f.model", &mut wrong),
            caller_id: words(params, "f.caller", &mut wrong),
            error_code: words(params, "f.error", &mut wrong),
            feedback: words(params, "f.feedback", &mut wrong),
            sandbox: sandbox(params, &mut wrong),
            q: search(params, &mut wrong),
            ..RunFilter::default()
        };
        let (sort, descending) = sort(params, &mut wrong);
        let query = RunQuery {
            filter,
            sort,
            descending,
            cursor: params.get("after").map(str::to_owned),
            ..RunQuery::default()
        };
        let columns = RunColumn::read(params, &mut wrong);
        let peek = params.get("peek").map(|text| (text.to_owned(), text.parse().ok()));
        Self { range, query, peek, columns, wrong, beyond }
    }

    /// Whether anything but the range narrows the list.
    pub(crate) fn is_filtered(&self) -> bool {
        self.query.filter != RunFilter::default()
    }
}

/// Whether a filter has more values, or the text more characters, than are taken.
fn is_beyond(params: &Params, name: &str) -> bool {
    match name {
        "q" => params.get(name).is_some_and(|text| text.trim().chars().count() > *SEARCH.end()),
        _ => values(params, name) > RunFilter::MOST_VALUES,
    }
}

/// How many values a filter has, however often it is named.
pub(super) fn values(params: &Params, name: &str) -> usize {
    let named = params.iter().filter(|(known, _)| *known == name);
    named.flat_map(|(_, value)| value.split(',')).count()
}

/// The words of one filter; those that are none are left out and the filter is named.
pub(super) fn words<T: FromStr>(params: &Params, name: &'static str, wrong: &mut Vec<&'static str>) -> Vec<T> {
    let read: Vec<Option<T>> = params.words(name).map(|word| word.parse().ok()).collect();
    if read.iter().any(Option::is_none) {
        wrong.push(name);
    }
    read.into_iter().flatten().collect()
}

/// Whether they are in the sandbox; without a word those that are not.
fn sandbox(params: &Params, wrong: &mut Vec<&'static str>) -> Vec<bool> {
    let read = |word: &str| match word.strip_prefix('!') {
        Some(word) => word.parse().ok().map(|is: bool| !is),
        None => word.parse().ok(),
    };
    let read: Vec<Option<bool>> = params.words("f.sandbox").map(read).collect();
    if read.iter().any(Option::is_none) {
        wrong.push("f.sandbox");
    }
    read.into_iter().flatten().collect()
}

fn search(params: &Params, wrong: &mut Vec<&'static str>) -> Option<String> {
    let text = params.get("q")?.trim();
    let fits = SEARCH.contains(&text.chars().count());
    if !fits {
        wrong.push("q");
    }
    fits.then(|| text.to_owned())
}

fn sort(params: &Params, wrong: &mut Vec<&'static str>) -> (RunSort, bool) {
    let default = (RunSort::StartedAt, true);
    let Some(text) = params.get("sort") else { return default };
    let (word, descending) = text.strip_prefix('-').map_or((text, false), |word| (word, true));
    match word.parse() {
        // By cost needs a currency, which the list does not ask for.
        Ok(sort) if sort != RunSort::Cost => (sort, descending),
        _ => {
            wrong.push("sort");
            default
        }
    }
}

#[cfg(test)]
mod tests {
    use types::run::{Mode, RunStatus, Term};

    use super::*;

    #[test]
    fn more_than_is_taken_is_left_out_and_named() {
        let of = |query: &str| RunsQuery::read(&Params::parse(query), &Zone::default());
        let many = vec!["failed"; RunFilter::MOST_VALUES].join(",");
        let most = of(&format!("f.status={many}&q={}", "x".repeat(200)));
        assert!(most.beyond.is_empty() && most.query.filter.q.is_some());
        let more = of(&format!("f.status={many}&f.status=failed&q={}", "x".repeat(201)));
        assert_eq!(more.beyond, ["f.status", "q"]);
        assert_eq!((more.query.filter, more.wrong), (RunFilter::default(), Vec::new()));
    }

    #[test]
    fn what_is_ticked_never_becomes_everything() {
        let zone = Zone::default();
        let run = "run_01j00000000000000000000000";
        let picked = |query: &str| picked_of(&Params::parse(query));
        assert_eq!(picked("pick=page&pick=,&pick=%00"), Picked::default());
        assert_eq!(picked(&format!("pick=page&pick={run}")), Picked::These([run.to_owned()].into()));
        assert_eq!(picked(&format!("pick={run}&pick=all")), Picked::All);
        let many = vec![run; RunFilter::MOST_VALUES + 1].join(",");
        for ids in ["page", "", "usr_01j00000000000000000000000", many.as_str()] {
            let named = Params::default().with("range", "7d").with("f.id", ids);
            let narrows = !RunsQuery::read(&named, &zone).query.filter.id.is_empty();
            assert!(!narrows && (ids.is_empty() || misread(&named, &zone) == ["f.id"]), "{ids}");
        }
        assert_eq!(misread(&Picked::default().narrow(Params::default()), &zone), ["f.id"]);
        assert!(misread(&Params::parse(&format!("f.id={run}&f.status=failed")), &zone).is_empty());
        assert_eq!(misread(&Params::parse("f.status=bogus"), &zone), ["f.status"]);
    }

    #[test]
    fn filters_are_read_and_garbage_is_named() {
        let params = Params::parse(
            "f.status=failed,bogus&f.mode=gateway&sort=-nope&range=7d&q=ab&peek=nonsense&f.model=model:test:echo",
        );
        let read = RunsQuery::read(&params, &Zone::default());
        assert_eq!(read.query.filter.status, [Term::Is(RunStatus::Failed)]);
        assert_eq!(read.query.filter.mode, [Term::Is(Mode::Gateway)]);
        assert_eq!(read.query.filter.model_ref, [Term::Is("model:test:echo".to_owned())]);
        assert_eq!(read.query.filter.q, None);
        assert_eq!((read.query.sort, read.query.descending), (RunSort::StartedAt, true));
        assert_eq!(read.peek, Some(("nonsense".to_owned(), None)));
        assert_eq!(read.wrong, ["f.status", "q", "sort"]);
    }

    #[test]
    fn runs_of_the_sandbox_are_asked_for_and_named_ones_are_found_in_it() {
        let of = |query: &str| RunsQuery::read(&Params::parse(query), &Zone::default());
        assert_eq!(of("f.sandbox=true").query.filter.sandbox, [true]);
        assert_eq!(of("f.sandbox=!true").query.filter.sandbox, [false]);
        assert_eq!(of("f.sandbox=true,false").query.filter.sandbox, [true, false]);
        let wrong = of("f.sandbox=maybe");
        assert_eq!((wrong.query.filter.sandbox, wrong.wrong), (Vec::new(), vec!["f.sandbox"]));
        let named = of("f.id=run_01j00000000000000000000000").query.filter;
        assert_eq!(within(Range::default(), DateTime::UNIX_EPOCH, named).sandbox, [true, false]);
    }

    #[test]
    fn what_is_left_out_survives_the_url() {
        let params =
            Params::parse("f.status=!failed,running,!bogus&f.model=!model:a:b").toggled("f.status", "!canceled");
        assert_eq!(params.to_string(), "f.model=!model:a:b&f.status=!failed,running,!bogus,!canceled");
        let read = RunsQuery::read(&Params::parse(&params.to_string()), &Zone::default());
        let (not, is) = (Term::Not, Term::Is);
        assert_eq!(
            read.query.filter.status,
            [not(RunStatus::Failed), is(RunStatus::Running), not(RunStatus::Canceled)]
        );
        assert_eq!(read.query.filter.model_ref, [Term::Not("model:a:b".to_owned())]);
        assert_eq!(read.wrong, ["f.status"]);
    }

    #[test]
    fn columns_are_chosen_one_by_one_and_the_usual_ones_leave_no_trace() {
        let shown = |query: &str| RunsQuery::read(&Params::parse(query), &Zone::default()).columns;
        let usual = shown("");
        let with_mode = RunColumn::Mode.toggled(&usual, Params::parse("q=abc"));
        assert_eq!(with_mode.to_string(), "q=abc&cols=model,key,mode,tokens,cost,duration,started");
        let chosen = shown(&with_mode.to_string());
        assert_eq!(RunColumn::Mode.toggled(&chosen, with_mode).to_string(), "q=abc");
        assert_eq!(shown("cols=started,model"), [RunColumn::Started, RunColumn::Model]);
        assert_eq!(shown("cols=none"), []);
        assert_eq!(RunsQuery::read(&Params::parse("cols=bogus,cost"), &Zone::default()).wrong, ["cols"]);
    }

    #[test]
    fn an_empty_query_asks_for_the_newest_of_a_day() {
        let read = RunsQuery::read(&Params::default(), &Zone::default());
        assert_eq!((read.range, &read.query), (Range::default(), &RunQuery::default()));
        assert!(!read.is_filtered() && read.wrong.is_empty());
    }
}
