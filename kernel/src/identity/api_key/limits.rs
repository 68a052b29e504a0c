//! The limits of a key: parsed field by field, and compared.

use std::collections::{BTreeMap, BTreeSet};

use ipnet::IpNet;
use types::name::is_misleading;
use types::run::Capture;

use crate::error::{Error, Result};
use crate::gateway::{MAX_LABEL_VALUE, MAX_LABELS, is_label_key};
use crate::record::ApiKey;

const MAX_RATE: u32 = 100_000;
const MAX_QUOTA: u64 = 1_000_000_000_000;
const MAX_NETWORKS: usize = 64;
const MAX_MODELS: usize = 200;
const MAX_MODEL_REF: usize = 300;
const MAX_TOOLS: usize = 500;
/// Bytes of a tool's ref.
const MAX_TOOL_REF: usize = 256;
/// How every ref of a tool begins.
const TOOL_REFS: [&str; 2] = ["tool:", "mcp_tool:"];

/// What a key is held to. `None` is no limit, an empty list allows nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Limits {
    pub(super) rate_limit_per_minute: Option<u32>,
    pub(super) daily_request_quota: Option<u64>,
    pub(super) daily_token_quota: Option<u64>,
    pub(super) ip_allowlist: Option<Vec<IpNet>>,
    pub(super) allowed_models: Option<Vec<String>>,
    pub(super) allowed_tools: Option<BTreeSet<String>>,
    pub(super) content_capture: Option<Capture>,
}

impl Limits {
    pub(super) fn of(key: &ApiKey) -> Self {
        Self {
            rate_limit_per_minute: key.rate_limit_per_minute,
            daily_request_quota: key.daily_request_quota,
            daily_token_quota: key.daily_token_quota,
            ip_allowlist: key.ip_allowlist.clone(),
            allowed_models: key.allowed_models.clone(),
            allowed_tools: key.allowed_tools.clone(),
            content_capture: key.content_capture,
        }
    }

    /// Checks the ranges; networks and models were checked when they were read.
    pub(super) fn check(&self) -> Result<()> {
        if self.rate_limit_per_minute.is_some_and(|rate| !(1..=MAX_RATE).contains(&rate)) {
            return Err(Error::invalid("rate_limit_per_minute", "must be 1 to 100000, or null for no limit"));
        }
        for (field, quota) in
            [("daily_request_quota", self.daily_request_quota), ("daily_token_quota", self.daily_token_quota)]
        {
            if quota.is_some_and(|quota| !(1..=MAX_QUOTA).contains(&quota)) {
                return Err(Error::invalid(field, "must be 1 to 1000000000000, or null for no limit"));
            }
        }
        Ok(())
    }

    /// The first field in which these limits allow what `other` does not.
    pub(super) fn looser_than(&self, other: &Self) -> Option<&'static str> {
        let more = |mine: Option<u64>, other: Option<u64>| match (mine, other) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(mine), Some(other)) => mine > other,
        };
        let models = |mine: &Option<Vec<String>>, other: &Option<Vec<String>>| match (mine, other) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(mine), Some(other)) => mine.iter().any(|model| !other.contains(model)),
        };
        let tools = |mine: &Option<BTreeSet<String>>, other: &Option<BTreeSet<String>>| match (mine, other) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(mine), Some(other)) => !mine.is_subset(other),
        };
        let networks = |mine: &Option<Vec<IpNet>>, other: &Option<Vec<IpNet>>| match (mine, other) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(mine), Some(other)) => mine.iter().any(|net| !other.iter().any(|wide| wide.contains(net))),
        };
        let checks = [
            (
                "rate_limit_per_minute",
                more(self.rate_limit_per_minute.map(u64::from), other.rate_limit_per_minute.map(u64::from)),
            ),
            ("daily_request_quota", more(self.daily_request_quota, other.daily_request_quota)),
            ("daily_token_quota", more(self.daily_token_quota, other.daily_token_quota)),
            ("ip_allowlist", networks(&self.ip_allowlist, &other.ip_allowlist)),
            ("allowed_models", models(&self.allowed_models, &other.allowed_models)),
            ("allowed_tools", tools(&self.allowed_tools, &other.allowed_tools)),
            // The strictest comes last; none is as loose as the workspace.
            ("content_capture", self.content_capture < other.content_capture),
        ];
        checks.into_iter().find(|(_, looser)| *looser).map(|(field, _)| field)
    }
}

/// Networks in CIDR form, without host bits.
pub(super) fn networks(list: &[String]) -> Result<Vec<IpNet>> {
    if list.len() > MAX_NETWORKS {
        return Err(Error::invalid("ip_allowlist", "has more than 64 networks"));
    }
    let parse = |(index, text): (usize, &String)| {
        let field = format!("ip_allowlist[{index}]");
        let network: IpNet =
            text.trim().parse().map_err(|_| Error::invalid(&field, "is no network, write it like `10.0.0.0/8`"))?;
        if network != network.trunc() {
            return Err(Error::invalid(field, format!("has host bits set, write `{}`", network.trunc())));
        }
        Ok(network)
    };
    list.iter().enumerate().map(parse).collect()
}

