//! Writes the domain's rows of a group: each once, in its last version, parents before children.

use std::collections::HashMap;

use kernel::ledger::RowKey;
use kernel::record::Row;
use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel};

use super::statement::{insert, put};
use crate::dialect::LedgerTransaction;
use crate::error::Trouble;
use crate::row::{
    Corrupt, api_key, api_key_secret, budget, egress_layer, feedback, grant, group, invitation, legal_hold,
    login_throttle, mail, member, mfa_challenge, model, price, provider, retention, retention_report, saved_view,
    second_factor, secret, service_principal, session, sso_connection, sso_link, sso_logout, sso_session, tenant, user,
    view_defaults, workspace,
};

/// Rows of one table: those that are new and those that are there.
struct Table<A> {
    new: Vec<A>,
    old: Vec<A>,
}

impl<A> Default for Table<A> {
    fn default() -> Self {
        Self { new: Vec::new(), old: Vec::new() }
    }
}

impl<A: ActiveModelTrait + IntoActiveModel<A>> Table<A> {
    fn add(&mut self, new: bool, row: A) {
        if new { self.new.push(row) } else { self.old.push(row) }
    }

    async fn write(self, db: &mut LedgerTransaction) -> Result<(), Trouble> {
        self.write_but(db, &[]).await
    }

    /// `kept` columns are not written where the row is there.
    async fn write_but(
        self,
        db: &mut LedgerTransaction,
        kept: &[<A::Entity as EntityTrait>::Column],
    ) -> Result<(), Trouble> {
        insert(db, self.new).await?;
        put(db, self.old, kept).await
    }
}

#[derive(Default)]
pub(super) struct Rows {
    /// The last row of each key, and whether the first one was new.
    last: HashMap<RowKey, (bool, Row)>,
}

impl Rows {
    pub(super) fn add(&mut self, row: Row) {
        let key = RowKey::of(&row);
        let new = self.last.get(&key).map_or(row.version() == 1, |(new, _)| *new);
        self.last.insert(key, (new, row));
    }

    pub(super) async fn write(self, db: &mut LedgerTransaction) -> Result<(), Trouble> {
        if self.last.is_empty() {
            return Ok(());
        }
        let tables = self.tables()?;
        tables.write(db).await
    }

    fn tables(self) -> Result<Tables, Corrupt> {
        let mut tables = Tables::default();
        let mut rows: Vec<_> = self.last.into_iter().collect();
        rows.sort_by(|(left, _), (right, _)| left.cmp(right));
        for (_, (new, row)) in rows {
            tables.add(new, &row)?;
        }
        Ok(tables)
    }
}

#[derive(Default)]
struct Tables {
    tenants: Table<entity::tenant::ActiveModel>,
    workspaces: Table<entity::workspace::ActiveModel>,
    users: Table<entity::user::ActiveModel>,
    tenant_members: Table<entity::tenant_member::ActiveModel>,
    workspace_members: Table<entity::workspace_member::ActiveModel>,
    invitations: Table<entity::invitation::ActiveModel>,
    sessions: Table<entity::session::ActiveModel>,
    service_principals: Table<entity::service_principal::ActiveModel>,
    groups: Table<entity::workspace_group::ActiveModel>,
    group_members: Table<entity::workspace_group_member::ActiveModel>,
    grants: Table<entity::resource_grant::ActiveModel>,
    second_factors: Table<entity::second_factor::ActiveModel>,
    mfa_challenges: Table<entity::mfa_challenge::ActiveModel>,
    api_keys: Table<entity::api_key::ActiveModel>,
    api_key_secrets: Table<entity::api_key_secret::ActiveModel>,
    secrets: Table<entity::secret::ActiveModel>,
    providers: Table<entity::provider::ActiveModel>,
    models: Table<entity::model::ActiveModel>,
    prices: Table<entity::price::ActiveModel>,
    budgets: Table<entity::budget::ActiveModel>,
    egress_layers: Table<entity::egress_layer::ActiveModel>,
    login_throttles: Table<entity::login_throttle::ActiveModel>,
    mails: Table<entity::mail::ActiveModel>,
    saved_views: Table<entity::saved_view::ActiveModel>,
    view_defaults: Table<entity::view_defaults::ActiveModel>,
    feedback: Table<entity::feedback::ActiveModel>,
    retention: Table<entity::retention::ActiveModel>,
    legal_holds: Table<entity::legal_hold::ActiveModel>,
    legal_hold_runs: Table<entity::legal_hold_run::ActiveModel>,
    retention_reports: Table<entity::retention_report::ActiveModel>,
    sso_connections: Table<entity::sso_connection::ActiveModel>,
    sso_links: Table<entity::sso_link::ActiveModel>,
    sso_sessions: Table<entity::sso_session::ActiveModel>,
    sso_logouts: Table<entity::sso_logout::ActiveModel>,
}

