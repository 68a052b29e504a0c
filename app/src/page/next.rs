//! Where to go after a page that stands in the way.

/// A path of this console, never another site.
pub(crate) fn safe_next(next: Option<&str>) -> String {
    let safe = |path: &&str| {
        path.starts_with('/') && !path.starts_with("//") && !path.contains('\\') && !path.chars().any(char::is_control)
    };
    next.filter(safe).unwrap_or("/").to_owned()
}

#[cfg(test)]
mod tests {
    use super::safe_next;

    #[test]
    fn only_paths_of_this_console_are_followed() {
        assert_eq!(safe_next(Some("/w/main/runs?q=x")), "/w/main/runs?q=x");
        for other in
            [None, Some("//evil.example"), Some("https://evil.example"), Some("/\\evil"), Some("/a\nb"), Some("")]
        {
            assert_eq!(safe_next(other), "/", "{other:?}");
        }
    }
}
