//! Accounts, sessions and keys.

use std::time::Duration;

use kernel::secret::SecretString;

use super::mail::Mail;
use super::reader::Reader;
use super::setting::settings;

/// The first administrator outside production.
pub const DEFAULT_ADMIN_EMAIL: &str = "admin@example.com";
/// The password of [`DEFAULT_ADMIN_EMAIL`], until it is changed.
pub const DEFAULT_ADMIN_PASSWORD: &str = "changeme123";

settings! {
    /// Accounts, sessions and keys.
    pub struct Identity {
        /// E-mail address of the first administrator; used once, on an empty database.
        pub bootstrap_admin_email: Option<String> = "BOOTSTRAP_ADMIN_EMAIL" {
            absent: "`admin@example.com`",
            production: "set on an empty database"
        };
        /// Password of the first administrator; used once, on an empty database.
        pub bootstrap_admin_password: Option<SecretString> = "BOOTSTRAP_ADMIN_PASSWORD" {
            absent: "`changeme123`",
            production: "set on an empty database, not the default"
        };
        /// Longest life of an API key.
        pub api_key_max_days: u32 = "API_KEY_MAX_DAYS" { default: Some("365"), range: (1, 3650) };
        /// Life of an access token.
        pub access_token_life: Duration = "ACCESS_TOKEN_EXPIRE_MINUTES" { default: Some("15"), range: (1, 1440) };
        /// Life of a refresh token.
        pub refresh_token_life: Duration = "REFRESH_TOKEN_EXPIRE_DAYS" { default: Some("14"), range: (1, 365) };
        /// Life of a console session nobody uses.
        pub session_idle: Duration = "SESSION_IDLE_MINUTES" { default: Some("720"), range: (5, 43_200) };
        /// Longest life of a console session.
        pub session_max: Duration = "SESSION_MAX_DAYS" { default: Some("14"), range: (1, 365) };
        /// How long an invitation is good.
        pub invitation_life: Duration = "INVITATION_EXPIRE_DAYS" { default: Some("7"), range: (1, 365) };
        /// Whether anybody may make an account, with a tenant of its own. Needs system mail.
        pub registration: bool = "ALLOW_PUBLIC_REGISTRATION" { default: Some("false"), production: "only with `SYSTEM_MAIL_ENABLED`" };
        /// How long a link is good that sets a new password.
        pub password_reset_life: Duration = "PASSWORD_RESET_EXPIRE_MINUTES" { default: Some("30"), range: (5, 1440) };
        /// How long a link is good that proves an address.
        pub email_link_life: Duration = "EMAIL_LINK_EXPIRE_HOURS" { default: Some("24"), range: (1, 168) };
        /// Mails an address gets in an hour, whoever asks for them.
        pub mails_to_address: u32 = "MAILS_PER_ADDRESS_AND_HOUR" { default: Some("3"), range: (1, 1000) };
        /// How long an account that is to be closed can still be kept.
        pub closure_grace: Duration = "ACCOUNT_CLOSURE_GRACE_DAYS" { default: Some("7"), range: (1, 365) };
        /// Failed sign-ins of an account in a window, from which on each costs a delay: 1 s, then twice as long each time.
        pub login_account_failures: u32 = "LOGIN_ACCOUNT_FAILURES" { default: Some("5"), range: (1, 1000) };
        /// Failed sign-ins from an address in a window, from which on it waits for the next window.
        pub login_address_failures: u32 = "LOGIN_ADDRESS_FAILURES" { default: Some("20"), range: (1, 100_000) };
        /// How long failed sign-ins count.
        pub login_window: Duration = "LOGIN_WINDOW_MINUTES" { default: Some("15"), range: (1, 1440) };
        /// Longest delay after a failed sign-in.
        pub login_max_delay: Duration = "LOGIN_MAX_DELAY_SECONDS" { default: Some("900"), range: (1, 86_400) };
        /// Memory of one password hash (argon2id); with stronger settings, passwords are hashed anew as people sign in.
        pub argon2_memory_kib: u32 = "ARGON2_MEMORY_KIB" { default: Some("19456"), range: (8_192, 1_048_576) };
        /// Passes of one password hash.
        pub argon2_passes: u32 = "ARGON2_PASSES" { default: Some("2"), range: (1, 16) };
        /// Lanes of one password hash.
        pub argon2_lanes: u32 = "ARGON2_LANES" { default: Some("1"), range: (1, 16) };
    }
}

impl Identity {
    /// `mail`: unless it could not be read, which is told already.
    pub(super) fn rules(&self, mail: Option<&Mail>, reader: &mut Reader<'_>) {
        let password = self.bootstrap_admin_password.as_ref().map(SecretString::expose);
        reader.refuse_in_production(
            password == Some(DEFAULT_ADMIN_PASSWORD),
            "BOOTSTRAP_ADMIN_PASSWORD",
            "is the default password",
            "choose one of 12 characters or more",
        );
        if self.bootstrap_admin_email.as_ref().is_some_and(|email| !email.contains('@')) {
            reader.refuse("BOOTSTRAP_ADMIN_EMAIL", "is no e-mail address", "use one like `admin@example.com`");
        }
        let has_mail = mail.is_none_or(|mail| mail.enabled);
        if self.registration && !has_mail {
            let rule = "is set without SYSTEM_MAIL_ENABLED";
            reader.refuse(
                "ALLOW_PUBLIC_REGISTRATION",
                rule,
                "set up mail, by which addresses are proved, or remove it",
            );
        }
        if self.session_idle > self.session_max {
            reader.refuse("SESSION_IDLE_MINUTES", "is longer than SESSION_MAX_DAYS", "make it shorter");
        }
    }
}
