//! Accounts beyond signing in: passwords forgotten, addresses proved, accounts made and closed.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::name::Name;
use crate::word::words;

words! {
    /// The language of a mail.
    pub enum Language {
        /// English.
        English = "en",
        /// Simplified Chinese.
        Chinese = "zh-CN",
    }
}
words! {
    /// What a mail is for.
    pub enum MailKind {
        /// A link that sets a new password.
        PasswordReset = "password_reset",
        /// A link that proves the address of an account.
        EmailVerification = "email_verification",
        /// A link that gives an account another address.
        EmailChange = "email_change",
        /// Tells the former address that the account has another one.
        EmailChanged = "email_changed",
        /// A link that makes an account.
        Registration = "registration",
        /// Tells whoever wanted an account that the address has one.
        AccountExists = "account_exists",
        /// The link of an invitation.
        Invitation = "invitation",
    }
}

/// Asks for a link that sets a new password.
#[derive(Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestPasswordReset {
    /// The address of the account.
    pub email: String,
}

/// Sets a new password with a link's token.
#[derive(Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResetPassword {
    /// `sl_…`: what stands behind the `#` of the link.
    pub token: String,
    /// The new password: 12–128 characters, hard to guess.
    pub password: String,
}

/// Proves an address with a link's token.
#[derive(Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfirmEmail {
    /// `sl_…`: what stands behind the `#` of the link.
    pub token: String,
}

/// Asks for a link that proves an address.
#[derive(Clone, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct VerifyEmail {
    /// The address the account is to have; absent for the one it has.
    pub email: Option<String>,
}

/// Makes an account with a tenant and a workspace of its own, once its address is proved.
#[derive(Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Register {
    /// The address of the account.
    pub email: String,
    /// One's name, 1–80 characters.
    pub name: Name,
    /// One's password: 12–128 characters, hard to guess.
    pub password: String,
}

macro_rules! undisclosed {
    ($($name:ident),+) => {$(
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    )+};
}
undisclosed!(RequestPasswordReset, ResetPassword, ConfirmEmail, VerifyEmail, Register);

/// When one's account is closed, if that was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DeletionRequest {
    /// From then on nobody signs in and the personal fields are gone; null while nobody asked for it.
    pub closes_at: Option<DateTime<Utc>>,
}
