//! The model `script`: the system message says what is answered, turn by turn.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::prompt::Prompt;

const MAX_DELAY_MS: u64 = 600_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    turns: Vec<Turn>,
}

/// One answer of the script.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Turn {
    pub(super) text: Option<String>,
    pub(super) tool_calls: Vec<ScriptedCall>,
    delay_ms: u64,
    /// A status to fail with.
    pub(super) error: Option<u16>,
    /// Told instead of the real usage.
    pub(super) usage: Option<Value>,
}

/// A tool call of a turn.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptedCall {
    #[serde(default)]
    pub(super) id: Option<String>,
    pub(super) name: String,
    /// An object, or the exact text to send.
    #[serde(default)]
    arguments: Value,
}

impl ScriptedCall {
    /// The arguments as they go out.
    pub(super) fn arguments(&self) -> String {
        match &self.arguments {
            Value::String(text) => text.clone(),
            Value::Null => "{}".to_owned(),
            value => value.to_string(),
        }
    }
}

impl Turn {
    pub(super) fn delay(&self) -> Duration {
        Duration::from_millis(self.delay_ms.min(MAX_DELAY_MS))
    }
}

/// The turn to answer with: as many turns are over as the assistant has spoken.
pub(super) fn turn(prompt: Prompt<'_>) -> Result<Turn, String> {
    let script: Script = serde_json::from_str(&prompt.system_text())
        .map_err(|error| format!("the system message is no script `{{\"turns\":[…]}}`: {error}"))?;
    let (count, spoken) = (script.turns.len(), prompt.assistant_messages());
    let turn = script.turns.into_iter().nth(spoken);
    let turn =
        turn.ok_or_else(|| format!("the script has {count} turns and the assistant has spoken {spoken} times"))?;
    match turn.error {
        Some(status) if !(400..=599).contains(&status) => {
            Err(format!("turns[{spoken}]: `error` is a status from 400 to 599"))
        }
        _ => Ok(turn),
    }
}
