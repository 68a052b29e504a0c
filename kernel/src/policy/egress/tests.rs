use std::net::IpAddr;

use async_trait::async_trait;
use types::egress::{EgressPolicy, EgressRule, EgressSubject, Scheme};
use types::id::{EgressRuleId, RevisionId, TenantId, Uuid, WorkspaceId};
use types::problem::Code;

use super::*;
use crate::context::Scope;
use crate::port::{ResolveError, Resolver};
use crate::record::EgressLayer;

/// Answers with the same addresses for every name.
struct Addresses(Vec<IpAddr>);

#[async_trait]
impl Resolver for Addresses {
    async fn resolve(&self, host: &str) -> Result<Vec<IpAddr>, ResolveError> {
        let unknown = ResolveError { host: host.to_owned(), reason: "unknown".to_owned() };
        if self.0.is_empty() { Err(unknown) } else { Ok(self.0.clone()) }
    }

    fn is_own(&self, address: IpAddr) -> bool {
        ["10.9.8.7", "fd00::9"].iter().any(|own| own.parse() == Ok(address))
    }
}

fn addresses(texts: &[&str]) -> Addresses {
    Addresses(texts.iter().map(|text| text.parse().unwrap()).collect())
}

fn rule(scheme: Scheme, host: &str, ports: &[u16]) -> EgressRule {
    EgressRule {
        id: Some(EgressRuleId::from_uuid(Uuid::from_u128(1))),
        schemes: vec![scheme],
        host: host.to_owned(),
        ports: ports.to_vec(),
        note: String::new(),
    }
}

fn layer(rules: Vec<EgressRule>, networks: &[&str]) -> EgressLayer {
    EgressLayer {
        scope: Scope {
            tenant_id: TenantId::from_uuid(Uuid::from_u128(1)),
            workspace_id: WorkspaceId::from_uuid(Uuid::from_u128(2)),
        },
        revision_id: RevisionId::from_uuid(Uuid::from_u128(3)),
        policy: EgressPolicy {
            bundle_id: "pb_0123456789abcdef".to_owned(),
            rules,
            private_networks: networks.iter().map(|network| (*network).to_owned()).collect(),
            updated_at: None,
        },
        version: 1,
    }
}

fn deployment(networks: &[&str], own: &[&str]) -> Deployment {
    Deployment {
        private_networks: networks.iter().map(|network| network.parse().unwrap()).collect(),
        own: own.iter().map(|own| own.parse().unwrap()).collect(),
    }
}

fn subject() -> EgressSubject {
    EgressSubject { provider: "prv_1".to_owned() }
}

/// The whole decision for a URL whose exact rule exists.
async fn decide(deployment: &Deployment, url: &str, networks: &[&str], found: &Addresses) -> crate::Result<Pinned> {
    let target = Target::parse(url)?;
    let rule = rule(target.scheme(), &target.host().to_string(), &[target.port()]);
    let layer = layer(vec![rule], networks);
    pin(deployment, Some(&layer), allow(Some(&layer), subject(), target)?, found).await
}

#[test]
fn malformed_and_ambiguous_targets_are_refused() {
    let long_label = format!("https://{}.example.com/", "a".repeat(64));
    let long_host = format!("https://{}example.com/", "a.".repeat(125));
    let long_url = format!("https://example.com/{}", "a".repeat(2048));
    for raw in [
        "http://127.1/",
        "http://2130706433/",
        "http://0177.0.0.1/",
        "http://0x7f000001/",
        "http://0x7f.0.0.1/",
        "http://127.0.0.01/",
        "http://1.2.3.4.5/",
        "http://example.0x1/",
        "http://example.1/",
        "http://[fe80::1%25eth0]/",
        "http://[::1/",
        "http://[::1]x/",
        "http://[]/",
        "http://example.com@10.0.0.1/",
        "http://@example.com/",
        "http://:@example.com/",
        "http://user:pass@example.com/",
        "http://example.com\\@127.0.0.1/",
        "http://example.com\\/",
        "http://127。0。0。1/",
        "http://１２７.0.0.1/",
        "http://ⓛocalhost/",
        "http://exa%6dple.com/",
        "http://exam ple.com/",
        " http://example.com/",
        "http://example.com/\n",
        "http://example.com/\t",
        "http://exa\u{0}mple.com/",
        "http://example..com/",
        "http://.example.com/",
        "http://example.com../",
        "http://exa!mple.com/",
        "http:///path",
        "http:example.com",
        "http:/example.com/",
        "//example.com/",
        "ftp://example.com/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "example.com",
        "",
        "http://example.com:0/",
        "http://example.com:65536/",
        "http://example.com:080/",
        "http://example.com:+80/",
        "http://example.com:-1/",
        "http://example.com:/",
        "http://example.com:80:80/",
        "https://api.example.com/%0d%0aHost:x",
        "https://api.example.com/%00",
        "https://api.example.com/a%0Ab",
        &long_label,
        &long_host,
        &long_url,
    ] {
        let refused = Target::parse(raw).map(|target| target.url().to_string());
        assert_eq!(refused.map_err(|error| error.code()), Err(Code::EgressInvalidTarget), "{raw}");
    }
}

