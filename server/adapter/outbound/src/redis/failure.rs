//! Why Redis did not answer, in words that hold neither its address nor a password.

use redis::{ErrorKind, RedisError, ServerErrorKind};

/// Why Redis did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Nobody tried yet.
    #[error("is not connected yet")]
    NotYet,
    /// No connection comes about, or the one there was is gone.
    #[error("cannot be reached")]
    Unreachable,
    /// It says nothing.
    #[error("does not answer in time")]
    Silent,
    /// It takes neither user nor password.
    #[error("refuses the user or the password; correct them in the URL")]
    Credentials,
    /// It wants a password and the URL has none.
    #[error("asks for a password; add it to the URL, as in `redis://:PASSWORD@HOST`")]
    NoCredentials,
    /// It speaks no TLS, or shows a certificate that nobody trusts.
    #[error(
        "does not speak TLS, or its certificate is not trusted; use `redis://`, or name its authority in EXTRA_CA_FILE"
    )]
    Tls,
    /// It does not speak Redis' protocol: another server, or one that expects TLS.
    #[error("does not speak the Redis protocol; it may expect TLS, which is `rediss://`")]
    Protocol,
    /// It has no database of the number in the URL.
    #[error("has no database of the number in the URL")]
    Database,
    /// The user may not do what soit needs.
    #[error("does not let this user read, write, run scripts and publish; give it those rights")]
    Permission,
    /// It is a node of a cluster.
    #[error("is a node of a cluster; name a single server")]
    Cluster,
    /// It takes no writes: it is full, a replica, or loads its data.
    #[error("takes no writes now")]
    Unwritable,
    /// It forgot a script, as it does when it starts.
    #[error("does not know the script")]
    NoScript,
    /// It answers something else than was asked for.
    #[error("answers something unexpected")]
    Unexpected,
}

impl Failure {
    /// Whether waiting does not help: somebody has to change the URL or the server.
    pub fn is_lasting(self) -> bool {
        !matches!(
            self,
            Self::NotYet | Self::Unreachable | Self::Silent | Self::Unwritable | Self::NoScript | Self::Unexpected
        )
    }

    /// A word for readiness.
    pub fn word(self) -> &'static str {
        match self {
            Self::NotYet | Self::Unreachable => "unreachable",
            Self::Silent => "no answer",
            Self::Credentials | Self::NoCredentials => "sign-in refused",
            Self::Tls | Self::Protocol => "no common language",
            Self::Database | Self::Permission | Self::Cluster => "not usable",
            Self::Unwritable => "takes no writes",
            Self::NoScript | Self::Unexpected => "unexpected answer",
        }
    }

    /// Whether a new connection is needed, or may lead to another server.
    pub(super) fn breaks(self) -> bool {
        matches!(self, Self::Unreachable | Self::Silent | Self::Protocol | Self::Unwritable)
    }

    pub(super) fn of(error: &RedisError) -> Self {
        match error.kind() {
            ErrorKind::AuthenticationFailed => return Self::Credentials,
            ErrorKind::Io => return if error.is_timeout() { Self::Silent } else { Self::Unreachable },
            ErrorKind::Parse => return Self::Protocol,
            ErrorKind::Server(ServerErrorKind::NoScript) => return Self::NoScript,
            ErrorKind::Server(ServerErrorKind::NoPerm) => return Self::Permission,
            ErrorKind::Server(
                ServerErrorKind::Moved
                | ServerErrorKind::Ask
                | ServerErrorKind::CrossSlot
                | ServerErrorKind::ClusterDown,
            ) => return Self::Cluster,
            ErrorKind::Server(
                ServerErrorKind::ReadOnly | ServerErrorKind::BusyLoading | ServerErrorKind::MasterDown,
            ) => return Self::Unwritable,
            _ => {}
        }
        match error.code() {
            Some("NOAUTH") => Self::NoCredentials,
            Some("WRONGPASS") => Self::Credentials,
            Some("OOM" | "MISCONF" | "NOREPLICAS") => Self::Unwritable,
            Some("BUSY") => Self::Silent,
            _ => Self::of_setup(&error.to_string()),
        }
    }

    /// Choosing a database fails with words alone.
    fn of_setup(text: &str) -> Self {
        if text.contains("Authentication required") {
            Self::NoCredentials
        } else if text.contains("refused to switch database") {
            Self::Database
        } else {
            Self::Unexpected
        }
    }
}
