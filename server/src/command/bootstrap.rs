//! `soit bootstrap`: the first account of an empty database.

use std::io::Read;
use std::process::ExitCode;

use anyhow::Context;
use kernel::secret::SecretString;
use serde_json::json;

use super::output::{print, print_json};
use crate::compose::{Chosen, compose, make_first_account};
use crate::config::Config;

/// Makes the account unless there is one.
pub(super) async fn bootstrap(config: Config, chosen: Chosen, json: bool) -> anyhow::Result<ExitCode> {
    let app = Box::pin(compose(config)).await?;
    let made = make_first_account(&app, chosen).await;
    app.close().await;
    let made = made?;
    if json {
        print_json(&json!({ "created": made }))?;
    } else {
        print(if made { "the first account is made" } else { "there is an account already, nothing was changed" });
    }
    Ok(ExitCode::SUCCESS)
}

/// The password on stdin, without its line end.
pub(super) fn read_password() -> anyhow::Result<SecretString> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("the password cannot be read from stdin")?;
    Ok(SecretString::new(text.trim_end_matches(['\r', '\n']).to_owned()))
}
