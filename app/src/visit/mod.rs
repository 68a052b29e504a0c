//! One page load: the reader's preferences, their time zone, and the time on the server. Made on the server, carried to the
//! browser inside the page, so that both render alike.

mod zone;

use std::sync::Arc;

use chrono::{DateTime, Utc};
use leptos::prelude::use_context;
use serde::{Deserialize, Serialize};
use types::identity::SsoConnection;

use crate::prefs::{Lang, Prefs};
use crate::query::{Params, ZONE};

pub use zone::Zone;

/// One page load.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    /// What the reader prefers.
    pub prefs: Prefs,
    /// Their language: chosen, else what the browser asks for.
    pub lang: Lang,
    /// The time zone of the page: the one its address asks for, else theirs.
    pub zone: Zone,
    /// The zone the address asks for, as it stands there.
    pub asked_zone: Option<String>,
    /// The time on the server.
    pub now: DateTime<Utc>,
    /// The build of the console the page is of.
    pub build: String,
    /// The address they typed into a sign-in form that was refused.
    pub email: Option<String>,
    /// Whether a forgotten password is reset by mail here.
    pub password_reset: bool,
    /// Whether anybody may make an account here.
    pub registration: bool,
    /// Identity providers people may sign in with; told where they sign in.
    pub sso: Vec<SsoConnection>,
}

#[cfg(feature = "ssr")]
impl Visit {
    /// Reads the cookie `soit_prefs`, the header `Accept-Language` and the query of the address.
    #[must_use]
    pub fn new(cookie: Option<&str>, accept_language: Option<&str>, query: &Params, now: DateTime<Utc>) -> Self {
        let prefs = Prefs::default().read(cookie.unwrap_or_default());
        let lang = prefs.lang.unwrap_or_else(|| Lang::accepted(accept_language.unwrap_or_default()));
        let asked = query.get(ZONE);
        let zone = [asked, prefs.zone.as_deref()].into_iter().flatten().find_map(Zone::load).unwrap_or_default();
        Self { asked_zone: asked.map(str::to_owned), prefs, lang, zone, now, ..Self::default() }
    }
}

impl Visit {
    /// The zone the address has chosen, where there is one of that name.
    pub(crate) fn chosen_zone(&self) -> Option<&str> {
        self.asked_zone.as_deref().filter(|asked| *asked == self.zone.name)
    }
}

/// This page load. Call it in the body of a component.
pub(crate) fn visit() -> Arc<Visit> {
    use_context::<Arc<Visit>>().unwrap_or_default()
}
