use kernel::OpContext;
use kernel::context::Scope;
use kernel::port::Directory;
use kernel::record::{Row, User};
use types::id::UserId;
use types::identity::{Role, Scope as Reach, TenantRole, UserStatus};
use types::member::{AddMember, Member, UpdateMember};
use types::problem::Code;

use super::world::{Home, PASSWORD, World, wanted};

async fn somebody(world: &World, home: Home, role: Role) -> OpContext {
    let ctx = world.signed_in(home, role).await;
    world.elevated(&ctx).await
}

fn id(ctx: &OpContext) -> UserId {
    ctx.user_id.expect("a person")
}

async fn version(world: &World, ctx: &OpContext, id: UserId) -> u64 {
    world.identity.find_member(ctx, id).await.expect("a member").version
}

async fn set_role(world: &World, ctx: &OpContext, of: UserId, role: Role) -> Result<Member, Code> {
    let seen = version(world, ctx, of).await;
    let outcome = world.identity.update_member(ctx, of, Some(seen), &UpdateMember { role }).await;
    outcome.map_err(|error| error.code())
}

async fn remove(world: &World, ctx: &OpContext, of: UserId) -> Option<Code> {
    world.identity.remove_member(ctx, of).await.err().map(|error| error.code())
}

fn by_id(id: UserId, role: Role) -> AddMember {
    AddMember { user_id: Some(id), email: None, role }
}

async fn epoch(world: &World, scope: Scope) -> u64 {
    let epochs = world.store.epochs(&[scope.tenant_id]).await.expect("a read");
    epochs.first().expect("the tenant").1
}

async fn roles(world: &World, ctx: &OpContext) -> Vec<Role> {
    world.identity.list_members(ctx).await.expect("a list").iter().map(|member| member.role).collect()
}

#[tokio::test]
async fn the_last_owner_stays() {
    let world = World::new();
    let home = world.home("acme");
    let owner = somebody(&world, home, Role::Owner).await;
    let admin = somebody(&world, home, Role::Admin).await;
    let disabled = User { status: UserStatus::Disabled, version: 2, ..world.user("second@example.com") };
    world.join(home, disabled.id, Role::Owner);
    world.put(Row::User(disabled));
    assert_eq!(remove(&world, &owner, id(&owner)).await, Some(Code::LastOwner), "who cannot act does not count");
    assert_eq!(set_role(&world, &owner, id(&owner), Role::Admin).await, Err(Code::LastOwner));
    set_role(&world, &owner, id(&admin), Role::Owner).await.expect("another owner");
    let owner = world.identity.reauthenticate(&owner).await.expect("still there");
    assert_eq!(remove(&world, &owner, id(&owner)).await, None);
}

#[tokio::test]
async fn two_owners_who_demote_each_other_at_once_leave_one() {
    let world = World::new();
    let home = world.home("acme");
    let (one, other) = (somebody(&world, home, Role::Owner).await, somebody(&world, home, Role::Owner).await);
    let outcomes = tokio::join!(
        set_role(&world, &one, id(&other), Role::Viewer),
        set_role(&world, &other, id(&one), Role::Viewer)
    );
    let is_one = matches!(outcomes, (Ok(_), Err(Code::RoleRequired)) | (Err(Code::RoleRequired), Ok(_)));
    assert!(is_one, "{outcomes:?}");
    assert_eq!(roles(&world, &one).await.iter().filter(|role| **role == Role::Owner).count(), 1);
}

#[tokio::test]
async fn two_owners_who_leave_at_once_leave_one() {
    let world = World::new();
    let home = world.home("acme");
    let (one, other) = (somebody(&world, home, Role::Owner).await, somebody(&world, home, Role::Owner).await);
    let outcomes = tokio::join!(remove(&world, &one, id(&one)), remove(&world, &other, id(&other)));
    let is_one = matches!(outcomes, (None, Some(Code::LastOwner)) | (Some(Code::LastOwner), None));
    assert!(is_one, "{outcomes:?}");
}

