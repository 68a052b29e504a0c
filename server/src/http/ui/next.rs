//! Where to go after a form: a path of this console, nothing else.

/// The path, or the start page where it could lead elsewhere.
pub(super) fn next_path(wanted: &str) -> &str {
    let rest = wanted.strip_prefix('/');
    let is_own = rest.is_some_and(|rest| !rest.starts_with('/'))
        && wanted.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if is_own { wanted } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_paths_are_followed() {
        for own in ["/", "/w/default/runs?status=failed&q=a%20b", "/w/x/runs/run_1?view=tree#x"] {
            assert_eq!(next_path(own), own);
        }
        for foreign in [
            "",
            "//evil.test",
            "https://evil.test",
            "/\\evil.test",
            "/a\\b",
            "\\/evil",
            "/a\nb",
            "/a b",
            "javascript:1",
            "/\u{202E}",
        ] {
            assert_eq!(next_path(foreign), "/", "{foreign:?}");
        }
    }
}
