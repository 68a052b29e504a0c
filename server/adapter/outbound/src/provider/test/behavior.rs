//! What a model of the test provider does, by its name.

use std::time::Duration;

use kernel::port::BuiltinModel;
use types::modelhub::Capability;

const MAX_TOKENS: u64 = 100_000;
const MAX_MILLIS: u64 = 600_000;
const MAX_FRAMES: u64 = 10_000;
const MAX_DIMENSIONS: u64 = 4096;
const MAX_ATTEMPTS: u64 = 100;

const CHAT: &[Capability] =
    &[Capability::Chat, Capability::Stream, Capability::Tools, Capability::JsonSchema, Capability::Vision];
const EMBEDDING: &[Capability] = &[Capability::Embedding];
/// Names to show; those with a number stand for their family.
const SHOWN: [&str; 18] = [
    "echo",
    "tokens-100",
    "slow-1000",
    "pace-100",
    "tool",
    "script",
    "embed-256",
    "error-500",
    "error-429",
    "fail-first-1",
    "hang",
    "reset",
    "drop-3",
    "badframe-3",
    "error-in-200",
    "no-usage",
    "over-cap",
    "error-400",
];

/// What a model does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behavior {
    /// Repeats the last user message.
    Echo,
    /// Answers with so many tokens.
    Tokens(usize),
    /// Echoes after a while.
    Slow(Duration),
    /// Waits before every frame.
    Pace(Duration),
    /// Answers with the status.
    Error(u16),
    /// Fails with 503 on the first attempts of a run.
    FailFirst(u32),
    /// Never answers.
    Hang,
    /// Breaks the connection after the request was sent.
    Reset,
    /// Breaks off after so many frames.
    Drop(usize),
    /// Sends an unreadable frame after so many.
    BadFrame(usize),
    /// An error object inside a 200.
    ErrorIn200,
    /// Tells no usage.
    NoUsage,
    /// Ignores the output cap.
    OverCap,
    /// Calls the tools it is offered.
    Tool,
    /// Answers as the system message says.
    Script,
    /// Embeds into so many dimensions.
    Embed(usize),
}

impl Behavior {
    /// Reads a model's name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "echo" => Self::Echo,
            "hang" => Self::Hang,
            "reset" => Self::Reset,
            "error-in-200" => Self::ErrorIn200,
            "no-usage" => Self::NoUsage,
            "over-cap" => Self::OverCap,
            "tool" => Self::Tool,
            "script" => Self::Script,
            _ => return Self::parse_numbered(name),
        })
    }

    fn parse_numbered(name: &str) -> Option<Self> {
        let (family, digits) = name.rsplit_once('-')?;
        // One spelling for each number.
        let number = digits.parse::<u64>().ok().filter(|number| number.to_string() == digits)?;
        let up_to = |max| (number <= max).then_some(number);
        let count = |max| up_to(max).and_then(|number| usize::try_from(number).ok());
        let millis = || up_to(MAX_MILLIS).map(Duration::from_millis);
        Some(match family {
            "tokens" => Self::Tokens(count(MAX_TOKENS)?),
            "slow" => Self::Slow(millis()?),
            "pace" => Self::Pace(millis()?),
            "error" => Self::Error(u16::try_from(number).ok().filter(|status| (400..=599).contains(status))?),
            "fail-first" => Self::FailFirst(u32::try_from(up_to(MAX_ATTEMPTS)?).ok()?),
            "drop" => Self::Drop(count(MAX_FRAMES)?),
            "badframe" => Self::BadFrame(count(MAX_FRAMES)?),
            "embed" => Self::Embed(count(MAX_DIMENSIONS).filter(|dimensions| *dimensions > 0)?),
            _ => return None,
        })
    }

    const fn capabilities(self) -> &'static [Capability] {
        match self {
            Self::Embed(_) => EMBEDDING,
            _ => CHAT,
        }
    }
}

/// The model of a name.
pub(super) fn find(name: &str) -> Option<BuiltinModel> {
    let behavior = Behavior::parse(name)?;
    Some(BuiltinModel { name: name.to_owned(), capabilities: behavior.capabilities() })
}

/// Names to show.
pub(super) fn list() -> Vec<BuiltinModel> {
    SHOWN.iter().filter_map(|name| find(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_happens() {
        for (name, behavior) in [
            ("echo", Behavior::Echo),
            ("tokens-0", Behavior::Tokens(0)),
            ("fail-first-2", Behavior::FailFirst(2)),
            ("error-in-200", Behavior::ErrorIn200),
            ("error-503", Behavior::Error(503)),
            ("embed-8", Behavior::Embed(8)),
        ] {
            assert_eq!(Behavior::parse(name), Some(behavior), "{name}");
        }
    }

    #[test]
    fn other_names_are_nobody() {
        for name in [
            "",
            "Echo",
            "echo-1",
            "tokens-",
            "tokens--1",
            "tokens-01",
            "tokens-100001",
            "error-200",
            "embed-0",
            "image",
        ] {
            assert_eq!(find(name), None, "{name}");
        }
    }

    #[test]
    fn every_name_shown_exists() {
        assert_eq!(list().len(), SHOWN.len());
    }
}
