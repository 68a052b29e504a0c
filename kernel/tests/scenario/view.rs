//! Saved views: whose they are, who sees them, and with which of them a list opens.

use kernel::OpContext;
use kernel::context::Scope;
use kernel::view::Views;
use serde_json::json;
use types::id::{FormKey, RequestId, Uuid, ViewId};
use types::identity::{Role, Scope as Reach};
use types::member::UpdateMember;
use types::problem::Code;
use types::view::{CreateView, SavedView, UpdateView, ViewPage};

use crate::identity::world::{Home, World, wanted};

fn named(name: &str) -> CreateView {
    CreateView {
        page: ViewPage::Runs,
        name: name.parse().expect("a name"),
        query: "f.status=failed".to_owned(),
        shared: false,
        default: false,
    }
}

fn shared(name: &str) -> CreateView {
    CreateView { shared: true, ..named(name) }
}

fn renamed(name: &str) -> UpdateView {
    UpdateView { name: Some(name.parse().expect("a name")), ..UpdateView::default() }
}

fn default(is_default: bool) -> UpdateView {
    UpdateView { default: Some(is_default), ..UpdateView::default() }
}

fn sharing(is_shared: bool) -> UpdateView {
    UpdateView { shared: Some(is_shared), ..UpdateView::default() }
}

async fn save(views: &Views, ctx: &OpContext, command: CreateView) -> Result<SavedView, Code> {
    views.create_view(ctx, &command).await.map_err(|error| error.code())
}

/// Changes a view as it is.
async fn update(views: &Views, ctx: &OpContext, view: &SavedView, command: UpdateView) -> Result<SavedView, Code> {
    let outcome = views.update_view(ctx, view.id, Some(view.version), &command).await;
    outcome.map_err(|error| error.code())
}

async fn delete(views: &Views, ctx: &OpContext, id: ViewId) -> Option<Code> {
    views.delete_view(ctx, id).await.err().map(|error| error.code())
}

async fn names(views: &Views, ctx: &OpContext) -> Vec<String> {
    let seen = views.list_views(ctx, Some(ViewPage::Runs)).await.expect("a list");
    seen.into_iter().map(|view| view.name.to_string()).collect()
}

/// With which views the lists open, by name.
async fn defaults(views: &Views, ctx: &OpContext) -> Vec<String> {
    let seen = views.list_views(ctx, None).await.expect("a list");
    seen.into_iter().filter(|view| view.default).map(|view| view.name.to_string()).collect()
}

async fn set_role(world: &World, owner: &OpContext, of: &OpContext, role: Role) {
    let owner = world.elevated(owner).await;
    let id = of.user_id.expect("a person");
    let version = world.identity.find_member(&owner, id).await.expect("a member").version;
    world.identity.update_member(&owner, id, Some(version), &UpdateMember { role }).await.expect("another role");
}

async fn stage() -> (World, Home, Views) {
    let world = World::new();
    let home = world.home("acme");
    let views = world.views();
    (world, home, views)
}

#[tokio::test]
async fn a_private_view_is_its_owners_alone_and_a_shared_one_everybodys() {
    let (world, home, views) = stage().await;
    let (dev, owner) = (world.signed_in(home, Role::Dev).await, world.signed_in(home, Role::Owner).await);
    let private = save(&views, &dev, named("b")).await.expect("a view");
    let public = save(&views, &dev, shared("A")).await.expect("a view");
    save(&views, &owner, named("c")).await.expect("a view");
    assert_eq!(names(&views, &dev).await, ["A", "b"], "by name, in any case");
    assert_eq!(names(&views, &owner).await, ["A", "c"]);
    let refused = [
        views.find_view(&owner, private.id).await.err().map(|error| error.code()),
        update(&views, &owner, &private, default(true)).await.err(),
        update(&views, &owner, &private, renamed("x")).await.err(),
        delete(&views, &owner, private.id).await,
    ];
    assert_eq!(refused, [Some(Code::NotFound); 4], "not even to the owner of the workspace");
    let seen = views.find_view(&owner, public.id).await.expect("a view");
    assert_eq!((seen.owner_id, seen.owner.is_some()), (dev.user_id.expect("a person"), true), "with its owner's name");

    let stranger = world.signed_in(world.home("other"), Role::Owner).await;
    assert_eq!(names(&views, &stranger).await, [""; 0]);
    assert_eq!(views.find_view(&stranger, public.id).await.expect_err("elsewhere").code(), Code::NotFound);
}

