//! Merkle trees as RFC 6962 has them: leaf `SHA-256(0x00 ‖ entry hash)`, node `SHA-256(0x01 ‖ left ‖ right)`.

use super::Hash;

/// The root over entry hashes; that of nothing is the hash of nothing.
pub fn root(entries: &[Hash]) -> Hash {
    match entries {
        [] => Hash::of(&[]),
        [entry] => leaf(entry),
        _ => {
            let (left, right) = entries.split_at(split(entries.len()));
            node(&root(left), &root(right))
        }
    }
}

/// The proof that the entry at `index` is under the root, from the leaf up; nothing where there is no such entry.
pub fn proof(entries: &[Hash], index: usize) -> Option<Vec<Hash>> {
    if index >= entries.len() {
        return None;
    }
    if entries.len() == 1 {
        return Some(Vec::new());
    }
    let at = split(entries.len());
    let (left, right) = entries.split_at(at);
    let (mut path, sibling) =
        if index < at { (proof(left, index)?, root(right)) } else { (proof(right, index - at)?, root(left)) };
    path.push(sibling);
    Some(path)
}

/// Whether the proof leads from an entry at `index` of `size` to the root.
pub fn includes(root: &Hash, size: u64, index: u64, entry: &Hash, proof: &[Hash]) -> bool {
    if index >= size {
        return false;
    }
    let (mut place, mut last, mut hash) = (index, size - 1, leaf(entry));
    for sibling in proof {
        if last == 0 {
            return false;
        }
        if place & 1 == 1 || place == last {
            hash = node(sibling, &hash);
            while place & 1 == 0 && place != 0 {
                place >>= 1;
                last >>= 1;
            }
        } else {
            hash = node(&hash, sibling);
        }
        place >>= 1;
        last >>= 1;
    }
    last == 0 && hash == *root
}

/// The largest power of two below a length of at least 2.
fn split(length: usize) -> usize {
    length.next_power_of_two() / 2
}

fn leaf(entry: &Hash) -> Hash {
    Hash::of(&[&[0], &entry.0])
}

fn node(left: &Hash, right: &Hash) -> Hash {
    Hash::of(&[&[1], &left.0, &right.0])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entries(count: usize) -> Vec<Hash> {
        (0..count).map(|number| Hash::of(&[&number.to_be_bytes()])).collect()
    }

    proptest! {
        #[test]
        fn a_proof_holds_for_its_entry_at_its_place_and_for_nothing_else(
            count in 1_usize..70, at in any::<prop::sample::Index>(), other in any::<prop::sample::Index>(),
        ) {
            let entries = entries(count);
            let (index, other) = (at.index(count), other.index(count));
            let (root, size) = (root(&entries), count as u64);
            let proof = proof(&entries, index).unwrap();
            let holds = |index: usize, entry: &Hash, proof: &[Hash]| includes(&root, size, index as u64, entry, proof);
            prop_assert!(holds(index, &entries[index], &proof));
            prop_assert_eq!(holds(index, &entries[other], &proof), index == other);
            prop_assert_eq!(holds(other, &entries[index], &proof), index == other);
            prop_assert!(!holds(count + index, &entries[index], &proof));
            prop_assert!(!includes(&Hash::ZERO, size, index as u64, &entries[index], &proof));
            let longer = [&proof[..], &[Hash::ZERO]].concat();
            prop_assert!(!holds(index, &entries[index], &longer));
            for cut in 0..proof.len() {
                prop_assert!(!holds(index, &entries[index], &proof[..cut]));
                let mut altered = proof.clone();
                altered[cut].0[0] ^= 1;
                prop_assert!(!holds(index, &entries[index], &altered));
            }
        }

        #[test]
        fn another_entry_or_another_order_is_another_root(count in 2_usize..70, at in any::<prop::sample::Index>()) {
            let entries = entries(count);
            let index = at.index(count - 1);
            let mut swapped = entries.clone();
            swapped.swap(index, index + 1);
            prop_assert_ne!(root(&entries), root(&swapped));
            prop_assert_ne!(root(&entries), root(&entries[..count - 1]));
        }
    }

    #[test]
    fn nothing_has_a_root_and_no_proof() {
        assert_eq!(root(&[]).to_string(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(proof(&[], 0), None);
        assert!(!includes(&root(&[]), 0, 0, &Hash::ZERO, &[]));
    }
}
