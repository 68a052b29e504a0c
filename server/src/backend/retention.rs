//! How long the workspace keeps what, what is held, and what purges did.

use app::backend::retention::RetentionView;
use app::backend::{Answer, Retention};
use async_trait::async_trait;
use kernel::page::Order;
use types::id::{FormKey, LegalHoldId};
use types::name::Slug;
use types::page::PageQuery;
use types::problem::Code;
use types::retention::{CreateLegalHold, KeptFor, LegalHold, ReleaseLegalHold, Retention as Times};

use super::{Visitor, listed};

/// Reports that the page shows.
const REPORTS: u32 = 20;

#[async_trait]
impl Retention for Visitor {
    async fn find_retention(&self, workspace: &Slug) -> Answer<RetentionView> {
        let found = async {
            let ctx = self.enter(workspace).await?;
            let times = self.app.retention.find_retention(&ctx).await?;
            let query = PageQuery { limit: Some(REPORTS), cursor: None };
            let reports = self.app.retention.list_retention_reports(&ctx, &query).await?.items;
            let holds = match self.app.retention.list_legal_holds(&ctx).await {
                Ok(holds) => Some(listed(holds, Order::NewestFirst, None)?.page.items),
                Err(error) if matches!(error.code(), Code::RoleRequired | Code::ScopeRequired) => None,
                Err(error) => return Err(error),
            };
            Ok(RetentionView { times, reports, holds })
        };
        self.answer(found.await)
    }

    async fn update_retention(&self, workspace: &Slug, version: u64, command: KeptFor) -> Answer<Times> {
        let updated = async {
            let ctx = self.enter(workspace).await?;
            self.app.retention.update_retention(&ctx, Some(version), &command).await
        };
        self.answer(updated.await)
    }

    async fn create_legal_hold(
        &self,
        workspace: &Slug,
        form_key: Option<FormKey>,
        command: CreateLegalHold,
    ) -> Answer<LegalHold> {
        let created = async {
            let ctx = self.enter_with(workspace, form_key).await?;
            self.app.retention.create_legal_hold(&ctx, &command).await
        };
        self.answer(created.await)
    }

    async fn release_legal_hold(
        &self,
        workspace: &Slug,
        id: LegalHoldId,
        command: ReleaseLegalHold,
    ) -> Answer<LegalHold> {
        let released = async {
            let ctx = self.enter(workspace).await?;
            self.app.retention.release_legal_hold(&ctx, id, &command).await
        };
        self.answer(released.await)
    }
}
