//! Why somebody may do something, or may not: every rule that a request of theirs would meet, in its order.
//!
//! The rules are asked as the guard asks them, of a context made as theirs would be. Not here: what depends on a request, its
//! address and how fresh its proof is, of which it is only said that they are asked.

use std::sync::Arc;

use types::access::{AccessRule, ExplainedRule, Explanation, GrantSubject, PrincipalStatus, ResourceType, RuleOutcome};
use types::id::{ApiKeyId, GrantId, UserId};
use types::identity::{Role, Scope as Reach, UserStatus};
use types::problem::Code;

use super::Identity;
use super::authenticate::lower;
use super::grant::Resource;
use crate::context::{Credential, OpContext, Principal};
use crate::error::{Error, Result};
use crate::policy::granted::{gains, granting};
use crate::policy::rbac::{self, Cell, Cells, Rule, Takes};
use crate::policy::{Granted, guard};
use crate::record::{ApiKey, ServicePrincipal};

/// What is to be explained.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Who: a member, a service principal or a key, by id.
    pub subject: &'a str,
    /// What.
    pub action: &'a str,
    /// With what kind of thing.
    pub resource_type: Option<ResourceType>,
    /// With which one.
    pub resource_id: Option<&'a str>,
}

/// Who is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Person(UserId),
    Principal(types::id::ServicePrincipalId),
    Key(ApiKeyId),
}

impl Who {
    fn parse(text: &str) -> Result<Self> {
        let person = text.parse().map(Self::Person).ok();
        let principal = || text.parse().map(Self::Principal).ok();
        let key = || text.parse().map(Self::Key).ok();
        person.or_else(principal).or_else(key).ok_or_else(|| {
            Error::invalid(
                "subject",
                "is no id of a member (`usr_…`), a service principal (`spn_…`) or a key (`key_…`)",
            )
        })
    }
}

/// Somebody as a request of theirs would find them.
struct Subject {
    ctx: OpContext,
    key: Option<Arc<ApiKey>>,
    /// Why they may not act at all.
    barred: Option<(Code, &'static str)>,
    is_member: bool,
}

impl Identity {
    /// Explains an action of somebody: of anybody to who may see that, of oneself to everybody.
    pub async fn explain_access(&self, ctx: &OpContext, asked: &Question<'_>) -> Result<Explanation> {
        let extent = guard::authorize_rows(ctx, "access.explain")?;
        let who = Who::parse(asked.subject)?;
        let rule = rbac::find(asked.action).ok_or_else(|| {
            let shown: String = asked.action.chars().take(80).collect();
            Error::invalid("action", format!("`{shown}` is no action, they look like `model.call`"))
        })?;
        check_resource(asked)?;
        let is_self = match who {
            Who::Person(id) => ctx.user_id == Some(id),
            Who::Principal(id) => ctx.principal.is_some_and(|own| own.id == id),
            Who::Key(id) => ctx.api_key_id() == Some(id),
        };
        if extent == guard::Extent::Own && !is_self {
            // One's own keys are told apart from others' without saying which there are.
            let Who::Key(id) = who else { return Err(guard::role_required(ctx, "access.explain")) };
            self.visible_key(ctx, id).await?;
        }
        let subject = self.subject(ctx, who).await?;
        let resource = match asked.resource_type.zip(asked.resource_id) {
            Some((kind, id)) => Some((kind, self.find_resource(ctx, kind, id).await?)),
            None => None,
        };
        let rules = explain(&subject, rule, asked.action, resource.as_ref());
        let decision = rules.iter().find(|rule| rule.decides);
        let allowed = decision.is_some_and(|rule| rule.outcome == RuleOutcome::Allow);
        Ok(Explanation {
            subject: asked.subject.to_owned(),
            action: asked.action.to_owned(),
            resource_type: asked.resource_type,
            resource_id: resource.map(|(_, resource)| resource.id),
            allowed,
            code: decision.and_then(|rule| rule.code),
            rules,
        })
    }

