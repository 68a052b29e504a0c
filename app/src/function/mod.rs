//! Server functions: the browser's way to the backend, three lines each. They check nothing and decide nothing; the backend
//! knows who asks.
//!
//! Start at [`ask`]. Their addresses are fixed (`/ui/fn/{name}`), so that a form posted by an old page still arrives.

mod access;
mod audit;
mod budgets;
mod egress;
mod keys;
mod models;
mod outbox;
mod overview;
mod replay;
mod retention;
mod runs;
mod second_factor;
mod session;
mod settings;
mod sso;
mod subjects;
mod tasks;
mod tenants;
mod views;

use std::future::Future;

pub(crate) use access::{
    CreateInvitation, RemoveMember, RevokeInvitation, UpdateMember, list_invitations, list_members, take_link,
};
pub(crate) use audit::{find_audit, find_chain, list_audit};
pub(crate) use budgets::{CreateBudget, DeleteBudget, SetBudgetStatus, UpdateBudget, find_budget, list_budgets};
pub(crate) use egress::find_egress_policy;
pub(crate) use egress::{AcceptEgressOffer, ClosePrivateNetwork, CreateEgressRule, DeleteEgressRule};
pub(crate) use keys::{CreateKey, RevokeKey, RotateKey, find_key, list_key_names, list_keys, take_reveal};
pub(crate) use models::{
    CreateModel, CreatePrice, CreateProvider, DeleteProvider, SetModelEnabled, SetProviderStatus, UpdateModel,
    UpdateProvider, find_model_hub, find_provider, list_prices,
};
pub(crate) use outbox::{
    DiscardDeadLetter, RedriveDeadLetter, RedriveDeadLetters, list_dead_letters, list_events, list_lags,
};
pub(crate) use overview::{find_overview, list_changed, list_running};
pub(crate) use replay::{ForkRun, ReexecuteRun, RerunRun, inspect_run};
pub(crate) use retention::find_retention;
pub(crate) use retention::{CreateLegalHold, ReleaseLegalHold, UpdateRetention};
pub(crate) use runs::{CancelRun, CancelRuns, GiveFeedback, compare_runs, find_run, list_run_events, list_runs};
pub(crate) use second_factor::find_second_factor;
use serde::Serialize;
pub(crate) use session::{
    ChangeEmail, ChangePassword, RequestDeletion, RevokeOtherSessions, RevokeSession, StepUp, UpdateMe, VerifyEmail,
    WithdrawDeletion, find_shell, list_sessions, search,
};
pub(crate) use settings::UpdateWorkspace;
pub(crate) use settings::{find_about, find_workspace};
pub(crate) use sso::{
    CreateSsoConnection, DeleteSsoConnection, TestSsoConnection, UnlinkSso, UpdateSsoConnection, list_sso_connections,
    list_sso_links,
};
pub(crate) use subjects::{
    CreateGrant, CreateGroup, CreatePrincipal, DeleteGroup, RevokeGrant, SetPrincipalStatus, UpdateGroup,
    UpdatePrincipal, list_grantables, list_grants, list_groups, list_key_subjects, list_member_names, list_principals,
};
pub(crate) use tasks::{CancelTask, RetryTask, ScrubContent, find_task, list_tasks};
pub(crate) use tenants::{ManageTenant, Operate, SetArchived, find_operator_page, find_places, find_tenant_page};
use types::problem::Problem;
pub(crate) use views::list_views;
pub(crate) use views::{CreateView, DeleteView, UpdateView};

use crate::backend::{self, Answer, Backend};
use crate::error::{AppError, Typed, changed};
use crate::form::typed;

/// Asks the backend of this request.
async fn ask<T, Asked>(question: impl FnOnce(Backend) -> Asked) -> Result<T, AppError>
where
    Asked: Future<Output = Answer<T>>,
{
    let answer = match backend::current() {
        Ok(backend) => question(backend).await,
        Err(problem) => Err(problem),
    };
    answer.map_err(|problem| refused(problem, Typed::new()))
}

/// Does what a form asks for. A refusal, of the form or of the backend, gives back what was typed.
async fn submit<Command, T, Asked>(
    form: &impl Serialize,
    command: Result<Command, Problem>,
    question: impl FnOnce(Backend, Command) -> Asked,
) -> Result<T, AppError>
where
    Asked: Future<Output = Answer<T>>,
{
    order(command, question).await.map_err(|problem| refused(problem, typed(form)))
}

/// What a form that changes a thing was filled in on: the thing, its version, and what the form showed of it.
struct Seen {
    /// None where the page itself says which thing it is.
    id: Option<String>,
    version: u64,
    fields: Option<Typed>,
}

/// The same for a form that changes what it shows: see [`changed`].
async fn change<Command, T, Asked>(
    form: &impl Serialize,
    seen: Seen,
    command: Result<Command, Problem>,
    question: impl FnOnce(Backend, Command) -> Asked,
) -> Result<T, AppError>
where
    Asked: Future<Output = Answer<T>>,
{
    let answer = order(command, question).await;
    answer.map_err(|problem| {
        let typed = changed(typed(form), &seen.fields.unwrap_or_default(), seen.id, seen.version.to_string());
        refused(problem, typed)
    })
}

async fn order<Command, T, Asked>(
    command: Result<Command, Problem>,
    question: impl FnOnce(Backend, Command) -> Asked,
) -> Answer<T>
where
    Asked: Future<Output = Answer<T>>,
{
    question(backend::current()?, command?).await
}

/// A refusal that gives back what was typed.
fn refused(problem: Problem, typed: Typed) -> AppError {
    backend::refuse(&problem);
    let error = AppError { typed, ..AppError::from(problem) };
    if backend::answers_by_address() { error.for_address() } else { error }
}
