//! Token counts by the public encodings, loaded when first needed.
//!
//! Invariant: the cost of a count is linear in the text. The encodings merge within unbroken runs, so no run longer than
//! [`MAX_RUN`] bytes reaches them.

use std::sync::OnceLock;

use async_trait::async_trait;
use kernel::port::Tokenizer;
use tiktoken_rs::CoreBPE;
use tiktoken_rs::tokenizer::{Tokenizer as Family, get_tokenizer};

use crate::provider::test;

/// Longest run without a word boundary that is encoded whole.
const MAX_RUN: usize = 256;
/// Texts of more bytes together are counted off the request threads.
const INLINE: usize = 16 * 1024;

/// The tokenizer of OpenAI's models; others are counted with the newest of its encodings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tiktoken;

#[async_trait]
impl Tokenizer for Tiktoken {
    async fn count(&self, model: &str, texts: &[String]) -> u64 {
        let encoding = Encoding::of(model);
        let bytes: usize = texts.iter().map(String::len).sum();
        if bytes <= INLINE && encoding.is_loaded() {
            return encoding.count(texts);
        }
        let owned = texts.to_vec();
        match tokio::task::spawn_blocking(move || encoding.count(&owned)).await {
            Ok(count) => count,
            // No token is shorter than a byte: this can only be too high.
            Err(_) => u64::try_from(bytes).unwrap_or(u64::MAX),
        }
    }

    fn is_exact(&self, model: &str) -> bool {
        matches!(family(model), Some(Family::O200kBase | Family::O200kHarmony | Family::Cl100kBase))
            || test::is_name(model)
    }

    fn decode(&self, model: &str, ids: &[u32]) -> Result<String, usize> {
        Encoding::of(model).decode(ids)
    }
}

/// A public encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    O200k,
    Cl100k,
}

static O200K: OnceLock<&'static CoreBPE> = OnceLock::new();
static CL100K: OnceLock<&'static CoreBPE> = OnceLock::new();

impl Encoding {
    /// The encoding of a model, by the provider's name for it; the newest one for names nobody knows.
    pub(crate) fn of(model: &str) -> Self {
        match family(model) {
            Some(Family::Cl100kBase) => Self::Cl100k,
            _ => Self::O200k,
        }
    }

    /// Tokens of the texts together; special tokens count as the text they are.
    fn count(self, texts: &[String]) -> u64 {
        let encoder = self.encoder();
        let count: usize = texts.iter().flat_map(|text| pieces(text)).map(|piece| encoder.count_ordinary(piece)).sum();
        u64::try_from(count).unwrap_or(u64::MAX)
    }

    /// At most so many tokens of a text.
    pub(crate) fn truncate(self, text: &str, max: usize) -> String {
        let encoder = self.encoder();
        let ids: Vec<u32> = pieces(text).flat_map(|piece| encoder.encode_ordinary(piece)).take(max).collect();
        // A cut may fall inside a character; what is left of it is dropped.
        let bytes = encoder.decode_bytes(&ids).unwrap_or_default();
        bytes.utf8_chunks().next().map(|chunk| chunk.valid().to_owned()).unwrap_or_default()
    }

    /// The text of token ids, or the index of the first that is outside the vocabulary, special, or no text.
    fn decode(self, ids: &[u32]) -> Result<String, usize> {
        let encoder = self.encoder();
        // Where each id's bytes end, to name the one that spoils the text.
        let (mut bytes, mut ends) = (Vec::new(), Vec::with_capacity(ids.len()));
        for (index, id) in ids.iter().enumerate() {
            let known = (*id < self.vocabulary()).then(|| encoder.decode_bytes(&[*id]));
            bytes.extend(known.and_then(Result::ok).ok_or(index)?);
            ends.push(bytes.len());
        }
        String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            ends.partition_point(|end| *end <= valid)
        })
    }

    /// Ids from here on are special or mean nothing.
    const fn vocabulary(self) -> u32 {
        match self {
            Self::O200k => 199_998,
            Self::Cl100k => 100_256,
        }
    }

    fn encoder(self) -> &'static CoreBPE {
        match self {
            Self::O200k => O200K.get_or_init(tiktoken_rs::o200k_base_singleton),
            Self::Cl100k => CL100K.get_or_init(tiktoken_rs::cl100k_base_singleton),
        }
    }

    fn is_loaded(self) -> bool {
        match self {
            Self::O200k => O200K.get().is_some(),
            Self::Cl100k => CL100K.get().is_some(),
        }
    }
}

/// By the name of a model, or of an encoding itself. Resellers put the maker's name in front: `openai/gpt-4o`.
fn family(model: &str) -> Option<Family> {
    match model {
        "o200k_base" => Some(Family::O200kBase),
        "cl100k_base" => Some(Family::Cl100kBase),
        _ => get_tokenizer(model.strip_prefix("openai/").unwrap_or(model)),
    }
}

