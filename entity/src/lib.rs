//! The rows of soit's tables, one file a table. No behaviour, no knowledge of the domain.
//!
//! A column's meaning is told where the schema is (`migration/sql/`) and by the record it holds (`kernel::record`).
//! Documents are JSON text, money is nano-units, ids are bare UUIDs.
#![expect(missing_docs, reason = "fields are columns: the schema tells what they mean")]

pub mod api_key;
pub mod api_key_secret;
pub mod artifact;
pub mod audit;
pub mod budget;
pub mod chain;
pub mod chain_checkpoint;
pub mod chain_copier;
pub mod chain_copy;
pub mod chain_entry;
pub mod cost;
pub mod counter;
pub mod delivery;
pub mod egress_layer;
pub mod event;
pub mod feedback;
pub mod hold;
pub mod idempotency_key;
pub mod instance;
pub mod invitation;
pub mod legal_hold;
pub mod legal_hold_run;
pub mod login_throttle;
pub mod mail;
pub mod mfa_challenge;
pub mod model;
pub mod price;
pub mod process;
pub mod provider;
pub mod purge;
pub mod purged_entry;
pub mod resource_grant;
pub mod retention;
pub mod retention_report;
pub mod run;
pub mod run_count;
pub mod run_event;
pub mod run_text;
pub mod run_text_backlog;
pub mod saved_view;
pub mod second_factor;
pub mod secret;
pub mod sequence;
pub mod service_principal;
pub mod session;
pub mod signing_key;
pub mod sso_connection;
pub mod sso_link;
pub mod sso_logout;
pub mod sso_session;
pub mod step;
pub mod task;
pub mod tenant;
pub mod tenant_member;
pub mod usage_daily;
pub mod user;
pub mod view_defaults;
pub mod workspace;
pub mod workspace_group;
pub mod workspace_group_member;
pub mod workspace_member;