/// Tool refs, each once.
pub(super) fn tools(list: &[String]) -> Result<BTreeSet<String>> {
    if list.len() > MAX_TOOLS {
        return Err(Error::invalid("allowed_tools", "has more than 500 tools"));
    }
    let is_ref = |text: &String| {
        let name = TOOL_REFS.iter().find_map(|start| text.strip_prefix(start));
        let is_plain = |character: char| !is_misleading(character) && character != ' ';
        text.len() <= MAX_TOOL_REF && name.is_some_and(|name| !name.is_empty()) && text.chars().all(is_plain)
    };
    match list.iter().position(|text| !is_ref(text)) {
        Some(index) => {
            let message = "is no tool, write it like `tool:http:search` or `mcp_tool:github:create_issue`";
            Err(Error::invalid(format!("allowed_tools[{index}]"), message))
        }
        None => Ok(list.iter().cloned().collect()),
    }
}

/// Whether a label that was there is another one now, or gone: budgets bind by labels.
pub(super) fn looser_labels(labels: &BTreeMap<String, String>, before: &BTreeMap<String, String>) -> bool {
    before.iter().any(|(key, value)| labels.get(key) != Some(value))
}

/// Model refs, each once.
pub(super) fn models(list: &[String]) -> Result<Vec<String>> {
    if list.len() > MAX_MODELS {
        return Err(Error::invalid("allowed_models", "has more than 200 models"));
    }
    let mut models: Vec<String> = Vec::with_capacity(list.len());
    for (index, model) in list.iter().enumerate() {
        let length = model.chars().count();
        if length == 0
            || length > MAX_MODEL_REF
            || model.chars().any(|character| is_misleading(character) || character == ' ')
        {
            return Err(Error::invalid(
                format!("allowed_models[{index}]"),
                "is no model, write it like `model:openai:gpt-4o`",
            ));
        }
        if !models.contains(model) {
            models.push(model.clone());
        }
    }
    Ok(models)
}

/// Labels that all runs of a key carry.
pub(super) fn labels(given: &BTreeMap<String, String>) -> Result<BTreeMap<String, String>> {
    if given.len() > MAX_LABELS {
        return Err(Error::invalid("labels", format!("has more than {MAX_LABELS} labels")));
    }
    for (key, value) in given {
        let field: String = format!("labels.{key}").chars().take(80).collect();
        if !is_label_key(key) {
            return Err(Error::invalid(field, "must be called `[a-z][a-z0-9_]{0,31}`"));
        }
        let length = value.chars().count();
        if !(1..=MAX_LABEL_VALUE).contains(&length) || value.chars().any(is_misleading) {
            return Err(Error::invalid(field, format!("must have 1 to {MAX_LABEL_VALUE} visible characters")));
        }
    }
    Ok(given.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nets(list: &[&str]) -> Option<Vec<IpNet>> {
        Some(list.iter().map(|text| text.parse().unwrap()).collect())
    }

    #[test]
    fn host_bits_and_no_networks_are_refused_by_index() {
        for wrong in ["10.0.0.1/8", "10.0.0.0", "x", "::1/64"] {
            let error = networks(&["10.0.0.0/8".to_owned(), wrong.to_owned()]).unwrap_err();
            assert_eq!(error.field(), Some("ip_allowlist[1]"), "{wrong}");
        }
        assert!(networks(&["10.0.0.0/8".to_owned(), "2001:db8::/32".to_owned()]).is_ok());
    }

    #[test]
    fn no_limit_is_looser_than_any_and_an_empty_list_tighter() {
        let open = Limits::default();
        let tight =
            Limits { rate_limit_per_minute: Some(10), ip_allowlist: nets(&["10.0.0.0/8"]), ..Limits::default() };
        assert_eq!(open.looser_than(&tight), Some("rate_limit_per_minute"));
        assert_eq!(tight.looser_than(&open), None);
        let tighter =
            Limits { ip_allowlist: nets(&["10.1.0.0/16"]), rate_limit_per_minute: Some(9), ..Limits::default() };
        assert_eq!(tighter.looser_than(&tight), None);
        assert_eq!(tight.looser_than(&tighter), Some("rate_limit_per_minute"));
        let other = Limits { ip_allowlist: nets(&["10.0.0.0/8", "192.168.0.0/16"]), ..tight.clone() };
        assert_eq!(other.looser_than(&tight), Some("ip_allowlist"));
        let none = Limits { allowed_models: Some(Vec::new()), ..tight.clone() };
        assert_eq!(none.looser_than(&tight), None);
        assert_eq!(tight.looser_than(&none), Some("allowed_models"));
    }
}
