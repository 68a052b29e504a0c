//! Every address of the console, in one place: what links point to and the router listens to.

use types::identity::TenantRole;
use types::view::ViewPage;

use crate::query::{Params, ZONE};

/// Where server functions are mounted.
pub const FUNCTION_PREFIX: &str = "/ui/fn";
/// Where a form without scripts proves who its reader is.
pub const STEP_UP: &str = "/ui/fn/step_up";
/// The sign-in page.
pub const SIGN_IN: &str = "/sign-in";
/// The second step of a sign-in.
pub const MFA: &str = "/mfa";
/// Takes the form of that page: `code`, `next`.
pub const MFA_POST: &str = "/ui/mfa";
/// One's second factor; its forms are posted to itself.
pub const SECOND_FACTOR: &str = "/second-factor";
/// Leads to an identity provider, to sign in there: `next`, and `link` to link an account.
pub const SSO_START: &str = "/auth/oidc/{id}/start";
/// Leads who is signed in to their identity provider, to prove it again: `next`.
pub const SSO_STEP_UP: &str = "/auth/step-up";
/// Where the provider leads back to.
pub const SSO_CALLBACK: &str = "/auth/oidc/{id}/callback";
/// Where the provider tells of sign-outs.
pub const SSO_BACKCHANNEL: &str = "/auth/oidc/{id}/backchannel-logout";
/// The page that accepts an invitation; its token stands behind the `#`.
pub const INVITE: &str = "/invite";
/// Takes the form of that page: `token`, `name`, `password`.
pub const INVITE_POST: &str = "/ui/invite";
/// Asks for a link that sets a new password.
pub const FORGOT_PASSWORD: &str = "/forgot-password";
/// Takes the form of that page: `email`.
pub const FORGOT_PASSWORD_POST: &str = "/ui/forgot-password";
/// The page that sets a new password; its token stands behind the `#`.
pub const RESET_PASSWORD: &str = "/reset-password";
/// Takes the form of that page: `token`, `password`, `repeated`.
pub const RESET_PASSWORD_POST: &str = "/ui/reset-password";
/// The page that confirms an address; its token stands behind the `#`.
pub const CONFIRM_EMAIL: &str = "/confirm-email";
/// Takes the form of that page: `token`.
pub const CONFIRM_EMAIL_POST: &str = "/ui/confirm-email";
/// The page on which one makes an account.
pub const REGISTER: &str = "/register";
/// Takes the form of that page: `email`, `name`, `password`, `repeated`.
pub const REGISTER_POST: &str = "/ui/register";
/// Takes the sign-in form: `email`, `password`, `next`.
pub const SIGN_IN_POST: &str = "/ui/sign-in";
/// Takes the sign-out form.
pub const SIGN_OUT_POST: &str = "/ui/sign-out";
/// Takes the form that lowers the session to a weaker role: `workspace`, `role`, `next`.
pub const VIEW_AS_POST: &str = "/ui/view-as";
/// Takes the form that ends that: `next`.
pub const VIEW_AS_STOP_POST: &str = "/ui/view-as/stop";
/// Takes the preferences form: the fields of [`crate::prefs`], and `next`.
pub const PREFS_POST: &str = "/ui/prefs";
/// Where a new secret is shown, once: to look there is a GET, to have it a POST.
pub const KEY_REVEAL: &str = "/w/{workspace}/keys/{key}/reveal";
/// The same for the link of an invitation.
pub const INVITATION_REVEAL: &str = "/w/{workspace}/access/invitations/{invitation}/reveal";
/// The runs list as a file: `?w={slug}&format=csv`, with the parameters of the list.
pub const RUNS_EXPORT: &str = "/ui/export/runs";
/// The audit as a file, in the same way.
pub const AUDIT_EXPORT: &str = "/ui/export/audit";
/// The events as a file, in the same way.
pub const EVENTS_EXPORT: &str = "/ui/export/events";
/// Live hints of a workspace: `?w={slug}`.
pub const EVENTS: &str = "/ui/events";
/// Where one can go, to choose from.
pub const CHOOSER: &str = "/?choose=1";
/// The pages of a tenant, and what each needs.
pub(crate) const TENANT_SECTIONS: [(&str, &str); 6] = [
    ("workspaces", "workspace.list_all"),
    ("members", "tenant_member.list"),
    ("ceilings", "tenant_ceiling.read"),
    ("sso", "sso.read"),
    ("audit", "tenant_audit.read"),
    ("usage", "tenant_usage.read"),
];
/// The pages of who runs the instance.
pub(crate) const OPERATOR_SECTIONS: [&str; 3] = ["tenants", "users", "diagnostics"];
/// Every component in every state.
pub const KIT: &str = "/ui/kit";

