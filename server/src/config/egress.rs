//! The one way out.

use std::net::SocketAddr;
use std::path::PathBuf;

use ipnet::IpNet;

use super::choice::Environment;
use super::reader::Reader;
use super::setting::settings;

settings! {
    /// The one way out.
    pub struct Egress {
        /// Private networks a workspace may open at all.
        pub private_networks: Option<Vec<IpNet>> = "EGRESS_PRIVATE_NETWORKS" {
            absent: "outside production loopback (`127.0.0.0/8,::1/128`), else none",
            production: "never `/0`, here and elsewhere"
        };
        /// PEM file of certificate authorities trusted besides the public ones.
        pub extra_ca_file: Option<PathBuf> = "EXTRA_CA_FILE" {};
        /// Name servers for outgoing calls.
        pub dns_servers: Vec<SocketAddr> = "DNS_SERVERS" { absent: "the system's" };
    }
}

impl Egress {
    /// The private networks in force.
    pub fn private_networks(&self, environment: Environment) -> Vec<IpNet> {
        let loopback = || {
            let networks = ["127.0.0.0/8", "::1/128"];
            networks.iter().filter_map(|network| network.parse().ok()).collect()
        };
        match &self.private_networks {
            Some(networks) => networks.clone(),
            None if environment.is_production() => Vec::new(),
            None => loopback(),
        }
    }

    pub(super) fn rules(&self, reader: &mut Reader<'_>) {
        let networks = self.private_networks.iter().flatten();
        if networks.into_iter().any(|network| network.prefix_len() == 0) {
            reader.refuse("EGRESS_PRIVATE_NETWORKS", "opens every address", "name the networks");
        }
        if let Some(path) = self.extra_ca_file.as_ref().filter(|path| !path.is_file()) {
            let rule = format!("names `{}`, which is no file", path.display());
            reader.refuse("EXTRA_CA_FILE", rule, "name a PEM file");
        }
    }
}
