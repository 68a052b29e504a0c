//! Texts around the pages: rail, topbar, banners, live indicator, document.

mod en;
mod zh_cn;

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// Texts around the pages.
pub(crate) struct Shell {
    pub(crate) access: &'static str,
    pub(crate) account: &'static str,
    pub(crate) audit: &'static str,
    pub(crate) broken: &'static str,
    pub(crate) change_it: &'static str,
    pub(crate) dark: &'static str,
    pub(crate) default_password: &'static str,
    pub(crate) degraded: fn(&str) -> String,
    pub(crate) events: &'static str,
    pub(crate) govern: &'static str,
    pub(crate) health: [&'static str; 3],
    pub(crate) home: &'static str,
    pub(crate) keys: &'static str,
    pub(crate) light: &'static str,
    pub(crate) live: [&'static str; 4],
    pub(crate) live_hint: [&'static str; 4],
    pub(crate) main: &'static str,
    pub(crate) menu: &'static str,
    pub(crate) models: &'static str,
    pub(crate) no_workspace: &'static str,
    pub(crate) no_workspace_text: &'static str,
    pub(crate) places: &'static str,
    pub(crate) observe: &'static str,
    pub(crate) operate: &'static str,
    pub(crate) palette: &'static str,
    pub(crate) palette_hint: &'static str,
    pub(crate) palette_all: &'static str,
    pub(crate) palette_recent: &'static str,
    pub(crate) palette_signs: [&'static str; 4],
    pub(crate) palette_kinds: [&'static str; 4],
    pub(crate) palette_none: &'static str,
    pub(crate) palette_search: fn(&str) -> String,
    pub(crate) running: fn(u64) -> String,
    pub(crate) runs: &'static str,
    pub(crate) search_runs: &'static str,
    pub(crate) settings: &'static str,
    pub(crate) shortcuts: &'static str,
    pub(crate) actions: &'static str,
    pub(crate) shortcut_list: &'static [(&'static [&'static str], &'static str)],
    pub(crate) shortcuts_title: &'static str,
    pub(crate) sign_out: &'static str,
    pub(crate) skip: &'static str,
    pub(crate) system: &'static str,
    pub(crate) theme: &'static str,
    pub(crate) unavailable: fn(&str) -> String,
    pub(crate) workspaces: &'static str,
    pub(crate) narrow: &'static str,
    pub(crate) wide: &'static str,
    pub(crate) newer: &'static str,
    pub(crate) newer_reload: &'static str,
    /// The role one is seen as.
    pub(crate) viewing_as: fn(&str) -> String,
    pub(crate) stop_viewing: &'static str,
}
