use kernel::OpContext;
use kernel::identity::{FirstStep, Place, Presented, digest};
use kernel::policy::guard;
use kernel::record::{Digest, Row, User};
use serde_json::json;
use types::identity::{Login, Role, Scope, StepUp, TenantRole, UpdateMe};
use types::key::RotateApiKey;
use types::problem::Code;

use super::world::{Home, PASSWORD, World, client, wanted};

/// Signs in at the console.
async fn sign_in(world: &World, email: &str, cookie: Digest) {
    let command = Login { email: email.to_owned(), password: PASSWORD.to_owned() };
    let step = world.identity.sign_in(&client(), &command, cookie).await.expect("the password is right");
    assert!(matches!(step, FirstStep::SignedIn(_)));
}

/// Somebody at the console.
struct Visitor<'a> {
    world: &'a World,
    home: Home,
    email: String,
    cookie: Digest,
}

impl<'a> Visitor<'a> {
    async fn new(world: &'a World, home: Home, role: Role, is_operator: bool) -> Self {
        let email = format!("{role}-{}@example.com", kernel::port::Ids::uuid(&*world.time).as_u128());
        let user = world.user(&email);
        world.put(Row::User(User { is_operator, version: 2, ..user.clone() }));
        world.join(home, user.id, role);
        let cookie = digest(email.as_bytes());
        sign_in(world, &email, cookie).await;
        Self { world, home, email, cookie }
    }

    async fn asks(&self, world: &World) -> kernel::Result<OpContext> {
        let place = Place::Workspace { path: None, header: Some(self.home.scope.workspace_id) };
        Ok(world.identity.authenticate(&client(), Some(&Presented::Cookie(self.cookie)), &place).await?)
    }

    async fn ctx(&self) -> OpContext {
        self.asks(self.world).await.expect("signed in")
    }

    async fn view_as(&self, role: Role) -> kernel::Result<()> {
        self.world.identity.start_view_as(&self.ctx().await, role).await
    }
}

fn actions(ctx: &OpContext) -> Vec<String> {
    guard::permissions(ctx).actions
}

#[tokio::test]
async fn a_lowered_session_may_what_its_role_may_and_nothing_more() {
    let world = World::new();
    let home = world.home("acme");
    for (index, own) in Role::ALL.iter().enumerate() {
        let visitor = Visitor::new(&world, home, *own, true).await;
        let before = actions(&visitor.ctx().await);
        for seen in &Role::ALL[index + 1..] {
            visitor.view_as(*seen).await.unwrap();
            let ctx = visitor.ctx().await;
            assert_eq!((ctx.role, ctx.view_as, ctx.is_operator), (Some(*seen), Some(*seen), false));
            assert_eq!(ctx.tenant_role, Some(TenantRole::Member));
            let plain = Visitor::new(&world, home, *seen, false).await.ctx().await;
            assert_eq!(actions(&ctx), actions(&plain), "{own} seen as {seen}");
            assert_eq!(world.identity.list_permissions(&ctx, None, None).await.unwrap().actions, actions(&plain));
            assert!(actions(&ctx).iter().all(|action| before.contains(action)), "{own} seen as {seen}");
            let me = world.identity.find_me(&ctx).await.unwrap();
            assert_eq!((me.role, me.view_as, me.workspaces[0].role), (Some(*seen), Some(*seen), *seen));
            assert!(!me.user.is_operator);
        }
        world.identity.stop_view_as(&visitor.ctx().await).await.unwrap();
        assert_eq!(actions(&visitor.ctx().await), before, "everything is back");
    }
}

#[tokio::test]
async fn no_role_but_one_below_ones_own_can_be_chosen() {
    let world = World::new();
    let home = world.home("acme");
    for own in Role::ALL {
        let visitor = Visitor::new(&world, home, *own, false).await;
        for wanted in Role::ALL.iter().filter(|wanted| *wanted <= own) {
            let refused = visitor.view_as(*wanted).await.unwrap_err();
            assert_eq!((refused.code(), refused.field()), (Code::Invalid, Some("role")), "{own} as {wanted}");
            assert_eq!(visitor.ctx().await.role, Some(*own));
        }
    }
    // What counts is the person's own role, not the one they are lowered to.
    let owner = Visitor::new(&world, home, Role::Owner, false).await;
    owner.view_as(Role::Viewer).await.unwrap();
    assert_eq!(owner.view_as(Role::Owner).await.unwrap_err().field(), Some("role"));
    owner.view_as(Role::Dev).await.unwrap();
    assert_eq!(owner.ctx().await.role, Some(Role::Dev));
}

#[tokio::test]
async fn it_is_no_rise_where_ones_own_role_is_weaker() {
    let world = World::new();
    let (home, other) = (world.home("acme"), world.home("other"));
    let owner = Visitor::new(&world, home, Role::Owner, false).await;
    let id = owner.ctx().await.user_id.unwrap();
    world.join(other, id, Role::Viewer);
    owner.view_as(Role::Admin).await.unwrap();
    let elsewhere = Place::Workspace { path: None, header: Some(other.scope.workspace_id) };
    let cookie = Presented::Cookie(owner.cookie);
    let ctx = world.identity.authenticate(&client(), Some(&cookie), &elsewhere).await.unwrap();
    assert_eq!((ctx.role, ctx.view_as), (Some(Role::Viewer), Some(Role::Admin)));
}

