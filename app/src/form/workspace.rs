//! The form of a workspace's settings.

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use serde::{Deserialize, Serialize};
use types::identity::{UnpricedPolicy, UpdateWorkspace};
use types::name::Name;
use types::problem::Problem;
use types::run::Capture;

use super::Reader;

/// What stands for a field the form does not have, so that a page of an older build changes nothing by it.
const ABSENT: &str = "absent";

/// The form of a workspace's settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct WorkspaceForm {
    /// Its name.
    pub(crate) name: String,
    /// What happens to calls without a price.
    pub(crate) unpriced_call_policy: String,
    /// How much content is kept.
    pub(crate) content_capture: String,
    /// From which day on a second factor is asked for; nothing for nobody.
    #[serde(default = "absent")]
    pub(crate) require_mfa_from: String,
}

fn absent() -> String {
    ABSENT.to_owned()
}

/// A moment as the form shows it: the day it begins, else all of it.
pub(crate) fn day(at: DateTime<Utc>) -> String {
    if at.time() == NaiveTime::MIN { at.date_naive().to_string() } else { at.to_rfc3339() }
}

/// A day in UTC, or a moment.
pub(super) fn moment(text: &str) -> Option<DateTime<Utc>> {
    let day = text.parse::<NaiveDate>().map(|day| day.and_time(NaiveTime::MIN).and_utc());
    day.or_else(|_| text.parse()).ok()
}

impl WorkspaceForm {
    /// The command, or every wrong field.
    pub(crate) fn read(&self) -> Result<UpdateWorkspace, Problem> {
        let mut reader = Reader::default();
        let name: Option<Name> = reader.required("name", &self.name);
        let unpriced: Option<UnpricedPolicy> = reader.required("unpriced_call_policy", &self.unpriced_call_policy);
        let capture: Option<Capture> = reader.required("content_capture", &self.content_capture);
        let require_mfa_from = match self.require_mfa_from.trim() {
            ABSENT => None,
            "" => Some(None),
            text => {
                let from = moment(text);
                if from.is_none() {
                    reader.refuse("require_mfa_from", "must be a day like 2026-12-01, or nothing");
                }
                from.map(Some)
            }
        };
        reader.finish(Some(UpdateWorkspace {
            name,
            slug: None,
            unpriced_call_policy: unpriced,
            content_capture: capture,
            require_mfa_from,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(require_mfa_from: &str) -> Result<Option<Option<DateTime<Utc>>>, Problem> {
        let form = WorkspaceForm {
            name: "Acme".to_owned(),
            unpriced_call_policy: "allow".to_owned(),
            content_capture: "full".to_owned(),
            require_mfa_from: require_mfa_from.to_owned(),
        };
        form.read().map(|command| command.require_mfa_from)
    }

    #[test]
    fn a_day_begins_in_utc_and_is_shown_as_it_was_typed() {
        let from = read("2026-12-01").expect("a day").flatten().expect("a moment");
        assert_eq!((from.to_rfc3339().as_str(), day(from).as_str()), ("2026-12-01T00:00:00+00:00", "2026-12-01"));
        let exact = read("2026-12-01T09:30:00Z").expect("a moment").flatten().expect("a moment");
        assert_eq!(read(&day(exact)), Ok(Some(Some(exact))));
    }

    #[test]
    fn nothing_asks_nobody_and_a_field_that_is_not_there_changes_nothing() {
        assert_eq!(read(" "), Ok(Some(None)));
        assert_eq!(read(ABSENT), Ok(None));
        let problem = read("soon").expect_err("no day");
        assert_eq!(problem.errors.first().map(|error| error.field.as_str()), Some("require_mfa_from"));
    }
}
