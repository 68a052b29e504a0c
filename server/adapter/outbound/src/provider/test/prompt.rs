//! What the test provider reads from a chat request.

use serde_json::Value;

/// Most tools that are called at once.
const MAX_TOOL_CALLS: usize = 8;

/// A chat request, read leniently: what is not there is empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prompt<'a>(pub(super) &'a Value);

/// A tool that is offered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tool<'a> {
    pub(super) name: &'a str,
    pub(super) parameters: Option<&'a Value>,
}

impl<'a> Prompt<'a> {
    fn messages(self) -> impl DoubleEndedIterator<Item = &'a Value> {
        self.0.get("messages").and_then(Value::as_array).into_iter().flatten()
    }

    fn of_role(self, role: &str) -> impl DoubleEndedIterator<Item = &'a Value> {
        self.messages().filter(move |message| role_of(message) == role)
    }

    /// Every text of the request.
    pub(super) fn texts(self) -> Vec<String> {
        self.messages().map(text_of).collect()
    }

    pub(super) fn last_user_text(self) -> String {
        self.of_role("user").next_back().map(text_of).unwrap_or_default()
    }

    pub(super) fn system_text(self) -> String {
        let system = self.messages().find(|message| matches!(role_of(message), "system" | "developer"));
        system.map(text_of).unwrap_or_default()
    }

    pub(super) fn assistant_messages(self) -> usize {
        self.of_role("assistant").count()
    }

    /// Results of tools at the end of the conversation.
    pub(super) fn tool_results(self) -> Vec<String> {
        let mut results: Vec<String> =
            self.messages().rev().take_while(|message| role_of(message) == "tool").map(text_of).collect();
        results.reverse();
        results
    }

    /// The most tokens of an answer.
    pub(super) fn cap(self) -> Option<usize> {
        let cap = |name| self.0.get(name).and_then(Value::as_u64);
        cap("max_completion_tokens").or_else(|| cap("max_tokens")).and_then(|cap| usize::try_from(cap).ok())
    }

    /// Texts that end an answer.
    pub(super) fn stops(self) -> impl Iterator<Item = &'a str> {
        let stop = self.0.get("stop");
        let many = stop.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        stop.and_then(Value::as_str).into_iter().chain(many).filter(|stop| !stop.is_empty())
    }

    /// How many answers.
    pub(super) fn choices(self) -> usize {
        let choices = self.0.get("n").and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        choices.unwrap_or(1).clamp(1, 8)
    }

    pub(super) fn wants_usage_frame(self) -> bool {
        self.0.pointer("/stream_options/include_usage") == Some(&Value::Bool(true))
    }

    /// The schema of the answer, when it must be JSON.
    pub(super) fn schema(self) -> Option<Option<&'a Value>> {
        let format = self.0.get("response_format")?;
        match format.get("type")?.as_str()? {
            "json_schema" => Some(format.pointer("/json_schema/schema")),
            "json_object" => Some(None),
            _ => None,
        }
    }

    /// The tools to call: the one that is demanded, else all of them, or the first if they may not be called in parallel.
    pub(super) fn tools(self) -> Vec<Tool<'a>> {
        let offered = self.0.get("tools").and_then(Value::as_array).into_iter().flatten().filter_map(|tool| {
            let function = tool.get("function")?;
            Some(Tool { name: function.get("name")?.as_str()?, parameters: function.get("parameters") })
        });
        let choice = self.0.get("tool_choice");
        if choice.and_then(Value::as_str) == Some("none") {
            return Vec::new();
        }
        if let Some(demanded) = choice.and_then(|choice| choice.pointer("/function/name")?.as_str()) {
            return offered.filter(|tool| tool.name == demanded).take(1).collect();
        }
        let one_by_one = self.0.get("parallel_tool_calls") == Some(&Value::Bool(false));
        offered.take(if one_by_one { 1 } else { MAX_TOOL_CALLS }).collect()
    }
}

fn role_of(message: &Value) -> &str {
    message.get("role").and_then(Value::as_str).unwrap_or_default()
}

/// The text of a message: its content, or the text parts of it.
fn text_of(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
        _ => String::new(),
    }
}
