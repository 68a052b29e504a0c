//! What a body asks for, read once: everything the checks and the hold need to know of it.

use std::sync::Arc;

use serde_json::{Map, Value};
use types::modelhub::Capability;
use types::run::Capture;

use super::replay::Script;
use super::request::{Operation, Options};
use super::{chat, embedding};
use crate::{Result, json};

/// A request whose fields are checked.
#[derive(Clone, Debug)]
pub(super) struct Wish {
    pub(super) operation: Operation,
    pub(super) options: Options,
    /// The body as it came.
    pub(super) body: Map<String, Value>,
    /// The model as the caller names it.
    pub(super) model: String,
    /// Set for streams.
    pub(super) stream: Option<StreamWish>,
    /// What the model must be able to do, with the field that asks for it.
    pub(super) needs: Vec<(Capability, &'static str)>,
    /// Every text of the prompt, in order.
    pub(super) texts: Vec<String>,
    /// Embeddings given as token ids: not texts yet.
    pub(super) tokens: Vec<Vec<u32>>,
    /// What goes in besides text.
    pub(super) extra: Extra,
    /// The caller's cap on the answer.
    pub(super) cap: Option<u64>,
    /// How many answers.
    pub(super) answers: u64,
    /// What the provider is to fetch.
    pub(super) links: Vec<Link>,
    /// The record it is made from again: nothing leaves, nothing is held or booked.
    pub(super) script: Option<Arc<Script>>,
}

/// Parts of a prompt that are no text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Extra {
    pub(super) messages: u64,
    pub(super) images: u64,
    /// Bytes of tool and format schemas.
    pub(super) schema_bytes: u64,
}

/// A URL in a body, and the field that holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) field: String,
    pub(super) url: String,
}

/// How a stream is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StreamWish {
    /// Whether the frame with the usage is wanted.
    pub(super) include_usage: bool,
}

impl Wish {
    /// Reads and checks headers and body.
    pub(super) fn read(operation: Operation, headers: &[(String, Vec<u8>)], bytes: &[u8]) -> Result<Self> {
        let options = Options::parse(headers)?;
        let map = json::object(bytes)?;
        match operation {
            Operation::Chat => chat::read(options, map),
            Operation::Embeddings => embedding::read(options, map),
        }
    }

    /// How much content is kept: the strictest of the workspace and the caller.
    pub(super) fn capture(&self, workspace: Capture) -> Capture {
        self.options.capture.map_or(workspace, |asked| asked.max(workspace))
    }
}
