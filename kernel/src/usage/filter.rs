//! The query of the runs list that lists exactly the runs behind a figure.

use chrono::{DateTime, SecondsFormat, Utc};
use types::run::RunFilter;
use types::usage::{RunDimension, UsageDimension};
use url::form_urlencoded::Serializer;

/// Runs admitted within a time, perhaps with more in common.
pub(super) fn runs<'a>(
    from: DateTime<Utc>,
    to: DateTime<Utc>,
    terms: impl IntoIterator<Item = (&'a str, String)>,
) -> String {
    let time = |at: DateTime<Utc>| at.to_rfc3339_opts(SecondsFormat::Secs, true);
    let mut query = Serializer::new(String::new());
    query.append_pair("started_from", &time(from)).append_pair("started_to", &time(to));
    for (name, value) in terms {
        query.append_pair(name, &value);
    }
    query.finish()
}

/// The filter of a dimension of runs.
pub(super) const fn of_runs(dimension: RunDimension) -> &'static str {
    dimension.as_str()
}

/// The filter of a dimension of usage; none of what no filter tells apart.
const fn of_usage(dimension: UsageDimension) -> Option<&'static str> {
    match dimension {
        UsageDimension::Entry => Some("entry"),
        UsageDimension::ApiKey => Some("api_key_id"),
        UsageDimension::Caller => Some("caller_id"),
        UsageDimension::Provider => Some("provider"),
        UsageDimension::Model => Some("model_ref"),
        UsageDimension::Operation | UsageDimension::Workspace => None,
    }
}

/// The terms of one group among all of its day. What has no value is what has none of the others'.
pub(super) fn terms(
    dimension: Option<UsageDimension>,
    key: Option<&str>,
    all: &[Option<String>],
) -> Option<Vec<(&'static str, String)>> {
    let Some(dimension) = dimension else { return Some(Vec::new()) };
    let name = of_usage(dimension)?;
    match key {
        // A value that begins like a word left out cannot be asked for.
        Some(key) if key.starts_with('!') || key.is_empty() => None,
        Some(key) => Some(vec![(name, key.to_owned())]),
        None => {
            let others: Vec<_> = all.iter().flatten().map(|other| (name, format!("!{other}"))).collect();
            (others.len() <= RunFilter::MOST_VALUES).then_some(others)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_value_is_what_has_none_of_the_others() {
        let all = [None, Some("model:a:b".to_owned()), Some("model:c:d".to_owned())];
        let model = Some(UsageDimension::Model);
        assert_eq!(terms(None, None, &all), Some(Vec::new()));
        assert_eq!(terms(model, Some("model:a:b"), &all), Some(vec![("model_ref", "model:a:b".to_owned())]));
        let none = terms(model, None, &all).expect("a filter");
        assert_eq!(none, [("model_ref", "!model:a:b".to_owned()), ("model_ref", "!model:c:d".to_owned())]);
        assert_eq!(terms(Some(UsageDimension::Operation), Some("chat"), &all), None);
    }
}
