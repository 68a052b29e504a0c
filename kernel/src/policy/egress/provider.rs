//! Identity providers: who set up a connection named the provider, so no rule of a workspace is asked. What may be reached at
//! all is the deployment's to say.

use types::egress::Scheme;
use types::problem::Code;

use super::address::{Class, classify};
use super::decision::{EMPTY_BUNDLE, addresses, is_soit};
use super::{Deployment, Pinned, Target};
use crate::port::Resolver;
use crate::{Error, Result};

/// Judges every address of an identity provider. Plain http goes to private addresses alone, and those are reached where the
/// deployment opened them.
pub async fn pin_provider(deployment: &Deployment, target: &Target, resolver: &dyn Resolver) -> Result<Pinned> {
    let found = addresses(target.host(), resolver).await?;
    for address in &found {
        if is_soit(deployment, *address, target.port(), resolver) {
            return Err(denied(target, "it is soit itself"));
        }
        match classify(*address) {
            Class::Public if target.scheme() == Scheme::Https => {}
            Class::Public => return Err(denied(target, "plain http is not private, use https")),
            Class::Private if deployment.private_networks.iter().any(|network| network.contains(address)) => {}
            Class::Private => return Err(denied(target, "its address is private and the deployment did not open it")),
            Class::Never => return Err(denied(target, "its address is one nobody can open")),
        }
    }
    Ok(Pinned {
        scheme: target.scheme(),
        host: target.host().to_string(),
        port: target.port(),
        url: target.url().clone(),
        addresses: found,
        bundle_id: EMPTY_BUNDLE.to_owned(),
        rule_id: None,
    })
}

fn denied(target: &Target, why: &str) -> Error {
    let detail = format!("the identity provider at `{}` may not be called: {why}", target.origin());
    Error::new(Code::EgressDenied, detail)
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use async_trait::async_trait;

    use super::*;
    use crate::port::ResolveError;

    /// Every name stands for these addresses.
    struct Names(Vec<IpAddr>);

    #[async_trait]
    impl Resolver for Names {
        async fn resolve(&self, _: &str) -> std::result::Result<Vec<IpAddr>, ResolveError> {
            Ok(self.0.clone())
        }

        fn is_own(&self, _: IpAddr) -> bool {
            false
        }
    }

    async fn refused(url: &str, addresses: &[&str]) -> Option<Code> {
        let names = Names(addresses.iter().map(|address| address.parse().unwrap()).collect());
        let deployment = Deployment {
            private_networks: vec!["10.1.0.0/16".parse().unwrap()],
            own: vec!["10.1.0.9:5000".parse().unwrap()],
        };
        pin_provider(&deployment, &Target::parse(url).unwrap(), &names).await.err().map(|error| error.code())
    }

    #[tokio::test]
    async fn a_provider_is_reached_where_the_deployment_lets_it() {
        assert_eq!(refused("https://idp.example.com", &["93.184.215.14"]).await, None);
        assert_eq!(refused("https://idp.example.com", &["10.1.2.3"]).await, None);
        assert_eq!(refused("http://idp.example.com", &["10.1.2.3"]).await, None);
        for (url, addresses) in [
            ("http://idp.example.com", &["93.184.215.14"][..]),
            ("https://idp.example.com", &["10.2.2.3"]),
            ("https://idp.example.com", &["93.184.215.14", "10.2.2.3"]),
            ("https://idp.example.com", &["169.254.169.254"]),
            ("https://idp.example.com:5000", &["10.1.0.9"]),
        ] {
            assert_eq!(refused(url, addresses).await, Some(Code::EgressDenied), "{url} {addresses:?}");
        }
    }
}