#[tokio::test]
async fn only_its_owner_changes_a_view() {
    let (world, home, views) = stage().await;
    let (dev, owner) = (world.signed_in(home, Role::Dev).await, world.signed_in(home, Role::Owner).await);
    let view = save(&views, &dev, shared("a")).await.expect("a view");
    let query = UpdateView { query: Some(String::new()), ..UpdateView::default() };
    for command in [renamed("x"), query.clone(), sharing(false)] {
        let refused = views.update_view(&owner, view.id, Some(1), &command).await.expect_err("not theirs");
        let roles = refused.problem().permission.expect("it says which").roles;
        assert_eq!((refused.code(), roles), (Code::RoleRequired, Vec::new()), "no role alone helps");
    }
    let view = update(&views, &dev, &view, query.clone()).await.expect("their own");
    assert_eq!((view.query.as_str(), view.version), ("", 2));
    assert_eq!(update(&views, &dev, &view, query).await.map(|view| view.version), Ok(2), "as it is already");
    for (version, expected) in [(None, Code::PreconditionRequired), (Some(1), Code::PreconditionFailed)] {
        let refused = views.update_view(&dev, view.id, version, &renamed("b")).await.expect_err("not seen");
        assert_eq!((refused.code(), refused.problem().revision.as_deref()), (expected, Some("2")));
    }
}

#[tokio::test]
async fn a_list_opens_with_one_view_at_most_which_everybody_chooses_for_themselves() {
    let (world, home, views) = stage().await;
    let (dev, viewer) = (world.signed_in(home, Role::Dev).await, world.signed_in(home, Role::Viewer).await);
    let first = save(&views, &dev, CreateView { default: true, ..shared("a") }).await.expect("a view");
    let second = save(&views, &dev, CreateView { default: true, ..shared("b") }).await.expect("a view");
    let elsewhere = CreateView { page: ViewPage::Audit, default: true, ..named("c") };
    save(&views, &dev, elsewhere).await.expect("a view");
    assert!(first.default && second.default, "each when it was saved");
    assert_eq!(defaults(&views, &dev).await, ["b", "c"]);
    assert_eq!(defaults(&views, &viewer).await, [""; 0]);

    let chosen = views.update_view(&viewer, first.id, None, &default(true)).await.expect("seen is enough");
    assert_eq!((chosen.default, chosen.version), (true, 1), "the view is what it was");
    assert_eq!(defaults(&views, &viewer).await, ["a"]);
    update(&views, &viewer, &second, default(false)).await.expect("none of theirs anyway");
    assert_eq!(defaults(&views, &viewer).await, ["a"]);
    assert_eq!(defaults(&views, &dev).await, ["b", "c"], "another's choice is another's");
    update(&views, &dev, &second, default(false)).await.expect("none");
    assert_eq!(defaults(&views, &dev).await, ["c"]);

    let hidden = update(&views, &dev, &first, sharing(false)).await.expect("their own");
    assert_eq!(defaults(&views, &viewer).await, [""; 0], "it is not seen any more");
    update(&views, &dev, &hidden, sharing(true)).await.expect("their own");
    assert_eq!(defaults(&views, &viewer).await, ["a"]);
    assert_eq!(delete(&views, &dev, first.id).await, None);
    assert_eq!(delete(&views, &dev, first.id).await, Some(Code::NotFound));
    assert_eq!(defaults(&views, &viewer).await, [""; 0]);
}

#[tokio::test]
async fn sharing_takes_a_role_and_ending_it_none() {
    let (world, home, views) = stage().await;
    let (dev, owner) = (world.signed_in(home, Role::Dev).await, world.signed_in(home, Role::Owner).await);
    let viewer = world.signed_in(home, Role::Viewer).await;
    assert_eq!(save(&views, &viewer, shared("v")).await, Err(Code::RoleRequired));
    let own = save(&views, &viewer, named("v")).await.expect("for themselves");
    assert_eq!(update(&views, &viewer, &own, sharing(true)).await, Err(Code::RoleRequired));

    let view = save(&views, &dev, shared("d")).await.expect("a view");
    set_role(&world, &owner, &dev, Role::Viewer).await;
    // Decided with the rights of a moment ago; the store knows better.
    assert_eq!(save(&views, &dev, shared("e")).await, Err(Code::RoleRequired));
    let dev = world.identity.reauthenticate(&dev).await.expect("still a member");
    assert_eq!(update(&views, &dev, &view, renamed("f")).await, Err(Code::RoleRequired), "it would be shown to all");
    let hidden = UpdateView { shared: Some(false), ..renamed("f") };
    let view = update(&views, &dev, &view, hidden).await.expect("their own again");
    assert_eq!(names(&views, &owner).await, [""; 0]);
    assert_eq!(delete(&views, &dev, view.id).await, None);
}

