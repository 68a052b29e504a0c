//! What a connection may be, purely.

use serde_json::{Value, json};
use types::egress::Scheme;
use types::id::{GroupId, WorkspaceId};
use types::identity::Role;
use types::sso::SsoMapping;

use crate::check::Checks;
use crate::policy::egress::{Class, Host, Target, classify};
use crate::record::{SsoConnection, Workspace};

/// Most connections of a tenant.
pub(super) const MOST_CONNECTIONS: usize = 5;
/// What is asked for where nothing is said.
pub(super) const DEFAULT_SCOPES: [&str; 3] = ["openid", "email", "profile"];
const MOST_SCOPES: usize = 20;
const MOST_DOMAINS: usize = 50;
const MOST_MAPPINGS: usize = 100;
const MOST_TEXT: usize = 255;
const MOST_ISSUER: usize = 500;
const MOST_SECRET: usize = 1_024;

/// What a connection may name: the workspaces of its tenant, and groups with the workspace each belongs to.
pub(super) struct Nameable<'a> {
    pub(super) workspaces: &'a [Workspace],
    pub(super) groups: &'a [(WorkspaceId, GroupId)],
}

/// Checks everything that can be set, and brings it into the form that is kept.
pub(super) fn normal(mut draft: SsoConnection, named: &Nameable<'_>, checks: &mut Checks) -> SsoConnection {
    check_issuer(&draft.issuer, checks);
    checks.text(&draft.client_id, 1, MOST_TEXT, "client_id");
    draft.scopes = scopes(&draft.scopes, checks);
    draft.allowed_domains = domains(&draft.allowed_domains, checks);
    if let Some(claim) = &draft.group_claim {
        checks.text(claim, 1, MOST_TEXT, "group_claim");
    }
    let is_own = |id: WorkspaceId| named.workspaces.iter().any(|workspace| workspace.id == id);
    checks.require(is_own(draft.scope.workspace_id), "workspace_id", "is no active workspace of the tenant");
    checks.require(draft.jit_role != Role::Owner, "jit_role", "must not be `owner`: a provider makes no owners");
    let has_domain = !draft.jit || !draft.allowed_domains.is_empty();
    checks.require(has_domain, "allowed_domains", "must name a domain while `jit` makes accounts");
    let has_claim = draft.mappings.is_empty() || draft.group_claim.is_some();
    checks.require(has_claim, "group_claim", "must be named for `mappings` to be read");
    checks.require(draft.mappings.len() <= MOST_MAPPINGS, "mappings", format!("has more than {MOST_MAPPINGS} entries"));
    let first = draft.scope.workspace_id;
    for (index, mapping) in draft.mappings.iter_mut().enumerate() {
        check_mapping(mapping, index, first, named, checks);
    }
    draft
}

/// Checks a client secret; the message never shows it.
pub(super) fn check_secret(secret: Option<&str>, checks: &mut Checks) {
    let Some(secret) = secret else { return };
    checks.require(
        (1..=MOST_SECRET).contains(&secret.len()),
        "client_secret",
        format!("must have 1 to {MOST_SECRET} characters"),
    );
    let is_plain = secret.bytes().all(|byte| byte.is_ascii_graphic());
    checks.require(is_plain, "client_secret", "must hold visible ASCII characters only, without blanks");
}

/// What the audit says of a connection.
pub(super) fn facts(connection: &SsoConnection) -> Value {
    json!({
        "label": connection.label,
        "issuer": connection.issuer,
        "client_id": connection.client_id,
        "scopes": connection.scopes,
        "allowed_domains": connection.allowed_domains,
        "group_claim": connection.group_claim,
        "mappings": connection.mappings,
        "jit": connection.jit,
        "jit_role": connection.jit_role,
        "workspace_id": connection.scope.workspace_id,
        "enforced": connection.enforced,
    })
}

/// Whether it is plain http is judged by the address it leads to, when it is called.
fn check_issuer(issuer: &str, checks: &mut Checks) {
    match Target::parse(issuer) {
        Ok(target) => {
            let is_bare = target.url().query().is_none() && !issuer.contains('#') && issuer.len() <= MOST_ISSUER;
            checks.require(is_bare, "issuer", "must have neither query nor fragment, and at most 500 characters");
            let is_open = target.scheme() == Scheme::Http && is_public(target.host());
            checks.require(!is_open, "issuer", "must begin with `https://`");
        }
        Err(error) => checks.require(false, "issuer", error.detail()),
    }
}

/// Whether a host is known to be public before anybody is asked.
fn is_public(host: &Host) -> bool {
    matches!(host, Host::Address(address) if classify(*address) == Class::Public)
}

fn scopes(given: &[String], checks: &mut Checks) -> Vec<String> {
    checks.require(given.len() <= MOST_SCOPES, "scopes", format!("has more than {MOST_SCOPES} entries"));
    let is_scope = |scope: &str| {
        !scope.is_empty()
            && scope.len() <= MOST_TEXT
            && scope.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\')
    };
    for (index, scope) in given.iter().enumerate() {
        checks.require(is_scope(scope), format!("scopes[{index}]"), "is no scope");
    }
    let mut scopes = vec!["openid".to_owned()];
    for scope in given {
        if !scopes.contains(scope) {
            scopes.push(scope.clone());
        }
    }
    scopes
}

fn domains(given: &[String], checks: &mut Checks) -> Vec<String> {
    checks.require(given.len() <= MOST_DOMAINS, "allowed_domains", format!("has more than {MOST_DOMAINS} entries"));
    let mut domains = Vec::new();
    for (index, text) in given.iter().enumerate() {
        let domain = idna::domain_to_ascii_strict(text.trim()).ok();
        let domain = domain.filter(|domain| !domain.is_empty() && !domain.contains('@') && !domain.ends_with('.'));
        checks.require(domain.is_some(), format!("allowed_domains[{index}]"), "is no domain like `example.com`");
        domains.extend(domain.filter(|domain| !domains.contains(domain)));
    }
    domains
}

fn check_mapping(
    mapping: &mut SsoMapping,
    index: usize,
    first: WorkspaceId,
    named: &Nameable<'_>,
    checks: &mut Checks,
) {
    let field = |name: &str| format!("mappings[{index}].{name}");
    checks.text(&mapping.group, 1, MOST_TEXT, field("group"));
    match (mapping.role, mapping.group_id) {
        (Some(role), None) => {
            checks.require(role != Role::Owner, field("role"), "must not be `owner`: a provider makes no owners");
            let workspace_id = *mapping.workspace_id.get_or_insert(first);
            let is_own = named.workspaces.iter().any(|workspace| workspace.id == workspace_id);
            checks.require(is_own, field("workspace_id"), "is no active workspace of the tenant");
        }
        (None, Some(group_id)) => {
            let found = named.groups.iter().find(|(_, id)| *id == group_id);
            checks.require(found.is_some(), field("group_id"), "is no group of the tenant");
            mapping.workspace_id = found.map(|(workspace_id, _)| *workspace_id);
        }
        _ => checks.require(false, field("role"), "must be given, or `group_id`, and not both"),
    }
}
