use chrono::TimeDelta;
use kernel::OpContext;
use kernel::identity::Place;
use kernel::policy::guard::{Extent, authorize, authorize_own, authorize_rows, permissions};
use kernel::record::{Row, Tenant, User};
use types::identity::{Role, Scope, UserStatus};
use types::problem::Code;

use super::world::{PASSWORD, World, wanted};

async fn key(world: &World, ctx: &OpContext, scope: Scope) -> OpContext {
    let issued =
        world.identity.create_key(&world.elevated(ctx).await, &wanted(&[scope])).await.unwrap().shown().unwrap();
    world.ask(&issued.api_key).await.unwrap()
}

fn code(outcome: kernel::Result<()>) -> Option<Code> {
    outcome.err().map(|error| error.code())
}

#[tokio::test]
async fn the_guard_reads_role_scope_and_proof_in_this_order() {
    let world = World::new();
    let home = world.home("acme");
    let (owner, viewer) = (world.signed_in(home, Role::Owner).await, world.signed_in(home, Role::Viewer).await);
    assert_eq!(code(authorize(&owner, "provider.create")), None);
    assert_eq!(code(authorize(&viewer, "provider.create")), Some(Code::RoleRequired));
    assert_eq!(code(authorize(&owner, "egress.update")), Some(Code::StepUpRequired));
    assert_eq!(code(authorize(&world.elevated(&owner).await, "egress.update")), None);
    assert_eq!(
        code(authorize(&viewer, "egress.update")),
        Some(Code::RoleRequired),
        "no proof helps who lacks the role"
    );
    assert_eq!(code(authorize(&owner, "nothing.known")), Some(Code::RoleRequired));

    let (read, admin) = (key(&world, &owner, Scope::Read).await, key(&world, &owner, Scope::Admin).await);
    assert_eq!(code(authorize(&read, "provider.list")), None);
    assert_eq!(code(authorize(&read, "provider.create")), Some(Code::ScopeRequired));
    assert_eq!(code(authorize(&admin, "egress.update")), None, "proof is asked of sessions");
    assert_eq!(code(authorize(&admin, "me.list_sessions")), Some(Code::ScopeRequired));
    assert_eq!(code(authorize(&read, "me.read")), None);
}

#[tokio::test]
async fn rows_of_others_are_hidden_where_they_cannot_be_read() {
    let world = World::new();
    let home = world.home("acme");
    let (dev, other) = (world.signed_in(home, Role::Dev).await, world.signed_in(home, Role::Dev).await);
    let someone = other.user_id.unwrap();
    assert_eq!(authorize_rows(&dev, "api_key.list").unwrap(), Extent::Own);
    assert_eq!(code(authorize(&dev, "api_key.list")), Some(Code::RoleRequired), "own rows need the row's owner");
    assert_eq!(code(authorize_own(&dev, "api_key.revoke", dev.user_id.unwrap())), None);
    assert_eq!(code(authorize_own(&dev, "api_key.revoke", someone)), Some(Code::NotFound));
    assert_eq!(code(authorize_own(&dev, "run.cancel", someone)), Some(Code::RoleRequired), "runs can be read by all");
}

#[tokio::test]
async fn what_only_a_grant_or_a_rule_gives_is_not_given_by_a_role() {
    let world = World::new();
    let home = world.home("acme");
    let (owner, dev, viewer) = (
        world.signed_in(home, Role::Owner).await,
        world.signed_in(home, Role::Dev).await,
        world.signed_in(home, Role::Viewer).await,
    );
    assert_eq!(code(authorize(&viewer, "model.call")), Some(Code::RoleRequired));
    assert_eq!(code(authorize(&dev, "agent.publish")), Some(Code::RoleRequired));
    assert_eq!(code(authorize(&owner, "approval.decide")), Some(Code::RoleRequired));
    assert!(permissions(&viewer).allow("run.read") && !permissions(&viewer).allow("model.call"));
    assert!(permissions(&dev).allow("api_key.create"), "own rows count");
}

