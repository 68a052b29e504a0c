//! The artifact store: objects in files of a folder, or on an S3 server.
//!
//! Both keep the promise of [`kernel::port::Objects`]: what was put survives a power cut. Nothing here knows what the bytes are,
//! or whether a row names them. Start at [`Files`] and [`S3`].

mod files;
mod s3;

pub use files::{Files, FilesError};
pub use s3::{S3, S3Settings};
