//! The forms of retention and legal holds.

use serde::{Deserialize, Serialize};
use types::id::RunId;
use types::name::Name;
use types::problem::Problem;
use types::retention::{CreateLegalHold, HoldFilter, Keep, KeptFor, ReleaseLegalHold};

use super::Reader;
use super::workspace::moment;

/// The form of times: days, or nothing for good.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RetentionForm {
    pub(crate) content: String,
    pub(crate) runs: String,
    pub(crate) costs: String,
    pub(crate) audit: String,
    pub(crate) events: String,
}

impl RetentionForm {
    /// The command, or every wrong field.
    pub(crate) fn read(&self) -> Result<KeptFor, Problem> {
        let mut reader = Reader::default();
        let mut keep = |field, text: &str| match text.trim() {
            "keep" => Keep::Forever,
            text => Keep::of_days(reader.number(field, text)),
        };
        let kept = KeptFor {
            content: keep("content", &self.content),
            runs: keep("runs", &self.runs),
            costs: keep("costs", &self.costs),
            audit: keep("audit", &self.audit),
            events: keep("events", &self.events),
        };
        reader.finish(Some(kept))
    }
}

/// The form of a new hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct HoldForm {
    pub(crate) name: String,
    pub(crate) reason: String,
    pub(crate) run_ids: String,
    pub(crate) caller_id: String,
    pub(crate) from: String,
    pub(crate) to: String,
}

impl HoldForm {
    /// The command, or every wrong field.
    pub(crate) fn read(&self) -> Result<CreateLegalHold, Problem> {
        let mut reader = Reader::default();
        let name: Option<Name> = reader.required("name", &self.name);
        let mut run_ids = Vec::new();
        for id in Reader::list(&self.run_ids).unwrap_or_default() {
            run_ids.extend(reader.required::<RunId>("run_ids", &id));
        }
        let mut time = |field, text: &str| {
            let text = text.trim();
            let time = moment(text);
            if time.is_none() && !text.is_empty() {
                reader.refuse(field, "must be a day like 2026-12-01, or nothing");
            }
            time
        };
        let (from, to) = (time("from", &self.from), time("to", &self.to));
        let caller_id = Some(self.caller_id.trim().to_owned()).filter(|id| !id.is_empty());
        let reason = self.reason.trim().to_owned();
        let filter = HoldFilter { run_ids, caller_id, from, to };
        reader.finish(name.map(|name| CreateLegalHold { name, reason, filter }))
    }
}

/// The form that releases a hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ReleaseForm {
    /// Why; its own name, since the form of a new hold may stand on the same page.
    pub(crate) release_reason: String,
}

impl ReleaseForm {
    /// The command, or what is wrong.
    pub(crate) fn read(&self) -> Result<ReleaseLegalHold, Problem> {
        let mut reader = Reader::default();
        let reason = self.release_reason.trim().to_owned();
        if reason.is_empty() {
            reader.refuse("release_reason", "must say why");
        }
        reader.finish(Some(ReleaseLegalHold { reason }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_for_good_and_every_wrong_time_is_named() {
        let form = RetentionForm { content: " 30 ".to_owned(), runs: "keep".to_owned(), ..RetentionForm::default() };
        let kept = form.read().expect("times");
        assert_eq!((kept.content, kept.runs, kept.events), (Keep::Days(30), Keep::Forever, Keep::Forever));
        let wrong = RetentionForm { content: "a month".to_owned(), costs: "-1".to_owned(), ..form };
        let fields: Vec<String> = wrong.read().expect_err("two").errors.into_iter().map(|error| error.field).collect();
        assert_eq!(fields, ["content", "costs"]);
    }

    #[test]
    fn a_hold_names_runs_and_times() {
        let run = "run_01kg1000000000000000000001";
        let form = HoldForm {
            name: "Case".to_owned(),
            reason: " a court asks ".to_owned(),
            run_ids: format!("{run}\n{run}"),
            from: "2026-01-01".to_owned(),
            ..HoldForm::default()
        };
        let command = form.read().expect("a hold");
        assert_eq!((command.filter.run_ids.len(), command.reason.as_str()), (2, "a court asks"));
        assert!(command.filter.from.is_some() && command.filter.to.is_none());
        let wrong = HoldForm { run_ids: "run_x".to_owned(), to: "soon".to_owned(), name: String::new(), ..form };
        let fields: Vec<String> =
            wrong.read().expect_err("three").errors.into_iter().map(|error| error.field).collect();
        assert_eq!(fields, ["name", "run_ids", "to"]);
    }
}
