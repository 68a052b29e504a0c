//! Targets that passed a policy, for the tests of this crate.

use std::net::IpAddr;

use async_trait::async_trait;
use kernel::context::Scope;
use kernel::policy::{Pinned, egress};
use kernel::port::{ResolveError, Resolver};
use kernel::record::EgressLayer;
use types::egress::{EgressPolicy, EgressRule};
use types::id::{RevisionId, TenantId, Uuid, WorkspaceId};

pub(crate) fn scope() -> Scope {
    Scope {
        tenant_id: TenantId::from_uuid(Uuid::from_u128(1)),
        workspace_id: WorkspaceId::from_uuid(Uuid::from_u128(2)),
    }
}

/// A target that passed a policy which lets it out. Every name is this machine.
pub(crate) async fn pinned(url: &str) -> Pinned {
    let target = egress::Target::parse(url).unwrap();
    let rule = EgressRule {
        id: None,
        schemes: vec![target.scheme()],
        host: target.host().to_string(),
        ports: vec![target.port()],
        note: String::new(),
    };
    let networks = ["127.0.0.0/8"];
    let layer = EgressLayer {
        scope: scope(),
        revision_id: RevisionId::from_uuid(Uuid::from_u128(5)),
        policy: EgressPolicy {
            rules: vec![rule],
            private_networks: networks.map(str::to_owned).to_vec(),
            ..EgressPolicy::default()
        },
        version: 1,
    };
    let deployment = egress::Deployment {
        private_networks: networks.iter().map(|network| network.parse().unwrap()).collect(),
        ..egress::Deployment::default()
    };
    let subject = types::egress::EgressSubject { provider: "prv_test".to_owned() };
    let allowed = egress::allow(Some(&layer), subject, target).unwrap();
    egress::pin(&deployment, Some(&layer), allowed, &Loopback).await.unwrap()
}

struct Loopback;

#[async_trait]
impl Resolver for Loopback {
    async fn resolve(&self, _host: &str) -> Result<Vec<IpAddr>, ResolveError> {
        Ok(vec!["127.0.0.1".parse().unwrap()])
    }

    fn is_own(&self, address: IpAddr) -> bool {
        address.is_loopback()
    }
}
