//! Where to go after a form: a path of this console, nothing else.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The path as a header holds it, or the start page where it could lead elsewhere.
pub(super) fn next_path(wanted: &str) -> Cow<'_, str> {
    let rest = wanted.strip_prefix('/');
    let is_own = rest.is_some_and(|rest| !rest.starts_with('/'))
        && !wanted.chars().any(|letter| letter.is_control() || letter == '\\');
    match is_own {
        true if wanted.bytes().all(|byte| byte.is_ascii_graphic()) => Cow::Borrowed(wanted),
        true => Cow::Owned(encoded(wanted)),
        false => Cow::Borrowed("/"),
    }
}

fn encoded(path: &str) -> String {
    path.bytes().fold(String::new(), |mut text, byte| {
        // Writing into a text never fails.
        let _ = match byte.is_ascii_graphic() {
            true => text.write_char(char::from(byte)),
            false => write!(text, "%{byte:02X}"),
        };
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_paths_are_followed() {
        for own in ["/", "/w/default/runs?status=failed&q=a%20b", "/w/x/runs/run_1?view=tree#x"] {
            assert_eq!(next_path(own), own);
        }
        for foreign in
            ["", "//evil.test", "https://evil.test", "/\\evil.test", "/a\\b", "\\/evil", "/a\nb", "javascript:1"]
        {
            assert_eq!(next_path(foreign), "/", "{foreign:?}");
        }
    }

    #[test]
    fn other_letters_are_written_as_a_header_holds_them() {
        assert_eq!(next_path("/w/é?q=a b"), "/w/%C3%A9?q=a%20b");
        assert_eq!(next_path("/\u{202E}"), "/%E2%80%AE");
    }
}