#[tokio::test]
async fn a_warm_request_asks_the_store_nothing() {
    let world = World::new();
    let home = world.home("acme");
    let owner = world.signed_in(home, Role::Owner).await;
    let tokens = world.login(&world.identity.find_me(&owner).await.unwrap().user.email, PASSWORD).await.unwrap();
    let before = world.queries();
    world.ask(&tokens.access_token).await.unwrap();
    assert_eq!(world.queries(), before + 2, "cold: who it is, and what is granted to them");
    for _ in 0..1_000 {
        let ctx = world.ask(&tokens.access_token).await.unwrap();
        world.identity.find_me(&ctx).await.unwrap();
    }
    assert_eq!(world.queries(), before + 2, "warm");
    world.time.pass(60);
    world.ask(&tokens.access_token).await.unwrap();
    assert_eq!(world.queries(), before + 4, "read again after a minute");
}

#[tokio::test]
async fn a_made_up_credential_costs_no_query_and_an_unknown_one_is_throttled() {
    let world = World::new();
    let before = world.queries();
    assert_eq!(world.ask("sk_wrong").await.unwrap_err().code(), Code::InvalidCredentials);
    assert_eq!(world.queries(), before);
    let stranger = World::new();
    let ctx = stranger.signed_in(stranger.home("else"), Role::Owner).await;
    let email = stranger.identity.find_me(&ctx).await.unwrap().user.email;
    let unknown = stranger.login(&email, PASSWORD).await.unwrap().access_token;
    for _ in 0..30 {
        assert_eq!(world.ask(&unknown).await.unwrap_err().code(), Code::InvalidCredentials);
    }
    let before = world.queries();
    assert_eq!(world.ask(&unknown).await.unwrap_err().code(), Code::AuthThrottled);
    assert_eq!(world.queries(), before);
}

#[tokio::test]
async fn a_process_that_cannot_hear_of_changes_trusts_nothing_it_knows() {
    let world = World::new();
    let owner = world.signed_in(world.home("acme"), Role::Owner).await;
    let email = world.identity.find_me(&owner).await.unwrap().user.email;
    let token = world.login(&email, PASSWORD).await.unwrap().access_token;
    let other = world.another();
    other.ask(&token).await.unwrap();
    // The fake clock never wakes the watch: one answer, then silence.
    futures::FutureExt::now_or_never(other.identity.ask_epochs());
    let before = other.queries();
    other.ask(&token).await.unwrap();
    assert_eq!(other.queries(), before, "an answer of this second is good");
    other.time.pass(2);
    other.ask(&token).await.unwrap();
    other.ask(&token).await.unwrap();
    assert_eq!(other.queries(), before + 4, "after that every request looks for itself");
}

#[tokio::test]
async fn a_workspace_is_named_once_and_must_be_ones_own() {
    let world = World::new();
    let (own, foreign) = (world.home("own"), world.home("foreign"));
    let user = world.user("ada@example.com");
    world.join(own, user.id, Role::Owner);
    let session = world.login("ada@example.com", PASSWORD).await.unwrap().access_token;
    let ctx = world.ask(&session).await.unwrap();
    let key = world.identity.create_key(&ctx, &wanted(&[Scope::Read])).await.unwrap().shown().unwrap().api_key;
    let (mine, theirs) = (Some(own.scope.workspace_id), Some(foreign.scope.workspace_id));
    let cases = [
        (None, None, None, None),
        (mine, mine, None, None),
        (mine, theirs, Some(Code::WorkspaceConflict), Some(Code::WorkspaceConflict)),
        (theirs, None, Some(Code::NotFound), Some(Code::NotFound)),
        (None, theirs, Some(Code::NotFound), Some(Code::WorkspaceConflict)),
    ];
    for (path, header, of_session, of_key) in cases {
        let at = |token: &str| {
            let (world, token) = (&world, token.to_owned());
            async move { code(world.ask_at(&token, Place::Workspace { path, header }).await.map(|_| ())) }
        };
        assert_eq!((at(&session).await, at(&key).await), (of_session, of_key), "path {path:?}, header {header:?}");
    }
}

