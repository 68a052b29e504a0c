use kernel::OpContext;
use kernel::identity::Place;
use kernel::record::{Row, WorkspaceMember};
use kernel::secret::SecretString;
use types::identity::Role;
use types::member::{AcceptInvitation, AcceptedInvitation, CreateInvitation, InvitationStatus};
use types::problem::Code;

use super::world::{PASSWORD, World, client};

const WEEK: u64 = 7 * 24 * 3600;

async fn inviter(world: &World, role: Role) -> OpContext {
    let home = world.home("acme");
    world.signed_in(home, Role::Owner).await;
    let ctx = world.signed_in(home, role).await;
    world.elevated(&ctx).await
}

async fn invite(world: &World, ctx: &OpContext, email: &str, role: Role) -> Result<SecretString, Code> {
    let ctx = world.identity.reauthenticate(ctx).await.map_err(|error| error.code())?;
    let ctx = OpContext { now: world.time.now_at(), ..ctx };
    let command = CreateInvitation { email: email.to_owned(), role };
    let invited = world.identity.create_invitation(&ctx, &command).await.map_err(|error| error.code())?;
    Ok(invited.token.expect("shown once"))
}

fn with(token: &SecretString) -> AcceptInvitation {
    AcceptInvitation {
        token: token.expose().to_owned(),
        name: Some("Guest".parse().unwrap()),
        password: Some(PASSWORD.to_owned()),
    }
}

async fn accept(
    world: &World,
    ctx: Option<&OpContext>,
    command: &AcceptInvitation,
) -> Result<AcceptedInvitation, Code> {
    world.identity.accept_invitation(&client(), ctx, command).await.map_err(|error| error.code())
}

async fn statuses(world: &World, ctx: &OpContext) -> Vec<InvitationStatus> {
    let ctx = OpContext { now: world.time.now_at(), ..world.identity.reauthenticate(ctx).await.unwrap() };
    world.identity.list_invitations(&ctx).await.unwrap().iter().map(|invitation| invitation.status).collect()
}

#[tokio::test]
async fn an_invitation_makes_the_account_of_its_address_once() {
    let world = World::new();
    let owner = inviter(&world, Role::Owner).await;
    let token = invite(&world, &owner, "Guest@Example.com", Role::Dev).await.unwrap();
    let accepted = accept(&world, None, &with(&token)).await.expect("a new account");
    assert_eq!((accepted.workspace_id, accepted.workspace_slug.as_str()), (owner.scope.workspace_id, "acme"));
    let session = world.login("guest@example.com", PASSWORD).await.expect("the chosen password").access_token;
    let guest = world.ask(&session).await.expect("a member");
    assert_eq!((guest.role, guest.user_id), (Some(Role::Dev), Some(accepted.user_id)));
    assert_eq!(accept(&world, None, &with(&token)).await, Err(Code::InvitationUsed));
    assert_eq!(statuses(&world, &owner).await, [InvitationStatus::Accepted]);
    for event in ["invitation.created", "invitation.accepted", "member.added"] {
        assert_eq!(world.count(owner.scope, event), 1, "{event}");
    }
}

#[tokio::test]
async fn used_expired_taken_back_and_made_up_are_told_apart_as_far_as_they_may() {
    let world = World::new();
    let owner = inviter(&world, Role::Owner).await;
    let token = invite(&world, &owner, "late@example.com", Role::Viewer).await.unwrap();
    world.time.pass(WEEK - 1);
    let weak = AcceptInvitation { password: Some("password1234".to_owned()), ..with(&token) };
    assert_eq!(accept(&world, None, &weak).await, Err(Code::WeakPassword));
    let nameless = AcceptInvitation { name: None, ..with(&token) };
    assert_eq!(accept(&world, None, &nameless).await, Err(Code::Invalid));
    world.time.pass(1);
    assert_eq!(accept(&world, None, &with(&token)).await, Err(Code::InvitationExpired));
    assert_eq!(statuses_of_fresh(&world, &owner).await, [InvitationStatus::Expired]);
    for made_up in ["", "si_x", &token.expose().replace("si_", "sk_")] {
        let command = AcceptInvitation { token: made_up.to_owned(), ..with(&token) };
        assert_eq!(accept(&world, None, &command).await, Err(Code::NotFound), "{made_up}");
    }
}

/// As an owner whose session did not end meanwhile.
async fn statuses_of_fresh(world: &World, owner: &OpContext) -> Vec<InvitationStatus> {
    let now = world.time.now_at();
    let ctx = OpContext { now, ..owner.clone() };
    world.identity.list_invitations(&ctx).await.unwrap().iter().map(|invitation| invitation.status).collect()
}

#[tokio::test]
async fn a_new_one_supersedes_the_old() {
    let world = World::new();
    let owner = inviter(&world, Role::Owner).await;
    let first = invite(&world, &owner, "guest@example.com", Role::Viewer).await.unwrap();
    let second = invite(&world, &owner, "GUEST@example.com", Role::Dev).await.unwrap();
    let other = invite(&world, &owner, "other@example.com", Role::Dev).await.unwrap();
    assert_eq!(accept(&world, None, &with(&first)).await, Err(Code::NotFound));
    accept(&world, None, &with(&second)).await.expect("the newest one");
    accept(&world, None, &with(&other)).await.expect("of another address");
    let member = invite(&world, &owner, "guest@example.com", Role::Owner).await;
    assert_eq!(member.err(), Some(Code::AlreadyExists), "who belongs is not invited");
}

