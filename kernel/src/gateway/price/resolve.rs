//! Which price counts for a model at a moment.

use std::cmp::Reverse;

use chrono::{DateTime, Utc};
use types::modelhub::Price;

/// The price of a model ref at admission: exact before the longest prefix, then the newest that is valid.
pub fn resolve<'a>(prices: &'a [Price], model_ref: &str, at: DateTime<Utc>) -> Option<&'a Price> {
    let valid = prices.iter().filter(|price| price.valid_from <= at);
    let matching = valid.filter_map(|price| Some((closeness(&price.match_ref, model_ref)?, price)));
    // Smallest of the reversed key: of equal ones the first, and lists come newest first.
    matching.min_by_key(|(closeness, price)| Reverse((*closeness, price.valid_from))).map(|(_, price)| price)
}

/// How closely a match fits: an exact one beats every prefix, a longer prefix a shorter one.
fn closeness(match_ref: &str, model_ref: &str) -> Option<usize> {
    match match_ref.strip_suffix('*') {
        Some(prefix) => model_ref.starts_with(prefix).then_some(prefix.len()),
        None => (match_ref == model_ref).then_some(usize::MAX),
    }
}
