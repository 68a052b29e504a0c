//! Rules and networks in the one form they are kept and compared in; what has none is refused by index.

use std::collections::BTreeSet;

use ipnet::IpNet;
use types::egress::{EgressRule, Scheme};
use types::id::EgressRuleId;

use crate::check::Checks;
use crate::policy::egress::{Deployment, Target};

/// Most rules of a layer.
const MOST_RULES: usize = 500;
/// Most ports of a rule.
const MOST_PORTS: usize = 10;
/// Most characters of a rule's note.
const MOST_NOTE: usize = 200;

/// The rules, normalised, each with an id.
pub(super) fn rules(
    given: &[EgressRule],
    mut fresh: impl FnMut() -> EgressRuleId,
    checks: &mut Checks,
) -> Vec<EgressRule> {
    checks.require(given.len() <= MOST_RULES, "rules", format!("must have at most {MOST_RULES} rules"));
    let mut ids = BTreeSet::new();
    let mut one = |(index, rule): (usize, &EgressRule)| {
        let field = format!("rules[{index}]");
        let id = rule.id.unwrap_or_else(&mut fresh);
        checks.require(ids.insert(id), format!("{field}.id"), "is the id of another rule too");
        checks.require(!rule.schemes.is_empty(), format!("{field}.schemes"), "must name `https`, `http` or both");
        checks.require(
            rule.ports.len() <= MOST_PORTS,
            format!("{field}.ports"),
            format!("must have at most {MOST_PORTS}"),
        );
        let port = rule.ports.iter().position(|port| *port == 0);
        checks.require(
            port.is_none(),
            format!("{field}.ports[{}]", port.unwrap_or_default()),
            "must lie within 1 and 65535",
        );
        checks.text(&rule.note, 0, MOST_NOTE, format!("{field}.note"));
        EgressRule {
            id: Some(id),
            schemes: sorted(&rule.schemes),
            host: host(&rule.host, &field, checks),
            ports: ports(&rule.schemes, &rule.ports),
            note: rule.note.clone(),
        }
    };
    given.iter().enumerate().map(&mut one).collect()
}

/// The networks, sorted; each must be one the deployment lets be opened.
pub(super) fn networks(given: &[String], deployment: &Deployment, checks: &mut Checks) -> Vec<String> {
    let mut kept = BTreeSet::new();
    for (index, text) in given.iter().enumerate() {
        let field = format!("private_networks[{index}]");
        let Ok(network) = text.parse::<IpNet>() else {
            checks.require(false, field, format!("`{text}` is no network, write it like `10.0.0.0/8`"));
            continue;
        };
        let bare = network.trunc();
        checks.require(network == bare, &*field, format!("has bits behind its prefix, write `{bare}`"));
        let open = deployment.private_networks.iter().any(|outer| outer.contains(&network));
        checks.require(
            open,
            field,
            "is not among the networks this deployment lets be opened (`EGRESS_PRIVATE_NETWORKS`)",
        );
        kept.insert(bare.to_string());
    }
    kept.into_iter().collect()
}

/// An exact name or address: lower case, ASCII, no trailing dot, IPv6 without brackets.
fn host(text: &str, field: &str, checks: &mut Checks) -> String {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let literal = if bare.contains(':') { format!("[{bare}]") } else { bare.to_owned() };
    match Target::parse(&format!("https://{literal}/")) {
        // What would begin a path, query or fragment is no part of a host.
        Ok(target) if !text.contains(['/', '?', '#']) => target.host().to_string(),
        _ => {
            let message = format!("`{text}` is no exact host name or IP address; patterns are not possible here");
            checks.require(false, format!("{field}.host"), message);
            String::new()
        }
    }
}

/// The ports; where none are given or they are the schemes' own, none.
fn ports(schemes: &[Scheme], given: &[u16]) -> Vec<u16> {
    let own: &[u16] = match schemes {
        [Scheme::Https] => &[443],
        [Scheme::Http] => &[80],
        _ => &[],
    };
    let ports = sorted(given);
    if ports == own { Vec::new() } else { ports }
}

fn sorted<T: Ord + Copy>(values: &[T]) -> Vec<T> {
    values.iter().copied().collect::<BTreeSet<T>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use types::id::Uuid;

    use super::*;

    fn normal(rules_given: &[EgressRule]) -> (Vec<EgressRule>, Vec<String>) {
        let mut checks = Checks::default();
        let mut next = 0;
        let fresh = || {
            next += 1;
            EgressRuleId::from_uuid(Uuid::from_u128(next))
        };
        let kept = rules(rules_given, fresh, &mut checks);
        (kept, fields(checks))
    }

    fn fields(checks: Checks) -> Vec<String> {
        let errors = checks.done().map_or_else(|error| error.problem().errors, |()| Vec::new());
        errors.into_iter().map(|error| error.field).collect()
    }

    fn rule(host: &str, ports: &[u16]) -> EgressRule {
        EgressRule {
            id: None,
            schemes: vec![Scheme::Https],
            host: host.to_owned(),
            ports: ports.to_vec(),
            note: String::new(),
        }
    }

    #[test]
    fn hosts_are_kept_in_one_form() {
        for (given, kept) in [
            ("API.Example.com.", "api.example.com"),
            ("10.0.0.1", "10.0.0.1"),
            ("::1", "::1"),
            ("[2001:DB8::1]", "2001:db8::1"),
            ("bücher.example", "xn--bcher-kva.example"),
        ] {
            let (rules, wrong) = normal(&[rule(given, &[])]);
            assert_eq!((rules[0].host.as_str(), wrong), (kept, vec![]), "{given}");
        }
    }

    #[test]
    fn what_is_no_exact_host_is_named_by_its_index() {
        for given in [
            "",
            "*",
            "*.example.com",
            "*.com*",
            "a/b",
            "a?b",
            "a#b",
            "a@b",
            "a:443",
            "[::1]:443",
            "10.0.0.0/8",
            "0x7f.1",
            "a b",
        ] {
            let (_, wrong) = normal(&[rule("good.test", &[]), rule(given, &[])]);
            assert_eq!(wrong, ["rules[1].host"], "{given}");
        }
    }

    #[test]
    fn a_schemes_own_port_is_the_same_as_none() {
        assert_eq!(normal(&[rule("a.test", &[443])]).0[0].ports, Vec::<u16>::new());
        assert_eq!(normal(&[rule("a.test", &[8443, 443, 443])]).0[0].ports, [443, 8443]);
        assert_eq!(normal(&[rule("a.test", &[1, 0])]).1, ["rules[0].ports[1]"]);
        assert_eq!(normal(&[rule("a.test", &[1; 11])]).1, ["rules[0].ports"]);
    }

    #[test]
    fn networks_lie_within_the_deployments() {
        let deployment =
            Deployment { private_networks: vec!["10.0.0.0/8".parse().expect("a network")], own: Vec::new() };
        let judge = |text: &str| {
            let mut checks = Checks::default();
            let kept = networks(&[text.to_owned()], &deployment, &mut checks);
            (kept, fields(checks))
        };
        assert_eq!(judge("10.1.0.0/16"), (vec!["10.1.0.0/16".to_owned()], vec![]));
        for wrong in ["10.1.0.1/16", "192.168.0.0/16", "0.0.0.0/0", "10.0.0.0", "x"] {
            assert_eq!(judge(wrong).1, ["private_networks[0]"], "{wrong}");
        }
    }
}
