//! English.

use super::Egress;

pub(crate) const EN: Egress = Egress {
    accept: "Allow it",
    add: "Add rule",
    allowed: "Calls may leave",
    close: "Close",
    count: |count| match count {
        1 => "1 rule".to_owned(),
        count => format!("{count} rules"),
    },
    denied: "Calls may not leave",
    empty: "Nothing leaves",
    empty_text: "Without a rule every outgoing call is refused. Add the hosts your providers live on.",
    explain: "An outgoing call needs a rule with its exact host. Everything else is refused, and the refusal is recorded.",
    host: "Host",
    host_hint: "One exact name or address, such as api.example.com.",
    missing: |rule| format!("Calls to this provider are refused: no egress rule allows {rule}."),
    missing_private: |rule, network| {
        format!(
            "Calls to this provider are refused: no egress rule allows {rule}, and the private network {network} is closed."
        )
    },
    never_openable: |host| {
        format!("{host} is an address that no rule can open, such as soit itself. Give the provider another base URL.")
    },
    not_openable: |network| {
        format!(
            "The host lies in the private network {network}, which this deployment keeps closed. Its operator can open it with EGRESS_PRIVATE_NETWORKS."
        )
    },
    note: "Note",
    own_port: "the scheme's own",
    ports: "Ports",
    ports_hint: "Empty: the scheme's own.",
    private_networks: "Open private networks",
    private_networks_text: "Addresses that do not lie on the public internet. Each one is opened on purpose.",
    remove: "Remove",
    rules: "Rules",
    scheme: "Scheme",
    unknown: "Whether calls may leave could not be checked",
};
