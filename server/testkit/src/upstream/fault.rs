//! What the upstream does with a call.

use std::str::FromStr;
use std::time::Duration;

/// Named by a model or by the first segment of the path; any other name is answered in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// `delay-MS`: answers late.
    Delay(Duration),
    /// `pace-MS`: waits before each frame.
    Pace(Duration),
    /// `status-CODE` or `status-CODE-after-SECONDS`: refuses, the latter with `Retry-After`.
    Status(u16, Option<u64>),
    /// `fail-first-N`: refuses the first calls of a prompt with 500.
    FailFirst(usize),
    /// `hang`: never answers.
    Hang,
    /// `stall-N`: says nothing more after so many frames.
    Stall(usize),
    /// `reset`: resets the connection instead of answering.
    Reset,
    /// `reset-N`: resets the connection after so many frames.
    ResetAfter(usize),
    /// `cut-N`: closes the connection after so many frames; a whole answer stops half-way.
    Cut(usize),
    /// `end-N`: ends the stream in order after so many frames, without finish reason and end mark.
    End(usize),
    /// `garbage-N`: an unreadable frame after so many; a whole answer is unreadable.
    Garbage(usize),
    /// `error-in-200`: an error object with status 200.
    ErrorIn200,
    /// `error-after-N`: an error object as a frame after so many.
    ErrorAfter(usize),
    /// `no-usage`: tells no usage.
    NoUsage,
    /// `wrong-usage`: tells a usage that contradicts itself.
    WrongUsage,
    /// `no-done`: leaves the end mark out.
    NoDone,
    /// `echo` or `echo-MS`: answers with the prompt's words, the latter waiting before each.
    Echo(Duration),
    /// `echo-credential`: refuses with 401 and repeats the credential.
    EchoCredential,
}

impl FromStr for Fault {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        let (family, number) = name.rsplit_once('-').unwrap_or((name, ""));
        let number = number.parse::<u64>().ok();
        let count = || number.and_then(|number| usize::try_from(number).ok()).ok_or(());
        let millis = || number.map(Duration::from_millis).ok_or(());
        let code = |text: &str| text.parse::<u16>().map_err(|_| ());
        Ok(match (name, family) {
            ("hang", _) => Self::Hang,
            ("reset", _) => Self::Reset,
            ("error-in-200", _) => Self::ErrorIn200,
            ("no-usage", _) => Self::NoUsage,
            ("wrong-usage", _) => Self::WrongUsage,
            ("no-done", _) => Self::NoDone,
            ("echo", _) => Self::Echo(Duration::ZERO),
            ("echo-credential", _) => Self::EchoCredential,
            (_, "delay") => Self::Delay(millis()?),
            (_, "echo") => Self::Echo(millis()?),
            (_, "pace") => Self::Pace(millis()?),
            (_, "fail-first") => Self::FailFirst(count()?),
            (_, "stall") => Self::Stall(count()?),
            (_, "reset") => Self::ResetAfter(count()?),
            (_, "cut") => Self::Cut(count()?),
            (_, "end") => Self::End(count()?),
            (_, "garbage") => Self::Garbage(count()?),
            (_, "error-after") => Self::ErrorAfter(count()?),
            (_, "status") => Self::Status(code(name.trim_start_matches("status-"))?, None),
            _ => {
                let (status, seconds) =
                    name.strip_prefix("status-").and_then(|rest| rest.split_once("-after-")).ok_or(())?;
                Self::Status(code(status)?, Some(seconds.parse().map_err(|_| ())?))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_happens() {
        for (name, fault) in [
            ("status-500", Ok(Fault::Status(500, None))),
            ("status-429-after-2", Ok(Fault::Status(429, Some(2)))),
            ("reset", Ok(Fault::Reset)),
            ("reset-2", Ok(Fault::ResetAfter(2))),
            ("error-after-1", Ok(Fault::ErrorAfter(1))),
            ("ok", Err(())),
            ("gpt-4o", Err(())),
        ] {
            assert_eq!(name.parse(), fault, "{name}");
        }
    }
}
