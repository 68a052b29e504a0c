use kernel::OpContext;
use kernel::policy::guard::{authorize, authorize_own};
use types::access::{CreateServicePrincipal, PrincipalStatus, ServicePrincipal, UpdateServicePrincipal};
use types::id::UserId;
use types::identity::{Role, Scope as Reach};
use types::key::{CreateApiKey, RotateApiKey, UpdateApiKey};
use types::member::UpdateMember;
use types::problem::Code;
use types::run::{CallerKind, Capture};

use super::world::{Home, World, wanted};

async fn somebody(world: &World, home: Home, role: Role) -> OpContext {
    let ctx = world.signed_in(home, role).await;
    world.elevated(&ctx).await
}

fn id(ctx: &OpContext) -> UserId {
    ctx.user_id.expect("a person")
}

fn named(name: &str, role: Role, owner: Option<UserId>) -> CreateServicePrincipal {
    CreateServicePrincipal { name: name.parse().expect("a name"), owner_user_id: owner, role }
}

async fn made(world: &World, ctx: &OpContext, role: Role, owner: UserId) -> ServicePrincipal {
    world.identity.create_principal(ctx, &named("CI", role, Some(owner))).await.expect("a principal")
}

fn key_of(principal: &ServicePrincipal, reach: Reach) -> CreateApiKey {
    CreateApiKey { principal_id: Some(principal.id), ..wanted(&[reach]) }
}

async fn issued(world: &World, ctx: &OpContext, principal: &ServicePrincipal, reach: Reach) -> String {
    let issued = world.identity.create_key(ctx, &key_of(principal, reach)).await.expect("a key");
    issued.shown().expect("a new secret").api_key
}

async fn set_role(world: &World, ctx: &OpContext, of: UserId, role: Role) {
    let seen = world.identity.find_member(ctx, of).await.expect("a member").version;
    world.identity.update_member(ctx, of, Some(seen), &UpdateMember { role }).await.expect("another role");
}

fn code<T>(outcome: kernel::Result<T>) -> Option<Code> {
    outcome.err().map(|error| error.code())
}

async fn again(world: &World, ctx: &OpContext) -> OpContext {
    world.identity.reauthenticate(ctx).await.expect("still there")
}

#[tokio::test]
async fn a_principal_acts_with_the_lower_of_its_role_and_its_owners_at_once() {
    let world = World::new();
    let home = world.home("acme");
    let (boss, owner) = (somebody(&world, home, Role::Owner).await, somebody(&world, home, Role::Admin).await);
    let principal = made(&world, &boss, Role::Admin, id(&owner)).await;
    assert_eq!((principal.effective_role, principal.status), (Some(Role::Admin), PrincipalStatus::Active));
    let boss = again(&world, &boss).await;
    let secret = issued(&world, &boss, &principal, Reach::Write).await;
    let acting = world.ask(&secret).await.expect("it may act");
    assert_eq!((acting.role, acting.tenant_role, acting.user_id), (Some(Role::Admin), None, None));
    assert_eq!((acting.answerable(), acting.caller().kind), (owner.user_id, CallerKind::ServicePrincipal));
    assert_eq!(acting.caller().id, principal.id.to_string());

    set_role(&world, &boss, id(&owner), Role::Viewer).await;
    assert_eq!(world.ask(&secret).await.expect("it may act").role, Some(Role::Viewer), "at once");
    let boss = again(&world, &boss).await;
    set_role(&world, &boss, id(&owner), Role::Owner).await;
    assert_eq!(world.ask(&secret).await.expect("it may act").role, Some(Role::Admin), "never above its own");
    let boss = again(&world, &boss).await;
    let less = UpdateServicePrincipal { role: Some(Role::Dev), ..UpdateServicePrincipal::default() };
    world.identity.update_principal(&boss, principal.id, Some(1), &less).await.expect("a change");
    assert_eq!(world.ask(&secret).await.expect("it may act").role, Some(Role::Dev));
}

