//! Closing one's account.

use kernel::OpContext;
use kernel::port::Directory;
use types::identity::{Role, Scope as Reach, TenantRole, UserStatus};
use types::problem::Code;

use super::world::{Home, PASSWORD, World, wanted};

const WEEK: u64 = 7 * 24 * 3600;

async fn member(world: &World, home: Home, email: &str, role: Role) -> OpContext {
    let user = world.user(email);
    world.join(home, user.id, role);
    let session = world.login(email, PASSWORD).await.unwrap();
    world.elevated(&world.ask(&session.access_token).await.unwrap()).await
}

async fn close(world: &World, ctx: &OpContext) -> Result<(), Code> {
    world.identity.request_deletion(ctx).await.map(|_| ()).map_err(|error| error.code())
}

#[tokio::test]
async fn an_account_is_closed_after_its_days_of_grace_and_leaves_its_id() {
    let world = World::new();
    let home = world.home("acme");
    member(&world, home, "boss@example.com", Role::Owner).await;
    let ctx = member(&world, home, "ada@example.com", Role::Dev).await;
    let id = ctx.user_id.unwrap();
    let key = world.identity.create_key(&ctx, &wanted(&[Reach::Read])).await.unwrap().shown().unwrap().api_key;
    let asked = world.identity.request_deletion(&ctx).await.unwrap();
    let again = world.identity.request_deletion(&world.identity.reauthenticate(&ctx).await.unwrap()).await.unwrap();
    assert!(asked.closes_at.is_some() && asked == again, "asked for again, the day stays");
    world.time.pass(WEEK - 1);
    assert_eq!(world.identity.close_due_accounts().await.unwrap(), 0);
    world.login("ada@example.com", PASSWORD).await.expect("until then one may sign in, to keep it");
    world.time.pass(1);
    assert_eq!(world.identity.close_due_accounts().await.unwrap(), 1);
    assert_eq!(world.identity.close_due_accounts().await.unwrap(), 0, "twice is once");
    assert!(world.login("ada@example.com", PASSWORD).await.is_err());
    assert!(world.ask(&key).await.is_err());
    let account = world.store.find_account(id).await.unwrap().expect("the id stays");
    assert_eq!((account.user.status, account.user.name.as_str()), (UserStatus::Closed, "Closed account"));
    assert!(!format!("{:?} {:?}", account.user.email, account.user.email_key).contains("ada"));
    assert!(account.user.password_hash.is_none() && account.workspaces.is_empty() && account.tenants.is_empty());
    let session = world.login("boss@example.com", PASSWORD).await.unwrap();
    let owner = world.ask(&session.access_token).await.unwrap();
    let members = world.identity.list_members(&owner).await.unwrap();
    assert_eq!(members.len(), 1);
    for event in ["user.closure_requested", "user.closed", "member.left", "key.revoked"] {
        assert_eq!(world.count(home.scope, event), 1, "{event}");
    }
    // The address is free again.
    world.user("ada@example.com");
}

#[tokio::test]
async fn it_is_taken_back_while_there_is_time() {
    let world = World::new();
    let home = world.home("acme");
    member(&world, home, "boss@example.com", Role::Owner).await;
    let ctx = member(&world, home, "ada@example.com", Role::Dev).await;
    close(&world, &ctx).await.unwrap();
    let ctx = world.identity.reauthenticate(&ctx).await.unwrap();
    assert!(world.identity.find_deletion_request(&ctx).await.unwrap().closes_at.is_some());
    assert_eq!(world.identity.withdraw_deletion(&ctx).await.unwrap().closes_at, None);
    let ctx = world.identity.reauthenticate(&ctx).await.unwrap();
    assert_eq!(world.identity.withdraw_deletion(&ctx).await.unwrap().closes_at, None, "twice is once");
    world.time.pass(WEEK);
    assert_eq!(world.identity.close_due_accounts().await.unwrap(), 0);
    world.login("ada@example.com", PASSWORD).await.expect("the account stays");
}

#[tokio::test]
async fn the_last_owner_stays_and_of_two_who_go_at_once_one_stays() {
    let world = World::new();
    let home = world.home("acme");
    let one = member(&world, home, "one@example.com", Role::Owner).await;
    assert_eq!(close(&world, &one).await, Err(Code::LastOwner));
    let two = member(&world, home, "two@example.com", Role::Owner).await;
    let one = world.identity.reauthenticate(&one).await.unwrap();
    let two = world.identity.reauthenticate(&two).await.unwrap();
    let (first, second) = tokio::join!(close(&world, &one), close(&world, &two));
    assert!(first.is_ok() != second.is_ok(), "{first:?} {second:?}");
    assert_eq!(first.and(second), Err(Code::LastOwner));
}

#[tokio::test]
async fn the_owner_of_a_tenant_stays_too_and_so_does_who_became_the_last_one() {
    let world = World::new();
    let home = world.home("acme");
    let boss = member(&world, home, "boss@example.com", Role::Owner).await;
    let ada = world.user("ada@example.com");
    world.place(home, ada.id, TenantRole::Owner);
    let session = world.login("ada@example.com", PASSWORD).await.unwrap();
    let place = kernel::identity::Place::Person { header: None };
    let ctx = world.ask_at(&session.access_token, place).await.unwrap();
    let ctx = world.elevated(&ctx).await;
    close(&world, &ctx).await.expect("the tenant has another owner");
    let boss = world.identity.reauthenticate(&boss).await.unwrap();
    assert_eq!(close(&world, &boss).await, Err(Code::LastOwner), "an owner who goes counts as none");
    // By the day, the other one was disabled.
    let other = world.store.find_account(boss.user_id.unwrap()).await.unwrap().unwrap().user;
    let version = other.version + 1;
    world.put(kernel::record::Row::User(kernel::record::User { status: UserStatus::Disabled, version, ..other }));
    world.time.pass(WEEK);
    assert_eq!(world.identity.close_due_accounts().await.unwrap(), 1);
    let user = world.store.find_account(ada.id).await.unwrap().unwrap().user;
    assert_eq!((user.status, user.closes_at), (UserStatus::Active, None));
}

#[tokio::test]
async fn it_takes_a_session_with_a_fresh_proof() {
    let world = World::new();
    let home = world.home("acme");
    member(&world, home, "boss@example.com", Role::Owner).await;
    let ctx = world.signed_in(home, Role::Viewer).await;
    assert_eq!(close(&world, &ctx).await, Err(Code::StepUpRequired));
    let elevated = world.elevated(&ctx).await;
    assert_eq!(close(&world, &elevated).await, Ok(()));
}
