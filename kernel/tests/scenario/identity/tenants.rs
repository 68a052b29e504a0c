//! Tenants as a whole: who gets into one, and what an archived workspace still lets in.

use kernel::OpContext;
use kernel::context::Scope;
use kernel::identity::Place;
use kernel::policy::guard::{authorize, permissions};
use types::id::{TenantId, UserId, Uuid};
use types::identity::{Role, TenantRole};
use types::problem::Code;
use types::run::Capture;
use types::tenant::{UpdateCeilings, UpdateTenantMember};

use super::world::{Home, PASSWORD, World};

/// Somebody with a role in the tenant alone, with a fresh proof, in it.
async fn manager(world: &World, home: Home, email: &str, role: TenantRole) -> OpContext {
    let user = world.user(email);
    world.place(home, user.id, role);
    let tokens = world.login(email, PASSWORD).await.expect("the password is right");
    let person = world.ask_at(&tokens.access_token, Place::Person { header: None }).await.expect("signed in");
    let place = Place::Tenant { id: home.scope.tenant_id, header: None };
    world.elevated(&person).await;
    world.ask_at(&tokens.access_token, place).await.expect("a place in the tenant")
}

async fn set_role(world: &World, ctx: &OpContext, id: UserId, role: TenantRole) -> Result<(), Code> {
    let seen = world.identity.find_tenant_member(ctx, id).await.map_err(|error| error.code())?;
    let updated = world.identity.update_tenant_member(ctx, id, Some(seen.version), &UpdateTenantMember { role }).await;
    updated.map(drop).map_err(|error| error.code())
}

#[tokio::test]
async fn a_tenant_is_entered_by_those_who_belong_and_has_a_scope_of_its_own() {
    let world = World::new();
    let (home, other) = (world.home("acme"), world.home("other"));
    let ctx = manager(&world, home, "boss@example.com", TenantRole::Admin).await;
    assert_eq!(
        (ctx.scope, ctx.role, ctx.tenant_role),
        (Scope::of_tenant(home.scope.tenant_id), None, Some(TenantRole::Admin))
    );
    assert!(ctx.scope.is_of_tenant() && !home.scope.is_of_tenant());
    assert!(authorize(&ctx, "tenant.read").is_ok());
    assert_eq!(
        authorize(&ctx, "run.list").map_err(|error| error.code()),
        Err(Code::RoleRequired),
        "none in a workspace"
    );
    for id in [other.scope.tenant_id, TenantId::from_uuid(Uuid::from_u128(9))] {
        let refused = world.identity.enter_tenant(&ctx, id).await.expect_err("no place there");
        assert_eq!(refused.code(), Code::NotFound);
    }
    let again = world.identity.reauthenticate(&ctx).await.expect("still there");
    assert_eq!((again.scope, again.tenant_role), (ctx.scope, ctx.tenant_role));
}

#[tokio::test]
async fn two_owners_of_a_tenant_who_demote_each_other_at_once_leave_one() {
    let world = World::new();
    let home = world.home("acme");
    let one = manager(&world, home, "one@example.com", TenantRole::Owner).await;
    let other = manager(&world, home, "other@example.com", TenantRole::Owner).await;
    let (id_of_one, id_of_other) = (one.user_id.expect("a person"), other.user_id.expect("a person"));
    let outcomes = tokio::join!(
        set_role(&world, &one, id_of_other, TenantRole::Member),
        set_role(&world, &other, id_of_one, TenantRole::Member)
    );
    let is_one = matches!(outcomes, (Ok(()), Err(Code::RoleRequired)) | (Err(Code::RoleRequired), Ok(())));
    assert!(is_one, "{outcomes:?}");
}

#[tokio::test]
async fn what_a_tenant_does_stands_in_its_own_record() {
    let world = World::new();
    let home = world.home("acme");
    let ctx = manager(&world, home, "boss@example.com", TenantRole::Owner).await;
    let before = world.identity.find_ceilings(&ctx).await.expect("ceilings");
    let strict = UpdateCeilings { content_capture: Some(Capture::MetadataOnly) };
    world.identity.update_ceilings(&ctx, Some(before.version), &strict).await.expect("tightened");
    let names = |scope| world.audit(scope).into_iter().map(|audit| audit.event_type).collect::<Vec<_>>();
    assert_eq!(names(Scope::of_tenant(home.scope.tenant_id)), ["tenant.ceilings_updated"]);
    assert!(!names(home.scope).contains(&"tenant.ceilings_updated".to_owned()));
}

#[tokio::test]
async fn in_an_archived_workspace_reading_works_and_nothing_changes() {
    let world = World::new();
    let home = world.home("acme");
    let owner = world.signed_in(home, Role::Owner).await;
    let owner = world.elevated(&owner).await;
    let archived = OpContext { is_archived: true, ..owner.clone() };
    let code = |action| authorize(&archived, action).map_err(|error| error.code());
    for action in [
        "run.read",
        "audit.verify",
        "export.runs",
        "invitation.list",
        "api_key.revoke",
        "member.leave",
        "workspace.restore",
    ] {
        assert_eq!(code(action), Ok(()), "{action}");
    }
    for action in [
        "model.call",
        "provider.create",
        "member.add",
        "api_key.create",
        "budget.update",
        "workspace.update",
        "view.save",
    ] {
        assert!(authorize(&owner, action).is_ok() || action == "view.save", "{action} is an owner's");
        assert_eq!(code(action), Err(Code::WorkspaceArchived), "{action}");
    }
    let shown = permissions(&archived);
    assert!(shown.allow("run.read") && !shown.allow("provider.create"));
    assert!(shown.allow("me.update"), "oneself is no part of it");
}
