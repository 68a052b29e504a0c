//! Members and invitations.

use app::backend::access::InvitationView;
use app::backend::keys::Reveal;
use app::backend::{Access, Answer, List};
use async_trait::async_trait;
use kernel::page::Order;
use kernel::secret::SecretString;
use types::id::{FormKey, InvitationId, UserId};
use types::member::{CreateInvitation, Invitation, Member, UpdateMember};
use types::name::Slug;
use types::page::Page;

use super::{Visitor, gone, listed, newest_first};

#[async_trait]
impl Access for Visitor {
    async fn list_members(&self, workspace: &Slug, after: Option<String>) -> Answer<List<Member>> {
        let found = async {
            let ctx = self.enter(workspace).await?;
            listed(self.app.identity.list_members(&ctx).await?, Order::OldestFirst, after)
        };
        self.answer(found.await)
    }

    async fn update_member(&self, workspace: &Slug, id: UserId, version: u64, command: UpdateMember) -> Answer<Member> {
        let updated = async {
            let ctx = self.enter(workspace).await?;
            self.app.identity.update_member(&ctx, id, Some(version), &command).await
        };
        self.answer(updated.await)
    }

    async fn remove_member(&self, workspace: &Slug, id: UserId) -> Answer<()> {
        let removed = async {
            let ctx = self.enter(workspace).await?;
            gone(self.app.identity.remove_member(&ctx, id).await)
        };
        self.answer(removed.await)
    }

    async fn list_invitations(&self, workspace: &Slug, after: Option<String>) -> Answer<List<InvitationView>> {
        let found = async {
            let ctx = self.enter(workspace).await?;
            let List { page, total, cursor_refused } =
                newest_first(self.app.identity.list_invitations(&ctx).await?, after)?;
            let inviters = self.app.identity.list_inviters(&ctx, &page.items).await?;
            let view = |invitation: Invitation| InvitationView {
                inviter: inviters.iter().find(|(id, _)| *id == invitation.invited_by).map(|(_, name)| name.to_string()),
                invitation,
            };
            let items = page.items.into_iter().map(view).collect();
            Ok(List { page: Page { items, next_cursor: page.next_cursor }, total, cursor_refused })
        };
        self.answer(found.await)
    }

    async fn create_invitation(
        &self,
        workspace: &Slug,
        form_key: Option<FormKey>,
        command: CreateInvitation,
    ) -> Answer<Invitation> {
        let created = async {
            let ctx = self.enter_with(workspace, form_key).await?;
            let invited = self.app.identity.create_invitation(&ctx, &command).await?;
            let link = |token: SecretString| SecretString::new(self.app.config.http.link(app::route::INVITE, &token));
            self.keep_secret(&ctx, invited.item.id.as_uuid(), invited.token.map(link));
            Ok(invited.item)
        };
        self.answer(created.await)
    }

    async fn revoke_invitation(&self, workspace: &Slug, id: InvitationId) -> Answer<()> {
        let revoked = async { self.app.identity.revoke_invitation(&self.enter(workspace).await?, id).await };
        self.answer(revoked.await)
    }

    async fn take_link(&self, workspace: &Slug, id: InvitationId) -> Answer<(Invitation, Reveal)> {
        let taken = async {
            let ctx = self.enter(workspace).await?;
            let invitation = self.app.identity.find_invitation(&ctx, id).await?;
            let sends = self.app.config.mail.sending().is_some();
            let link = match self.reveal(&ctx, id.as_uuid()) {
                Reveal::Gone if sends => Reveal::Sent,
                link => link,
            };
            Ok((invitation, link))
        };
        self.answer(taken.await)
    }
}
