//! `soit bootstrap`: the first account of an empty database.

use std::io::Read;
use std::process::ExitCode;

use anyhow::Context;
use kernel::secret::SecretString;
use types::name::Slug;

use super::output::print;
use crate::compose::{Chosen, compose, make_first_account};
use crate::config::Config;

/// Makes the account unless there is one.
pub(super) async fn bootstrap(
    config: Config,
    email: Option<String>,
    password_stdin: bool,
    tenant: Option<Slug>,
    workspace: Option<Slug>,
) -> anyhow::Result<ExitCode> {
    let password = if password_stdin { Some(read_password()?) } else { None };
    let app = Box::pin(compose(config)).await?;
    let made = make_first_account(&app, Chosen { email, password, tenant, workspace }).await;
    app.close().await;
    print(if made? { "the first account is made" } else { "there is an account already, nothing was changed" });
    Ok(ExitCode::SUCCESS)
}

fn read_password() -> anyhow::Result<SecretString> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("the password cannot be read from stdin")?;
    Ok(SecretString::new(text.trim_end_matches(['\r', '\n']).to_owned()))
}
