//! Embeddings: texts or token ids in, vectors out in the encoding asked for.

mod answer;
mod fields;

pub(super) use answer::finish;
pub(super) use fields::{forward, read};