/// The page of a tenant's identity providers.
pub(crate) fn tenant_sso(tenant: impl std::fmt::Display) -> String {
    format!("/t/{tenant}/sso")
}

/// A section of the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Profile,
    Sessions,
    Appearance,
    Workspace,
    Retention,
    About,
}

impl Section {
    pub(crate) const ALL: [Self; 6] =
        [Self::Profile, Self::Sessions, Self::Appearance, Self::Workspace, Self::Retention, Self::About];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Profile => "profile",
            Self::Sessions => "sessions",
            Self::Appearance => "appearance",
            Self::Workspace => "workspace",
            Self::Retention => "retention",
            Self::About => "about",
        }
    }

    pub(crate) fn read(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.as_str() == text)
    }
}

/// The addresses of one workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct At {
    home: String,
    zone: Option<String>,
}

impl At {
    /// The workspace of a slug.
    pub(crate) fn workspace(slug: impl std::fmt::Display) -> Self {
        Self { home: format!("/w/{slug}"), zone: None }
    }

    /// The same pages in another time zone than the reader's own.
    pub(crate) fn in_zone(self, zone: Option<&str>) -> Self {
        Self { zone: zone.map(str::to_owned), ..self }
    }

    fn to(&self, page: &str) -> String {
        let zone = self.zone.as_deref().unwrap_or_default();
        Params::default().with(ZONE, zone).at(&format!("{}{page}", self.home))
    }

    pub(crate) fn home(&self) -> String {
        self.to("")
    }

    pub(crate) fn runs(&self) -> String {
        self.to("/runs")
    }

    pub(crate) fn run(&self, id: impl std::fmt::Display) -> String {
        self.to(&format!("/runs/{id}"))
    }

    /// A replay from a step of a run.
    pub(crate) fn fork(&self, id: impl std::fmt::Display) -> String {
        self.to(&format!("/runs/{id}/replay"))
    }

    /// Two runs side by side.
    pub(crate) fn compare(&self, a: impl std::fmt::Display, b: impl std::fmt::Display) -> String {
        let pair = Params::default().with("a", &a.to_string()).with("b", &b.to_string());
        pair.with(ZONE, self.zone.as_deref().unwrap_or_default()).at(&format!("{}/runs/compare", self.home))
    }

    /// The list that saved views are of.
    pub(crate) fn list(&self, page: ViewPage) -> String {
        match page {
            ViewPage::Runs => self.runs(),
            ViewPage::Events => self.events(),
            ViewPage::Audit => self.audit(),
        }
    }

    pub(crate) fn events(&self) -> String {
        self.to("/events")
    }

    pub(crate) fn dead_letters(&self) -> String {
        self.to("/events?tab=dead")
    }

    pub(crate) fn consumers(&self) -> String {
        self.to("/events?tab=consumers")
    }

    pub(crate) fn tasks(&self) -> String {
        self.to("/tasks")
    }

    pub(crate) fn task(&self, id: impl std::fmt::Display) -> String {
        self.to(&format!("/tasks/{id}"))
    }