#[tokio::test]
async fn who_loses_its_owner_waits_for_another_one() {
    let world = World::new();
    let home = world.home("acme");
    let (boss, owner) = (somebody(&world, home, Role::Owner).await, somebody(&world, home, Role::Dev).await);
    let principal = made(&world, &boss, Role::Dev, id(&owner)).await;
    let boss = again(&world, &boss).await;
    let secret = issued(&world, &boss, &principal, Reach::Write).await;
    world.identity.remove_member(&boss, id(&owner)).await.expect("gone");
    assert_eq!(code(world.ask(&secret).await), Some(Code::SubjectDisabled));
    let boss = again(&world, &boss).await;
    let orphan = world.identity.find_principal(&boss, principal.id).await.expect("it stays");
    assert_eq!((orphan.status, orphan.effective_role), (PrincipalStatus::Orphaned, None));
    let events: Vec<String> = world.audit(home.scope).into_iter().map(|audit| audit.event_type).collect();
    assert!(events.contains(&"principal.orphaned".to_owned()), "{events:?}");

    // Who comes back does not answer for it again by that.
    let back = types::member::AddMember { user_id: owner.user_id, email: None, role: Role::Admin };
    world.identity.add_member(&boss, &back).await.expect("back");
    assert_eq!(code(world.ask(&secret).await), Some(Code::SubjectDisabled));
    let boss = again(&world, &boss).await;
    let on = |owner_user_id, status| UpdateServicePrincipal { owner_user_id, status, ..Default::default() };
    let update = async |version, command: &UpdateServicePrincipal| {
        let boss = again(&world, &boss).await;
        world.identity.update_principal(&boss, principal.id, Some(version), command).await
    };
    let outcome = update(2, &on(None, Some(PrincipalStatus::Active))).await;
    assert_eq!(code(outcome), Some(Code::InvalidTransition));
    let stranger = update(2, &on(Some(world.user("stranger@example.com").id), None)).await.expect_err("no member");
    assert_eq!((stranger.code(), stranger.field()), (Code::Invalid, Some("owner_user_id")));
    let taken = update(2, &on(boss.user_id, None)).await.expect("another owner");
    assert_eq!((taken.status, taken.effective_role), (PrincipalStatus::Active, Some(Role::Dev)));
    assert_eq!(world.ask(&secret).await.expect("it may act").role, Some(Role::Dev));
}

#[tokio::test]
async fn who_is_switched_off_acts_no_more_and_its_keys_outlive_their_issuer() {
    let world = World::new();
    let home = world.home("acme");
    let (boss, issuer) = (somebody(&world, home, Role::Owner).await, somebody(&world, home, Role::Admin).await);
    let principal = made(&world, &boss, Role::Dev, id(&boss)).await;
    let issuer = again(&world, &issuer).await;
    let secret = issued(&world, &issuer, &principal, Reach::Read).await;
    let boss = again(&world, &boss).await;
    world.identity.remove_member(&boss, id(&issuer)).await.expect("gone");
    assert!(world.ask(&secret).await.is_ok(), "the key is the principal's");
    let boss = again(&world, &boss).await;
    for _ in 0..2 {
        let boss = again(&world, &boss).await;
        let off = world.identity.disable_principal(&boss, principal.id).await.expect("off");
        assert_eq!((off.status, off.version), (PrincipalStatus::Disabled, 2), "once");
    }
    assert_eq!(code(world.ask(&secret).await), Some(Code::SubjectDisabled));
    let boss = again(&world, &boss).await;
    assert_eq!(
        code(world.identity.create_key(&boss, &key_of(&principal, Reach::Read)).await),
        Some(Code::InvalidTransition)
    );
    let on = UpdateServicePrincipal { status: Some(PrincipalStatus::Active), ..Default::default() };
    world.identity.update_principal(&boss, principal.id, Some(2), &on).await.expect("on");
    assert!(world.ask(&secret).await.is_ok());
}

