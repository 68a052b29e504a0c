//! What a run is found by: its texts, all in one case, so that every store finds the same.

use std::collections::BTreeMap;

use types::run::{Capture, Run};

use super::NewRun;

/// The texts of a run. What is not kept of it is not found either.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunText {
    /// Ids, names and codes, one a line.
    pub facts: String,
    /// Labels, `key=value`, one a line.
    pub labels: Option<String>,
    /// What went in.
    pub input: Option<String>,
    /// What came out.
    pub output: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
}

impl RunText {
    /// Of a run that begins.
    pub fn opening(run: &NewRun) -> Self {
        let root = (run.root_run_id != run.id).then_some(run.root_run_id);
        let facts = [
            Some(run.id.to_string()),
            run.request_id.map(|id| id.to_string()),
            run.api_key_id.map(|id| id.to_string()),
            root.map(|id| id.to_string()),
            run.parent_run_id.map(|id| id.to_string()),
            run.source_run_id.map(|id| id.to_string()),
            Some(run.trace_id.clone()),
            Some(run.caller.id.clone()),
            run.model_ref.clone(),
        ];
        let mut text = Self { facts: lines(facts.into_iter().flatten()), ..Self::default() };
        if run.capture != Capture::MetadataOnly {
            text.labels = labels(&run.labels);
            text.input = run.input.preview.as_deref().map(folded);
        }
        text
    }

    /// Of a run as it is kept.
    pub fn of(run: &Run) -> Self {
        let root = (run.root_run_id != run.id).then_some(run.root_run_id);
        let facts = [
            Some(run.id.to_string()),
            run.request_id.map(|id| id.to_string()),
            run.api_key_id.map(|id| id.to_string()),
            root.map(|id| id.to_string()),
            run.parent_run_id.map(|id| id.to_string()),
            run.source_run_id.map(|id| id.to_string()),
            Some(run.trace_id.clone()),
            Some(run.caller.id.clone()),
            run.model_ref.clone(),
            run.error.as_ref().map(|error| error.code.clone()),
        ];
        let mut text = Self { facts: lines(facts.into_iter().flatten()), ..Self::default() };
        if run.capture != Capture::MetadataOnly {
            text.labels = labels(&run.labels);
            text.input = run.input.preview.as_deref().map(folded);
            text.output = run.output.preview.as_deref().map(folded);
            text.error = run.error.as_ref().map(|error| folded(&error.message));
        }
        text
    }

    /// Whether one of them holds a text that is [`folded`].
    pub fn holds(&self, text: &str) -> bool {
        let kept = [&self.labels, &self.input, &self.output, &self.error];
        self.facts.contains(text) || kept.into_iter().flatten().any(|kept| kept.contains(text))
    }
}

/// A text in one case: each letter as Unicode makes it small, whatever stands beside it, so that a part of a text is folded
/// as it is in the whole.
pub fn folded(text: &str) -> String {
    let small = text.chars().flat_map(char::to_lowercase);
    let alike = small.map(|letter| match letter {
        'ς' => 'σ',
        '\0' => '\u{FFFD}',
        other => other,
    });
    alike.collect()
}

fn labels(labels: &BTreeMap<String, String>) -> Option<String> {
    (!labels.is_empty()).then(|| lines(labels.iter().map(|(key, value)| format!("{key}={value}"))))
}

fn lines(texts: impl Iterator<Item = String>) -> String {
    folded(&texts.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_text_is_folded_as_it_is_in_the_whole() {
        for text in ["ΟΔΟΣ ΟΔΟΣΑ", "İstanbul", "GROẞ Straße", "\u{212A}elvin", "a\0B"] {
            let whole = folded(text);
            let letters: Vec<char> = text.chars().collect();
            for from in 0..letters.len() {
                for to in from..=letters.len() {
                    let part: String = letters[from..to].iter().collect();
                    assert!(whole.contains(&folded(&part)), "{part:?} of {text:?}");
                }
            }
            assert_eq!(folded(&whole), whole, "{text:?}");
        }
    }
}