#[tokio::test]
async fn nobody_gives_or_takes_a_role_above_their_own() {
    let world = World::new();
    let home = world.home("acme");
    let owner = somebody(&world, home, Role::Owner).await;
    let admin = somebody(&world, home, Role::Admin).await;
    let dev = somebody(&world, home, Role::Dev).await;
    let newcomer = world.user("new@example.com");
    world.place(home, newcomer.id, TenantRole::Member);
    let refused = Err(Code::RoleRequired);
    assert_eq!(set_role(&world, &admin, id(&dev), Role::Owner).await, refused);
    assert_eq!(set_role(&world, &admin, id(&owner), Role::Viewer).await, refused);
    assert_eq!(remove(&world, &admin, id(&owner)).await, Some(Code::RoleRequired));
    let added = world.identity.add_member(&admin, &by_id(newcomer.id, Role::Owner)).await;
    let refusal = added.expect_err("only an owner makes an owner");
    let allowed = refusal.problem().permission.expect("it says who may").roles;
    assert_eq!((refusal.code(), allowed), (Code::RoleRequired, vec![Role::Owner]));
    assert_eq!(set_role(&world, &dev, id(&dev), Role::Viewer).await, refused, "developers manage nobody");
    assert!(set_role(&world, &admin, id(&dev), Role::Admin).await.is_ok(), "up to one's own");
    assert!(set_role(&world, &owner, id(&admin), Role::Owner).await.is_ok(), "an owner makes an owner");
}

#[tokio::test]
async fn who_changes_members_has_proved_themselves_and_seen_the_present_version() {
    let world = World::new();
    let home = world.home("acme");
    let fresh = world.signed_in(home, Role::Owner).await;
    let dev = somebody(&world, home, Role::Dev).await;
    assert_eq!(set_role(&world, &fresh, id(&dev), Role::Viewer).await, Err(Code::StepUpRequired));
    let owner = world.elevated(&fresh).await;
    let to = UpdateMember { role: Role::Viewer };
    for (seen, expected) in [(None, Code::PreconditionRequired), (Some(7), Code::PreconditionFailed)] {
        let refused = world.identity.update_member(&owner, id(&dev), seen, &to).await.expect_err("unseen");
        assert_eq!((refused.code(), refused.problem().revision.as_deref()), (expected, Some("1")));
    }
}

#[tokio::test]
async fn a_member_is_found_in_the_tenant_and_nowhere_else() {
    let world = World::new();
    let (home, other) = (world.home("acme"), world.home("other"));
    let owner = somebody(&world, home, Role::Owner).await;
    let (known, stranger) = (world.user("known@example.com"), world.user("stranger@example.com"));
    world.place(home, known.id, TenantRole::Member);
    world.join(other, stranger.id, Role::Owner);
    let add = async |command: AddMember| {
        world.identity.add_member(&owner, &command).await.map(|member| member.role).map_err(|error| error.code())
    };
    let by_email = |email: &str| AddMember { user_id: None, email: Some(email.to_owned()), role: Role::Dev };
    assert_eq!(add(by_email("nobody@example.com")).await, Err(Code::NotFound));
    assert_eq!(add(by_email("stranger@example.com")).await, Err(Code::NotFound), "the same answer");
    assert_eq!(add(by_id(stranger.id, Role::Dev)).await, Err(Code::NotFound));
    assert_eq!(add(by_email("a@b@c")).await, Err(Code::Invalid));
    assert_eq!(add(AddMember { email: None, ..by_email("") }).await, Err(Code::Invalid));
    assert_eq!(add(by_email(" Known@Example.COM ")).await, Ok(Role::Dev));
    assert_eq!(add(by_id(known.id, Role::Dev)).await, Err(Code::AlreadyExists));
    assert_eq!(world.count(home.scope, "member.added"), 1);
}

