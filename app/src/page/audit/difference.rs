//! What differs between two states of a thing, member by member.

use serde_json::Value;

/// One member in two states; none where a state does not have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) name: String,
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
}

/// The members in which two objects differ, in the order of their names; nothing where one is no object or not there.
pub(super) fn differences(before: Option<&Value>, after: Option<&Value>) -> Option<Vec<Difference>> {
    let (before, after) = (before?.as_object()?, after?.as_object()?);
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let member = |name: &String| Difference {
        name: name.clone(),
        before: before.get(name).map(words),
        after: after.get(name).map(words),
    };
    Some(names.into_iter().map(member).filter(|member| member.before != member.after).collect())
}

/// A value as a reader says it: a text without its quotes.
fn words(value: &Value) -> String {
    value.as_str().map_or_else(|| crate::format::sorted_json(value), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_differs_is_told() {
        let before = json!({ "name": "a", "same": [1, 2], "gone": null });
        let after = json!({ "same": [1, 2], "name": "b", "new": { "y": 1, "x": 2 } });
        let told: Vec<_> = differences(Some(&before), Some(&after))
            .expect("two objects")
            .into_iter()
            .map(|difference| (difference.name, difference.before, difference.after))
            .collect();
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            told,
            [
                ("gone".to_owned(), text("null"), None),
                ("name".to_owned(), text("a"), text("b")),
                ("new".to_owned(), None, text("{\"x\":2,\"y\":1}")),
            ]
        );
        assert_eq!(differences(Some(&json!("a")), Some(&after)), None);
        assert_eq!(differences(Some(&before), None), None);
    }
}
