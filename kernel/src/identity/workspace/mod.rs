//! Workspaces: made and listed by those who manage their tenant, changed, archived and restored by those who own them.

mod archive;
mod create;
mod list;
mod settings;