#[tokio::test]
async fn who_belongs_nowhere_still_has_an_account() {
    let world = World::new();
    world.user("ada@example.com");
    let token = world.login("ada@example.com", PASSWORD).await.unwrap().access_token;
    assert_eq!(world.ask(&token).await.unwrap_err().code(), Code::WorkspaceRequired);
    let ctx = world.ask_at(&token, Place::Person { header: None }).await.unwrap();
    let me = world.identity.find_me(&ctx).await.unwrap();
    assert_eq!((me.workspace_id, me.role), (None, None));
    assert_eq!(code(authorize(&ctx, "run.read")), Some(Code::RoleRequired));
    world.identity.log_out(&ctx).await.unwrap();
}

#[tokio::test]
async fn a_session_of_who_belongs_nowhere_ends_at_once_as_well() {
    let world = World::new();
    world.user("ada@example.com");
    let at = async |token: &str| world.ask_at(token, Place::Person { header: None }).await;
    let (here, there) = (
        world.login("ada@example.com", PASSWORD).await.unwrap().access_token,
        world.login("ada@example.com", PASSWORD).await.unwrap().access_token,
    );
    let ctx = at(&here).await.unwrap();
    assert!(at(&there).await.is_ok(), "warm, if anything is kept of it");
    world.identity.revoke_other_sessions(&ctx).await.unwrap();
    assert_eq!(at(&there).await.unwrap_err().code(), Code::InvalidCredentials);
    world.elevated(&ctx).await;
    assert!(at(&here).await.unwrap().is_elevated(), "a fresh proof counts from the next request on");
    world.identity.log_out(&ctx).await.unwrap();
    assert_eq!(at(&here).await.unwrap_err().code(), Code::InvalidCredentials);
}

#[tokio::test]
async fn the_disabled_and_the_suspended_are_out_at_once() {
    let world = World::new();
    let home = world.home("acme");
    let owner = world.signed_in(home, Role::Owner).await;
    let with_key = key(&world, &owner, Scope::Read).await;
    assert!(world.identity.reauthenticate(&with_key).await.is_ok());
    let tenant = Tenant {
        id: home.scope.tenant_id,
        name: "acme".parse().unwrap(),
        slug: "acme".parse().unwrap(),
        active: false,
        content_capture: types::run::Capture::Full,
        deleted_at: None,
        version: 2,
    };
    world.put(Row::Tenant(tenant.clone()));
    for ctx in [&owner, &with_key] {
        assert_eq!(code(world.identity.reauthenticate(ctx).await.map(|_| ())), Some(Code::SubjectDisabled));
    }
    world.put(Row::Tenant(Tenant { active: true, version: 3, ..tenant }));
    let email = world.identity.find_me(&owner).await.unwrap().user.email;
    let user = User {
        id: owner.user_id.unwrap(),
        email: email.clone(),
        email_key: email,
        name: "x".parse().unwrap(),
        status: UserStatus::Disabled,
        is_operator: false,
        password_hash: None,
        default_password: false,
        created_at: owner.now,
        email_verified_at: None,
        closes_at: None,
        version: 2,
    };
    world.put(Row::User(user));
    for ctx in [&owner, &with_key] {
        assert_eq!(code(world.identity.reauthenticate(ctx).await.map(|_| ())), Some(Code::SubjectDisabled));
    }
}

#[tokio::test]
async fn refusals_leave_one_row_a_minute() {
    let world = World::new();
    let viewer = world.signed_in(world.home("acme"), Role::Viewer).await;
    for _ in 0..5 {
        world.identity.note_denial(&viewer, Code::RoleRequired, "no");
        world.identity.note_denial(&viewer, Code::NotFound, "no matter of access");
    }
    assert_eq!(world.count(viewer.scope, "access.denied"), 1);
    let later = OpContext { now: viewer.now + TimeDelta::minutes(1), ..viewer };
    world.identity.note_denial(&later, Code::RoleRequired, "no");
    assert_eq!(world.count(later.scope, "access.denied"), 2);
    assert_eq!(world.audit(later.scope).last().unwrap().payload["count"], 5);
}
