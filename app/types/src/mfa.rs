//! The second factor: setting it up, the codes it gives, and what a sign-in asks for.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::identity::LoggedIn;
use crate::word::words;

words! {
    /// What a session has proved besides a password.
    pub enum MfaLevel {
        /// Nothing.
        None = "none",
        /// A code of an authenticator app, or a recovery code.
        Totp = "totp",
        /// What an identity provider vouches for.
        Sso = "sso",
    }
}
words! {
    /// A way to give a second factor.
    pub enum MfaMethod {
        /// Six digits of an authenticator app.
        Totp = "totp",
        /// One of the codes that were shown once.
        RecoveryCode = "recovery_code",
    }
}

/// Where one's second factor stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Mfa {
    /// Whether signing in asks for it.
    pub enabled: bool,
    /// Since when.
    pub enabled_at: Option<DateTime<Utc>>,
    /// Whether one was set up and not confirmed yet.
    pub pending: bool,
    /// Recovery codes that were not used.
    pub recovery_codes_left: u32,
    /// Whether one of one's workspaces asks for it, now or from a day on.
    pub enforced: bool,
    /// What the present session has proved.
    pub session: MfaLevel,
}

/// What an authenticator app is set up with, shown once. It counts once a code of it is confirmed.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct MfaSetup {
    /// The seed in base32, to type in by hand.
    pub secret: String,
    /// `otpauth://totp/…`: the same with everything an app wants to know.
    pub otpauth_uri: String,
    /// That as a QR code, in SVG.
    pub qr_svg: String,
}

impl std::fmt::Debug for MfaSetup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MfaSetup").finish_non_exhaustive()
    }
}

/// A code.
#[derive(Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfirmMfa {
    /// Six digits of the authenticator app.
    pub code: String,
}

/// Recovery codes, shown once. Each works once, instead of a code of the authenticator app; a new set voids the old.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RecoveryCodes {
    /// 16 characters each; case and `-` do not matter.
    pub recovery_codes: Vec<String>,
}

impl std::fmt::Debug for RecoveryCodes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecoveryCodes").finish_non_exhaustive()
    }
}

/// What a right password is answered where a second factor is asked for.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct MfaRequired {
    /// `true`.
    pub mfa_required: bool,
    /// `sm_…`, for `POST /login/mfa` alone; 5 wrong codes end it.
    pub mfa_token: String,
    /// How the code may be given.
    pub methods: Vec<MfaMethod>,
    /// Seconds the token lives.
    pub expires_in: u64,
}

impl std::fmt::Debug for MfaRequired {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MfaRequired").field("methods", &self.methods).finish_non_exhaustive()
    }
}

/// What a right password leads to: a session, or the question for a second factor.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum LoginAnswer {
    /// Signed in.
    LoggedIn(Box<LoggedIn>),
    /// A code is asked for.
    MfaRequired(MfaRequired),
}

/// Gives the second factor.
#[derive(Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LoginMfa {
    /// `sm_…` of the first step.
    pub mfa_token: String,
    /// Six digits of the authenticator app, or a recovery code.
    pub code: String,
}

impl std::fmt::Debug for LoginMfa {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoginMfa").finish_non_exhaustive()
    }
}
