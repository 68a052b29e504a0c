//! Objects in memory, and what can go wrong with a store of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use chrono::NaiveDate;
use futures::stream::{StreamExt, iter};
use kernel::port::{Keys, ObjectBody, ObjectError, ObjectKey, Objects};

/// How the store answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mood {
    /// As it should.
    #[default]
    Well,
    /// Not at all.
    Silent,
    /// That it has no room.
    Full,
    /// That it is not there.
    Down,
}

#[derive(Default)]
struct State {
    objects: BTreeMap<ObjectKey, Vec<u8>>,
    mood: Mood,
    puts: usize,
}

/// An artifact store in memory. Clones share it.
#[derive(Clone, Default)]
pub struct FakeObjects(Arc<Mutex<State>>);

impl FakeObjects {
    /// Makes it answer like that from now on.
    pub fn set(&self, mood: Mood) {
        self.state().mood = mood;
    }

    /// How often somebody wanted to put something.
    pub fn puts(&self) -> usize {
        self.state().puts
    }

    /// The keys of all objects.
    pub fn keys(&self) -> Vec<ObjectKey> {
        self.state().objects.keys().cloned().collect()
    }

    /// Replaces the bytes of an object.
    pub fn tamper(&self, key: &ObjectKey, bytes: Vec<u8>) {
        self.state().objects.insert(key.clone(), bytes);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no panic before")
    }

    async fn answer(&self) -> Result<(), ObjectError> {
        let mood = self.state().mood;
        match mood {
            Mood::Well => Ok(()),
            Mood::Silent => std::future::pending().await,
            Mood::Full => Err(ObjectError::Full),
            Mood::Down => Err(ObjectError::Unavailable("it is down".to_owned())),
        }
    }
}

fn day(key: &ObjectKey) -> NaiveDate {
    key.as_str().split('/').next().and_then(|day| day.parse().ok()).expect("a key begins with a day")
}

#[async_trait]
impl Objects for FakeObjects {
    async fn put(&self, key: &ObjectKey, bytes: Vec<u8>) -> Result<(), ObjectError> {
        self.state().puts += 1;
        self.answer().await?;
        self.state().objects.insert(key.clone(), bytes);
        Ok(())
    }

    async fn get(&self, key: &ObjectKey) -> Result<ObjectBody, ObjectError> {
        self.answer().await?;
        let bytes = self.state().objects.get(key).cloned().ok_or(ObjectError::Missing)?;
        let pieces: Vec<_> = bytes.chunks(64 * 1024).map(|piece| Ok(piece.to_vec())).collect();
        Ok(iter(pieces).boxed())
    }

    async fn head(&self, key: &ObjectKey) -> Result<Option<u64>, ObjectError> {
        self.answer().await?;
        Ok(self.state().objects.get(key).map(|bytes| bytes.len() as u64))
    }

    async fn delete(&self, key: &ObjectKey) -> Result<(), ObjectError> {
        self.answer().await?;
        self.state().objects.remove(key);
        Ok(())
    }

    async fn list_days(&self) -> Result<Vec<NaiveDate>, ObjectError> {
        self.answer().await?;
        let days: BTreeSet<NaiveDate> = self.state().objects.keys().map(day).collect();
        Ok(days.into_iter().collect())
    }

    async fn list_objects(&self, of: NaiveDate) -> Result<Keys, ObjectError> {
        self.answer().await?;
        let keys: Vec<_> = self.state().objects.keys().filter(|key| day(key) == of).cloned().map(Ok).collect();
        Ok(iter(keys).boxed())
    }

    async fn check(&self) -> Result<(), ObjectError> {
        self.answer().await
    }
}
