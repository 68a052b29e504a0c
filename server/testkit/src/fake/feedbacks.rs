//! Reading what people say of runs.

use std::cmp::Reverse;

use async_trait::async_trait;
use kernel::context::Scope;
use kernel::port::{Feedbacks, StoreError};
use kernel::record::{Feedback, Row};
use types::id::{RunId, UserId};

use super::store::{FakeStore, rows};

#[async_trait]
impl Feedbacks for FakeStore {
    async fn list_feedback(&self, scope: Scope, run_id: RunId) -> Result<Vec<Feedback>, StoreError> {
        let rows = self.rows();
        let of_run = rows!(rows, Feedback).filter(|said| (said.scope, said.run_id) == (scope, run_id));
        let mut said: Vec<Feedback> = of_run.cloned().collect();
        said.sort_by_key(|said| Reverse((said.updated_at, said.id)));
        Ok(said)
    }

    async fn find_feedback(&self, scope: Scope, run_id: RunId, by: UserId) -> Result<Option<Feedback>, StoreError> {
        Ok(self.list_feedback(scope, run_id).await?.into_iter().find(|said| said.user_id == by))
    }
}
