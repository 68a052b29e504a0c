//! From the command line to a command and its exit code.

use std::process::ExitCode;

use clap::Parser;

use super::arguments::{Arguments, Command};
use super::output::say;
use super::{bootstrap, config, health, migrate, serve};
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
        Command::Migrate { check, json } => migrate::migrate(&read(&source, None)?, check, json).await,
        Command::Bootstrap { email, password_stdin, tenant, workspace } => {
            bootstrap::bootstrap(read(&source, None)?, email, password_stdin, tenant, workspace).await
        }
        Command::Config { check, json } => config::show(&source, check, json),
        Command::Health { ready, url, timeout, json } => health::ask(&source, ready, url, timeout, json).await,
    }
}

fn read(source: &Source, role: Option<&str>) -> anyhow::Result<Config> {
    Ok(Config::from_source(source, role)?)
}
