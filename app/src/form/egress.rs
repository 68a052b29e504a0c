//! The form of an egress rule.

use serde::{Deserialize, Serialize};
use types::egress::{EgressRule, Scheme};
use types::problem::Problem;

use super::Reader;

/// The form of an egress rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct EgressRuleForm {
    /// `https` or `http`.
    pub(crate) scheme: String,
    /// An exact host name or address.
    pub(crate) host: String,
    /// Ports; empty for the scheme's own.
    pub(crate) ports: String,
    /// Why.
    pub(crate) note: String,
}

impl EgressRuleForm {
    /// The rule, or every wrong field.
    pub(crate) fn read(&self) -> Result<EgressRule, Problem> {
        let mut reader = Reader::default();
        let scheme: Option<Scheme> = reader.required("scheme", &self.scheme);
        let host = self.host.trim().trim_end_matches('.').to_ascii_lowercase();
        if host.is_empty() || host.contains(['/', '*']) {
            reader.refuse("host", "must be one exact host name or address, without scheme and path");
        }
        let words = Reader::list(&self.ports).unwrap_or_default();
        let ports = words.iter().filter_map(|word| reader.number("ports", word)).collect();
        let rule = scheme.map(|scheme| EgressRule {
            id: None,
            schemes: vec![scheme],
            host,
            ports,
            note: self.note.trim().to_owned(),
        });
        reader.finish(rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_one_exact_host() {
        let form = EgressRuleForm {
            scheme: "https".to_owned(),
            host: "API.Example.com.".to_owned(),
            ports: "443, 8443".to_owned(),
            note: String::new(),
        };
        let rule = form.read().expect("a rule");
        assert_eq!((rule.host.as_str(), rule.ports.as_slice()), ("api.example.com", [443, 8443].as_slice()));
        for host in ["", "*.example.com", "https://example.com/"] {
            assert!(EgressRuleForm { host: host.to_owned(), ..form.clone() }.read().is_err(), "{host}");
        }
    }
}
