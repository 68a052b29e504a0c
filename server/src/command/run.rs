//! From the command line to a command and its exit code.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use super::arguments::{Arguments, Command};
use super::output::say;
use super::{admin, bootstrap, config, health, migrate, serve, verify};
use crate::compose::{Chosen, Schema};
use crate::config::{Config, Source};

/// Runs what the command line asks for.
pub fn run() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let _ = error.print();
            return u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from);
        }
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            say(format!("error: the runtime does not start: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let code = runtime.block_on(dispatch(arguments)).unwrap_or_else(|error| {
        say(format!("error: {error:#}"));
        ExitCode::FAILURE
    });
    // What still runs after the end was forced is not waited for.
    runtime.shutdown_background();
    code
}

async fn dispatch(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let source = Source::of_process(arguments.env_file.as_deref())?;
    match arguments.command.unwrap_or(Command::Serve { role: None }) {
        Command::Serve { role } => serve::serve(read(&source, role.as_deref())?).await,
        Command::Migrate { check, to, wait, allow_data_loss, json } => {
            let mut config = read(&source, None)?;
            config.database.wait = wait.map_or(config.database.wait, Duration::from_secs);
            let wanted = match (check, to) {
                (true, _) => Schema::Check,
                (false, Some(id)) => Schema::To { id, allow_data_loss },
                (false, None) => Schema::Newest,
            };
            migrate::migrate(&config, &wanted, json).await
        }
        Command::Bootstrap { email, password_stdin, tenant, workspace, json } => {
            let password = if password_stdin { Some(bootstrap::read_password()?) } else { None };
            bootstrap::bootstrap(read(&source, None)?, Chosen { email, password, tenant, workspace }, json).await
        }
        Command::Verify { file, key, json } => verify::verify(&file, &key, json),
        Command::Admin { command } => admin::run(read(&source, None)?, command).await,
        Command::Config { check, json } => config::show(&source, check, json),
        Command::Health { ready, url, timeout, json } => health::ask(&source, ready, url, timeout, json).await,
    }
}

fn read(source: &Source, role: Option<&str>) -> anyhow::Result<Config> {
    Ok(Config::from_source(source, role)?)
}
