//! A reader's preferences: theme, language, density, time zone, how times look. They live in the cookie `soit_prefs`, which
//! anybody may write: every field is read on its own, garbage means the default, and nothing here has power.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::query::Params;

/// The cookie they live in.
pub const COOKIE: &str = "soit_prefs";

macro_rules! choice {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// Every choice.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Its word in the cookie, in forms and in attributes.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            fn read(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|choice| choice.as_str() == text)
            }
        }
    };
}

choice! {
    /// Colours.
    Theme {
        /// As the system has it.
        #[default]
        System = "system",
        /// Ink on paper.
        Light = "light",
        /// Paper on ink.
        Dark = "dark",
    }
}
choice! {
    /// Language of the console.
    Lang {
        /// English.
        #[default]
        En = "en",
        /// Simplified Chinese.
        ZhCn = "zh-CN",
    }
}
choice! {
    /// Height of rows and controls.
    Density {
        /// Rows of 40.
        #[default]
        Comfortable = "comfortable",
        /// Rows of 32.
        Compact = "compact",
    }
}
choice! {
    /// How wide the menu of pages is.
    Rail {
        /// With the names of the pages.
        #[default]
        Wide = "wide",
        /// Their signs alone.
        Narrow = "narrow",
    }
}
choice! {
    /// How moments look.
    TimeStyle {
        /// `12:04:11`.
        #[default]
        Absolute = "absolute",
        /// `3 min ago`.
        Relative = "relative",
    }
}

/// A reader's preferences.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prefs {
    /// Colours.
    pub theme: Theme,
    /// Language; none means as the browser asks.
    pub lang: Option<Lang>,
    /// Height of rows and controls.
    pub density: Density,
    /// How wide the menu of pages is.
    pub rail: Rail,
    /// How moments look.
    pub time: TimeStyle,
    /// IANA name of the time zone; none until the browser has said it.
    pub zone: Option<String>,
    /// Whether single-key shortcuts are off.
    pub shortcuts_off: bool,
}

impl Prefs {
    /// Reads a cookie value, or the fields of the preferences form over the present ones.
    #[must_use]
    pub fn read(self, pairs: &str) -> Self {
        Params::parse(pairs).iter().fold(self, |prefs, (name, value)| prefs.with(name, value))
    }

    /// The same with one field changed; an unknown field or value changes nothing.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        match name {
            "theme" => self.theme = Theme::read(value).unwrap_or(self.theme),
            "lang" => self.lang = Lang::read(value).or(self.lang),
            "density" => self.density = Density::read(value).unwrap_or(self.density),
            "rail" => self.rail = Rail::read(value).unwrap_or(self.rail),
            "time" => self.time = TimeStyle::read(value).unwrap_or(self.time),
            "tz" if is_zone_name(value) => self.zone = Some(value.to_owned()),
            "keys" => self.shortcuts_off = value == "off",
            _ => {}
        }
        self
    }
}

/// Whether a text has the form of an IANA zone name. Whether the zone exists is known where the zone database is.
fn is_zone_name(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-' | b'+'))
}

/// The cookie value; what has its default is left out.
impl fmt::Display for Prefs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut params = Params::default();
        if self.theme != Theme::default() {
            params = params.with("theme", self.theme.as_str());
        }
        if let Some(lang) = self.lang {
            params = params.with("lang", lang.as_str());
        }
        if self.density != Density::default() {
            params = params.with("density", self.density.as_str());
        }
        if self.rail != Rail::default() {
            params = params.with("rail", self.rail.as_str());
        }
        if self.time != TimeStyle::default() {
            params = params.with("time", self.time.as_str());
        }
        if let Some(zone) = &self.zone {
            params = params.with("tz", zone);
        }
        if self.shortcuts_off {
            params = params.with("keys", "off");
        }
        // A comma is no cookie character.
        f.write_str(&params.to_string().replace(',', "%2C"))
    }
}

impl Lang {
    /// The language wanted most by an `Accept-Language` header, among those the console has.
    #[must_use]
    pub fn accepted(header: &str) -> Self {
        let weight = |part: &str| -> (String, u32) {
            let (tag, rest) = part.split_once(';').unwrap_or((part, ""));
            let quality = rest.trim().strip_prefix("q=").map_or(1.0, |text| text.parse::<f32>().unwrap_or(0.0));
            (tag.trim().to_ascii_lowercase(), (quality.clamp(0.0, 1.0) * 1000.0) as u32)
        };
        let mut best = (Self::default(), 0);
        for (tag, quality) in header.split(',').map(weight) {
            let lang = match tag.split('-').next() {
                Some("zh") => Self::ZhCn,
                Some("en") => Self::En,
                _ => continue,
            };
            if quality > best.1 {
                best = (lang, quality);
            }
        }
        best.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferences_survive_the_cookie() {
        let text = "theme=dark&lang=zh-CN&density=compact&time=relative&tz=Asia/Shanghai&keys=off";
        let prefs = Prefs::default().read(text);
        assert_eq!(prefs.zone.as_deref(), Some("Asia/Shanghai"));
        assert_eq!(Prefs::default().read(&prefs.to_string()), prefs);
        assert_eq!(Prefs::default().to_string(), "");
        let encoded = Prefs::default().read("tz=Etc%2FGMT%2B5");
        assert_eq!(Prefs::default().read(&encoded.to_string()), encoded);
    }

    #[test]
    fn garbage_changes_nothing() {
        for text in [
            "theme=<script>",
            "lang=xx",
            "tz=a b",
            "%%%",
            "theme",
            "=;=",
            "density=\u{0}",
            &format!("tz={}", "x".repeat(65)),
        ] {
            assert_eq!(Prefs::default().read(text), Prefs::default(), "{text}");
        }
        let dark = Prefs::default().read("theme=dark");
        assert_eq!(dark.clone().read("theme=purple"), dark);
    }

    #[test]
    fn the_browser_is_asked_for_the_language() {
        for (header, lang) in [
            ("zh-CN,zh;q=0.9,en;q=0.8", Lang::ZhCn),
            ("en-GB,en;q=0.9,zh;q=0.8", Lang::En),
            ("de,zh;q=0.4,en;q=0.7", Lang::En),
            ("de", Lang::En),
            (";;q=,", Lang::En),
        ] {
            assert_eq!(Lang::accepted(header), lang, "{header}");
        }
    }
}
