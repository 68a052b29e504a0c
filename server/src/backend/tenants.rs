//! Tenants and the instance.

use std::collections::BTreeSet;

use app::backend::tenants::{OperatorCommand, OperatorSheet, Places, TenantCommand, TenantPage, TenantSheet};
use app::backend::{Answer, Tenants};
use async_trait::async_trait;
use kernel::OpContext;
use kernel::page::Order;
use kernel::policy::guard;
use types::audit::AuditQuery;
use types::id::{FormKey, UserId, WorkspaceId};
use types::identity::Workspace;
use types::name::Slug;
use types::problem::Code;
use types::tenant::{AccountQuery, CreateWorkspace, TenantQuery, UpdateTenant, UpdateTenantMember};
use types::usage::{UsageDimension, UsageQuery};

use super::address::tell_apart;
use super::{Visitor, gone, listed};

#[async_trait]
impl Tenants for Visitor {
    async fn find_places(&self) -> Answer<Places> {
        let found = async {
            let ctx = self.person().await?;
            let mut me = self.app.identity.find_me(&ctx).await?;
            let tenants = self.app.identity.list_tenants(&ctx, &TenantQuery::default()).await?.items;
            tell_apart(&mut me.workspaces, &tenants)?;
            let last = me.workspaces.iter().find(|workspace| Some(workspace.id) == me.workspace_id);
            Ok(Places {
                last: last.map(|workspace| workspace.slug.clone()),
                tenants,
                is_operator: me.user.is_operator,
                workspaces: me.workspaces,
            })
        };
        self.answer(found.await)
    }

    async fn find_tenant_page(&self, tenant: &str, section: &str, after: Option<String>) -> Answer<TenantPage> {
        let found = async {
            let ctx = self.tenant(tenant).await?;
            Ok(TenantPage {
                tenant: self.app.identity.find_tenant(&ctx).await?,
                permissions: guard::permissions(&ctx),
                user_id: ctx.user_id.ok_or_else(kernel::Error::not_found)?,
                sheet: self.sheet(&ctx, section, after).await?,
            })
        };
        self.answer(found.await)
    }

    async fn manage_tenant(
        &self,
        tenant: &str,
        form_key: Option<FormKey>,
        command: TenantCommand,
    ) -> Answer<Option<Slug>> {
        let done = async {
            let identity = &self.app.identity;
            let ctx = OpContext { form_key, ..self.tenant(tenant).await? };
            match command {
                TenantCommand::CreateWorkspace(name, slug) => {
                    let command = CreateWorkspace { tenant_id: ctx.scope.tenant_id, name, slug };
                    let made = identity.create_workspace(&ctx, &command).await?;
                    let own = self.own_addresses(&ctx).await?;
                    return Ok(Some(
                        own.into_iter().find(|(id, _)| *id == made.id).map_or(made.slug, |(_, called)| called),
                    ));
                }
                TenantCommand::Join(id) => drop(identity.join_workspace(&ctx, id).await?),
                TenantCommand::SetRole(id, version, role) => {
                    identity.update_tenant_member(&ctx, id, Some(version), &UpdateTenantMember { role }).await?;
                }
                TenantCommand::AddMember(command) => drop(identity.add_tenant_member(&ctx, &command).await?),
                TenantCommand::Rename(version, name) => {
                    let command = UpdateTenant { name: Some(name), slug: None };
                    identity.update_tenant(&ctx, Some(version), &command).await?;
                }
                TenantCommand::Delete => identity.delete_tenant(&ctx).await?,
                TenantCommand::Remove(id) => gone(identity.remove_tenant_member(&ctx, id).await)?,
                TenantCommand::SetCeilings(version, command) => {
                    identity.update_ceilings(&ctx, Some(version), &command).await?;
                }
            }
            Ok(None)
        };
        self.answer(done.await)
    }

    async fn find_operator_page(
        &self,
        section: &str,
        q: Option<String>,
        after: Option<String>,
    ) -> Answer<OperatorSheet> {
        let found = async {
            let ctx = self.person().await?;
            let identity = &self.app.identity;
            match section {
                "tenants" => {
                    let [asked, first] = anew(after, |cursor| TenantQuery { all: true, limit: None, cursor });
                    let page = match identity.list_tenants(&ctx, &asked).await {
                        Err(error) if error.code() == Code::InvalidCursor => identity.list_tenants(&ctx, &first).await,
                        page => page,
                    };
                    Ok(OperatorSheet::Tenants(page?))
                }
                "users" => {
                    let [asked, first] = anew(after, |cursor| AccountQuery { q: q.clone(), limit: None, cursor });
                    let page = match identity.list_accounts(&ctx, &asked).await {
                        Err(error) if error.code() == Code::InvalidCursor => identity.list_accounts(&ctx, &first).await,
                        page => page,
                    };
                    Ok(OperatorSheet::Users(page?))
                }
                "diagnostics" => {
                    guard::authorize(&ctx, "instance.diagnostics")?;
                    Ok(OperatorSheet::Diagnostics(self.app.health.diagnostics()))
                }
                _ => Err(kernel::Error::not_found()),
            }
        };
        self.answer(found.await)
    }

