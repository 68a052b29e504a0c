//! Recovery codes: 16 Crockford characters, shown once and kept as keyed hashes.

use types::id::UserId;

use crate::port::{Ids, Sealer};
use crate::record::Digest;

const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// Codes of a set.
const CODES: usize = 10;
/// 80 bits, five a character.
const BYTES: usize = 10;
const CHARACTERS: usize = 16;
const PURPOSE: &str = "recovery-code";

/// A fresh set: the codes as they are shown, and what is kept of them.
pub(super) fn fresh(ids: &dyn Ids, sealer: &dyn Sealer, user_id: UserId) -> (Vec<String>, Vec<Digest>) {
    let codes = (0..CODES).map(|_| {
        let mut bytes = [0; BYTES];
        ids.random(&mut bytes);
        let code = encode(bytes);
        let digest = Digest(sealer.sign(PURPOSE, &[user_id.as_uuid().as_bytes(), code.as_bytes()]));
        (grouped(&code), digest)
    });
    codes.unzip()
}

/// What is left of a set when the code is one of it. None where it is not.
pub(super) fn without(code: &str, kept: &[Digest], sealer: &dyn Sealer, user_id: UserId) -> Option<Vec<Digest>> {
    let code = normal(code)?;
    let digests = sealer.signatures(PURPOSE, &[user_id.as_uuid().as_bytes(), code.as_bytes()]);
    let left: Vec<Digest> = kept.iter().filter(|digest| !digests.contains(&digest.0)).copied().collect();
    (left.len() < kept.len()).then_some(left)
}

fn encode(bytes: [u8; BYTES]) -> String {
    let number = bytes.iter().fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
    let digit = |place: usize| ALPHABET.get(usize::try_from(number >> (place * 5) & 31).unwrap_or_default());
    (0..CHARACTERS).rev().filter_map(digit).copied().map(char::from).collect()
}

/// Four characters at a time, as people read them.
fn grouped(code: &str) -> String {
    let letters: Vec<char> = code.chars().collect();
    letters.chunks(4).map(|group| group.iter().collect()).collect::<Vec<String>>().join("-")
}

/// A typed code as it is hashed: case, `-` and spaces do not matter, and letters that look like digits are those.
fn normal(text: &str) -> Option<String> {
    let letters = text.chars().filter(|letter| *letter != '-' && !letter.is_whitespace()).take(CHARACTERS + 1);
    let code: String = letters
        .map(|letter| match letter.to_ascii_uppercase() {
            'O' => '0',
            'I' | 'L' => '1',
            letter => letter,
        })
        .collect();
    (code.len() == CHARACTERS && code.bytes().all(|byte| ALPHABET.contains(&byte))).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_sixteen_characters_in_groups_of_four() {
        assert_eq!(grouped(&encode([0; BYTES])), "0000-0000-0000-0000");
        assert_eq!(grouped(&encode([0xFF; BYTES])), "ZZZZ-ZZZZ-ZZZZ-ZZZZ");
        assert_eq!(grouped(&encode([0, 0x44, 0x32, 0x14, 0xC7, 0x42, 0x54, 0xB6, 0x35, 0xCF])), "0123-4567-89AB-CDEF");
    }

    #[test]
    fn case_dashes_and_look_alikes_do_not_matter() {
        for text in ["0123-4567-89AB-CDEF", "0123456789abcdef", " oI23 4567-89ab-cdef ", "OL23-4567-89AB-CDEF"] {
            assert_eq!(normal(text).as_deref(), Some("0123456789ABCDEF"), "{text}");
        }
        for wrong in
            ["", "123456", "0123-4567-89AB-CDE", "0123-4567-89AB-CDEF0", "U123-4567-89AB-CDEF", "é123456789ABCDEF"]
        {
            assert_eq!(normal(wrong), None, "{wrong}");
        }
    }
}
