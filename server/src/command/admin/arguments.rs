//! The words of `soit admin`.

use clap::{Args, Subcommand};
use types::identity::Role;
use types::name::{Name, Slug};

/// What is done on the database.
#[derive(Debug, Subcommand)]
pub(in crate::command) enum Admin {
    /// Make an account.
    CreateUser(CreateUser),
    /// Make a link that sets the password of an account, for who cannot get one by mail.
    ResetLink {
        /// Address of the account.
        #[arg(long)]
        email: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Take the second factor away from somebody who lost it, recovery codes and all.
    DisableMfa {
        /// Address of the account.
        #[arg(long)]
        email: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Compare counters with the rows they count; exit 1 when some differ. A running soit goes on.
    ReconcileCounters {
        /// Add what the counters lack.
        #[arg(long)]
        fix: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Make a new key that signs checkpoints and evidence, and tell every chain; the one before stays known.
    RotateSigningKey {
        /// Make none: only tell the chains that a rotation before was cut from.
        #[arg(long)]
        finish: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Let an account run the instance.
    MakeOperator {
        /// Address of the account.
        #[arg(long)]
        email: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

/// The account to be made.
#[derive(Debug, Args)]
pub(in crate::command) struct CreateUser {
    /// Address of the account.
    #[arg(long)]
    pub(super) email: String,
    /// Its name; else what stands before the `@`.
    #[arg(long)]
    pub(super) name: Option<Name>,
    /// Read its password from stdin; else a link is printed by which it is chosen.
    #[arg(long)]
    pub(super) password_stdin: bool,
    /// Let it run the instance.
    #[arg(long)]
    pub(super) operator: bool,
    /// Short name of the tenant it belongs to; without, it gets a tenant and a workspace of its own.
    #[arg(long, requires = "workspace")]
    pub(super) tenant: Option<Slug>,
    /// Short name of the workspace it belongs to.
    #[arg(long, requires = "tenant")]
    pub(super) workspace: Option<Slug>,
    /// Its role there: owner, admin, dev or viewer.
    #[arg(long, default_value = "viewer", requires = "workspace")]
    pub(super) role: Role,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}