#[test]
fn well_formed_targets_are_read_in_one_way() {
    for (raw, url, host, port) in [
        ("https://API.Example.com", "https://api.example.com/", "api.example.com", 443),
        ("HTTPS://api.example.com./v1#top", "https://api.example.com/v1", "api.example.com", 443),
        ("http://example.com:8080/a?b=c", "http://example.com:8080/a?b=c", "example.com", 8080),
        ("https://bücher.example/", "https://xn--bcher-kva.example/", "xn--bcher-kva.example", 443),
        ("http://100.63.255.254/", "http://100.63.255.254/", "100.63.255.254", 80),
        ("http://[2606:4700:4700::1111]/", "http://[2606:4700:4700::1111]/", "2606:4700:4700::1111", 80),
        ("http://vllm:8000/v1", "http://vllm:8000/v1", "vllm", 8000),
        ("http://my_service.internal/", "http://my_service.internal/", "my_service.internal", 80),
        ("https://example.com/a%2fb", "https://example.com/a%2fb", "example.com", 443),
    ] {
        let target = Target::parse(raw).unwrap();
        assert_eq!((target.url().as_str(), target.port()), (url, port), "{raw}");
        assert_eq!(target.host().to_string(), host, "{raw}");
    }
}

#[test]
fn addresses_have_the_class_of_their_range() {
    for (class, list) in [
        (
            Class::Public,
            &[
                "1.1.1.1",
                "9.255.255.255",
                "11.0.0.0",
                "100.63.255.254",
                "100.128.0.1",
                "126.255.255.255",
                "128.0.0.1",
                "169.253.255.255",
                "169.255.0.0",
                "172.15.255.255",
                "172.32.0.0",
                "192.167.255.255",
                "192.169.0.0",
                "198.17.255.255",
                "198.20.0.0",
                "223.255.255.255",
                "2606:4700:4700::1111",
                "64:ff9b::808:808",
                "64:ff9c::1",
                "2001:4860::8888",
            ][..],
        ),
        (
            Class::Private,
            &[
                "10.0.0.0",
                "10.255.255.255",
                "172.16.0.1",
                "172.31.255.255",
                "192.168.0.1",
                "100.64.0.1",
                "100.127.255.255",
                "127.0.0.1",
                "127.255.255.255",
                "198.18.0.1",
                "198.19.255.255",
                "::1",
                "fc00::1",
                "fdff::1",
            ],
        ),
        (
            Class::Never,
            &[
                "0.0.0.0",
                "0.1.2.3",
                "169.254.169.254",
                "192.0.0.1",
                "192.0.2.1",
                "198.51.100.1",
                "203.0.113.1",
                "192.88.99.1",
                "224.0.0.1",
                "239.255.255.255",
                "240.0.0.1",
                "255.255.255.255",
                "100.100.100.200",
                "168.63.129.16",
                "::",
                "::7f00:1",
                "::ffff:127.0.0.1",
                "::ffff:8.8.8.8",
                "::ffff:169.254.169.254",
                "64:ff9b::a9fe:a9fe",
                "64:ff9b::7f00:1",
                "64:ff9b::a00:1",
                "64:ff9b:1::1",
                "100::1",
                "2001::1",
                "2001:db8::1",
                "2002:7f00:1::",
                "2002:808:808::",
                "fe80::1",
                "febf::1",
                "fec0::1",
                "ff02::1",
                "fd00:ec2::254",
                "fd20:ce::254",
                "2606:4700::5efe:127.0.0.1",
                "2606:4700::200:5efe:127.0.0.1",
                "3fff::1",
            ],
        ),
    ] {
        for text in list {
            assert_eq!(classify(text.parse().unwrap()), class, "{text}");
        }
    }
}

