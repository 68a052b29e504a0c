//! Content as the ledger keeps it: how long it was, and its beginning where that is kept.

use types::run::{Capture, Content};

const MAX_CHARS: usize = 2048;

/// The content of texts, one below the other. `redacted` keeps no beginning while nothing redacts.
pub(super) fn content<'a>(texts: impl Iterator<Item = &'a str>, capture: Capture) -> Content {
    let (mut preview, mut kept, mut chars) = (String::new(), 0, 0);
    for (index, text) in texts.enumerate() {
        let separator = if index > 0 { "\n" } else { "" };
        for character in separator.chars().chain(text.chars()).take(MAX_CHARS.saturating_sub(kept)) {
            // The store keeps no NUL.
            preview.push(if character == '\0' { '\u{FFFD}' } else { character });
            kept += 1;
        }
        chars += text.chars().count();
    }
    Content { preview: (capture == Capture::Full).then_some(preview), chars: u64::try_from(chars).unwrap_or(u64::MAX) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_is_short_and_the_length_is_true() {
        let long = "ä".repeat(3000);
        let kept = content(["a\0b", &long].into_iter(), Capture::Full);
        assert_eq!(kept.chars, 3003);
        let preview = kept.preview.unwrap();
        assert_eq!(preview.chars().count(), 2048);
        assert!(preview.starts_with("a\u{FFFD}b\nä"));
    }

    #[test]
    fn metadata_only_keeps_no_text() {
        for capture in [Capture::MetadataOnly, Capture::Redacted] {
            assert_eq!(content(["secret"].into_iter(), capture), Content { preview: None, chars: 6 });
        }
    }
}
