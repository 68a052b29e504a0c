//! What a closed run is made of, each part by its hash: a changed one has a name.
//!
//! A run's digest in the chain is the SHA-256 of its parts, written as RFC 8785 JSON and kept in the entry. Content
//! (previews) stands in it as a commitment, `SHA-256(salt ‖ content)`, whose salt is derived from one the run keeps: who
//! erases salt and content leaves a chain that holds, and commitments that tell nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use types::cost::Cost;
use types::run::Content;

use super::form::{cost, run, step};
use super::{ClosedRun, Hash, Salt};
use crate::digest::canonical;

/// Which form the parts follow.
const FORM: &str = "soit/parts/1";

/// The parts of a closed run, by hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parts {
    form: String,
    run_id: String,
    run: Hash,
    steps: BTreeMap<String, Hash>,
    costs: BTreeMap<String, Hash>,
    /// SHA-256 of the bytes.
    artifacts: BTreeMap<String, Hash>,
    /// Commitments, by record and field: `stp_….output`.
    content: BTreeMap<String, Hash>,
}

/// A kept text and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Record and field: `stp_….output`.
    pub place: String,
    /// The text.
    pub text: String,
    /// The salt of its commitment.
    pub salt: Hash,
}

/// What is not as the chain says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// Which record: an id, or record and field of content.
    pub record: String,
    /// Whether it is gone, rather than changed or added.
    pub is_missing: bool,
}

/// What of a run may be gone, because purges behind its entry took it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gone {
    /// Its cost rows.
    pub costs: bool,
    /// Its texts, its salt and its artifacts.
    pub content: bool,
}

impl Parts {
    /// The parts of a run as it is now.
    pub fn of(closed: &ClosedRun) -> Self {
        let steps = closed.steps.iter().map(|row| (row.id.to_string(), step(row).hash()));
        let costs = closed.costs.iter().map(|row| (row.id.to_string(), cost(row).hash()));
        let shown = shown(closed).into_iter();
        Self {
            form: FORM.to_owned(),
            run_id: closed.run.id.to_string(),
            run: run(closed).hash(),
            steps: steps.collect(),
            costs: costs.collect(),
            artifacts: closed.artifacts.iter().map(|(id, hash)| (id.to_string(), *hash)).collect(),
            content: shown.map(|shown| (shown.place, commitment(&shown.salt, &shown.text))).collect(),
        }
    }

    /// Reads parts; nothing where the text is not what [`Parts::text`] writes.
    pub fn read(text: &str) -> Option<Self> {
        let parts: Self = serde_json::from_str(text).ok()?;
        (parts.form == FORM && parts.text() == text).then_some(parts)
    }

    /// The RFC 8785 text.
    pub fn text(&self) -> String {
        let value = serde_json::to_value(self).unwrap_or_default();
        String::from_utf8(canonical(&value)).unwrap_or_default()
    }

    /// The run's digest in the chain.
    pub fn digest(&self) -> Hash {
        Hash::of(&[self.text().as_bytes()])
    }

    /// Which run.
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// What of a run is not as these parts say. What is gone is no flaw where it may be.
    pub fn flaw(&self, closed: &ClosedRun, may: Gone) -> Option<Flaw> {
        self.flaw_of(&Self::of(closed), may)
    }

    /// What of the cost rows of a run that is gone itself is not as these parts say.
    pub fn flaw_of_costs(&self, costs: &[Cost], may_lack_costs: bool) -> Option<Flaw> {
        let now = costs.iter().map(|row| (row.id.to_string(), cost(row).hash())).collect();
        flaw_but_gone(&self.costs, &now, may_lack_costs)
    }

    /// What of other parts is not as these say: the first record, the run itself first.
    pub fn flaw_of(&self, now: &Self, may: Gone) -> Option<Flaw> {
        if now.run != self.run || now.run_id != self.run_id {
            return Some(Flaw { record: self.run_id.clone(), is_missing: false });
        }
        let flaw = difference(&self.steps, &now.steps);
        let flaw = flaw.or_else(|| flaw_but_gone(&self.costs, &now.costs, may.costs));
        // Who takes the salt leaves texts that are not those that were committed to.
        let flaw = flaw.or_else(|| flaw_but_gone(&self.content, &now.content, may.content));
        flaw.or_else(|| flaw_but_gone(&self.artifacts, &now.artifacts, may.content))
    }

    /// The first of its texts that is not among these places.
    pub(crate) fn lacking(&self, mut has: impl FnMut(&str) -> bool) -> Option<&str> {
        self.content.keys().map(String::as_str).find(|place| !has(place))
    }

    /// Replaces the hash of every record by that of another reading, content aside: for bundles.
    pub(crate) fn with_records(&self, run: Hash, steps: BTreeMap<String, Hash>, costs: BTreeMap<String, Hash>) -> Self {
        Self { run, steps, costs, content: BTreeMap::new(), ..self.clone() }
    }

    /// The commitment to a text, where one was made.
    pub(crate) fn committed(&self, place: &str) -> Option<&Hash> {
        self.content.get(place)
    }
}

/// What was changed or added, and what is missing unless it may be.
fn flaw_but_gone(then: &BTreeMap<String, Hash>, now: &BTreeMap<String, Hash>, may_lack: bool) -> Option<Flaw> {
    if !may_lack {
        return difference(then, now);
    }
    let left: BTreeMap<String, Hash> =
        then.iter().filter(|(id, _)| now.contains_key(*id)).map(|(id, hash)| (id.clone(), *hash)).collect();
    difference(&left, now)
}

fn difference(then: &BTreeMap<String, Hash>, now: &BTreeMap<String, Hash>) -> Option<Flaw> {
    let moved = then.iter().find(|(id, hash)| now.get(*id) != Some(hash));
    let added = || now.keys().find(|id| !then.contains_key(*id));
    let flaw = |id: &String| Flaw { record: id.clone(), is_missing: !now.contains_key(id) };
    moved.map(|(id, _)| flaw(id)).or_else(|| added().map(flaw))
}

/// The texts that a run and its steps kept, in order.
pub(crate) fn shown(closed: &ClosedRun) -> Vec<Shown> {
    let run = [("input", &closed.run.input), ("output", &closed.run.output)];
    let run = run.map(|(field, content)| (closed.run.id.to_string(), field, content)).into_iter();
    let steps = closed.steps.iter().flat_map(|step| {
        [("input", &step.input), ("output", &step.output)].map(|(field, content)| (step.id.to_string(), field, content))
    });
    run.chain(steps).filter_map(|(id, field, content)| text_of(closed.salt.as_ref(), &id, field, content)).collect()
}

fn text_of(salt: Option<&Salt>, id: &str, field: &str, content: &Content) -> Option<Shown> {
    let place = format!("{id}.{field}");
    let text = content.preview.as_ref()?.replace('\0', "\u{FFFD}");
    Some(Shown { salt: field_salt(salt.map_or(&[][..], <[u8; 16]>::as_slice), &place), place, text })
}

/// The salt of one text, derived from that of its run: giving one away gives no other away.
pub fn field_salt(salt: &[u8], place: &str) -> Hash {
    Hash::of(&[b"soit/salt/1", salt, place.as_bytes()])
}

/// What a chain holds of a text.
pub fn commitment(salt: &Hash, text: &str) -> Hash {
    Hash::of(&[&salt.0, text.as_bytes()])
}