#[tokio::test]
async fn who_keeps_the_workspace_in_order_deletes_what_others_share() {
    let (world, home, views) = stage().await;
    let (dev, owner) = (world.signed_in(home, Role::Dev).await, world.signed_in(home, Role::Owner).await);
    let (admin, other) = (world.signed_in(home, Role::Admin).await, world.signed_in(home, Role::Dev).await);
    let view = save(&views, &dev, shared("a")).await.expect("a view");
    let private = save(&views, &dev, named("b")).await.expect("a view");
    let leaver = world.elevated(&owner).await;
    world.identity.remove_member(&leaver, dev.user_id.expect("a person")).await.expect("removed");
    let (owner, admin) = (
        world.identity.reauthenticate(&owner).await.expect("still there"),
        world.identity.reauthenticate(&admin).await.expect("still there"),
    );
    let other = world.identity.reauthenticate(&other).await.expect("still there");
    let kept = views.find_view(&other, view.id).await.expect("it stays");
    assert!(kept.owner.is_some(), "and still names whose it was");
    assert_eq!(delete(&views, &other, view.id).await, Some(Code::RoleRequired));
    assert_eq!(delete(&views, &owner, private.id).await, Some(Code::NotFound));
    assert_eq!(delete(&views, &admin, view.id).await, None);
    assert_eq!(names(&views, &owner).await, [""; 0]);
}

#[tokio::test]
async fn a_name_is_taken_once_by_an_owner_and_list() {
    let (world, home, views) = stage().await;
    let (dev, other) = (world.signed_in(home, Role::Dev).await, world.signed_in(home, Role::Dev).await);
    let first = save(&views, &dev, shared("Failed")).await.expect("a view");
    let refused = views.create_view(&dev, &named("fAILED")).await.expect_err("taken");
    assert_eq!((refused.code(), refused.field()), (Code::AlreadyExists, Some("name")));
    let second = save(&views, &dev, named("Slow")).await.expect("a view");
    assert_eq!(update(&views, &dev, &second, renamed("failed")).await, Err(Code::AlreadyExists));
    let first = update(&views, &dev, &first, renamed("FAILED")).await.expect("its own name, written otherwise");
    save(&views, &dev, CreateView { page: ViewPage::Events, ..named("failed") }).await.expect("another list");
    save(&views, &other, named("failed")).await.expect("somebody else's");
    let twins = tokio::join!(save(&views, &dev, named("Twin")), save(&views, &dev, named("twin")));
    assert!(matches!(twins, (Ok(_), Err(Code::AlreadyExists)) | (Err(Code::AlreadyExists), Ok(_))), "{twins:?}");
    assert_eq!(delete(&views, &dev, first.id).await, None);
    save(&views, &dev, named("failed")).await.expect("a deleted view frees its name");
}

#[tokio::test]
async fn nobody_keeps_more_than_a_hundred_also_when_saved_at_once() {
    let (world, home, views) = stage().await;
    let (dev, other) = (world.signed_in(home, Role::Dev).await, world.signed_in(home, Role::Dev).await);
    for number in 0..99 {
        save(&views, &dev, named(&number.to_string())).await.expect("a view");
    }
    let outcomes = tokio::join!(save(&views, &dev, named("x")), save(&views, &dev, named("y")));
    assert!(matches!(outcomes, (Ok(_), Err(Code::QuotaExceeded)) | (Err(Code::QuotaExceeded), Ok(_))), "{outcomes:?}");
    save(&views, &other, named("x")).await.expect("others have their own hundred");
    let elsewhere = CreateView { page: ViewPage::Audit, ..named("x") };
    assert_eq!(save(&views, &dev, elsewhere.clone()).await, Err(Code::QuotaExceeded), "of all lists together");
    let first = views.list_views(&dev, None).await.expect("a list").remove(0);
    assert_eq!(delete(&views, &dev, first.id).await, None);
    save(&views, &dev, elsewhere).await.expect("there is room again");
}

