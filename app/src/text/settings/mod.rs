//! Texts of the settings.

mod en;
mod zh_cn;

use types::identity::UnpricedPolicy;
use types::mfa::MfaLevel;
use types::run::Capture;

pub(crate) use en::EN;
pub(crate) use zh_cn::ZH_CN;

/// Texts of the settings.
pub(crate) struct Settings {
    pub(crate) absolute: [&'static str; 2],
    pub(crate) address: &'static str,
    pub(crate) api_url: &'static str,
    pub(crate) appearance_hint: &'static str,
    pub(crate) capture: &'static str,
    pub(crate) capture_meaning: fn(Capture) -> &'static str,
    pub(crate) change_password: &'static str,
    pub(crate) client: &'static str,
    pub(crate) comfortable: [&'static str; 2],
    pub(crate) compact: [&'static str; 2],
    pub(crate) console_url: &'static str,
    pub(crate) current_password: &'static str,
    pub(crate) database: &'static str,
    pub(crate) density: &'static str,
    pub(crate) durability: &'static str,
    pub(crate) email: &'static str,
    pub(crate) environment: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) language: &'static str,
    pub(crate) last_seen: &'static str,
    pub(crate) level: fn(MfaLevel) -> &'static str,
    pub(crate) mfa_from: &'static str,
    pub(crate) mfa_from_hint: &'static str,
    pub(crate) mfa_from_nobody: &'static str,
    pub(crate) new_password: &'static str,
    pub(crate) new_password_hint: &'static str,
    pub(crate) password: &'static str,
    pub(crate) password_changed: &'static str,
    pub(crate) password_hint: &'static str,
    pub(crate) processes: &'static str,
    pub(crate) read_only: &'static str,
    pub(crate) relative: [&'static str; 2],
    pub(crate) repeated: &'static str,
    pub(crate) revoke: &'static str,
    pub(crate) revoke_others: &'static str,
    pub(crate) role: &'static str,
    pub(crate) section: [&'static str; 5],
    pub(crate) sections: &'static str,
    pub(crate) session_api: &'static str,
    pub(crate) session_console: &'static str,
    pub(crate) shortcuts_off: &'static str,
    pub(crate) shortcuts_on: &'static str,
    pub(crate) signed_in: &'static str,
    pub(crate) slug: &'static str,
    pub(crate) theme: &'static str,
    pub(crate) theme_meaning: [&'static str; 3],
    pub(crate) this_session: &'static str,
    pub(crate) time: &'static str,
    pub(crate) title: &'static str,
    pub(crate) unpriced: &'static str,
    pub(crate) unpriced_meaning: fn(UnpricedPolicy) -> &'static str,
    pub(crate) version: &'static str,
    pub(crate) zone: &'static str,
    pub(crate) zone_hint: &'static str,
    pub(crate) name_hint: &'static str,
}