#[tokio::test]
async fn nobody_gains_power_through_a_principal() {
    let world = World::new();
    let home = world.home("acme");
    let (boss, admin) = (somebody(&world, home, Role::Owner).await, somebody(&world, home, Role::Admin).await);
    let (dev, viewer) = (somebody(&world, home, Role::Dev).await, somebody(&world, home, Role::Viewer).await);
    for ctx in [&dev, &viewer] {
        let outcome = world.identity.create_principal(ctx, &named("x", Role::Viewer, None)).await;
        assert_eq!(code(outcome), Some(Code::RoleRequired));
    }
    let owner_role = world.identity.create_principal(&boss, &named("x", Role::Owner, None)).await.expect_err("no");
    assert_eq!((owner_role.code(), owner_role.field()), (Code::Invalid, Some("role")));
    let unproven = world.signed_in(home, Role::Admin).await;
    let outcome = world.identity.create_principal(&unproven, &named("x", Role::Dev, None)).await;
    assert_eq!(code(outcome), Some(Code::StepUpRequired));

    let personal = world.identity.create_key(&admin, &wanted(&[Reach::Write])).await.expect("a key").item;
    let principal = made(&world, &admin, Role::Dev, id(&admin)).await;
    let admin = again(&world, &admin).await;
    let acting = world.ask(&issued(&world, &admin, &principal, Reach::Write).await).await.expect("it may act");
    // What is its owner's own is not its own.
    for outcome in [
        code(world.identity.find_key(&acting, personal.id).await),
        code(world.identity.revoke_key(&acting, personal.id).await),
        code(world.identity.rotate_key(&acting, personal.id, &RotateApiKey::default()).await),
    ] {
        assert_eq!(outcome, Some(Code::NotFound));
    }
    assert_eq!(code(authorize_own(&acting, "run.cancel", id(&admin))), Some(Code::RoleRequired));
    // And what it makes is its own, not its owner's.
    let child =
        world.identity.create_key(&acting, &wanted(&[Reach::Write])).await.expect("a key").shown().expect("new");
    assert_eq!((child.item.principal_id, child.item.created_by), (Some(principal.id), id(&admin)));
    assert_eq!(world.ask(&child.api_key).await.expect("it may act").role, Some(Role::Dev));
    assert_eq!(code(authorize(&acting, "agent.publish")), Some(Code::RoleRequired));
    assert!(world.identity.rotate_key(&acting, child.item.id, &RotateApiKey::default()).await.is_ok(), "its own key");

    // A developer who answers for it sees its keys and ends them, but gets no secret of them.
    let to_dev = UpdateServicePrincipal { owner_user_id: dev.user_id, ..Default::default() };
    let admin = again(&world, &admin).await;
    world.identity.update_principal(&admin, principal.id, Some(1), &to_dev).await.expect("another owner");
    let dev = again(&world, &dev).await;
    assert!(world.identity.list_keys(&dev).await.expect("a list").iter().any(|key| key.id == child.item.id));
    let outcome = world.identity.rotate_key(&dev, child.item.id, &RotateApiKey::default()).await;
    assert_eq!(code(outcome), Some(Code::RoleRequired));
    assert!(world.identity.revoke_key(&dev, child.item.id).await.is_ok());
    let viewer = again(&world, &viewer).await;
    assert!(world.identity.list_keys(&viewer).await.expect("a list").is_empty());
    let asked = world.identity.create_key(&viewer, &key_of(&principal, Reach::Read)).await;
    assert_eq!(code(asked), Some(Code::RoleRequired));
    let foreign = CreateApiKey {
        principal_id: Some(types::id::ServicePrincipalId::from_uuid(types::id::Uuid::nil())),
        ..wanted(&[Reach::Read])
    };
    let unknown = world.identity.create_key(&again(&world, &admin).await, &foreign).await.expect_err("no such one");
    assert_eq!((unknown.code(), unknown.field()), (Code::Invalid, Some("principal_id")));
}

