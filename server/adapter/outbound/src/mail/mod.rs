//! Sending mails of the deployment itself to the one mail server it was told of.
//!
//! Not the HTTP way out of `http`: the server is named by whoever runs soit, never by a workspace, so no egress rule is asked.

mod smtp;

pub use smtp::{Smtp, SmtpError, SmtpServer, SmtpTls};