impl Tables {
    fn add(&mut self, new: bool, row: &Row) -> Result<(), Corrupt> {
        match row {
            Row::Tenant(row) => self.tenants.add(new, tenant::active(row)),
            Row::Workspace(row) => self.workspaces.add(new, workspace::active(row)),
            Row::User(row) => self.users.add(new, user::active(row)),
            Row::TenantMember(row) => self.tenant_members.add(new, member::active_in_tenant(row)),
            Row::WorkspaceMember(row) => self.workspace_members.add(new, member::active_in_workspace(row)),
            Row::Invitation(row) => self.invitations.add(new, invitation::active(row)),
            Row::Session(row) => self.sessions.add(new, session::active(row)),
            Row::ServicePrincipal(row) => self.service_principals.add(new, service_principal::active(row)),
            Row::Group(row) => self.groups.add(new, group::active(row)),
            Row::GroupMember(row) => self.group_members.add(new, group::active_member(row)),
            Row::Grant(row) => self.grants.add(new, grant::active(row)?),
            Row::SecondFactor(row) => self.second_factors.add(new, second_factor::active(row)?),
            Row::MfaChallenge(row) => self.mfa_challenges.add(new, mfa_challenge::active(row)),
            Row::ApiKey(row) => self.api_keys.add(new, api_key::active(row)?),
            Row::KeySecret(row) => self.api_key_secrets.add(new, api_key_secret::active(row)),
            Row::Secret(row) => self.secrets.add(new, secret::active(row)),
            Row::Provider { scope, provider, archived } => {
                self.providers.add(new, provider::active(*scope, provider, *archived));
            }
            Row::Model(scope, row) => self.models.add(new, model::active(*scope, row)?),
            Row::Price(scope, row) => self.prices.add(new, price::active(*scope, row)?),
            Row::Budget { scope, budget, archived } => {
                self.budgets.add(new, budget::active(*scope, budget, *archived)?);
            }
            Row::EgressLayer(row) => self.egress_layers.add(new, egress_layer::active(row)?),
            Row::LoginThrottle(row) => self.login_throttles.add(new, login_throttle::active(row)),
            Row::Mail(row) => self.mails.add(new, mail::active(row)),
            Row::SavedView(row) => self.saved_views.add(new, saved_view::active(row)),
            Row::ViewDefaults(row) => self.view_defaults.add(new, view_defaults::active(row)?),
            Row::Feedback(row) => self.feedback.add(new, feedback::active(row)?),
            Row::Retention(row) => self.retention.add(new, retention::active(row)),
            Row::LegalHold(row) => {
                self.legal_holds.add(new, legal_hold::active(row)?);
                if new {
                    legal_hold::active_runs(row).for_each(|run| self.legal_hold_runs.add(true, run));
                }
            }
            Row::RetentionReport(row) => self.retention_reports.add(new, retention_report::active(row)?),
            Row::SsoConnection(row) => self.sso_connections.add(new, sso_connection::active(row)?),
            Row::SsoLink(row) => self.sso_links.add(new, sso_link::active(row)?),
            Row::SsoSession(row) => self.sso_sessions.add(new, sso_session::active(row)),
            Row::SsoLogout(row) => self.sso_logouts.add(new, sso_logout::active(row)),
        }
        Ok(())
    }

    async fn write(self, db: &mut LedgerTransaction) -> Result<(), Trouble> {
        self.tenants.write(db).await?;
        self.workspaces.write(db).await?;
        self.users.write(db).await?;
        self.tenant_members.write(db).await?;
        self.workspace_members.write(db).await?;
        self.invitations.write(db).await?;
        self.sessions.write(db).await?;
        self.service_principals.write(db).await?;
        self.groups.write(db).await?;
        self.group_members.write(db).await?;
        self.grants.write(db).await?;
        self.second_factors.write(db).await?;
        self.mfa_challenges.write(db).await?;
        // Only a use says when a key was last used.
        let noted = [entity::api_key::Column::LastUsedAt, entity::api_key::Column::LastUsedAddress];
        self.api_keys.write_but(db, &noted).await?;
        self.api_key_secrets.write(db).await?;
        self.secrets.write(db).await?;
        self.providers.write(db).await?;
        self.models.write(db).await?;
        self.prices.write(db).await?;
        self.budgets.write(db).await?;
        self.egress_layers.write(db).await?;
        self.login_throttles.write(db).await?;
        self.mails.write(db).await?;
        self.saved_views.write(db).await?;
        self.view_defaults.write(db).await?;
        self.feedback.write(db).await?;
        self.retention.write(db).await?;
        self.legal_holds.write(db).await?;
        self.legal_hold_runs.write(db).await?;
        self.retention_reports.write(db).await?;
        self.sso_connections.write(db).await?;
        self.sso_links.write(db).await?;
        self.sso_sessions.write(db).await?;
        self.sso_logouts.write(db).await
    }
}
