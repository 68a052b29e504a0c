//! Finding what a workspace holds by a few letters of its name, or by its id.

use serde::{Deserialize, Serialize};

use crate::word::words;

words! {
    /// What can be found.
    pub enum HitKind {
        /// A run, by its id.
        Run = "run",
        /// An API key.
        ApiKey = "api_key",
        /// A budget.
        Budget = "budget",
        /// A provider account.
        Provider = "provider",
        /// A model of a provider account.
        Model = "model",
    }
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Hit {
    /// What it is.
    pub kind: HitKind,
    /// Its id.
    pub id: String,
    /// Its name; a run's model.
    pub name: String,
    /// What it is part of: a model's provider account.
    pub parent_id: Option<String>,
}

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// 2–200 characters of a name, or an id.
    pub q: String,
    /// What may be found; empty means everything.
    pub kinds: Vec<HitKind>,
    /// 1–20.
    pub limit: u32,
}

impl Search {
    /// The first hits of any kind.
    pub fn of(q: impl Into<String>) -> Self {
        Self { q: q.into(), kinds: Vec::new(), limit: 10 }
    }
}