    async fn operate(&self, form_key: Option<FormKey>, command: OperatorCommand) -> Answer<()> {
        let done = async {
            let ctx = OpContext { form_key, ..self.person().await? };
            let identity = &self.app.identity;
            match command {
                OperatorCommand::CreateTenant(command) => drop(identity.create_tenant(&ctx, &command).await?),
                OperatorCommand::SetTenant(id, true) => drop(identity.activate_tenant(&ctx, id).await?),
                OperatorCommand::SetTenant(id, false) => drop(identity.suspend_tenant(&ctx, id).await?),
                OperatorCommand::SetUser(id, true) => drop(identity.enable_user(&ctx, id).await?),
                OperatorCommand::SetUser(id, false) => drop(identity.disable_user(&ctx, id).await?),
            }
            Ok(())
        };
        self.answer(done.await)
    }

    async fn set_archived(&self, workspace: &Slug, archived: bool) -> Answer<Workspace> {
        let set = async {
            let ctx = self.enter(workspace).await?;
            match archived {
                true => self.app.identity.archive_workspace(&ctx).await,
                false => self.app.identity.restore_workspace(&ctx).await,
            }
        };
        self.answer(set.await)
    }
}

impl Visitor {
    /// The context of a tenant, by its short name; `not_found` unless they belong to it.
    pub(super) async fn tenant(&self, slug: &str) -> kernel::Result<OpContext> {
        let slug: Slug = slug.parse().map_err(|_| kernel::Error::not_found())?;
        let person = self.person().await?;
        self.app.identity.enter_tenant_named(&person, &slug).await
    }

    /// The person's workspaces, and what addresses call them.
    async fn own_addresses(&self, ctx: &OpContext) -> kernel::Result<Vec<(WorkspaceId, Slug)>> {
        let mut own = self.app.identity.list_workspaces(ctx).await?;
        tell_apart(&mut own, &[])?;
        Ok(own.into_iter().map(|workspace| (workspace.id, workspace.slug)).collect())
    }

    async fn sheet(&self, ctx: &OpContext, section: &str, after: Option<String>) -> kernel::Result<TenantSheet> {
        let identity = &self.app.identity;
        let id = ctx.scope.tenant_id;
        match section {
            "workspaces" => {
                let all = identity.list_tenant_workspaces(ctx, id).await?;
                Ok(TenantSheet::Workspaces(listed(all, Order::ByName, after)?, self.own_addresses(ctx).await?))
            }
            "members" => {
                Ok(TenantSheet::Members(listed(identity.list_tenant_members(ctx).await?, Order::ByName, after)?))
            }
            "ceilings" => Ok(TenantSheet::Ceilings(identity.find_ceilings(ctx).await?)),
            "audit" => {
                let [asked, first] = anew(after, |cursor| AuditQuery { cursor, ..AuditQuery::default() });
                let page = match self.app.observe.list_tenant_audit(ctx, &asked).await {
                    Err(error) if error.code() == Code::InvalidCursor => {
                        self.app.observe.list_tenant_audit(ctx, &first).await
                    }
                    page => page,
                }?;
                let actors: BTreeSet<UserId> = page.items.iter().filter_map(|row| row.actor.id.parse().ok()).collect();
                let members = identity.list_tenant_members(ctx).await?.into_iter();
                let members = members.map(|member| (member.user_id, member.name));
                Ok(TenantSheet::Audit(page, members.filter(|(id, _)| actors.contains(id)).collect()))
            }
            "usage" => {
                let query = UsageQuery { group_by: Some(UsageDimension::Workspace), ..UsageQuery::default() };
                let usage = self.app.usage.list_tenant_usage(ctx, &query).await?;
                let names = identity.list_tenant_workspaces(ctx, id).await?;
                Ok(TenantSheet::Usage(usage, names.into_iter().map(|row| (row.id, row.name)).collect()))
            }
            _ => Err(kernel::Error::not_found()),
        }
    }
}

/// What the address asks for, and the first page, for a cursor that is none of the list's.
fn anew<Q>(after: Option<String>, query: impl Fn(Option<String>) -> Q) -> [Q; 2] {
    [query(after), query(None)]
}
