//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use types::name::Slug;

const VERSION: &str = if cfg!(feature = "embed") {
    concat!(env!("CARGO_PKG_VERSION"), " (with console)")
} else {
    env!("CARGO_PKG_VERSION")
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
        #[arg(long)]
        check: bool,
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
