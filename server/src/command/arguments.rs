//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use types::name::Slug;

use super::admin::Admin;

const VERSION: &str = if cfg!(feature = "embed") {
    concat!(env!("CARGO_PKG_VERSION"), " (commit ", env!("SOIT_COMMIT"), ", with console)")
} else {
    concat!(env!("CARGO_PKG_VERSION"), " (commit ", env!("SOIT_COMMIT"), ")")
};

/// A governed runtime for agents, models and tools.
#[derive(Debug, Parser)]
#[command(name = "soit", version = VERSION)]
pub(super) struct Arguments {
    /// Read settings that the environment leaves open from a file of NAME=value lines.
    #[arg(long, value_name = "FILE", global = true)]
    pub(super) env_file: Option<PathBuf>,
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run soit (the default).
    Serve {
        /// Which part of soit to be; wins over SOIT_ROLE.
        #[arg(long)]
        role: Option<String>,
    },
    /// Bring the database's schema up to date.
    Migrate {
        /// Only look: exit 3 when something is pending.
        #[arg(long, conflicts_with_all = ["to", "allow_data_loss"])]
        check: bool,
        /// Stop at this step, forwards or back, as `--check` names them.
        #[arg(long, value_name = "ID")]
        to: Option<String>,
        /// Seconds to wait for the database; else DATABASE_WAIT_SECONDS.
        #[arg(long, value_name = "SECONDS")]
        wait: Option<u64>,
        /// Go back even where that drops tables and what is in them.
        #[arg(long, requires = "to")]
        allow_data_loss: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Make the first account on an empty database.
    Bootstrap {
        /// Address of the account; else BOOTSTRAP_ADMIN_EMAIL.
        #[arg(long)]
        email: Option<String>,
        /// Read its password from stdin; else BOOTSTRAP_ADMIN_PASSWORD.
        #[arg(long)]
        password_stdin: bool,
        /// Short name of the tenant.
        #[arg(long)]
        tenant: Option<Slug>,
        /// Short name of the workspace.
        #[arg(long)]
        workspace: Option<Slug>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Accounts and operators, on the database itself.
    Admin {
        #[command(subcommand)]
        command: Admin,
    },
    /// Show every setting, its value and where it comes from.
    Config {
        /// Only check: print broken rules, exit 1 when there are any.
        #[arg(long)]
        check: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Check the evidence of a run, offline: exit 0 valid, 1 altered, 2 not read, 3 signed by a stranger.
    Verify {
        /// The zip of `GET /api/v1/runs/{id}/evidence`.
        file: PathBuf,
        /// A key it may be signed by: in hex, or the file of /.well-known/soit-keys.json. May be repeated.
        #[arg(long, value_name = "PUB")]
        key: Vec<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Ask a running soit how it is.
    Health {
        /// Ask whether it can do its work, not only whether it answers.
        #[arg(long)]
        ready: bool,
        /// Where it listens; else LISTEN_API, or LISTEN_CONSOLE.
        #[arg(long)]
        url: Option<url::Url>,
        /// Seconds to wait.
        #[arg(long, default_value_t = 2)]
        timeout: u64,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}
