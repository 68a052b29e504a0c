//! The pages. A page is a folder or file: it reads its address, asks the backend through `function`, and shows what comes back
//! with components; empty, failed, denied and loading included.

mod access;
mod account;
mod audit;
mod budgets;
mod compare;
mod events;
mod home;
mod invite;
mod keys;
mod kit;
mod mfa;
mod models;
mod next;
mod root;
mod run;
mod runs;
mod second_factor;
mod settings;
mod sign_in;
mod subjects;

pub(crate) use access::{Access, InvitationReveal, NewInvitation};
pub(crate) use account::{ConfirmEmail, ForgotPassword, Register, ResetPassword};
pub(crate) use audit::{Audit, AuditEntry};
pub(crate) use budgets::{EditBudget, NewBudget};
pub(crate) use compare::Compare;
pub(crate) use events::Events;
pub(crate) use home::Home;
pub(crate) use invite::Invite;
pub(crate) use keys::{KeyReveal, Keys, NewKey};
pub(crate) use kit::Kit;
pub(crate) use mfa::Mfa;
pub(crate) use models::{Models, NewProvider, Provider};
pub(crate) use root::Root;
pub(crate) use run::Run;
pub(crate) use runs::Runs;
pub(crate) use second_factor::SecondFactor;
pub(crate) use settings::{Settings, SettingsRoot};
pub(crate) use sign_in::SignIn;
pub(crate) use subjects::{Grants, Groups, NewGrant, NewGroup, NewPrincipal, Principals};
