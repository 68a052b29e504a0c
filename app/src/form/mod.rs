//! Forms: what was typed, as text, and the command it makes.
//!
//! A form is a server function's argument. It reads itself into a command of [`types`] or names every wrong field at once; the
//! server judges the command again. Secrets are arguments of their own and are never given back.

mod access;
mod budget;
mod discard;
mod egress;
mod email;
mod feedback;
mod key;
mod model;
mod password;
mod price;
mod profile;
mod proof;
mod provider;
mod reader;
mod replay;
mod retention;
mod scrub;
mod sso;
mod subjects;
mod tenant;
mod view;
mod workspace;

pub(crate) use access::{InvitationForm, MemberForm};
pub(crate) use budget::BudgetForm;
pub(crate) use budget::with_status;
pub(crate) use discard::DiscardForm;
pub(crate) use egress::EgressRuleForm;
pub(crate) use email::EmailForm;
pub(crate) use feedback::FeedbackForm;
pub(crate) use key::KeyForm;
pub(crate) use model::ModelForm;
pub(crate) use password::PasswordForm;
pub(crate) use price::PriceForm;
pub(crate) use profile::ProfileForm;
pub(crate) use proof::ProofForm;
pub(crate) use provider::ProviderForm;
pub(crate) use reader::{Reader, typed};
pub(crate) use replay::{ForkForm, RerunForm};
pub(crate) use retention::{HoldForm, ReleaseForm, RetentionForm};
pub(crate) use scrub::ScrubForm;
pub(crate) use sso::SsoForm;
pub(crate) use subjects::{GrantForm, GroupForm, PrincipalForm};
pub(crate) use tenant::{About, TenantForm};
pub(crate) use view::ViewForm;
pub(crate) use workspace::{WorkspaceForm, day};
