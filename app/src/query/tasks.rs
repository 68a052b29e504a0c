//! The state of the tasks list in its URL.

use types::task::{TaskFilter, TaskQuery};

use super::Params;
use super::runs::{values, words};

/// Names of the filters, as the URL has them.
pub(crate) const TASK_FILTERS: &[&str] = &["f.status", "f.type", "f.run", "f.subject"];

/// What the URL of the list says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TasksQuery {
    /// Which tasks, after which cursor.
    pub(crate) query: TaskQuery,
    /// Parameters that could not be read.
    pub(crate) wrong: Vec<&'static str>,
    /// Parameters that ask for more than is taken.
    pub(crate) beyond: Vec<&'static str>,
}

impl TasksQuery {
    /// Reads the parameters; what cannot be read, or is more than is taken, takes its default and is named.
    pub(crate) fn read(params: &Params) -> Self {
        let most = TaskFilter::MOST_VALUES;
        let beyond: Vec<&str> = TASK_FILTERS.iter().copied().filter(|name| values(params, name) > most).collect();
        let params = params.clone().without(&beyond);
        let mut wrong = Vec::new();
        let filter = TaskFilter {
            status: words(&params, "f.status", &mut wrong),
            task_type: words(&params, "f.type", &mut wrong),
            run_id: words(&params, "f.run", &mut wrong),
            subject_id: words(&params, "f.subject", &mut wrong),
        };
        let query = TaskQuery { filter, cursor: params.get("after").map(str::to_owned), ..TaskQuery::default() };
        Self { query, wrong, beyond }
    }
}

#[cfg(test)]
mod tests {
    use types::run::Term;
    use types::task::TaskStatus;

    use super::*;

    #[test]
    fn filters_are_read_and_garbage_is_named() {
        let read = TasksQuery::read(&Params::parse("f.status=failed,!running,bogus&f.type=content.scrub&after=x"));
        assert_eq!(read.query.filter.status, [Term::Is(TaskStatus::Failed), Term::Not(TaskStatus::Running)]);
        assert_eq!((read.query.filter.task_type.len(), read.query.cursor.as_deref()), (1, Some("x")));
        assert_eq!((read.wrong.as_slice(), read.beyond.as_slice()), (&["f.status"][..], &[][..]));
        let many = vec!["failed"; TaskFilter::MOST_VALUES + 1].join(",");
        let more = TasksQuery::read(&Params::parse(&format!("f.status={many}")));
        assert_eq!((more.beyond.as_slice(), more.query), (&["f.status"][..], TaskQuery::default()));
    }
}
