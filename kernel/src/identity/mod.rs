//! Who calls, in which tenant and workspace, with what power; how that is proven, limited, withdrawn and recorded.
//!
//! [`Identity`] holds the ports; each use case is a method in a file of its own. Doors turn a request into a [`Client`],
//! a [`Presented`] credential and a [`Place`], and get an `OpContext` from [`Identity::authenticate`] or a refusal. What
//! the caller may then do is decided by `policy::guard`, not here.
//!
//! Invariant: of every credential only the SHA-256 is kept; a secret exists in the answer that shows it once.

mod client;
mod email;
mod password;
mod token;

mod authenticate;
mod cache;
mod commit;
mod denial;
mod device;
mod epoch;
mod resolve;
mod stranger;

mod account;
mod login;
mod permission;
mod refresh;
mod session;
mod throttle;

mod address;
mod admin;
mod api_key;
mod bootstrap;
mod closure;
mod email_address;
mod explain;
mod found;
mod grant;
mod group;
mod invitation;
mod mail;
mod member;
mod operator;
mod password_reset;
mod principal;
mod register;
mod second_factor;
mod sso;
mod tenant;
mod view_as;
mod workspace;

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;

use crate::port::{
    Accounts, Catalog, Clock, Directory, Ids, Ledger, Mailer, Mails, PasswordHasher, People, Sealer, SecondFactors,
    Spawner, Subjects, Tenants, Totp,
};

pub use address::{Called, address};
pub use admin::{NewAccount, Place as AccountPlace, ResetLink};
pub use api_key::Issued;
pub use authenticate::TurnedAway;
pub use bootstrap::FirstAccount;
pub use client::{Client, Place, Presented};
pub use email::Email;
pub use epoch::Epochs;
pub use explain::Question;
pub use grant::GrantNames;
pub use invitation::Invited;
pub use login::{FirstStep, SignedIn};
pub use mail::Links;
pub use second_factor::Challenge;
pub use sso::{Finished, Returned, SsoPorts, Started, Unfinished, flow_name};
pub use token::{TokenKind, digest, parse as parse_token};

/// What identity needs from the world.
pub struct Ports {
    /// Reads identities.
    pub directory: Arc<dyn Directory>,
    /// Reads who belongs where.
    pub people: Arc<dyn People>,
    /// Reads principals, groups and grants.
    pub subjects: Arc<dyn Subjects>,
    /// Reads what can be granted.
    pub catalog: Arc<dyn Catalog>,
    /// Reads second factors.
    pub second_factors: Arc<dyn SecondFactors>,
    /// Reads accounts as a whole instance has them.
    pub accounts: Arc<dyn Accounts>,
    /// Reads tenants as a whole.
    pub tenants: Arc<dyn Tenants>,
    /// Reads mails.
    pub mails: Arc<dyn Mails>,
    /// Sends them; none where the deployment sends no mail.
    pub mailer: Option<Arc<dyn Mailer>>,
    /// Where links of mails lead.
    pub links: Links,
    /// Writes them.
    pub ledger: Arc<dyn Ledger>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Ids and randomness.
    pub ids: Arc<dyn Ids>,
    /// Passwords.
    pub hasher: Arc<dyn PasswordHasher>,
    /// Keyed hashes.
    pub sealer: Arc<dyn Sealer>,
    /// Codes of authenticator apps.
    pub totp: Arc<dyn Totp>,
    /// Work off the request path.
    pub spawner: Arc<dyn Spawner>,
    /// Epochs as commits raise them.
    pub epochs: Arc<Epochs>,
    /// What signing in with an identity provider needs.
    pub sso: SsoPorts,
}

/// How long credentials live, and how often a password may be tried.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Longest life of an API key, days.
    pub api_key_max_days: u32,
    /// Life of an access token.
    pub access_token_life: Duration,
    /// Life of an API session.
    pub refresh_token_life: Duration,
    /// Life of a console session nobody uses.
    pub session_idle: Duration,
    /// Longest life of a console session.
    pub session_max: Duration,
    /// How long an invitation is good.
    pub invitation_life: Duration,
    /// Whether anybody may make an account, where mail is sent.
    pub registration: bool,
    /// How long a link is good that sets a new password.
    pub password_reset_life: Duration,
    /// How long a link is good that proves an address.
    pub email_link_life: Duration,
    /// Mails an address gets in an hour.
    pub mails_to_address: u32,
    /// How long an account that is to be closed can still be kept.
    pub closure_grace: Duration,
    /// Failed sign-ins of an account in a window, from which on each costs a delay.
    pub login_account_failures: u32,
    /// Failed sign-ins from an address in a window, from which on it waits for the next.
    pub login_address_failures: u32,
    /// How long failed sign-ins count.
    pub login_window: Duration,
    /// Longest delay after a failed sign-in.
    pub login_max_delay: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            api_key_max_days: 365,
            access_token_life: Duration::from_secs(15 * 60),
            refresh_token_life: Duration::from_secs(14 * 24 * 3600),
            session_idle: Duration::from_secs(12 * 3600),
            session_max: Duration::from_secs(14 * 24 * 3600),
            invitation_life: Duration::from_secs(7 * 24 * 3600),
            registration: false,
            password_reset_life: Duration::from_secs(30 * 60),
            email_link_life: Duration::from_secs(24 * 3600),
            mails_to_address: 3,
            closure_grace: Duration::from_secs(7 * 24 * 3600),
            login_account_failures: 5,
            login_address_failures: 20,
            login_window: Duration::from_secs(15 * 60),
            login_max_delay: Duration::from_secs(900),
        }
    }
}

/// How long a proof of identity is fresh.
const ELEVATED_FOR: TimeDelta = TimeDelta::minutes(10);

/// The identity use cases.
pub struct Identity {
    ports: Ports,
    settings: Settings,
    cache: cache::Cache,
    strangers: stranger::Strangers,
    denials: denial::Denials,
    known_providers: sso::Known,
}

impl Identity {
    /// Identity over these ports.
    pub fn new(ports: Ports, settings: Settings) -> Self {
        Self {
            ports,
            settings,
            cache: cache::Cache::default(),
            strangers: stranger::Strangers::default(),
            denials: denial::Denials::default(),
            known_providers: sso::Known::default(),
        }
    }
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Identity").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// A duration of the settings for arithmetic with moments.
fn delta(duration: Duration) -> TimeDelta {
    TimeDelta::from_std(duration).unwrap_or(TimeDelta::MAX)
}
