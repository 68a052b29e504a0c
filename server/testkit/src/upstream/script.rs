//! An answer as a list of acts, and the body that plays it.

use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures::stream;
use serde_json::Value;

use super::call::Open;
use super::connection::Fuse;
use super::fault::Fault;

/// What an answer does next.
pub(super) enum Act {
    Send(String),
    /// Resets the connection.
    Reset,
    /// Closes the connection in the middle of the body.
    Break,
    /// Says nothing more.
    Stall,
    /// Ends the body in order.
    End,
}

/// The acts of a streamed answer.
pub(super) fn of_stream(frames: Vec<Value>, fault: Option<Fault>, complaint: &Value) -> Vec<Act> {
    let event = |data: String| Act::Send(format!("data: {data}\n\n"));
    let mut acts: Vec<Act> = frames.into_iter().map(|frame| event(frame.to_string())).collect();
    let (after, strike) = match fault {
        Some(Fault::Stall(after)) => (after, vec![Act::Stall]),
        Some(Fault::ResetAfter(after)) => (after, vec![Act::Reset]),
        Some(Fault::Cut(after)) => (after, vec![Act::Break]),
        Some(Fault::End(after)) => (after, vec![Act::End]),
        Some(Fault::Garbage(after)) => (after, vec![event("{\"choices\": [".to_owned()), Act::End]),
        Some(Fault::ErrorAfter(after)) => (after, vec![event(complaint.to_string()), Act::End]),
        Some(Fault::NoDone) => (acts.len(), vec![Act::End]),
        _ => (acts.len(), vec![event("[DONE]".to_owned()), Act::End]),
    };
    acts.truncate(after);
    acts.extend(strike);
    acts
}

/// The acts of a whole answer.
pub(super) fn of_whole(body: &Value, fault: Option<Fault>, complaint: &Value) -> Vec<Act> {
    let text = body.to_string();
    let half = || Act::Send(text.chars().take(text.len() / 2).collect());
    match fault {
        Some(Fault::Stall(_)) => vec![half(), Act::Stall],
        Some(Fault::ResetAfter(_)) => vec![half(), Act::Reset],
        Some(Fault::Cut(_) | Fault::End(_)) => vec![half(), Act::Break],
        Some(Fault::Garbage(_)) => vec![half(), Act::End],
        Some(Fault::ErrorAfter(_)) => vec![Act::Send(complaint.to_string()), Act::End],
        _ => vec![Act::Send(text), Act::End],
    }
}

/// Plays the acts; the call is open until the body is dropped.
pub(super) fn play(acts: Vec<Act>, pace: Duration, open: Open, fuse: Fuse) -> Body {
    let chunks = stream::unfold((acts.into_iter(), open, fuse), move |(mut acts, mut open, fuse)| async move {
        let act = acts.next()?;
        if matches!(act, Act::Send(_)) && !pace.is_zero() {
            tokio::time::sleep(pace).await;
        }
        if matches!(act, Act::Break | Act::Reset) {
            // What was said before leaves first.
            tokio::task::yield_now().await;
        }
        let chunk = match act {
            Act::Send(text) => Ok(Bytes::from(text)),
            Act::Break => Err(io::Error::from(io::ErrorKind::BrokenPipe)),
            Act::Reset => {
                fuse.blow();
                Ok(Bytes::from_static(b"\n"))
            }
            Act::Stall => std::future::pending().await,
            Act::End => {
                open.answered();
                return None;
            }
        };
        Some((chunk, (acts, open, fuse)))
    });
    Body::from_stream(chunks)
}
