//! Two texts, word by word.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};
use types::compare::{Piece, PieceKind};
use types::run::Content;

/// How much work the texts of one comparison may be: beyond it, they are told whole.
const MOST_WORK: usize = 20_000_000;

/// Compares texts until that is enough work.
#[derive(Debug, Default)]
pub(super) struct Differ {
    work: usize,
}

impl Differ {
    /// What is in both, and in each alone; none where they are the same, or one is not kept.
    pub(super) fn pieces(&mut self, a: &Content, b: &Content) -> Option<Vec<Piece>> {
        let (a, b) = (a.preview.as_deref()?, b.preview.as_deref()?);
        if a == b {
            return None;
        }
        let (words_a, words_b) = (words(a), words(b));
        self.work = self.work.saturating_add((words_a.len() + words_b.len()).pow(2));
        if self.work > MOST_WORK {
            return Some(whole(a, b));
        }
        let mut pieces = Vec::new();
        for op in capture_diff_slices(Algorithm::Myers, &words_a, &words_b) {
            let text = |words: &[&str], range: Range<usize>| words.get(range).unwrap_or_default().concat();
            match op {
                DiffOp::Equal { .. } => push(&mut pieces, PieceKind::Same, text(&words_a, op.old_range())),
                DiffOp::Delete { .. } | DiffOp::Insert { .. } | DiffOp::Replace { .. } => {
                    push(&mut pieces, PieceKind::Removed, text(&words_a, op.old_range()));
                    push(&mut pieces, PieceKind::Added, text(&words_b, op.new_range()));
                }
            }
        }
        Some(pieces)
    }
}

fn whole(a: &str, b: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    push(&mut pieces, PieceKind::Removed, a.to_owned());
    push(&mut pieces, PieceKind::Added, b.to_owned());
    pieces
}

fn push(pieces: &mut Vec<Piece>, kind: PieceKind, text: String) {
    if !text.is_empty() {
        pieces.push(Piece { kind, text });
    }
}

/// Letters and digits that stand together, and everything else by itself: so is what is written without blanks.
fn words(text: &str) -> Vec<&str> {
    let joins = |character: char| character.is_alphanumeric() && character < '\u{2E80}';
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match joins(first) {
            true => rest.find(|character| !joins(character)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        words.push(word);
        rest = after;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> Content {
        Content { preview: Some(text.to_owned()), chars: 1, artifact_id: None }
    }

    fn told(a: &str, b: &str) -> String {
        let pieces = Differ::default().pieces(&content(a), &content(b)).unwrap_or_default();
        let told = |piece: Piece| match piece.kind {
            PieceKind::Same => piece.text,
            PieceKind::Removed => format!("[-{}]", piece.text),
            PieceKind::Added => format!("[+{}]", piece.text),
        };
        pieces.into_iter().map(told).collect()
    }

    #[test]
    fn texts_are_compared_by_words_and_by_signs_where_words_are_not_parted() {
        assert_eq!(told("pay 10 EUR now", "pay 20 EUR"), "pay [-10][+20] EUR[- now]");
        assert_eq!(told("看东京的天气", "看大阪的天气"), "看[-东京][+大阪]的天气");
        assert_eq!(told("", "new"), "[+new]");
        assert_eq!(told("same", "same"), "");
    }

    #[test]
    fn what_is_not_kept_is_not_compared() {
        let withheld = Content { preview: None, chars: 4, artifact_id: None };
        assert_eq!(Differ::default().pieces(&withheld, &content("text")), None);
    }

    #[test]
    fn texts_beyond_the_work_are_told_whole() {
        let mut differ = Differ::default();
        let (a, b) = (content(&"a.".repeat(1_024)), content(&"b.".repeat(1_024)));
        let fine = differ.pieces(&a, &b).map(|pieces| pieces.len());
        let whole = differ.pieces(&a, &b).map(|pieces| pieces.len());
        assert!(fine > Some(2), "{fine:?}");
        assert_eq!(whole, Some(2));
    }
}
