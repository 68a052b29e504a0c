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
    let preview = (capture == Capture::Full).then_some(preview);
    Content { preview, chars: u64::try_from(chars).unwrap_or(u64::MAX), artifact_id: None }
}

/// The texts as a whole, one below the other, where a preview is not all of them and they may be kept.
pub(super) fn whole<'a>(texts: impl Iterator<Item = &'a str> + Clone, capture: Capture) -> Option<String> {
    // A character is at least a byte: of short texts none needs to be counted.
    let bytes: usize = texts.clone().map(|text| text.len() + 1).sum();
    if capture != Capture::Full || bytes <= MAX_CHARS {
        return None;
    }
    let mut whole = String::with_capacity(bytes);
    for (index, text) in texts.enumerate() {
        whole.push_str(if index > 0 { "\n" } else { "" });
        whole.push_str(text);
    }
    (whole.chars().nth(MAX_CHARS).is_some()).then_some(whole)
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
    fn the_whole_is_there_where_the_preview_is_not_all_of_it() {
        let (fits, long) = ("ä".repeat(2048), "ä".repeat(2047));
        assert_eq!(whole([fits.as_str()].into_iter(), Capture::Full), None);
        assert_eq!(whole(["a", &long].into_iter(), Capture::Full), Some(format!("a\n{long}")));
        for capture in [Capture::MetadataOnly, Capture::Redacted] {
            assert_eq!(whole(["a", &long].into_iter(), capture), None);
        }
    }

    #[test]
    fn metadata_only_keeps_no_text() {
        for capture in [Capture::MetadataOnly, Capture::Redacted] {
            assert_eq!(
                content(["secret"].into_iter(), capture),
                Content { preview: None, chars: 6, artifact_id: None }
            );
        }
    }
}
