//! The first account of an empty database.

use anyhow::{anyhow, bail};
use kernel::identity::FirstAccount;
use kernel::secret::SecretString;
use types::name::Slug;

use super::App;
use crate::config::{DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD};

/// Name of the first tenant and of its first workspace.
const DEFAULT_NAME: &str = "default";

/// What was chosen on the command line; the rest comes from the settings.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// Address of the account.
    pub email: Option<String>,
    /// Its password.
    pub password: Option<SecretString>,
    /// Short name of the tenant.
    pub tenant: Option<Slug>,
    /// Short name of the workspace.
    pub workspace: Option<Slug>,
}

/// Makes the first account on an empty database; false when there is one already. In production only with an address
/// and a password that somebody chose.
pub async fn make_first_account(app: &App, chosen: Chosen) -> anyhow::Result<bool> {
    if !app.directory.is_empty().await? {
        return Ok(false);
    }
    let settings = &app.config.identity;
    let email_name = if chosen.email.is_some() { "--email" } else { "BOOTSTRAP_ADMIN_EMAIL" };
    let password_name = if chosen.password.is_some() { "--password-stdin" } else { "BOOTSTRAP_ADMIN_PASSWORD" };
    let email = chosen.email.or_else(|| settings.bootstrap_admin_email.clone());
    let password = chosen.password.or_else(|| settings.bootstrap_admin_password.clone());
    if app.config.process.environment.is_production() && (email.is_none() || password.is_none()) {
        bail!("BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD must be set on an empty database in production");
    }
    let password = password.unwrap_or_else(|| SecretString::new(DEFAULT_ADMIN_PASSWORD.to_owned()));
    let default: Slug = DEFAULT_NAME.parse()?;
    let first = FirstAccount {
        email: email.unwrap_or_else(|| DEFAULT_ADMIN_EMAIL.to_owned()),
        is_default_password: password.expose() == DEFAULT_ADMIN_PASSWORD,
        password,
        tenant: chosen.tenant.unwrap_or_else(|| default.clone()),
        workspace: chosen.workspace.unwrap_or(default),
    };
    app.identity.bootstrap(&first).await.map_err(|refusal| {
        let problem = refusal.problem();
        match problem.errors.first().map(|wrong| (wrong.field.as_str(), &wrong.message)) {
            Some(("email", message)) => anyhow!("{email_name}: {message}"),
            Some(("password", message)) => anyhow!("{password_name}: {message}"),
            _ => anyhow::Error::new(refusal).context("the first account could not be made"),
        }
    })
}
