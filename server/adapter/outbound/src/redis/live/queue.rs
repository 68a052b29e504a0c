//! Words that wait to be sent. Never more than a bounded number: deltas give way first, and whoever misses one is told.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

use kernel::port::Subject;
use tokio::sync::Notify;

use super::word::{MOST_TEXT, Word};

/// Words that may wait.
const MOST: usize = 1_000;
/// Words that may wait when one more delta comes.
const MOST_FOR_DELTAS: usize = 750;
/// Bytes of text that may wait.
const MOST_BYTES: usize = 1024 * 1024;
/// Words sent at once.
const AT_ONCE: usize = 100;

/// Words that wait to be sent.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    filled: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    words: VecDeque<(Subject, Word)>,
    bytes: usize,
    /// Subjects of which something was dropped.
    missed: HashSet<Subject>,
}

impl Queue {
    /// Puts a word in; false when it was dropped and its readers will be told instead.
    pub(super) fn put(&self, subject: Subject, word: Word) -> bool {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let (most, bytes) = match &word {
            Word::Delta { text, .. } => (MOST_FOR_DELTAS, text.len()),
            _ => (MOST, 0),
        };
        // Whoever has missed something learns of everything before from the store.
        let fits = waiting.words.len() < most
            && waiting.bytes + bytes <= MOST_BYTES
            && bytes <= MOST_TEXT
            && !waiting.missed.contains(&subject);
        if fits {
            waiting.bytes += bytes;
            waiting.words.push_back((subject, word));
        } else {
            waiting.missed.insert(subject);
        }
        self.filled.notify_one();
        fits
    }

    /// The next words in their order, as soon as there are any.
    pub(super) async fn take(&self) -> Vec<(Subject, Word)> {
        loop {
            let words = self.take_now();
            if !words.is_empty() {
                return words;
            }
            self.filled.notified().await;
        }
    }

    /// Throws everything away; how much it was.
    pub(super) fn clear(&self) -> usize {
        let waiting = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        waiting.words.len()
    }

    fn take_now(&self) -> Vec<(Subject, Word)> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let count = waiting.words.len().min(AT_ONCE);
        let mut words: Vec<(Subject, Word)> = waiting.words.drain(..count).collect();
        let sent: usize =
            words.iter().map(|(_, word)| if let Word::Delta { text, .. } = word { text.len() } else { 0 }).sum();
        waiting.bytes -= sent;
        if waiting.words.is_empty() {
            words.extend(waiting.missed.drain().map(|subject| (subject, Word::Missed)));
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use types::id::{RunId, Uuid};

    use super::*;

    fn run(number: u128) -> Subject {
        Subject::Run(RunId::from_uuid(Uuid::from_u128(number)))
    }

    fn delta(length: usize) -> Word {
        Word::Delta { chars: 0, text: "x".repeat(length) }
    }

    async fn all(queue: &Queue) -> Vec<(Subject, Word)> {
        let mut words = Vec::new();
        while !queue.waiting.lock().unwrap().words.is_empty() || !queue.waiting.lock().unwrap().missed.is_empty() {
            words.extend(queue.take().await);
        }
        words
    }

    #[tokio::test]
    async fn deltas_give_way_first_and_their_readers_are_told_once() {
        let queue = Queue::default();
        let kept = (0..2 * MOST).filter(|_| queue.put(run(1), delta(1))).count();
        assert_eq!(kept, MOST_FOR_DELTAS);
        assert!(queue.put(run(2), Word::More), "there is room for what is stored");
        let words = all(&queue).await;
        assert_eq!(words.len(), MOST_FOR_DELTAS + 2);
        assert_eq!(words.last(), Some(&(run(1), Word::Missed)));
        assert!(queue.put(run(1), delta(1)), "it goes on");
    }

    #[tokio::test]
    async fn text_is_bounded_by_its_bytes() {
        let queue = Queue::default();
        assert!(!queue.put(run(1), delta(MOST_TEXT + 1)));
        assert_eq!(all(&queue).await, [(run(1), Word::Missed)]);
        let kept = (0..2 * MOST_BYTES / MOST_TEXT).filter(|_| queue.put(run(1), delta(MOST_TEXT))).count();
        assert_eq!(kept, MOST_BYTES / MOST_TEXT);
        assert_eq!(queue.clear(), kept);
        assert!(queue.put(run(1), delta(MOST_TEXT)));
    }
}
