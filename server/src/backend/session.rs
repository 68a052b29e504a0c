//! The signed-in person: what surrounds their pages, their sessions, password and proof.

use app::backend::session::{Health, HealthState, Shell};
use app::backend::{Answer, Session};
use async_trait::async_trait;
use kernel::policy::guard;
use types::account::{DeletionRequest, VerifyEmail};
use types::id::SessionId;
use types::identity::{self, ChangePassword, Me, Membership, Role, StepUp, UpdateMe};
use types::name::Slug;
use types::run::{RunFilter, RunStatus};
use types::search::{Hit, Search};
use types::tenant::TenantQuery;

use super::address::tell_apart;
use super::{Visitor, gone};
use crate::health::Status;
use crate::session::{Ticket, hand_over};

#[async_trait]
impl Session for Visitor {
    async fn find_shell(&self, workspace: &Slug) -> Answer<Shell> {
        self.answer(self.shell(workspace).await)
    }

    async fn update_me(&self, command: UpdateMe) -> Answer<Me> {
        self.answer(async { self.app.identity.update_me(&self.person().await?, &command).await }.await)
    }

    async fn search(&self, workspace: &Slug, q: String) -> Answer<Vec<Hit>> {
        self.answer(async { self.app.finder.search(&self.enter(workspace).await?, &Search::of(q)).await }.await)
    }

    async fn list_sessions(&self) -> Answer<Vec<identity::Session>> {
        self.answer(async { self.app.identity.list_sessions(&self.person().await?).await }.await)
    }

    async fn revoke_session(&self, id: SessionId) -> Answer<()> {
        self.answer(async { gone(self.app.identity.revoke_session(&self.person().await?, id).await) }.await)
    }

    async fn revoke_other_sessions(&self) -> Answer<()> {
        self.answer(async { self.app.identity.revoke_other_sessions(&self.person().await?).await }.await)
    }

    async fn change_password(&self, command: ChangePassword) -> Answer<()> {
        let changed = async {
            let (ctx, ticket) = (self.person().await?, Ticket::fresh(&*self.app.ids));
            let session =
                self.app.identity.change_password(&ctx, &self.client, &command, Some(ticket.digest())).await?;
            hand_over(&self.session, ticket, session.expires_at).await
        };
        self.answer(changed.await)
    }

    async fn verify_email(&self, command: VerifyEmail) -> Answer<()> {
        let asked = async {
            let ctx = self.person().await?;
            self.app.identity.verify_email(&ctx, &self.client, self.language, &command).await
        };
        self.answer(asked.await)
    }

    async fn request_deletion(&self) -> Answer<DeletionRequest> {
        self.answer(async { self.app.identity.request_deletion(&self.person().await?).await }.await)
    }

    async fn withdraw_deletion(&self) -> Answer<DeletionRequest> {
        self.answer(async { self.app.identity.withdraw_deletion(&self.person().await?).await }.await)
    }

    async fn step_up(&self, command: StepUp) -> Answer<()> {
        let proved = async {
            let (ctx, ticket) = (self.person().await?, Ticket::fresh(&*self.app.ids));
            let session = self.app.identity.step_up(&ctx, &self.client, &command, Some(ticket.digest())).await?;
            hand_over(&self.session, ticket, session.expires_at).await
        };
        self.answer(proved.await)
    }
}

impl Visitor {
    /// Lowers the session to a role below the person's own in a workspace.
    pub(crate) async fn start_view_as(&self, workspace: &Slug, role: Role) -> kernel::Result<()> {
        self.app.identity.start_view_as(&self.enter(workspace).await?, role).await
    }

    /// Gives the session the person's own power back.
    pub(crate) async fn stop_view_as(&self) -> kernel::Result<()> {
        self.app.identity.stop_view_as(&self.person().await?).await
    }

    async fn shell(&self, workspace: &Slug) -> kernel::Result<Shell> {
        let ctx = self.enter(workspace).await?;
        let mut me = self.app.identity.find_me(&ctx).await?;
        let tenants = self.app.identity.list_tenants(&ctx, &TenantQuery::default()).await?.items;
        tell_apart(&mut me.workspaces, &tenants)?;
        let here = me.workspaces.iter().find(|membership| membership.id == ctx.scope.workspace_id);
        // Links of the page lead on in the way it is called itself.
        let here = here.map(|here| Membership { slug: workspace.clone(), ..here.clone() });
        self.app.identity.remember_workspace(&ctx).await?;
        let active =
            RunFilter { status: vec![RunStatus::Queued.into(), RunStatus::Running.into()], ..RunFilter::default() };
        let active_runs = self.app.observe.count_runs(&ctx, &active).await.ok();
        Ok(Shell {
            me,
            workspace: here.ok_or_else(kernel::Error::not_found)?,
            tenants,
            permissions: guard::permissions(&ctx),
            api_url: self.app.config.http.api_url(),
            health: self.health(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build: self.app.site.version().to_owned(),
            active_runs: active_runs.filter(|total| !total.is_lower_bound).map(|total| total.count),
        })
    }

    fn health(&self) -> Health {
        let readiness = self.app.health.readiness();
        let state = match readiness.status {
            Status::Ready => HealthState::Normal,
            Status::Degraded => HealthState::Degraded,
            Status::NotReady => HealthState::Unavailable,
        };
        let failing = readiness.checks.into_iter().filter(|(_, check)| !check.ok).map(|(name, _)| name).collect();
        Health { state, failing }
    }
}
