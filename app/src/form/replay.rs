//! The forms of runs that come out of others.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use types::problem::Problem;
use types::replay::{ForkRun, RerunRun};

use super::Reader;

/// The form of a run that is done again. What is left empty stays as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RerunForm {
    /// Another input.
    pub(crate) input: String,
}

impl RerunForm {
    /// The command: it takes any input.
    pub(crate) fn read(&self) -> RerunRun {
        RerunRun { input: given(&self.input).map(Value::String), ..RerunRun::default() }
    }
}

/// The form of a replay from a step. What is left empty stays as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ForkForm {
    /// The step.
    pub(crate) from_seq: String,
    /// Another model.
    pub(crate) model_ref: String,
    /// Another system prompt.
    pub(crate) system_prompt: String,
    /// Other parameters, as a JSON object.
    pub(crate) params: String,
    /// Another input.
    pub(crate) input: String,
    /// What becomes of tool calls.
    pub(crate) tools: String,
}

impl ForkForm {
    /// The command, or every wrong field.
    pub(crate) fn read(&self) -> Result<ForkRun, Problem> {
        let mut reader = Reader::default();
        let from_seq = reader.required("from_seq", &self.from_seq);
        let tools = reader.optional("tools", &self.tools);
        let params = match self.params.trim() {
            "" => BTreeMap::new(),
            text => serde_json::from_str(text).unwrap_or_else(|_| {
                reader.refuse("params", "must be a JSON object like `{\"temperature\": 0}`");
                BTreeMap::new()
            }),
        };
        let command = from_seq.map(|from_seq| ForkRun {
            from_seq,
            tools,
            model_ref: given(self.model_ref.trim()),
            system_prompt: given(&self.system_prompt),
            params,
            input: given(&self.input).map(Value::String),
        });
        reader.finish(command)
    }
}

/// What was typed, unless there is nothing in it.
fn given(text: &str) -> Option<String> {
    Some(text.to_owned()).filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::replay::ReplayTools;

    #[test]
    fn what_is_left_empty_stays_as_it_was() {
        let form = ForkForm { from_seq: "2".to_owned(), tools: "simulated".to_owned(), ..ForkForm::default() };
        let command = form.read().expect("a command");
        assert_eq!((command.from_seq, command.tools), (2, Some(ReplayTools::Simulated)));
        assert_eq!((command.model_ref, command.system_prompt, command.input), (None, None, None));
        assert!(command.params.is_empty());
    }

    #[test]
    fn a_run_is_done_again_with_its_own_input_unless_another_is_typed() {
        assert_eq!(RerunForm { input: " \n".to_owned() }.read(), RerunRun::default());
        let typed = RerunForm { input: " hi\n".to_owned() }.read();
        assert_eq!((typed.version, typed.input), (None, Some(Value::String(" hi\n".to_owned()))));
    }

    #[test]
    fn every_wrong_field_is_named() {
        let form = ForkForm { params: "[1]".to_owned(), tools: "magic".to_owned(), ..ForkForm::default() };
        let problem = form.read().expect_err("three fields are wrong");
        let fields: Vec<&str> = problem.errors.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(fields, ["from_seq", "tools", "params"]);
    }
}
