//! What people say of a run.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::id::{FeedbackId, RunId, UserId};
use crate::name::Name;
use crate::word::words;

words! {
    /// Whether a run was good.
    pub enum Rating {
        /// It was.
        Up = "up",
        /// It was not.
        Down = "down",
    }
}

/// What somebody says of a run: one word of each person, the last one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Feedback {
    /// Its id, which stays when the person says something else.
    pub id: FeedbackId,
    /// The run.
    pub run_id: RunId,
    /// Who says it.
    pub user_id: UserId,
    /// Their name, where they are still known.
    pub user: Option<Name>,
    /// Good or not.
    pub rating: Rating,
    /// Words such as `wrong_tool`.
    pub labels: Vec<String>,
    /// In their own words.
    pub comment: Option<String>,
    /// When they first said something.
    pub created_at: DateTime<Utc>,
    /// When they said this.
    pub updated_at: DateTime<Utc>,
}

/// Says something of a run, in place of what one said before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GiveFeedback {
    /// Good or not.
    pub rating: Rating,
    /// At most 10 different words like `wrong_tool`: lower-case letters, digits and `_`, at most 32.
    #[serde(default)]
    pub labels: Vec<String>,
    /// At most 2000 characters. It is content: refused where the run or its workspace keeps none.
    #[serde(default)]
    pub comment: Option<String>,
}