#[tokio::test]
async fn of_two_changes_at_once_one_is_told() {
    let (world, home, views) = stage().await;
    let dev = world.signed_in(home, Role::Dev).await;
    let view = save(&views, &dev, named("a")).await.expect("a view");
    let outcomes = tokio::join!(update(&views, &dev, &view, renamed("b")), update(&views, &dev, &view, renamed("c")));
    let is_told = matches!(outcomes, (Ok(_), Err(Code::PreconditionFailed)) | (Err(Code::PreconditionFailed), Ok(_)));
    assert!(is_told, "{outcomes:?}");
    let other = save(&views, &dev, named("z")).await.expect("a view");
    let (one, both) = (default(true), default(true));
    let outcomes =
        tokio::join!(views.update_view(&dev, view.id, None, &one), views.update_view(&dev, other.id, None, &both));
    assert!(outcomes.0.is_ok() && outcomes.1.is_ok(), "a choice takes the place of another");
    assert_eq!(defaults(&views, &dev).await.len(), 1);
}

#[tokio::test]
async fn a_form_sent_again_finds_what_it_made() {
    let (world, home, views) = stage().await;
    let form_key = Some(FormKey::from_uuid(Uuid::from_u128(9)));
    let dev = OpContext { form_key, ..world.signed_in(home, Role::Dev).await };
    let (one, other) = tokio::join!(save(&views, &dev, named("a")), save(&views, &dev, named("a")));
    let view = one.expect("a view");
    assert_eq!(other.as_ref(), Ok(&view));
    let view = update(&views, &dev, &view, renamed("b")).await.expect("a change");
    assert_eq!(save(&views, &dev, named("a")).await.as_ref(), Ok(&view), "as it is by now");
    assert_eq!(world.count(home.scope, "view.created"), 1);
    assert_ne!(save(&views, &dev, named("c")).await.expect("another wish").id, view.id);
    assert_eq!(delete(&views, &dev, view.id).await, None);
    assert_eq!(save(&views, &dev, named("a")).await, Err(Code::NotFound));
}

#[tokio::test]
async fn changes_are_recorded_and_what_is_private_is_not_told() {
    let (world, home, views) = stage().await;
    let dev = world.signed_in(home, Role::Dev).await;
    let view = save(&views, &dev, named("secret plan")).await.expect("a view");
    let view = update(&views, &dev, &view, renamed("hidden plan")).await.expect("a change");
    let open = UpdateView { shared: Some(true), ..renamed("open plan") };
    let view = update(&views, &dev, &view, open).await.expect("a change");
    update(&views, &dev, &view, default(true)).await.expect("a choice");
    assert_eq!(delete(&views, &dev, view.id).await, None);
    let mut rows = world.audit(home.scope);
    rows.retain(|row| row.resource_type == "view");
    let types: Vec<&str> = rows.iter().map(|row| row.event_type.as_str()).collect();
    assert_eq!(types, ["view.created", "view.updated", "view.updated", "view.deleted"], "a choice gives no power");
    assert!(rows.iter().all(|row| row.operation == "view.save" && row.resource_id == view.id.to_string()));
    let private = json!({ "page": "runs", "shared": false });
    let public = json!({ "page": "runs", "name": "open plan", "query": "f.status=failed", "shared": true });
    let payloads: Vec<_> = rows.into_iter().map(|row| row.payload).collect();
    assert_eq!(payloads[0], json!({ "after": private }));
    assert_eq!(payloads[1], json!({ "page": "runs", "shared": false, "changed": ["name"] }));
    assert_eq!(payloads[2], json!({ "before": private, "after": public }));
    assert_eq!(payloads[3], json!({ "before": public }));
}

#[tokio::test]
async fn a_key_acts_as_its_person_and_soit_itself_has_no_views() {
    let (world, home, views) = stage().await;
    let dev = world.signed_in(home, Role::Dev).await;
    save(&views, &dev, named("a")).await.expect("a view");
    let mut keys = Vec::new();
    for reach in [Reach::Read, Reach::Write] {
        let issued = world.identity.create_key(&dev, &wanted(&[reach])).await.expect("a key");
        keys.push(issued.shown().expect("a secret").api_key);
    }
    let (reader, writer) = (world.ask(&keys[0]).await.expect("a key"), world.ask(&keys[1]).await.expect("a key"));
    assert_eq!(names(&views, &reader).await, ["a"]);
    assert_eq!(save(&views, &reader, named("b")).await, Err(Code::ScopeRequired));
    save(&views, &writer, named("b")).await.expect("as its person");
    assert_eq!(names(&views, &dev).await, ["a", "b"]);

    let request = RequestId::from_uuid(Uuid::nil());
    let system = OpContext::system("test", Scope { ..home.scope }, request, world.time.now_at());
    let refused = [
        views.list_views(&system, None).await.expect_err("nobody's").code(),
        save(&views, &system, named("c")).await.expect_err("nobody's"),
    ];
    assert_eq!(refused, [Code::RoleRequired; 2]);
}
