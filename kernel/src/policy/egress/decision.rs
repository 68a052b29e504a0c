//! The decision itself: rules first (in memory), then the addresses the name stands for.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use ipnet::IpNet;
use types::egress::{EgressRule, EgressSubject, Scheme};
use types::id::EgressRuleId;
use types::problem::{Code, EgressRefusal};

use super::address::{Class, classify};
use super::{Host, Pinned, Target};
use crate::port::Resolver;
use crate::record::EgressLayer;
use crate::{Error, Result};

/// The deployment's layer: what no workspace can open further.
#[derive(Clone, Debug, Default)]
pub struct Deployment {
    /// Networks a workspace may open at all.
    pub private_networks: Vec<IpNet>,
    /// Where soit itself listens: never called.
    pub own: Vec<SocketAddr>,
}

/// A target let out by a rule; its addresses are not judged yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// Who it is made for.
    pub subject: EgressSubject,
    /// The target.
    pub target: Target,
    /// The rule that let it out.
    pub rule_id: Option<EgressRuleId>,
    /// The rules it was decided under.
    pub bundle_id: String,
}

/// The bundle a workspace without any rule is decided under.
pub const EMPTY_BUNDLE: &str = "pb_0000000000000000";

/// The bundle in force.
pub fn bundle_id(layer: Option<&EgressLayer>) -> &str {
    layer.map_or(EMPTY_BUNDLE, |layer| layer.policy.bundle_id.as_str())
}

/// Asks the rules whether a call may leave for a target.
pub fn allow(layer: Option<&EgressLayer>, subject: EgressSubject, target: Target) -> Result<Allowed> {
    let bundle_id = bundle_id(layer).to_owned();
    match fitting(layer, &target) {
        Some(rule) => Ok(Allowed { subject, rule_id: rule.id, bundle_id, target }),
        None => {
            let why = failed_part(rules(layer), &target);
            Err(denied("not_allowed", &Allowed { subject, rule_id: None, bundle_id, target }, why))
        }
    }
}

/// The rule that lets calls out to a target.
pub(super) fn fitting<'a>(layer: Option<&'a EgressLayer>, target: &Target) -> Option<&'a EgressRule> {
    rules(layer).iter().find(|rule| fits(rule, target))
}

fn rules(layer: Option<&EgressLayer>) -> &[EgressRule] {
    layer.map(|layer| layer.policy.rules.as_slice()).unwrap_or_default()
}

/// Judges every address of an allowed target; the connector dials only what comes out of here.
pub async fn pin(
    deployment: &Deployment,
    layer: Option<&EgressLayer>,
    allowed: Allowed,
    resolver: &dyn Resolver,
) -> Result<Pinned> {
    let addresses = addresses(allowed.target.host(), resolver).await?;
    let opened = opened(layer);
    for address in &addresses {
        if is_soit(deployment, *address, allowed.target.port(), resolver) {
            return Err(denied("never_address", &allowed, "it is soit itself"));
        }
        judge(deployment, &opened, &allowed, *address)?;
    }
    let Allowed { target, rule_id, bundle_id, .. } = allowed;
    Ok(Pinned {
        scheme: target.scheme(),
        host: target.host().to_string(),
        port: target.port(),
        url: target.url().clone(),
        addresses,
        bundle_id,
        rule_id: rule_id.map(|id| id.to_string()),
    })
}

/// Every address a host stands for; never empty.
pub(super) async fn addresses(host: &Host, resolver: &dyn Resolver) -> Result<Vec<IpAddr>> {
    if host.is_localhost() {
        return Ok(vec![IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)]);
    }
    match host {
        Host::Address(address) => Ok(vec![*address]),
        Host::Name(name) => resolver.resolve(name).await.map_err(|error| {
            Error::new(Code::EgressDnsFailed, format!("the name `{name}` does not resolve")).with_source(error)
        }),
    }
}

/// Networks the workspace opened. What cannot be read opens nothing.
pub(super) fn opened(layer: Option<&EgressLayer>) -> Vec<IpNet> {
    let networks = layer.map(|layer| layer.policy.private_networks.as_slice()).unwrap_or_default();
    networks.iter().filter_map(|network| network.parse().ok()).collect()
}

fn judge(deployment: &Deployment, opened: &[IpNet], allowed: &Allowed, address: IpAddr) -> Result<()> {
    let holds = |networks: &[IpNet]| networks.iter().any(|network| network.contains(&address));
    match classify(address) {
        Class::Public => Ok(()),
        Class::Private if holds(&deployment.private_networks) && holds(opened) => Ok(()),
        Class::Private => {
            Err(denied("non_public_address", allowed, "its address is private and its network is not opened"))
        }
        Class::Never => Err(denied("never_address", allowed, "its address is one nobody can open")),
    }
}

/// Whether one of soit's listeners is there. One on every address is reached through each address of the machine.
pub(super) fn is_soit(deployment: &Deployment, address: IpAddr, port: u16, resolver: &dyn Resolver) -> bool {
    let is_ours = || address.is_loopback() || resolver.is_own(address);
    let reaches = |own: &SocketAddr| own.ip() == address || (own.ip().is_unspecified() && is_ours());
    deployment.own.iter().any(|own| own.port() == port && reaches(own))
}

/// Whether a target is soit itself, by any of its addresses.
pub async fn reaches_soit(deployment: &Deployment, target: &Target, resolver: &dyn Resolver) -> bool {
    let found = addresses(target.host(), resolver).await.unwrap_or_default();
    found.into_iter().any(|address| is_soit(deployment, address, target.port(), resolver))
}

fn fits(rule: &EgressRule, target: &Target) -> bool {
    fits_host(rule, target) && rule.schemes.contains(&target.scheme()) && fits_port(rule, target)
}

fn fits_host(rule: &EgressRule, target: &Target) -> bool {
    match target.host() {
        Host::Name(name) => rule.host == *name,
        Host::Address(address) => {
            rule.host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() == Ok(*address)
        }
    }
}

fn fits_port(rule: &EgressRule, target: &Target) -> bool {
    match (rule.ports.as_slice(), target.scheme()) {
        ([], Scheme::Https) => target.port() == 443,
        ([], Scheme::Http) => target.port() == 80,
        (ports, _) => ports.contains(&target.port()),
    }
}

fn failed_part(rules: &[EgressRule], target: &Target) -> &'static str {
    let of_host: Vec<&EgressRule> = rules.iter().filter(|rule| fits_host(rule, target)).collect();
    if of_host.is_empty() {
        "no rule names its host"
    } else if of_host.iter().any(|rule| rule.schemes.contains(&target.scheme())) {
        "no rule of its host names its port"
    } else {
        "no rule of its host names its scheme"
    }
}

/// The refusal of a call out, with what it was decided by. No tenant has rules of its own yet.
fn denied(reason: &'static str, call: &Allowed, why: &str) -> Error {
    let origin = call.target.origin();
    let detail = format!("`{origin}` may not be called: {why}; an owner or admin can add an egress rule");
    Error::new(Code::EgressDenied, detail).with_reason(reason).with_egress(EgressRefusal {
        subject: call.subject.clone(),
        origin,
        rule_id: call.rule_id,
        tenant_bundle_id: EMPTY_BUNDLE.to_owned(),
        workspace_bundle_id: call.bundle_id.clone(),
    })
}
