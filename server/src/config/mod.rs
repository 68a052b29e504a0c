//! The settings soit starts with, read once from the environment.
//!
//! One struct per concern; each field names its variable, its default and its meaning in one place, from which both the
//! reader and `docs/operations/configuration.md` are made. Every broken rule is reported, not only the first.
//! Invariant: nothing outside this folder reads the environment, and nothing here touches a disk but for files that
//! settings name. Start at [`Config`].

mod choice;
mod reader;
mod setting;
mod source;
mod value;

mod checkpoint;
mod database;
mod egress;
mod gateway;
mod http;
mod identity;
mod ledger;
mod mail;
mod process;
mod redis;
mod secret;
mod shutdown;
mod storage;
mod telemetry;
mod worker;

mod document;
mod report;
mod whole;

pub use checkpoint::{Checkpoints, Sink};
pub use choice::{Durability, Environment, LogFormat, LogLevel, Role, StoreDown};
pub use database::{Database, DatabaseUrl};
pub use document::document;
pub use egress::Egress;
pub use gateway::Gateway;
pub use http::Http;
pub use identity::{DEFAULT_ADMIN_EMAIL, DEFAULT_ADMIN_PASSWORD, Identity};
pub use ledger::Ledger;
pub use mail::Mail;
pub use process::Process;
pub use reader::{Broken, BrokenRule};
pub use redis::RedisUrl;
pub use report::{Line, Report};
pub use secret::{MasterKey, Secrets};
pub use shutdown::Shutdown;
pub use source::{Source, SourceError};
pub use storage::{Bucket, Storage, StorageUrl};
pub use telemetry::Telemetry;
pub use value::{AllowedOrigins, Listen};
pub use whole::Config;
pub use worker::Worker;
