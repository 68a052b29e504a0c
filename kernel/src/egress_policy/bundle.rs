//! The id of a rule set: the same rules have the same id, whatever their order.

use std::collections::BTreeSet;

use serde_json::json;
use sha2::{Digest, Sha256};
use types::egress::EgressRule;

use crate::error::{Error, Result};
use crate::policy::egress::EMPTY_BUNDLE;

/// `pb_` + 16 hex digits of SHA-256 over the canonical form: normalised rules, sorted, without repeats, ids and notes.
pub(super) fn bundle_id(rules: &[EgressRule], private_networks: &[String]) -> Result<String> {
    if rules.is_empty() && private_networks.is_empty() {
        return Ok(EMPTY_BUNDLE.to_owned());
    }
    let canonical = |value: &serde_json::Value| serde_json_canonicalizer::to_string(value).map_err(Error::internal);
    let rules: BTreeSet<String> = rules
        .iter()
        .map(|rule| canonical(&json!({ "schemes": rule.schemes, "host": rule.host, "ports": rule.ports })))
        .collect::<Result<_>>()?;
    let networks: BTreeSet<&String> = private_networks.iter().collect();
    let digest = Sha256::digest(canonical(&json!({ "rules": rules, "private_networks": networks }))?);
    let hex: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("pb_{hex}"))
}

#[cfg(test)]
mod tests {
    use types::egress::Scheme;

    use super::*;

    fn rule(host: &str, note: &str) -> EgressRule {
        EgressRule {
            id: None,
            schemes: vec![Scheme::Https],
            host: host.to_owned(),
            ports: vec![443],
            note: note.to_owned(),
        }
    }

    fn id(rules: &[EgressRule], networks: &[&str]) -> String {
        let networks: Vec<String> = networks.iter().map(|text| (*text).to_owned()).collect();
        bundle_id(rules, &networks).expect("it can be written")
    }

    #[test]
    fn order_repeats_and_notes_do_not_matter_and_rules_do() {
        let (a, b) = (rule("a.test", ""), rule("b.test", "why"));
        let both = id(&[a.clone(), b.clone()], &[]);
        assert_eq!(both, id(&[rule("b.test", ""), a.clone(), b], &[]));
        assert_ne!(both, id(std::slice::from_ref(&a), &[]));
        assert_ne!(id(std::slice::from_ref(&a), &["10.0.0.0/8"]), id(&[a], &[]));
        assert_eq!(both.len(), 19);
    }

    #[test]
    fn no_rules_have_the_id_of_no_layer() {
        assert_eq!(id(&[], &[]), EMPTY_BUNDLE);
    }
}
