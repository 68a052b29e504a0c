//! The palette: every page, action and named thing of the workspace by a few letters of its name, a run by its id. It leads to
//! the search of what runs hold.
//!
//! Pages and actions are known here and appear at once; things are asked of the server, once the typing rests. What was
//! chosen before comes first, as long as nothing is typed; the browser keeps that, for each person and workspace.

mod entry;
mod recent;
mod view;

pub(crate) use view::Palette;