#[tokio::test]
async fn what_is_done_meanwhile_names_the_role_in_the_audit() {
    let world = World::new();
    let home = world.home("acme");
    let owner = Visitor::new(&world, home, Role::Owner, false).await;
    let rename = |name: &str| UpdateMe { name: Some(name.parse().unwrap()) };
    owner.view_as(Role::Dev).await.unwrap();
    owner.view_as(Role::Dev).await.unwrap();
    world.identity.update_me(&owner.ctx().await, &rename("Ada")).await.unwrap();
    world.identity.note_denial(&owner.ctx().await, Code::RoleRequired, "why");
    world.identity.stop_view_as(&owner.ctx().await).await.unwrap();
    world.identity.stop_view_as(&owner.ctx().await).await.unwrap();
    world.identity.update_me(&owner.ctx().await, &rename("Grace")).await.unwrap();
    let rows = world.audit(home.scope);
    let of = |event: &str| {
        let rows = rows.iter().filter(|row| row.event_type == event);
        rows.map(|row| (row.payload["view_as"].clone(), row.payload["after"].clone())).collect::<Vec<_>>()
    };
    let role = |role: Option<&str>| json!({ "role": role });
    assert_eq!(of("view_as"), [(json!(null), role(Some("dev"))), (json!("dev"), role(None))]);
    assert_eq!(
        of("user.updated"),
        [(json!("dev"), json!({ "name": "Ada" })), (json!(null), json!({ "name": "Grace" }))]
    );
    assert_eq!(of("access.denied")[0].0, json!("dev"));
}

#[tokio::test]
async fn it_holds_in_every_process_and_for_what_was_decided_before_and_ends_with_the_session() {
    let world = World::new();
    let home = world.home("acme");
    let owner = Visitor::new(&world, home, Role::Owner, false).await;
    let other = world.another();
    assert_eq!(owner.asks(&other).await.unwrap().role, Some(Role::Owner));
    other.identity.ask_epochs().await;
    let before = owner.ctx().await;
    owner.view_as(Role::Viewer).await.unwrap();
    other.identity.ask_epochs().await;
    assert_eq!(owner.asks(&other).await.unwrap().role, Some(Role::Viewer));
    let late = world.identity.create_key(&before, &wanted(&[Scope::Read])).await;
    assert_eq!(late.err().unwrap().code(), Code::RoleRequired, "the owner's power of before is gone");
    // Another session of the same person is another matter, and so is the next one.
    sign_in(&world, &owner.email, digest(b"another browser")).await;
    let second = Visitor { cookie: digest(b"another browser"), email: owner.email.clone(), world: &world, home };
    assert_eq!(second.ctx().await.role, Some(Role::Owner));
    let proof = StepUp { password: Some(PASSWORD.to_owned()), code: None };
    let next = digest(b"a new cookie");
    world.identity.step_up(&owner.ctx().await, &client(), &proof, Some(next)).await.unwrap();
    let proved = Visitor { cookie: next, email: owner.email.clone(), world: &world, home };
    assert_eq!(proved.ctx().await.role, Some(Role::Viewer), "a proof of who one is ends it not");
    world.identity.log_out(&proved.ctx().await).await.unwrap();
    sign_in(&world, &owner.email, digest(b"the next session")).await;
    let anew = Visitor { cookie: digest(b"the next session"), email: owner.email.clone(), world: &world, home };
    assert_eq!((anew.ctx().await.role, anew.ctx().await.view_as), (Some(Role::Owner), None));
}

#[tokio::test]
async fn a_lowered_session_makes_no_key_that_would_act_above_it() {
    let world = World::new();
    let owner = Visitor::new(&world, world.home("acme"), Role::Owner, false).await;
    let read = wanted(&[Scope::Read]);
    let key = world.identity.create_key(&owner.ctx().await, &read).await.unwrap().shown().unwrap().item;
    owner.view_as(Role::Admin).await.unwrap();
    let ctx = owner.ctx().await;
    let made = world.identity.create_key(&ctx, &read).await.err().unwrap();
    let rotated = world.identity.rotate_key(&ctx, key.id, &RotateApiKey::default()).await.err().unwrap();
    assert_eq!((made.code(), rotated.code()), (Code::RoleRequired, Code::RoleRequired));
    assert!(made.detail().contains("stop viewing as `admin`"), "{}", made.detail());
    assert!(world.identity.revoke_key(&ctx, key.id).await.is_ok());
}

#[tokio::test]
async fn a_session_of_the_api_and_a_key_are_never_lowered() {
    let world = World::new();
    let home = world.home("acme");
    let owner = world.signed_in(home, Role::Owner).await;
    let refused = world.identity.start_view_as(&owner, Role::Viewer).await.unwrap_err();
    assert_eq!(refused.code(), Code::NotSupported);
    let key = world.identity.create_key(&owner, &wanted(&[Scope::Write])).await.unwrap();
    let with_key = world.ask(&key.shown().unwrap().api_key).await.unwrap();
    assert_eq!(world.identity.start_view_as(&with_key, Role::Viewer).await.unwrap_err().code(), Code::ScopeRequired);
}