/// Cuts the text where a run is longer than [`MAX_RUN`] bytes; a text without such runs comes back whole.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, behind) = rest.split_at(first_cut(rest));
        rest = behind;
        Some(piece)
    })
}

fn first_cut(text: &str) -> usize {
    let (mut run_start, mut before) = (0, 'x');
    for (at, character) in text.char_indices() {
        if is_boundary(before, character) {
            run_start = at;
        }
        if at + character.len_utf8() - run_start > MAX_RUN {
            return at;
        }
        before = character;
    }
    text.len()
}

/// Between these two characters every encoding splits anyway, whatever stands around them.
fn is_boundary(before: char, after: char) -> bool {
    let breaks_line = |character| matches!(character, '\r' | '\n');
    let word_ends = !before.is_whitespace() && after.is_whitespace() && !breaks_line(after);
    word_ends || (breaks_line(before) && after.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn runs_are_cut_and_nothing_is_lost() {
        for hostile in ["a", " ", "\n", "/\n", "é", "漢", "\u{200d}", "!", "<|endoftext|>", "0"] {
            let text = hostile.repeat((1 << 20) / hostile.len());
            assert!(pieces(&text).all(|piece| piece.len() <= MAX_RUN), "{hostile:?}");
            assert_eq!(pieces(&text).collect::<String>(), text);
        }
        let prose = "The quick brown fox jumps over the lazy dog.\n".repeat(1000);
        assert_eq!(pieces(&prose).count(), 1);
    }

    proptest! {
        #[test]
        fn pieces_are_the_text(text in "(a{0,600}| {0,600}|[ -~]{0,80}|\\PC{0,40}|\n{0,300}){0,6}") {
            prop_assert_eq!(pieces(&text).collect::<String>(), text.clone());
        }

        #[test]
        fn ordinary_text_counts_as_if_never_cut(words in proptest::collection::vec("[a-zA-Z0-9.,'/-]{1,20}", 0..200)) {
            let text = words.join(" ");
            let whole = Encoding::O200k.encoder().encode_ordinary(&text).len();
            prop_assert_eq!(Encoding::O200k.count(&[text]), whole as u64);
        }
    }

    #[tokio::test]
    async fn counts_are_the_public_ones() {
        let count = |model: &'static str, text: &str| {
            let texts = [text.to_owned()];
            async move { Tiktoken.count(model, &texts).await }
        };
        assert_eq!(count("gpt-4o", "hello world").await, 2);
        assert_eq!(count("gpt-4", "hello world").await, 2);
        assert_eq!(count("gpt-4o", "").await, 0);
        // As text: were it special, it would be one token.
        assert_eq!(count("gpt-4o", "<|endoftext|>").await, 7);
    }

    #[tokio::test]
    async fn a_hostile_mebibyte_is_counted() {
        for hostile in ["a", " ", "\n", "=", "漢"] {
            let text = hostile.repeat((1 << 20) / hostile.len());
            assert!(Tiktoken.count("gpt-4o", &[text]).await > 1000, "{hostile:?}");
        }
    }

    #[test]
    fn models_have_their_encoding() {
        for (model, encoding, exact) in [
            ("gpt-4o-mini", Encoding::O200k, true),
            ("openai/gpt-4o", Encoding::O200k, true),
            ("ft:gpt-4o:org::id", Encoding::O200k, true),
            ("text-embedding-3-small", Encoding::Cl100k, true),
            ("gpt-4", Encoding::Cl100k, true),
            ("cl100k_base", Encoding::Cl100k, true),
            ("llama-3.1-8b", Encoding::O200k, false),
            ("echo", Encoding::O200k, true),
        ] {
            assert_eq!((Encoding::of(model), Tiktoken.is_exact(model)), (encoding, exact), "{model}");
        }
    }

    #[test]
    fn ids_that_are_no_text_are_named() {
        let text = "Grüße, 世界 👋";
        for (model, encoding, special) in [("gpt-4o", Encoding::O200k, 199_999), ("gpt-4", Encoding::Cl100k, 100_257)] {
            let ids = encoding.encoder().encode_ordinary(text);
            assert_eq!(Tiktoken.decode(model, &ids).as_deref(), Ok(text));
            for wrong in [encoding.vocabulary(), special, u32::MAX] {
                assert_eq!(Tiktoken.decode(model, &[ids[0], wrong]), Err(1), "{wrong}");
            }
        }
        // The first of the tokens of an emoji is no text by itself.
        let emoji = Encoding::O200k.encoder().encode_ordinary("🫠");
        assert_eq!(Tiktoken.decode("gpt-4o", &emoji[..1]), Err(0));
        assert_eq!(Encoding::O200k.truncate("one two three", 2), "one two");
    }
}
