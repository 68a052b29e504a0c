//! What bytes are, told from the bytes alone.

use serde::de::IgnoredAny;
use types::artifact::ArtifactKind;

/// The kind and media type of some bytes. A text is never more than a text: nothing here is a page or a script to a browser.
pub(super) fn kind_of(bytes: &[u8]) -> (ArtifactKind, &'static str) {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => (ArtifactKind::Image, "image/png"),
        [0xff, 0xd8, 0xff, ..] => (ArtifactKind::Image, "image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => (ArtifactKind::Image, "image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => (ArtifactKind::Image, "image/webp"),
        [b'%', b'P', b'D', b'F', b'-', ..] => (ArtifactKind::Blob, "application/pdf"),
        _ => kind_of_text(bytes),
    }
}

fn kind_of_text(bytes: &[u8]) -> (ArtifactKind, &'static str) {
    let Ok(text) = std::str::from_utf8(bytes) else { return (ArtifactKind::Blob, "application/octet-stream") };
    let is_document = text.trim_start().starts_with(['{', '[']) && serde_json::from_str::<IgnoredAny>(text).is_ok();
    if is_document {
        (ArtifactKind::Json, "application/json")
    } else {
        (ArtifactKind::File, "text/plain; charset=utf-8")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_told_by_what_they_are() {
        for (bytes, kind, mime) in [
            (&b"\x89PNG\r\n\x1a\n..."[..], ArtifactKind::Image, "image/png"),
            (b"\xff\xd8\xff\xe0", ArtifactKind::Image, "image/jpeg"),
            (b"GIF89a....", ArtifactKind::Image, "image/gif"),
            (b"RIFF\0\0\0\0WEBPVP8 ", ArtifactKind::Image, "image/webp"),
            (b"%PDF-1.7", ArtifactKind::Blob, "application/pdf"),
            (b"\xc3\x28", ArtifactKind::Blob, "application/octet-stream"),
            (b" {\"a\": [1]}\n", ArtifactKind::Json, "application/json"),
            (b"{ is no document", ArtifactKind::File, "text/plain; charset=utf-8"),
            (b"12", ArtifactKind::File, "text/plain; charset=utf-8"),
            (b"<html><script>alert(1)</script>", ArtifactKind::File, "text/plain; charset=utf-8"),
            (b"<svg xmlns='http://www.w3.org/2000/svg'/>", ArtifactKind::File, "text/plain; charset=utf-8"),
            (b"", ArtifactKind::File, "text/plain; charset=utf-8"),
        ] {
            assert_eq!(kind_of(bytes), (kind, mime), "{bytes:?}");
        }
    }
}
