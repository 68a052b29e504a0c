//! Making a principal.

use serde_json::json;
use types::access::{self, CreateServicePrincipal, PrincipalStatus};
use types::problem::Code;

use super::rules::{MOST_PRINCIPALS, check_name, check_owner, check_role, facts, name_key, view};
use crate::check::normal_name;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::identity::member::{Change, Reading, Seen, check_may_set};
use crate::ledger::Audit;
use crate::record::{Row, ServicePrincipal};

impl Identity {
    /// Makes a service principal; without a named owner, for the caller. The same form sent again finds it.
    pub async fn create_principal(
        &self,
        ctx: &OpContext,
        command: &CreateServicePrincipal,
    ) -> Result<access::ServicePrincipal> {
        check_role(command.role)?;
        let answerable = ctx.answerable().ok_or_else(Error::not_found)?;
        let name = normal_name(&command.name)?;
        let draft = ServicePrincipal {
            id: ctx.new_id(&*self.ports.ids, "service_principal.create", command)?,
            scope: ctx.scope,
            name_key: name_key(&name),
            name,
            owner_id: command.owner_user_id.unwrap_or(answerable),
            role: command.role,
            status: PrincipalStatus::Active,
            created_by: answerable,
            created_at: ctx.now,
            version: 1,
        };
        let create = |ctx: &OpContext, seen: &Seen| self.decide_principal(ctx, seen, &draft);
        self.change_roster(ctx, "service_principal.create", Reading::Subjects, create).await
    }

    fn decide_principal(
        &self,
        ctx: &OpContext,
        seen: &Seen,
        draft: &ServicePrincipal,
    ) -> Result<Change<access::ServicePrincipal>> {
        if let Some(made) = seen.principals.iter().find(|principal| principal.id == draft.id) {
            return Ok(Change::to(view(made, &seen.roster)));
        }
        check_may_set(ctx, "service_principal.create", None, Some(draft.role))?;
        check_owner(&seen.roster, draft.owner_id)?;
        check_name(seen, draft)?;
        if seen.principals.len() >= MOST_PRINCIPALS {
            let detail =
                format!("the workspace has {MOST_PRINCIPALS} service principals, give one of them another name");
            return Err(Error::new(Code::QuotaExceeded, detail));
        }
        let done = ("service_principal", draft.id);
        let audit = Audit::done(ctx, &*self.ports.ids, "principal.created", "service_principal.create", done)
            .with_payload(json!({ "after": facts(draft) }));
        Ok(Change::to(view(draft, &seen.roster)).row(Row::ServicePrincipal(draft.clone())).with([audit.into()]))
    }
}