#[tokio::test]
async fn an_invitation_taken_back_is_not_there() {
    let world = World::new();
    let owner = inviter(&world, Role::Owner).await;
    let token = invite(&world, &owner, "guest@example.com", Role::Viewer).await.unwrap();
    let ctx = world.identity.reauthenticate(&owner).await.unwrap();
    let id = world.identity.list_invitations(&ctx).await.unwrap()[0].id;
    world.identity.revoke_invitation(&ctx, id).await.expect("taken back");
    let ctx = world.identity.reauthenticate(&owner).await.unwrap();
    world.identity.revoke_invitation(&ctx, id).await.expect("again, which changes nothing");
    assert_eq!(world.count(owner.scope, "invitation.revoked"), 1);
    assert_eq!(accept(&world, None, &with(&token)).await, Err(Code::NotFound));

    let token = invite(&world, &owner, "guest@example.com", Role::Viewer).await.unwrap();
    accept(&world, None, &with(&token)).await.unwrap();
    let ctx = world.identity.reauthenticate(&owner).await.unwrap();
    let used = world.identity.list_invitations(&ctx).await.unwrap();
    let used = used.iter().find(|invitation| invitation.status == InvitationStatus::Accepted).unwrap();
    let refused = world.identity.revoke_invitation(&ctx, used.id).await.expect_err("somebody joined with it");
    assert_eq!(refused.code(), Code::InvitationUsed);
    let elsewhere = world.signed_in(world.home("elsewhere"), Role::Owner).await;
    let hidden = world.identity.revoke_invitation(&elsewhere, id).await.expect_err("of another workspace");
    assert_eq!(hidden.code(), Code::NotFound);
}

#[tokio::test]
async fn who_has_an_account_accepts_signed_in_and_by_its_address_alone() {
    let world = World::new();
    let owner = inviter(&world, Role::Owner).await;
    let other = world.home("other");
    for email in ["guest@example.com", "else@example.com"] {
        let user = world.user(email);
        world.join(other, user.id, Role::Viewer);
    }
    let session = async |email: &str| {
        let token = world.login(email, PASSWORD).await.expect("signed in").access_token;
        world.ask(&token).await.expect("a session")
    };
    let token = invite(&world, &owner, "guest@example.com", Role::Dev).await.unwrap();
    assert_eq!(accept(&world, None, &with(&token)).await, Err(Code::Unauthenticated), "sign in first");
    let (guest, stranger) = (session("guest@example.com").await, session("else@example.com").await);
    assert_eq!(accept(&world, Some(&stranger), &with(&token)).await, Err(Code::NotFound));
    let bare = AcceptInvitation { name: None, password: None, ..with(&token) };
    accept(&world, Some(&guest), &bare).await.expect("the one who is meant");
    assert_eq!(accept(&world, Some(&stranger), &with(&token)).await, Err(Code::NotFound), "still nothing");
    let place = Place::Workspace { path: Some(owner.scope.workspace_id), header: None };
    let token = world.login("guest@example.com", PASSWORD).await.unwrap().access_token;
    assert_eq!(world.ask_at(&token, place).await.expect("a place").role, Some(Role::Dev));
    let key = world.identity.create_key(&owner, &super::world::wanted(&[types::identity::Scope::Write])).await;
    let key = world.ask(&key.unwrap().shown().unwrap().api_key).await.unwrap();
    assert_eq!(accept(&world, Some(&key), &bare).await, Err(Code::ScopeRequired), "no key joins");
}

#[tokio::test]
async fn two_who_accept_at_once_make_one_member() {
    let world = World::new();
    let owner = inviter(&world, Role::Owner).await;
    let token = invite(&world, &owner, "guest@example.com", Role::Dev).await.unwrap();
    let command = with(&token);
    let outcomes = tokio::join!(accept(&world, None, &command), accept(&world, None, &command));
    let is_one = matches!(outcomes, (Ok(_), Err(Code::InvitationUsed)) | (Err(Code::InvitationUsed), Ok(_)));
    assert!(is_one, "{outcomes:?}");
    assert_eq!(world.count(owner.scope, "member.added"), 1);
    let ctx = world.identity.reauthenticate(&owner).await.unwrap();
    assert_eq!(world.identity.list_members(&ctx).await.unwrap().len(), 3);
}

#[tokio::test]
async fn nobody_invites_above_their_own_role_and_no_invitation_outlives_that() {
    let world = World::new();
    let admin = inviter(&world, Role::Admin).await;
    assert_eq!(invite(&world, &admin, "guest@example.com", Role::Owner).await.err(), Some(Code::RoleRequired));
    let token = invite(&world, &admin, "guest@example.com", Role::Admin).await.unwrap();
    let inviter = admin.user_id.unwrap();
    let demoted = WorkspaceMember {
        scope: admin.scope,
        user_id: inviter,
        role: Role::Dev,
        joined_at: admin.now,
        removed_at: None,
        version: 2,
    };
    world.put(Row::WorkspaceMember(demoted.clone()));
    assert_eq!(accept(&world, None, &with(&token)).await, Err(Code::NotFound));
    world.put(Row::WorkspaceMember(WorkspaceMember { role: Role::Owner, version: 3, ..demoted.clone() }));
    world.put(Row::WorkspaceMember(WorkspaceMember { removed_at: Some(admin.now), version: 4, ..demoted }));
    assert_eq!(accept(&world, None, &with(&token)).await, Err(Code::NotFound), "nor of one who is gone");
}
