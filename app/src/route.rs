//! Every address of the console, in one place: what links point to and the router listens to.

/// Where server functions are mounted.
pub const FUNCTION_PREFIX: &str = "/ui/fn";
/// The sign-in page.
pub const SIGN_IN: &str = "/sign-in";
/// Takes the sign-in form: `email`, `password`, `next`.
pub const SIGN_IN_POST: &str = "/ui/sign-in";
/// Takes the sign-out form.
pub const SIGN_OUT_POST: &str = "/ui/sign-out";
/// Takes the preferences form: the fields of [`crate::prefs`], and `next`.
pub const PREFS_POST: &str = "/ui/prefs";
/// Where a new secret is shown, once: to look there is a GET, to have it a POST.
pub const KEY_REVEAL: &str = "/w/{workspace}/keys/{key}/reveal";
/// The runs list as a file: `?w={slug}&format=csv`, with the parameters of the list.
pub const RUNS_EXPORT: &str = "/ui/export/runs";
/// Live hints of a workspace: `?w={slug}`.
pub const EVENTS: &str = "/ui/events";
/// Every component in every state.
pub const KIT: &str = "/ui/kit";

/// A section of the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Profile,
    Sessions,
    Appearance,
    Workspace,
    About,
}

impl Section {
    pub(crate) const ALL: [Self; 5] = [Self::Profile, Self::Sessions, Self::Appearance, Self::Workspace, Self::About];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Profile => "profile",
            Self::Sessions => "sessions",
            Self::Appearance => "appearance",
            Self::Workspace => "workspace",
            Self::About => "about",
        }
    }

    pub(crate) fn read(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.as_str() == text)
    }
}

/// The addresses of one workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct At(String);

impl At {
    /// The workspace of a slug.
    pub(crate) fn workspace(slug: impl std::fmt::Display) -> Self {
        Self(format!("/w/{slug}"))
    }

    pub(crate) fn home(&self) -> String {
        self.0.clone()
    }

    pub(crate) fn runs(&self) -> String {
        format!("{}/runs", self.0)
    }

    pub(crate) fn run(&self, id: impl std::fmt::Display) -> String {
        format!("{}/runs/{id}", self.0)
    }

    pub(crate) fn keys(&self) -> String {
        format!("{}/keys", self.0)
    }

    pub(crate) fn new_key(&self) -> String {
        format!("{}/keys/new", self.0)
    }

    /// Where a new secret is shown, once.
    pub(crate) fn key_reveal(&self, id: impl std::fmt::Display) -> String {
        format!("{}/keys/{id}/reveal", self.0)
    }

    pub(crate) fn budgets(&self) -> String {
        format!("{}/keys?tab=budgets", self.0)
    }

    pub(crate) fn new_budget(&self) -> String {
        format!("{}/budgets/new", self.0)
    }

    pub(crate) fn budget(&self, id: impl std::fmt::Display) -> String {
        format!("{}/budgets/{id}", self.0)
    }

    pub(crate) fn models(&self) -> String {
        format!("{}/models", self.0)
    }

    pub(crate) fn prices(&self) -> String {
        format!("{}/models?tab=prices", self.0)
    }

    pub(crate) fn egress(&self) -> String {
        format!("{}/models?tab=egress", self.0)
    }

    pub(crate) fn new_provider(&self) -> String {
        format!("{}/models/new", self.0)
    }

    pub(crate) fn provider(&self, id: impl std::fmt::Display) -> String {
        format!("{}/models/{id}", self.0)
    }

    pub(crate) fn settings(&self, section: Section) -> String {
        format!("{}/settings/{}", self.0, section.as_str())
    }
}

/// Live events of one run, as they are stored.
pub(crate) fn run_stream(workspace: &types::name::Slug, run: types::id::RunId) -> String {
    format!("/ui/runs/{run}/stream?w={workspace}")
}