#[tokio::test]
async fn who_is_removed_loses_keys_and_sessions_in_the_same_batch() {
    let world = World::new();
    let home = world.home("acme");
    let owner = somebody(&world, home, Role::Owner).await;
    let dev = somebody(&world, home, Role::Dev).await;
    let issued = world.identity.create_key(&dev, &wanted(&[Reach::Write])).await.unwrap().shown().unwrap();
    let key = world.ask(&issued.api_key).await.expect("a live key");
    let before = epoch(&world, home.scope).await;
    assert_eq!(remove(&world, &owner, id(&dev)).await, None);
    assert_eq!(epoch(&world, home.scope).await, before + 1, "one batch");
    let code = |outcome: kernel::Result<OpContext>| outcome.err().map(|error| error.code());
    assert_eq!(code(world.ask(&issued.api_key).await), Some(Code::InvalidCredentials));
    for ctx in [&dev, &key] {
        let anew = world.identity.reauthenticate(ctx).await;
        assert_eq!(code(anew), Some(Code::InvalidCredentials), "revoked, not only without a place");
    }
    for event in ["member.removed", "key.revoked", "session.revoked"] {
        assert_eq!(world.count(home.scope, event), 1, "{event}");
    }
    let owner = world.identity.reauthenticate(&owner).await.expect("still there");
    assert_eq!(remove(&world, &owner, id(&dev)).await, Some(Code::NotFound));
    assert_eq!(roles(&world, &owner).await, [Role::Owner]);
}

#[tokio::test]
async fn more_keys_than_a_batch_holds_end_as_well() {
    let world = World::new();
    let home = world.home("acme");
    let owner = somebody(&world, home, Role::Owner).await;
    let dev = somebody(&world, home, Role::Dev).await;
    for _ in 0..450 {
        world.identity.create_key(&dev, &wanted(&[Reach::Read])).await.expect("a key");
    }
    assert_eq!(remove(&world, &owner, id(&dev)).await, None);
    let keys = world.store.list_keys(home.scope).await.expect("a read");
    assert_eq!(keys.iter().filter(|key| key.revoked_at.is_none()).count(), 0);
    assert_eq!(world.count(home.scope, "key.revoked"), 450);
}

#[tokio::test]
async fn who_leaves_stays_signed_in_and_loses_the_keys_of_the_place() {
    let world = World::new();
    let (home, other) = (world.home("acme"), world.home("other"));
    somebody(&world, home, Role::Owner).await;
    let user = world.user("ada@example.com");
    world.join(home, user.id, Role::Viewer);
    world.join(other, user.id, Role::Owner);
    let token = world.login("ada@example.com", PASSWORD).await.expect("signed in").access_token;
    let ctx = world.ask(&token).await.expect("a session");
    assert_eq!(ctx.scope, home.scope);
    let key = world.identity.create_key(&ctx, &wanted(&[Reach::Read])).await;
    assert_eq!(key.err().map(|error| error.code()), Some(Code::RoleRequired), "a viewer has none to lose");
    assert_eq!(remove(&world, &ctx, user.id).await, None, "without a fresh proof");
    assert_eq!(world.ask(&token).await.expect("still signed in").scope, other.scope);
    assert_eq!((world.count(home.scope, "member.left"), world.count(home.scope, "session.revoked")), (1, 0));
}

#[tokio::test]
async fn who_comes_back_starts_at_the_next_version() {
    let world = World::new();
    let home = world.home("acme");
    let owner = somebody(&world, home, Role::Owner).await;
    let dev = somebody(&world, home, Role::Dev).await;
    assert_eq!(remove(&world, &owner, id(&dev)).await, None);
    world.time.pass(60);
    let owner = world.identity.reauthenticate(&owner).await.expect("still there");
    let later = OpContext { now: world.time.now_at(), ..owner };
    let back = world.identity.add_member(&later, &by_id(id(&dev), Role::Viewer)).await.expect("back");
    assert_eq!((back.version, back.role, back.joined_at), (3, Role::Viewer, later.now));
}

#[tokio::test]
async fn a_demotion_lowers_every_key_at_once() {
    let world = World::new();
    let home = world.home("acme");
    let owner = somebody(&world, home, Role::Owner).await;
    let dev = somebody(&world, home, Role::Dev).await;
    let issued = world.identity.create_key(&dev, &wanted(&[Reach::Write])).await.unwrap().shown().unwrap();
    assert_eq!(world.ask(&issued.api_key).await.expect("a key").role, Some(Role::Dev));
    set_role(&world, &owner, id(&dev), Role::Viewer).await.expect("demoted");
    assert_eq!(world.ask(&issued.api_key).await.expect("a key").role, Some(Role::Viewer));
    let audit = world.audit(home.scope);
    let change = audit.iter().find(|audit| audit.event_type == "member.role_changed").expect("a row");
    assert_eq!(
        (&change.payload["before"]["role"], &change.payload["after"]["role"]),
        (&"dev".into(), &"viewer".into())
    );
}
