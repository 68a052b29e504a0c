//! Texts of signing in with an identity provider.

mod en;
mod zh_cn;

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// Texts of signing in with an identity provider.
pub(crate) struct Sso {
    pub(crate) allowed_domains: &'static str,
    pub(crate) backchannel_uri: &'static str,
    pub(crate) client_id: &'static str,
    pub(crate) client_secret: &'static str,
    pub(crate) client_secret_hint: &'static str,
    pub(crate) create: &'static str,
    pub(crate) delete_text: &'static str,
    pub(crate) enforced: &'static str,
    pub(crate) enforced_hint: &'static str,
    pub(crate) go_on: &'static str,
    pub(crate) group_claim: &'static str,
    pub(crate) issuer: &'static str,
    pub(crate) issuer_hint: &'static str,
    pub(crate) jit: &'static str,
    pub(crate) jit_hint: &'static str,
    pub(crate) jit_role: &'static str,
    pub(crate) label: &'static str,
    pub(crate) label_hint: &'static str,
    pub(crate) link: fn(&str) -> String,
    pub(crate) linked: &'static str,
    pub(crate) list_hint: &'static str,
    pub(crate) mappings: &'static str,
    pub(crate) mappings_hint: &'static str,
    pub(crate) mappings_wrong: &'static str,
    pub(crate) no_links: &'static str,
    pub(crate) none: &'static str,
    pub(crate) none_text: &'static str,
    pub(crate) profile: &'static str,
    /// What a machine word for a refusal means; none of a word that says nothing to its reader.
    pub(crate) reason: fn(&str) -> Option<&'static str>,
    pub(crate) redirect_uri: &'static str,
    pub(crate) scopes: &'static str,
    pub(crate) sign_in_with: fn(&str) -> String,
    pub(crate) test: &'static str,
    pub(crate) test_failed: &'static str,
    pub(crate) test_ok: &'static str,
    pub(crate) title: &'static str,
    pub(crate) unlink: &'static str,
}
