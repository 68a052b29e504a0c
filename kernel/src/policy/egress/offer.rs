//! What a target would need before a call may leave: offered beside a provider's form, never added by itself.

use ipnet::IpNet;
use types::egress::{EgressOffer, EgressRule};

use super::address::{Class, classify};
use super::decision::{addresses, fitting, is_soit, opened};
use super::{Deployment, Target};
use crate::port::Resolver;
use crate::record::EgressLayer;

/// The rule that fits exactly, and the private networks it needs. A name that does not resolve now offers none.
pub async fn offer(
    deployment: &Deployment,
    layer: Option<&EgressLayer>,
    target: &Target,
    resolver: &dyn Resolver,
) -> EgressOffer {
    let found = addresses(target.host(), resolver).await.unwrap_or_default();
    let already = opened(layer);
    let (mut missing, mut openable) = (Vec::new(), true);
    for address in found {
        let opened = already.iter().any(|network| network.contains(&address));
        match classify(address) {
            _ if is_soit(deployment, address, target.port(), resolver) => openable = false,
            Class::Public => {}
            Class::Never => openable = false,
            Class::Private => {
                let widest = deployment.private_networks.iter().find(|network| network.contains(&address));
                openable &= widest.is_some();
                let network = widest.copied().unwrap_or_else(|| IpNet::from(address)).to_string();
                let open = opened && widest.is_some();
                if !open && !missing.contains(&network) {
                    missing.push(network);
                }
            }
        }
    }
    let allowed = fitting(layer, target).is_some() && missing.is_empty() && openable;
    EgressOffer { allowed, rule: rule_for(target), private_networks: missing, openable }
}

fn rule_for(target: &Target) -> EgressRule {
    EgressRule {
        id: None,
        schemes: vec![target.scheme()],
        host: target.host().to_string(),
        ports: if target.url().port().is_some() { vec![target.port()] } else { Vec::new() },
        note: String::new(),
    }
}
