//! What was chosen before: the addresses of pages and the things, kept by the browser alone.

use serde::{Deserialize, Serialize};
use types::search::Hit;

use crate::browser;
use crate::component::Place;

/// How many are kept.
const MOST: usize = 6;

/// Something that was chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Recent {
    /// A page, by its address.
    Page(String),
    /// A thing.
    Thing(Hit),
}

/// What was chosen before, newest first.
pub(super) fn recents(place: &Place) -> Vec<Recent> {
    browser::kept(&key(place)).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Remembers what was chosen.
pub(super) fn remember(place: &Place, chosen: Recent) {
    let others = recents(place).into_iter().filter(|recent| *recent != chosen).take(MOST - 1).collect::<Vec<_>>();
    let all: Vec<Recent> = std::iter::once(chosen).chain(others).collect();
    if let Ok(text) = serde_json::to_string(&all) {
        browser::keep(&key(place), &text);
    }
}

/// Nobody sees what another person of the same browser chose.
fn key(place: &Place) -> String {
    format!("soit.recent.{}.{}", place.shell.me.user.id, place.shell.workspace.id)
}
