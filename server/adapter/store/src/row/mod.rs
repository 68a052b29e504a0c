//! Records into rows and back, one file a table.
//!
//! The way in cannot fail but for documents; the way back fails where a row holds what no version of soit writes.

pub(crate) mod api_key;
pub(crate) mod api_key_secret;
pub(crate) mod artifact;
pub(crate) mod audit;
pub(crate) mod budget;
pub(crate) mod chain;
pub(crate) mod chain_checkpoint;
pub(crate) mod chain_entry;
pub(crate) mod claim;
pub(crate) mod closed_run;
pub(crate) mod cost;
pub(crate) mod egress_layer;
pub(crate) mod event;
pub(crate) mod feedback;
pub(crate) mod grant;
pub(crate) mod group;
pub(crate) mod hold;
pub(crate) mod invitation;
pub(crate) mod legal_hold;
pub(crate) mod login_throttle;
pub(crate) mod mail;
pub(crate) mod member;
pub(crate) mod mfa_challenge;
pub(crate) mod model;
pub(crate) mod price;
pub(crate) mod provider;
pub(crate) mod record;
pub(crate) mod retention;
pub(crate) mod retention_report;
pub(crate) mod run;
pub(crate) mod run_event;
pub(crate) mod run_text;
pub(crate) mod saved_view;
pub(crate) mod second_factor;
pub(crate) mod secret;
pub(crate) mod service_principal;
pub(crate) mod session;
pub(crate) mod signing_key;
pub(crate) mod sso_connection;
pub(crate) mod sso_link;
pub(crate) mod sso_logout;
pub(crate) mod sso_session;
pub(crate) mod step;
pub(crate) mod task;
pub(crate) mod tenant;
pub(crate) mod usage;
pub(crate) mod user;
pub(crate) mod view_defaults;
pub(crate) mod workspace;

mod value;

pub(crate) use value::{
    Corrupt, content, count, digest, document, failure, hash, number, scope, sequence_key, small, text, word,
};
