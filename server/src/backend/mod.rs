//! What the console asks, answered: each area's trait is implemented for [`Visitor`] in the file of its name.
//!
//! A visitor is one request under the console's cookie. Methods that concern a workspace start with [`Visitor::enter`], those
//! that concern the person alone with [`Visitor::person`]; then they make one kernel call. Invariant: nothing is decided here.

mod access;
mod address;
mod audit;
mod budgets;
mod egress;
mod keys;
mod models;
mod outbox;
mod overview;
mod retention;
mod reveal;
mod runs;
mod second_factor;
mod session;
mod settings;
mod sso;
mod subjects;
mod tasks;
mod tenants;
mod views;

use std::sync::{Arc, Mutex, PoisonError};

use app::backend::keys::Reveal;
use app::backend::second_factor::Shown;
use app::backend::{Answer, Backend, List};
use axum::http::Method;
use kernel::OpContext;
use kernel::context::Credential;
use kernel::identity::{Client, Place, Presented};
use kernel::page::{Listed, Order, page};
use kernel::secret::SecretString;
use types::account::Language;
use types::id::{FormKey, Uuid};
use types::name::Slug;
use types::page::PageQuery;
use types::problem::Code;

use crate::compose::App;
use crate::http::Error;
use crate::session::cookie_digest;
use crate::telemetry;

pub use reveal::Reveals;
pub(crate) use second_factor::SecondFactorForm;

/// One request of a browser.
#[derive(Clone, Debug)]
pub(crate) struct Visitor {
    pub(crate) app: App,
    client: Client,
    session: tower_sessions::Session,
    /// The language they read.
    language: Language,
    /// Whether the person acts, and does not only look: a POST.
    acts: bool,
    /// Who they turned out to be, where they last were.
    known: Arc<Mutex<Option<OpContext>>>,
    /// What a form of the second factor's page came to, for the page in the same answer.
    shown: Arc<Mutex<Option<Shown>>>,
}

impl Visitor {
    /// The request of a client under its session's cookie.
    pub(crate) fn new(
        app: App,
        client: Client,
        language: Language,
        session: tower_sessions::Session,
        method: &Method,
    ) -> Self {
        let acts = *method == Method::POST;
        Self { app, client, session, language, acts, known: Arc::default(), shown: Arc::default() }
    }

    /// The context of a workspace; `not_found` unless they belong to it.
    pub(crate) async fn enter(&self, workspace: &Slug) -> kernel::Result<OpContext> {
        self.authenticate(&Place::Slug(workspace.clone())).await
    }

    /// The same for what a form makes: one that is sent again makes nothing new.
    async fn enter_with(&self, workspace: &Slug, form_key: Option<FormKey>) -> kernel::Result<OpContext> {
        Ok(OpContext { form_key, ..self.enter(workspace).await? })
    }

    /// The context of the person, wherever they are.
    pub(crate) async fn person(&self) -> kernel::Result<OpContext> {
        self.authenticate(&Place::Person { header: None }).await
    }

    async fn authenticate(&self, place: &Place) -> kernel::Result<OpContext> {
        let cookie = cookie_digest(&self.session).map(Presented::Cookie);
        let ctx = self.app.identity.authenticate(&self.client, cookie.as_ref(), place).await?;
        telemetry::note_caller(&ctx);
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(ctx.clone());
        Ok(ctx)
    }

    /// A kernel's answer as the console gets it: failures are logged and denials noted here, only the problem goes on.
    fn answer<T>(&self, outcome: kernel::Result<T>) -> Answer<T> {
        outcome.map_err(|error| {
            if let Some(ctx) = &*self.known.lock().unwrap_or_else(PoisonError::into_inner) {
                self.app.identity.note_denial(ctx, error.code(), error.detail());
            }
            *Error::from(error).0
        })
    }
}

impl Visitor {
    fn show(&self, shown: Shown) {
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = Some(shown);
    }

    fn shown(&self) -> Option<Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps a new secret for the page that shows it.
    fn keep_secret(&self, ctx: &OpContext, of: Uuid, secret: Option<SecretString>) {
        if let (Credential::Session(session), Some(secret)) = (&ctx.credential, secret) {
            self.app.reveals.keep(*session, of, secret, ctx.now);
        }
    }

    /// The secret that was kept: a POST takes it, a GET only tells whether it waits.
    fn reveal(&self, ctx: &OpContext, of: Uuid) -> Reveal {
        let Credential::Session(session) = ctx.credential else { return Reveal::Gone };
        if !self.acts {
            return if self.app.reveals.has(session, of, ctx.now) { Reveal::Waiting } else { Reveal::Gone };
        }
        let secret = self.app.reveals.take(session, of, ctx.now);
        secret.map_or(Reveal::Gone, |secret| Reveal::Secret(secret.expose().to_owned()))
    }
}

/// What taking something away came to: gone already is what was asked for, so the same form sent twice succeeds twice.
fn gone(outcome: kernel::Result<()>) -> kernel::Result<()> {
    match outcome {
        Err(error) if error.code() == Code::NotFound => Ok(()),
        outcome => outcome,
    }
}

/// One page of a list, newest first; the first one where the cursor is none of this list's.
fn newest_first<T: Listed + Clone>(items: Vec<T>, after: Option<String>) -> kernel::Result<List<T>> {
    listed(items, Order::NewestFirst, after)
}

/// The same in an order.
fn listed<T: Listed + Clone>(items: Vec<T>, order: Order, after: Option<String>) -> kernel::Result<List<T>> {
    let total = items.len();
    let paged = |items, cursor| page(items, order, &PageQuery { limit: None, cursor });
    match paged(items.clone(), after) {
        Err(error) if error.code() == Code::InvalidCursor => {
            Ok(List { page: paged(items, None)?, total, cursor_refused: true })
        }
        paged => Ok(List { page: paged?, total, cursor_refused: false }),
    }
}

/// Everything the console can ask in one request.
pub(crate) fn backend(visitor: &Arc<Visitor>) -> Backend {
    Backend {
        session: visitor.clone(),
        overview: visitor.clone(),
        runs: visitor.clone(),
        outbox: visitor.clone(),
        audit: visitor.clone(),
        views: visitor.clone(),
        keys: visitor.clone(),
        access: visitor.clone(),
        subjects: visitor.clone(),
        tasks: visitor.clone(),
        tenants: visitor.clone(),
        budgets: visitor.clone(),
        models: visitor.clone(),
        egress: visitor.clone(),
        retention: visitor.clone(),
        settings: visitor.clone(),
        second_factor: visitor.clone(),
        sso: visitor.clone(),
        form_key: visitor.app.ids.form_key(),
    }
}
