//! Reading what people say of runs.

use std::cmp::Reverse;

use async_trait::async_trait;
use kernel::context::Scope;
use kernel::port::{Feedbacks, Said, StoreError};
use kernel::record::{Feedback, Row};
use types::id::{RunId, UserId};

use super::store::{FakeStore, rows};

#[async_trait]
impl Feedbacks for FakeStore {
    async fn list_feedback(&self, scope: Scope, run_id: RunId) -> Result<Vec<Said>, StoreError> {
        let rows = self.rows();
        let of_run = rows!(rows, Feedback).filter(|said| (said.scope, said.run_id) == (scope, run_id));
        let name = |id: UserId| rows!(rows, User).find(|user| user.id == id).map(|user| user.name.clone());
        let mut said: Vec<Said> =
            of_run.map(|said| Said { feedback: said.clone(), user: name(said.user_id) }).collect();
        said.sort_by_key(|Said { feedback, .. }| Reverse((feedback.updated_at, feedback.id)));
        Ok(said)
    }

    async fn find_feedback(&self, scope: Scope, run_id: RunId, by: UserId) -> Result<Option<Feedback>, StoreError> {
        let said = self.list_feedback(scope, run_id).await?;
        Ok(said.into_iter().map(|said| said.feedback).find(|said| said.user_id == by))
    }
}