    pub(crate) fn audit(&self) -> String {
        self.to("/audit")
    }

    pub(crate) fn audit_entry(&self, seq: u64) -> String {
        self.to(&format!("/audit/{seq}"))
    }

    pub(crate) fn keys(&self) -> String {
        self.to("/keys")
    }

    pub(crate) fn new_key(&self) -> String {
        self.to("/keys/new")
    }

    /// Where a new secret is shown, once.
    pub(crate) fn key_reveal(&self, id: impl std::fmt::Display) -> String {
        self.to(&format!("/keys/{id}/reveal"))
    }

    pub(crate) fn access(&self) -> String {
        self.to("/access")
    }

    pub(crate) fn invitations(&self) -> String {
        self.to("/access?tab=invitations")
    }

    pub(crate) fn new_invitation(&self) -> String {
        self.to("/access/new")
    }

    pub(crate) fn principals(&self) -> String {
        self.to("/access/principals")
    }

    pub(crate) fn new_principal(&self) -> String {
        self.to("/access/principals/new")
    }

    pub(crate) fn groups(&self) -> String {
        self.to("/access/groups")
    }

    pub(crate) fn new_group(&self) -> String {
        self.to("/access/groups/new")
    }

    pub(crate) fn grants(&self) -> String {
        self.to("/access/grants")
    }

    pub(crate) fn new_grant(&self) -> String {
        self.to("/access/grants/new")
    }

    /// Where the link of a new invitation is shown, once.
    pub(crate) fn invitation_reveal(&self, id: impl std::fmt::Display) -> String {
        self.to(&format!("/access/invitations/{id}/reveal"))
    }

    pub(crate) fn budgets(&self) -> String {
        self.to("/keys?tab=budgets")
    }

    pub(crate) fn new_budget(&self) -> String {
        self.to("/budgets/new")
    }

    pub(crate) fn budget(&self, id: impl std::fmt::Display) -> String {
        self.to(&format!("/budgets/{id}"))
    }

    pub(crate) fn models(&self) -> String {
        self.to("/models")
    }

    pub(crate) fn prices(&self) -> String {
        self.to("/models?tab=prices")
    }

    pub(crate) fn egress(&self) -> String {
        self.to("/models?tab=egress")
    }

    pub(crate) fn new_provider(&self) -> String {
        self.to("/models/new")
    }

    pub(crate) fn provider(&self, id: impl std::fmt::Display) -> String {
        self.to(&format!("/models/{id}"))
    }

    pub(crate) fn settings(&self, section: Section) -> String {
        self.to(&format!("/settings/{}", section.as_str()))
    }
}

/// A page of a tenant.
pub(crate) fn tenant(slug: impl std::fmt::Display, section: &str) -> String {
    format!("/t/{slug}/{section}")
}

/// A page of who runs the instance.
pub(crate) fn operator(section: &str) -> String {
    format!("/operator/{section}")
}

/// Whether who has a role in a tenant has pages of it.
pub(crate) fn manages(role: TenantRole) -> bool {
    role < TenantRole::Member
}

/// An artifact of a run as a file.
pub(crate) fn artifact(workspace: &types::name::Slug, run: types::id::RunId, id: types::id::ArtifactId) -> String {
    format!("/ui/download/runs/{run}/artifacts/{id}?w={workspace}")
}

/// The evidence of a run that is over, as a file.
pub(crate) fn run_evidence(workspace: &types::name::Slug, run: types::id::RunId) -> String {
    format!("/ui/runs/{run}/evidence?w={workspace}")
}

/// A stretch of the hash chain with what proves it.
pub(crate) fn chain_proof(workspace: &types::name::Slug) -> String {
    format!("/ui/audit/chain?w={workspace}")
}

/// Live events of one run, as they are stored.
pub(crate) fn run_stream(workspace: &types::name::Slug, run: types::id::RunId) -> String {
    format!("/ui/runs/{run}/stream?w={workspace}")
}
