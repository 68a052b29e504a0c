//! What the console asks of the server: one trait for each area, fulfilled by the server and faked in tests.
//!
//! The server makes one [`Backend`] for each request. It knows who is signed in, so no method takes a user; the workspace is
//! always an argument, by its slug. Answers are views of [`types`] or the few defined here; refusals are [`Problem`]s.
//!
//! Invariant: pages and components know these traits only through `function`; nothing here renders.

mod list;
mod respond;

pub mod access;
pub mod audit;
pub mod budgets;
pub mod egress;
pub mod keys;
pub mod models;
pub mod outbox;
pub mod overview;
pub mod retention;
pub mod runs;
pub mod second_factor;
pub mod session;
pub mod settings;
pub mod sso;
pub mod subjects;
pub mod tasks;
pub mod tenants;
pub mod views;

use std::sync::Arc;

use leptos::prelude::use_context;
use types::id::FormKey;
use types::problem::{Code, Problem};

pub use access::Access;
pub use audit::Audit;
pub use budgets::Budgets;
pub use egress::Egress;
pub use keys::Keys;
pub use list::List;
pub use models::Models;
pub use outbox::Outbox;
pub use overview::Overview;
pub(crate) use respond::{answers_by_address, redirect, redirect_as_post, refuse, set_status};
pub use retention::Retention;
pub use runs::Runs;
pub use second_factor::SecondFactor;
pub use session::Session;
pub use settings::Settings;
pub use sso::Sso;
pub use subjects::Subjects;
pub use tasks::Tasks;
pub use tenants::Tenants;
pub use views::Views;

/// What a backend answers.
pub type Answer<T> = Result<T, Problem>;

/// Everything the console can ask in one request. Provided through context, by the page renderer and by the server-function
/// handler alike.
#[derive(Clone)]
pub struct Backend {
    /// Who is signed in, and their own account.
    pub session: Arc<dyn Session>,
    /// The home page's figures.
    pub overview: Arc<dyn Overview>,
    /// Runs, steps, costs, events.
    pub runs: Arc<dyn Runs>,
    /// Events and what became of them.
    pub outbox: Arc<dyn Outbox>,
    /// Who did what.
    pub audit: Arc<dyn Audit>,
    /// Saved views of lists.
    pub views: Arc<dyn Views>,
    /// API keys.
    pub keys: Arc<dyn Keys>,
    /// Members and invitations.
    pub access: Arc<dyn Access>,
    /// Service principals, groups and grants.
    pub subjects: Arc<dyn Subjects>,
    /// Tasks, and the erasing of content.
    pub tasks: Arc<dyn Tasks>,
    /// Tenants and the instance.
    pub tenants: Arc<dyn Tenants>,
    /// Budgets.
    pub budgets: Arc<dyn Budgets>,
    /// Provider accounts, models, prices.
    pub models: Arc<dyn Models>,
    /// Egress rules.
    pub egress: Arc<dyn Egress>,
    /// How long what is kept, and legal holds.
    pub retention: Arc<dyn Retention>,
    /// The workspace and the installation.
    pub settings: Arc<dyn Settings>,
    /// One's own second factor.
    pub second_factor: Arc<dyn SecondFactor>,
    /// Identity providers.
    pub sso: Arc<dyn Sso>,
    /// What the forms of the page carry, so that a repeat of one is known.
    pub form_key: FormKey,
}

/// The backend of this request.
pub(crate) fn current() -> Answer<Backend> {
    use_context::<Backend>().ok_or_else(|| Problem::new(Code::Internal, "no backend was provided for this request"))
}