    async fn subject(&self, ctx: &OpContext, who: Who) -> Result<Subject> {
        let (key, principal, person) = match who {
            Who::Person(id) => (None, None, id),
            Who::Principal(id) => {
                let principal =
                    self.ports.subjects.find_principal(ctx.scope, id).await?.ok_or_else(Error::not_found)?;
                let owner_id = principal.owner_id;
                (None, Some(principal), owner_id)
            }
            Who::Key(id) => {
                let key = self.ports.directory.find_key_by_id(ctx.scope, id).await?.ok_or_else(Error::not_found)?;
                let principal = match key.principal_id {
                    Some(id) => self.ports.subjects.find_principal(ctx.scope, id).await?,
                    None => None,
                };
                let person = principal.as_ref().map_or(key.created_by, |principal| principal.owner_id);
                (Some(Arc::new(key)), principal, person)
            }
        };
        let account = self.ports.directory.find_account(person).await?.ok_or_else(Error::not_found)?;
        let place = account.workspaces.iter().find(|(_, member)| member.scope == ctx.scope);
        // Who has no place here is not there, unless something of theirs is.
        if place.is_none() && matches!(who, Who::Person(_)) {
            return Err(Error::not_found());
        }
        let tenant = account.tenants.iter().find(|(tenant, ..)| tenant.id == ctx.scope.tenant_id);
        let of = principal.as_ref().map_or(GrantSubject::User(person), |own| GrantSubject::Principal(own.id));
        let granted = Granted::new(self.ports.subjects.list_granted(of).await?);
        let role = place.map(|(_, member)| member.role);
        let reach = key.as_ref().map_or(Reach::Admin, |key| key.scopes.iter().copied().max().unwrap_or(Reach::Read));
        let credential = match &key {
            Some(key) => Credential::ApiKey(Arc::clone(key)),
            None => Credential::Session(self.ports.ids.session()),
        };
        let theirs = OpContext {
            user_id: principal.is_none().then_some(person),
            principal: principal.as_ref().map(|own| Principal { id: own.id, owner_id: person }),
            granted: Arc::new(granted),
            credential,
            role: role.map(|role| principal.as_ref().map_or(role, |own| lower(own.role, role))),
            tenant_role: tenant.filter(|_| principal.is_none()).map(|(_, role, _)| *role),
            is_operator: key.is_none() && principal.is_none() && account.user.is_operator,
            is_archived: ctx.is_archived,
            reach,
            elevated_until: Some(chrono::DateTime::<chrono::Utc>::MAX_UTC),
            ..OpContext::system("explain", ctx.scope, ctx.request_id, ctx.now)
        };
        let barred =
            barred(key.as_deref(), principal.as_ref(), account.user.status, tenant.is_none_or(|(t, ..)| t.active), ctx);
        Ok(Subject { ctx: theirs, key, barred, is_member: role.is_some() })
    }
}

fn check_resource(asked: &Question<'_>) -> Result<()> {
    match (asked.resource_type, asked.resource_id) {
        (None, None) => Ok(()),
        (None, Some(_)) => Err(Error::invalid("resource_type", "must say what `resource_id` names")),
        (Some(_), None) => Err(Error::invalid("resource_id", "must say which one")),
        (Some(kind), Some(_)) => {
            let of = asked.action.split_once('.').map_or("", |(resource, _)| resource);
            match of == kind.as_str() {
                true => Ok(()),
                false => Err(Error::invalid("resource_type", format!("is not what `{}` is about", asked.action))),
            }
        }
    }
}

fn barred(
    key: Option<&ApiKey>,
    principal: Option<&ServicePrincipal>,
    status: UserStatus,
    tenant_is_active: bool,
    ctx: &OpContext,
) -> Option<(Code, &'static str)> {
    if key.is_some_and(|key| key.revoked_at.is_some()) {
        return Some((Code::InvalidCredentials, "the key is revoked"));
    }
    if key.is_some_and(|key| ctx.now >= key.expires_at) {
        return Some((Code::CredentialsExpired, "the key's time is over"));
    }
    if status == UserStatus::Disabled {
        return Some((Code::SubjectDisabled, "the account, or that of the principal's owner, is disabled"));
    }
    if principal.is_some_and(|principal| principal.status != PrincipalStatus::Active) {
        return Some((Code::SubjectDisabled, "the service principal is switched off or has no owner"));
    }
    (!tenant_is_active).then_some((Code::SubjectDisabled, "the tenant is suspended"))
}

/// Every rule in its order; the first refusal decides, else what allows.
fn explain(
    subject: &Subject,
    rule: &Rule,
    action: &str,
    resource: Option<&(ResourceType, Resource)>,
) -> Vec<ExplainedRule> {
    let mut rules = vec![of_subject(subject), of_membership(subject), of_scope(subject, rule, action)];
    rules.extend(of_power(subject, rule, action, resource));
    rules.extend(of_key(subject, resource));
    if rule.step_up && subject.key.is_none() && subject.ctx.principal.is_none() {
        rules.push(said(AccessRule::StepUp, RuleOutcome::Depends, "a session must have proved lately who it is"));
    }
    let is_deny = |rule: &ExplainedRule| rule.outcome == RuleOutcome::Deny;
    let gives = |rule: &ExplainedRule| {
        rule.outcome == RuleOutcome::Allow && matches!(rule.rule, AccessRule::Role | AccessRule::Grant)
    };
    let at = rules.iter().position(is_deny).or_else(|| rules.iter().position(gives));
    if let Some(decisive) = at.and_then(|at| rules.get_mut(at)) {
        decisive.decides = true;
    }
    rules
}

fn of_subject(subject: &Subject) -> ExplainedRule {
    match subject.barred {
        Some((code, detail)) => refused(AccessRule::Subject, code, detail),
        None => said(AccessRule::Subject, RuleOutcome::Pass, "may act"),
    }
}

fn of_membership(subject: &Subject) -> ExplainedRule {
    if subject.is_member {
        return said(AccessRule::Membership, RuleOutcome::Pass, "belongs to the workspace");
    }
    refused(AccessRule::Membership, Code::SubjectDisabled, "who answers for it belongs to the workspace no more")
}

fn of_scope(subject: &Subject, rule: &Rule, action: &str) -> ExplainedRule {
    if subject.key.is_none() {
        let detail = match rule.takes {
            Takes::Key(needed) => format!("a session has every scope; a key needs `{needed}`"),
            Takes::Session => "a session has every scope; no key can do it".to_owned(),
        };
        return said(AccessRule::Scope, RuleOutcome::Pass, detail);
    }
    match guard::check_reach(&subject.ctx, rule, action) {
        Ok(()) => said(AccessRule::Scope, RuleOutcome::Pass, format!("the key reaches `{}`", subject.ctx.reach)),
        Err(error) => refused(AccessRule::Scope, error.code(), error.detail()),
    }
}

/// The role, and the grant where the role says so.
fn of_power(
    subject: &Subject,
    rule: &Rule,
    action: &str,
    resource: Option<&(ResourceType, Resource)>,
) -> Vec<ExplainedRule> {
    let ctx = &subject.ctx;
    let who = match rule.cells {
        Cells::Workspace(_) => ctx.role.map_or_else(|| "no role".to_owned(), |role| format!("the role `{role}`")),
        Cells::Tenant(_) => "the role in the tenant".to_owned(),
        Cells::Operator | Cells::Person => "who it is".to_owned(),
    };
    let of_role = |outcome, detail: String| said(AccessRule::Role, outcome, detail);
    match guard::cell(ctx, rule) {
        Cell::All => vec![of_role(RuleOutcome::Allow, format!("`{action}` is allowed by {who}"))],
        Cell::Own => vec![of_role(RuleOutcome::Allow, format!("`{action}` is allowed by {who} on one's own rows"))],
        Cell::Granted => {
            let role = of_role(RuleOutcome::Pass, format!("`{action}` is allowed by {who} where it is granted"));
            vec![role, of_grant(ctx, action, resource)]
        }
        Cell::Publishers | Cell::Approvers | Cell::None => {
            vec![refused(AccessRule::Role, Code::RoleRequired, format!("`{action}` is not allowed by {who}"))]
        }
    }
}

fn of_grant(ctx: &OpContext, action: &str, resource: Option<&(ResourceType, Resource)>) -> ExplainedRule {
    let Some(asked) = granting(action).filter(|(_, granted)| ctx.role.is_some_and(|role: Role| gains(role, *granted)))
    else {
        return refused(AccessRule::Grant, Code::RoleRequired, "no grant can give this");
    };
    let Some((_, resource)) = resource else {
        return match ctx.granted.has_any(ctx.scope.workspace_id, asked, ctx.now) {
            true => said(AccessRule::Grant, RuleOutcome::Allow, "it is granted on some things; name one to see which"),
            false => refused(AccessRule::Grant, Code::RoleRequired, "nothing is granted"),
        };
    };
    let found: Option<GrantId> = ctx.granted.find(ctx.scope.workspace_id, asked, &resource.id, ctx.now);
    match found {
        Some(id) => ExplainedRule {
            grant_id: Some(id),
            ..said(AccessRule::Grant, RuleOutcome::Allow, format!("it is granted on `{}`", resource.name))
        },
        None => refused(
            AccessRule::Grant,
            Code::RoleRequired,
            format!("nothing in force is granted on `{}`", resource.name),
        ),
    }
}

/// What a key is restricted to.
fn of_key(subject: &Subject, resource: Option<&(ResourceType, Resource)>) -> Vec<ExplainedRule> {
    let Some(key) = &subject.key else { return Vec::new() };
    let mut rules = Vec::new();
    if key.ip_allowlist.is_some() {
        let detail = "the key may be used from its networks alone";
        rules.push(said(AccessRule::Address, RuleOutcome::Depends, detail));
    }
    if let (Some(list), Some((ResourceType::Model, model))) = (&key.allowed_models, resource) {
        rules.push(match list.contains(&model.name) {
            true => said(AccessRule::Allowlist, RuleOutcome::Pass, format!("the key's list names `{}`", model.name)),
            false => {
                let detail = format!("the key's list of models does not name `{}`", model.name);
                refused(AccessRule::Allowlist, Code::ModelNotAllowed, detail)
            }
        });
    }
    rules
}

fn said(rule: AccessRule, outcome: RuleOutcome, detail: impl Into<String>) -> ExplainedRule {
    ExplainedRule { rule, outcome, code: None, detail: detail.into(), grant_id: None, decides: false }
}

fn refused(rule: AccessRule, code: Code, detail: impl Into<String>) -> ExplainedRule {
    ExplainedRule { code: Some(code), ..said(rule, RuleOutcome::Deny, detail) }
}
