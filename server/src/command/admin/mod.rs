//! `soit admin …`: what whoever runs the deployment does on its database. Each is audited as `system:cli`.
//!
//! On PostgreSQL it works beside processes that serve. A SQLite file belongs to one process at a time: stop it first.

mod arguments;
mod create_user;
mod disable_mfa;
mod make_operator;
mod reconcile_counters;
mod reset_link;
mod rotate_signing_key;

use std::process::ExitCode;

use anyhow::anyhow;
use kernel::identity::ResetLink;
use serde_json::{Value, json};

use crate::compose::{App, compose_for_command};
use crate::config::Config;

pub(super) use arguments::Admin;

/// Does what was asked for, on the database.
pub(super) async fn run(config: Config, command: Admin) -> anyhow::Result<ExitCode> {
    match command {
        Admin::CreateUser(wanted) => on_app(config, async |app| create_user::create_user(app, wanted).await).await,
        Admin::ResetLink { email, json } => {
            on_app(config, async |app| reset_link::reset_link(app, &email, json).await).await
        }
        Admin::DisableMfa { email, json } => {
            on_app(config, async |app| disable_mfa::disable_mfa(app, &email, json).await).await
        }
        Admin::MakeOperator { email, json } => {
            on_app(config, async |app| make_operator::make_operator(app, &email, json).await).await
        }
        Admin::RotateSigningKey { finish, json } => {
            on_app(config, async |app| rotate_signing_key::rotate_signing_key(app, finish, json).await).await
        }
        Admin::ReconcileCounters { fix, json } => reconcile_counters::reconcile_counters(&config, fix, json).await,
    }
}

async fn on_app(config: Config, work: impl AsyncFnOnce(&App) -> anyhow::Result<()>) -> anyhow::Result<ExitCode> {
    let app = Box::pin(compose_for_command(config)).await?;
    let done = work(&app).await;
    app.close().await;
    done.map(|()| ExitCode::SUCCESS)
}

/// A refusal in the words of the command line: the option that is wrong, and what is wrong with it.
fn refused(error: kernel::Error) -> anyhow::Error {
    let problem = error.problem();
    match problem.errors.first() {
        Some(wrong) => anyhow!("--{}: {}", wrong.field.replace('_', "-"), wrong.message),
        None => anyhow::Error::new(error),
    }
}

/// A link as JSON.
fn shown(app: &App, link: &ResetLink) -> Value {
    json!({ "user_id": link.user_id, "link": address(app, link), "expires_at": link.expires_at })
}

/// A link to be handed on.
fn address(app: &App, link: &ResetLink) -> String {
    app.config.http.link(app::route::RESET_PASSWORD, &link.token)
}