#[tokio::test]
async fn names_of_principals_are_taken_once() {
    let world = World::new();
    let home = world.home("acme");
    let boss = somebody(&world, home, Role::Owner).await;
    made(&world, &boss, Role::Dev, id(&boss)).await;
    let boss = again(&world, &boss).await;
    let twin = world.identity.create_principal(&boss, &named("ci", Role::Dev, None)).await.expect_err("taken");
    assert_eq!((twin.code(), twin.field()), (Code::AlreadyExists, Some("name")));
}

#[tokio::test]
async fn what_a_key_keeps_and_how_it_is_labelled_is_its_own_and_only_tightens() {
    let world = World::new();
    let home = world.home("acme");
    let owner = world.signed_in(home, Role::Owner).await;
    let dev = world.signed_in(home, Role::Dev).await;
    let labels = |pairs: &[(&str, &str)]| {
        let pairs = pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        Some(pairs.collect::<std::collections::BTreeMap<_, _>>())
    };
    let looser = CreateApiKey { content_capture: Some(Capture::Full), ..wanted(&[Reach::Write]) };
    let refused = world.identity.create_key(&dev, &looser).await.expect_err("the workspace keeps less");
    assert_eq!((refused.code(), refused.field()), (Code::Invalid, Some("content_capture")));
    for (pairs, field) in [
        (labels(&[("Team", "a")]), "labels.Team"),
        (labels(&[("team", "")]), "labels.team"),
        (labels(&[("team", &"x".repeat(65))]), "labels.team"),
        (labels(&["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"].map(|key| (key, "x"))), "labels"),
    ] {
        let command = CreateApiKey { labels: pairs, ..wanted(&[Reach::Write]) };
        let refused = world.identity.create_key(&dev, &command).await.expect_err(field);
        assert_eq!((refused.code(), refused.field()), (Code::Invalid, Some(field)));
    }
    let command = CreateApiKey {
        content_capture: Some(Capture::MetadataOnly),
        labels: labels(&[("team", "search")]),
        ..wanted(&[Reach::Write])
    };
    let made = world.identity.create_key(&dev, &command).await.expect("a key").shown().expect("new");
    assert_eq!(made.item.content_capture, Some(Capture::MetadataOnly));
    let with_it = world.ask(&made.api_key).await.expect("it works");
    // A key made with a key keeps no more and stays labelled.
    let child = world.identity.create_key(&with_it, &wanted(&[Reach::Write])).await.expect_err("keeps more");
    assert_eq!((child.code(), child.field()), (Code::ScopeRequired, Some("content_capture")));
    let tight = CreateApiKey { content_capture: Some(Capture::MetadataOnly), ..wanted(&[Reach::Write]) };
    let child = world.identity.create_key(&with_it, &tight).await.expect("a key").item;
    assert_eq!(child.labels.get("team").map(String::as_str), Some("search"));
    let other = CreateApiKey { labels: labels(&[("team", "sales")]), ..tight };
    let refused = world.identity.create_key(&with_it, &other).await.expect_err("fixed");
    assert_eq!((refused.code(), refused.field()), (Code::Invalid, Some("labels.team")));

    let loosen = UpdateApiKey { content_capture: Some(None), ..UpdateApiKey::default() };
    let outcome = world.identity.update_key(&dev, made.item.id, Some(1), &loosen).await;
    assert_eq!(code(outcome), Some(Code::RoleRequired), "loosening is not for who owns it");
    let owner = world.elevated(&owner).await;
    let loose = world.identity.update_key(&owner, made.item.id, Some(1), &loosen).await.expect("a change");
    assert_eq!((loose.content_capture, loose.labels.len()), (None, 1));
}
