//! What kind of process this is and where its files lie.

use std::path::PathBuf;

use super::choice::{Environment, Role};
use super::setting::settings;

settings! {
    /// What kind of process this is and where its files lie.
    pub struct Process {
        /// How careful soit must be. Must be set when a listener is not on loopback.
        pub environment: Environment = "ENVIRONMENT" { default: Some("development") };
        /// Which part of soit this process is; `--role` wins.
        pub role: Role = "SOIT_ROLE" { default: Some("all") };
        /// Folder of the SQLite file, the generated key and the lock; made with mode 0700, used by one process.
        pub data_dir: PathBuf = "DATA_DIR" { default: Some("./data") };
        /// Folder of the console's files, for binaries built without them.
        pub site_dir: Option<PathBuf> = "SITE_DIR" { absent: "files inside the binary" };
    }
}