#[test]
fn a_rule_names_host_scheme_and_port_exactly() {
    let default_port = layer(vec![rule(Scheme::Https, "api.example.com", &[])], &[]);
    let given_port = layer(vec![rule(Scheme::Http, "10.0.0.1", &[8080])], &[]);
    for (layer, url, allowed) in [
        (&default_port, "https://api.example.com/v1", true),
        (&default_port, "https://API.example.com.:443/", true),
        (&default_port, "https://api.example.com:8443/", false),
        (&default_port, "http://api.example.com/", false),
        (&default_port, "https://example.com/", false),
        (&default_port, "https://x.api.example.com/", false),
        (&default_port, "https://api.example.com.evil.test/", false),
        (&given_port, "http://10.0.0.1:8080/", true),
        (&given_port, "http://10.0.0.1/", false),
        (&given_port, "http://10.0.0.2:8080/", false),
    ] {
        let decided = allow(Some(layer), subject(), Target::parse(url).unwrap());
        assert_eq!(decided.is_ok(), allowed, "{url}");
        if let Err(refused) = decided {
            assert_eq!((refused.code(), refused.reason()), (Code::EgressDenied, Some("not_allowed")), "{url}");
        }
    }
    let refused = allow(None, subject(), Target::parse("https://api.example.com/x?key=1").unwrap()).unwrap_err();
    let about = refused.problem().egress.expect("what it was about");
    assert_eq!((about.subject, about.rule_id), (subject(), None), "no rule means no");
    assert_eq!(about.origin, "https://api.example.com", "not what may be secret");
    assert_eq!((about.tenant_bundle_id.as_str(), about.workspace_bundle_id.as_str()), (EMPTY_BUNDLE, EMPTY_BUNDLE));
}

#[tokio::test]
async fn what_is_dialed_is_what_was_judged() {
    let found = addresses(&["1.1.1.1", "2606:4700::1"]);
    let pinned = decide(&Deployment::default(), "https://api.example.com/v1", &[], &found).await.unwrap();
    assert_eq!(pinned.addresses(), ["1.1.1.1".parse::<IpAddr>().unwrap(), "2606:4700::1".parse().unwrap()]);
    assert_eq!((pinned.host(), pinned.port(), pinned.bundle_id()), ("api.example.com", 443, "pb_0123456789abcdef"));
    assert!(pinned.rule_id().is_some());
}

#[tokio::test]
async fn one_bad_address_refuses_all() {
    for (address, reason) in [
        ("10.0.0.1", "non_public_address"),
        ("169.254.169.254", "never_address"),
        ("::ffff:1.1.1.1", "never_address"),
        ("fd00::1", "non_public_address"),
    ] {
        let found = addresses(&["1.1.1.1", address]);
        let refused = decide(&Deployment::default(), "https://api.example.com/", &[], &found).await.unwrap_err();
        assert_eq!((refused.code(), refused.reason()), (Code::EgressDenied, Some(reason)), "{address}");
        let about = refused.problem().egress.expect("what it was about");
        assert!(about.rule_id.is_some(), "a rule would have let it out");
        assert_eq!(about.workspace_bundle_id, "pb_0123456789abcdef");
    }
    let refused = decide(&Deployment::default(), "https://api.example.com/", &[], &addresses(&[])).await.unwrap_err();
    assert_eq!(refused.code(), Code::EgressDnsFailed);
}

#[tokio::test]
async fn private_networks_are_opened_by_deployment_and_workspace_together() {
    let loopback = ["127.0.0.0/8", "::1/128"];
    for (deployed, opened, allowed) in [
        (&loopback[..], &loopback[..], true),
        (&loopback, &[], false),
        (&[], &loopback, false),
        (&loopback, &["10.0.0.0/8"], false),
    ] {
        for url in ["http://127.0.0.1:8000/", "http://localhost:8000/"] {
            let decided = decide(&deployment(deployed, &[]), url, opened, &addresses(&[])).await;
            assert_eq!(decided.is_ok(), allowed, "{url} {deployed:?} {opened:?}");
        }
    }
    let everything = ["169.254.0.0/16", "0.0.0.0/8"];
    let never = decide(&deployment(&everything, &[]), "http://169.254.169.254/", &everything, &addresses(&[])).await;
    assert_eq!(never.unwrap_err().reason(), Some("never_address"), "nobody can open it");
}

#[tokio::test]
async fn soit_never_calls_itself() {
    let private = ["127.0.0.0/8", "::1/128", "10.0.0.0/8", "fd00::/8"];
    for (own, url, allowed) in [
        ("127.0.0.1:9200", "http://127.0.0.1:9200/", false),
        ("0.0.0.0:9200", "http://127.8.8.8:9200/", false),
        ("0.0.0.0:9200", "http://10.9.8.7:9200/", false),
        ("0.0.0.0:9200", "http://10.9.8.7:9201/", true),
        ("0.0.0.0:9200", "http://10.9.8.6:9200/", true),
        ("[::]:9200", "http://10.9.8.7:9200/", false),
        ("[::]:9200", "http://[fd00::9]:9200/", false),
        ("10.9.8.7:9200", "http://10.9.8.7:9200/", false),
        ("127.0.0.1:9200", "http://10.9.8.7:9200/", true),
        ("0.0.0.0:9200", "http://127.0.0.1:9200/", false),
        ("[::]:9200", "http://localhost:9200/", false),
        ("127.0.0.1:9200", "http://127.0.0.1:9201/", true),
        ("10.0.0.1:9200", "http://127.0.0.1:9200/", true),
    ] {
        // Whichever of the two listeners it is.
        for own in [[own, "127.0.0.1:1"], ["127.0.0.1:1", own]] {
            let decided = decide(&deployment(&private, &own), url, &private, &addresses(&[])).await;
            assert_eq!(decided.is_ok(), allowed, "{own:?} {url}");
            let target = Target::parse(url).unwrap();
            let offer = offer(&deployment(&private, &own), None, &target, &addresses(&[])).await;
            assert_eq!(offer.openable, allowed, "no rule helps: {own:?} {url}");
        }
    }
    let (ours, found) = (deployment(&private, &["0.0.0.0:443"]), addresses(&["1.1.1.1", "10.9.8.7"]));
    let named = decide(&ours, "https://api.test/", &private, &found);
    assert_eq!(named.await.unwrap_err().reason(), Some("never_address"), "also behind a name");
}

#[tokio::test]
async fn the_offer_is_exactly_what_is_missing() {
    let ours = deployment(&["127.0.0.0/8", "::1/128"], &[]);
    let public = addresses(&["1.1.1.1"]);
    let of = async |layer: Option<&EgressLayer>, url: &str, found: &Addresses| {
        let offer = offer(&ours, layer, &Target::parse(url).unwrap(), found).await;
        (offer.allowed, offer.openable, offer.private_networks, offer.rule.host, offer.rule.ports)
    };
    let host = |text: &str| text.to_owned();
    assert_eq!(of(None, "https://api.test/v1", &public).await, (false, true, vec![], host("api.test"), vec![]));
    let ruled = layer(vec![rule(Scheme::Https, "api.test", &[])], &[]);
    assert!(of(Some(&ruled), "https://api.test/v1", &public).await.0);
    let both = vec![host("127.0.0.0/8"), host("::1/128")];
    assert_eq!(
        of(None, "http://localhost:8000/v1", &public).await,
        (false, true, both.clone(), host("localhost"), vec![8000])
    );
    let opened = layer(vec![rule(Scheme::Http, "localhost", &[8000])], &["127.0.0.0/8", "::1/128"]);
    assert!(of(Some(&opened), "http://localhost:8000/v1", &public).await.0);
    let lan = of(None, "http://10.1.2.3/v1", &public).await;
    assert_eq!((lan.1, lan.2), (false, vec![host("10.1.2.3/32")]), "the deployment does not open it");
    assert!(!of(None, "http://169.254.169.254/", &public).await.1);
    // What cannot be resolved now may be allowed all the same: it is judged when it is called.
    assert!(of(Some(&ruled), "https://api.test/v1", &addresses(&[])).await.0);
}
