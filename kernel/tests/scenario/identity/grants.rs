use chrono::TimeDelta;
use kernel::OpContext;
use kernel::identity::Question;
use kernel::policy::guard::{self, Basis, authorize_on, authorize_some};
use types::access::{
    AccessRule, CreateGrant, CreateGroup, Explanation, Grant, GrantAction, GrantSubject, ResourceType, RuleOutcome,
    UpdateGroup,
};
use types::id::{GroupId, UserId};
use types::identity::{Role, Scope as Reach};
use types::key::CreateApiKey;
use types::modelhub::Model;
use types::problem::Code;

use super::world::{Home, World, wanted};

async fn somebody(world: &World, home: Home, role: Role) -> OpContext {
    let ctx = world.signed_in(home, role).await;
    world.elevated(&ctx).await
}

fn id(ctx: &OpContext) -> UserId {
    ctx.user_id.expect("a person")
}

async fn again(world: &World, ctx: &OpContext) -> OpContext {
    world.identity.reauthenticate(ctx).await.expect("still there")
}

fn asked(subject: GrantSubject, model: &Model) -> CreateGrant {
    CreateGrant {
        subject,
        resource_type: ResourceType::Model,
        resource_id: model.id.to_string(),
        actions: vec![GrantAction::Execute],
        expires_at: None,
    }
}

async fn granted(world: &World, ctx: &OpContext, command: &CreateGrant) -> Grant {
    world.identity.create_grant(&again(world, ctx).await, command).await.expect("a grant")
}

fn may_call(ctx: &OpContext, model: &Model) -> bool {
    let by_grant = matches!(
        authorize_on(ctx, "model.call", ResourceType::Model, &model.id.to_string()),
        Ok(Basis::Grant(_) | Basis::Role)
    );
    assert!(!by_grant || authorize_some(ctx, "model.call").is_ok(), "what may be done on one thing may be asked for");
    by_grant
}

fn code<T>(outcome: kernel::Result<T>) -> Option<Code> {
    outcome.err().map(|error| error.code())
}

#[tokio::test]
async fn a_viewer_calls_what_is_granted_until_it_is_taken_back() {
    let world = World::new();
    let home = world.home("acme");
    let (model, other) = (world.model(home, "one"), world.model(home, "two"));
    let (boss, viewer) = (somebody(&world, home, Role::Owner).await, world.signed_in(home, Role::Viewer).await);
    assert!(!may_call(&viewer, &model));
    assert_eq!(code(authorize_some(&viewer, "model.call")), Some(Code::RoleRequired));
    let grant = granted(&world, &boss, &asked(GrantSubject::User(id(&viewer)), &model)).await;
    let viewer = again(&world, &viewer).await;
    assert!(may_call(&viewer, &model) && !may_call(&viewer, &other));
    assert_eq!(code(guard::authorize(&viewer, "model.update")), Some(Code::RoleRequired));
    let kind = Some("model");
    let on = |id: &Model| id.id.to_string();
    let allowed = world.identity.list_permissions(&viewer, kind, Some(&on(&model))).await.expect("permissions");
    assert!(allowed.allow("model.call"));
    let allowed = world.identity.list_permissions(&viewer, kind, Some(&on(&other))).await.expect("permissions");
    assert!(!allowed.allow("model.call"));
    assert_eq!(code(world.identity.list_permissions(&viewer, kind, Some("mdl_x")).await), Some(Code::NotFound));

    world.identity.revoke_grant(&again(&world, &boss).await, grant.id).await.expect("taken back");
    assert!(!may_call(&again(&world, &viewer).await, &model));
    let outcome = world.identity.revoke_grant(&again(&world, &boss).await, grant.id).await;
    assert_eq!(code(outcome), Some(Code::NotFound));
    let events: Vec<String> = world.audit(home.scope).into_iter().map(|audit| audit.event_type).collect();
    assert!(events.ends_with(&["grant.created".to_owned(), "grant.revoked".to_owned()]), "{events:?}");
}

#[tokio::test]
async fn a_grant_that_is_over_allows_nothing_however_long_it_is_remembered() {
    let world = World::new();
    let home = world.home("acme");
    let model = world.model(home, "one");
    let (boss, viewer) = (somebody(&world, home, Role::Owner).await, world.signed_in(home, Role::Viewer).await);
    let email = world.identity.find_me(&viewer).await.expect("oneself").user.email;
    let token = world.login(&email, super::world::PASSWORD).await.expect("the password is right").access_token;
    let end = boss.now + TimeDelta::seconds(30);
    let command = CreateGrant { expires_at: Some(end), ..asked(GrantSubject::User(id(&viewer)), &model) };
    granted(&world, &boss, &command).await;
    assert!(may_call(&world.ask(&token).await.expect("signed in"), &model));
    let before = world.queries();
    world.time.pass(30);
    let ctx = world.ask(&token).await.expect("signed in");
    assert_eq!(world.queries(), before, "remembered");
    assert!(ctx.now >= end && !may_call(&ctx, &model));
    let late = CreateGrant { expires_at: Some(end), ..command };
    let boss = OpContext { now: ctx.now, ..again(&world, &boss).await };
    let refused = world.identity.create_grant(&boss, &late).await.expect_err("over before it begins");
    assert_eq!((refused.code(), refused.field()), (Code::Invalid, Some("expires_at")));
}

#[tokio::test]
async fn what_is_granted_to_a_group_reaches_who_is_in_it() {
    let world = World::new();
    let home = world.home("acme");
    let model = world.model(home, "one");
    let (boss, viewer) = (somebody(&world, home, Role::Owner).await, world.signed_in(home, Role::Viewer).await);
    let command = CreateGroup { name: "Crew".parse().expect("a name"), members: vec![id(&viewer), id(&viewer)] };
    let group = world.identity.create_group(&boss, &command).await.expect("a group");
    assert_eq!(group.members, [id(&viewer)], "each once");
    granted(&world, &boss, &asked(GrantSubject::Group(group.id), &model)).await;
    assert!(may_call(&again(&world, &viewer).await, &model));
    let set = async |version, members: Vec<UserId>| {
        let command = UpdateGroup { members: Some(members), ..UpdateGroup::default() };
        world.identity.update_group(&again(&world, &boss).await, group.id, Some(version), &command).await
    };
    set(1, Vec::new()).await.expect("nobody");
    assert!(!may_call(&again(&world, &viewer).await, &model));
    assert_eq!(code(set(1, Vec::new()).await), Some(Code::PreconditionFailed));
    set(2, vec![id(&viewer)]).await.expect("back");
    assert!(may_call(&again(&world, &viewer).await, &model));
    let stranger = set(3, vec![id(&viewer), world.user("stranger@example.com").id]).await.expect_err("no member");
    assert_eq!((stranger.code(), stranger.field()), (Code::Invalid, Some("members[1]")));
    let twin = CreateGroup { name: "crew".parse().expect("a name"), members: Vec::new() };
    let taken = world.identity.create_group(&again(&world, &boss).await, &twin).await.expect_err("taken");
    assert_eq!((taken.code(), taken.field()), (Code::AlreadyExists, Some("name")));

    // Who leaves the workspace leaves its groups, and comes back to none.
    world.identity.remove_member(&again(&world, &boss).await, id(&viewer)).await.expect("gone");
    let back = types::member::AddMember { user_id: viewer.user_id, email: None, role: Role::Viewer };
    world.identity.add_member(&again(&world, &boss).await, &back).await.expect("back");
    assert_eq!(world.identity.find_group(&again(&world, &boss).await, group.id).await.expect("a group").members, []);
    set(3, vec![id(&viewer)]).await.expect("back in the group");
    world.identity.delete_group(&again(&world, &boss).await, group.id).await.expect("deleted");
    let boss = again(&world, &boss).await;
    assert_eq!(code(world.identity.find_group(&boss, group.id).await), Some(Code::NotFound));
    assert!(world.identity.list_grants(&boss).await.expect("a list").is_empty(), "what it was granted ends with it");
    world.identity.create_group(&boss, &twin).await.expect("its name is free");
}

#[tokio::test]
async fn who_leaves_keeps_no_grant() {
    let world = World::new();
    let home = world.home("acme");
    let model = world.model(home, "one");
    let (boss, viewer) = (somebody(&world, home, Role::Owner).await, world.signed_in(home, Role::Viewer).await);
    granted(&world, &boss, &asked(GrantSubject::User(id(&viewer)), &model)).await;
    world.identity.remove_member(&again(&world, &boss).await, id(&viewer)).await.expect("gone");
    let boss = again(&world, &boss).await;
    assert!(world.identity.list_grants(&boss).await.expect("a list").is_empty());
}

#[tokio::test]
async fn wrong_grants_are_refused_by_field() {
    let world = World::new();
    let (home, elsewhere) = (world.home("acme"), world.home("else"));
    let (model, foreign) = (world.model(home, "one"), world.model(elsewhere, "two"));
    let (boss, viewer) = (somebody(&world, home, Role::Owner).await, world.signed_in(home, Role::Viewer).await);
    let ok = || asked(GrantSubject::User(id(&viewer)), &model);
    let refused = async |command: CreateGrant| {
        let error = world.identity.create_grant(&again(&world, &boss).await, &command).await.expect_err("refused");
        (error.code(), error.field().map(str::to_owned))
    };
    let wrong = |field: &str| (Code::Invalid, Some(field.to_owned()));
    let outsider = world.signed_in(elsewhere, Role::Dev).await;
    let nobody = GrantSubject::Group(GroupId::from_uuid(types::id::Uuid::nil()));
    assert_eq!(refused(CreateGrant { actions: Vec::new(), ..ok() }).await, wrong("actions"));
    let actions = vec![GrantAction::Execute, GrantAction::Update];
    assert_eq!(refused(CreateGrant { actions, ..ok() }).await, wrong("actions[1]"));
    assert_eq!(refused(CreateGrant { subject: GrantSubject::User(id(&outsider)), ..ok() }).await, wrong("subject"));
    assert_eq!(refused(CreateGrant { subject: nobody, ..ok() }).await, wrong("subject"));
    assert_eq!(refused(CreateGrant { resource_id: foreign.id.to_string(), ..ok() }).await, (Code::NotFound, None));
    assert_eq!(refused(CreateGrant { resource_id: "mdl_x".to_owned(), ..ok() }).await, (Code::NotFound, None));
    granted(&world, &boss, &ok()).await;
    assert_eq!(refused(ok()).await, (Code::AlreadyExists, Some("actions".to_owned())));
}

#[tokio::test]
async fn nobody_grants_what_they_lack_and_others_see_their_own_alone() {
    let world = World::new();
    let home = world.home("acme");
    let (model, other) = (world.model(home, "one"), world.model(home, "two"));
    let boss = somebody(&world, home, Role::Owner).await;
    let (dev, viewer) = (world.signed_in(home, Role::Dev).await, world.signed_in(home, Role::Viewer).await);
    let command = asked(GrantSubject::User(id(&viewer)), &model);
    for ctx in [&dev, &viewer] {
        assert_eq!(code(world.identity.create_grant(ctx, &command).await), Some(Code::RoleRequired));
    }
    let narrow = CreateApiKey { allowed_models: Some(vec![other.model_ref.clone()]), ..wanted(&[Reach::Write]) };
    let narrow = world.identity.create_key(&boss, &narrow).await.expect("a key").shown().expect("new").api_key;
    let with_narrow = world.ask(&narrow).await.expect("it works");
    assert_eq!(code(world.identity.create_grant(&with_narrow, &command).await), Some(Code::ModelNotAllowed));
    let read = world.identity.create_key(&boss, &wanted(&[Reach::Read])).await.expect("a key").shown().expect("new");
    let with_read = world.ask(&read.api_key).await.expect("it works");
    assert_eq!(code(world.identity.create_grant(&with_read, &command).await), Some(Code::ScopeRequired));

    let grant = granted(&world, &boss, &command).await;
    let seen =
        async |ctx: &OpContext| world.identity.list_grants(&again(&world, ctx).await).await.expect("a list").len();
    assert_eq!((seen(&boss).await, seen(&dev).await, seen(&viewer).await), (1, 0, 1));
    let revoke = async |ctx: &OpContext| code(world.identity.revoke_grant(&again(&world, ctx).await, grant.id).await);
    assert_eq!((revoke(&dev).await, revoke(&viewer).await), (Some(Code::NotFound), Some(Code::RoleRequired)));
}

fn decisive(explanation: &Explanation) -> (AccessRule, RuleOutcome, Option<Code>) {
    let mut decisive = explanation.rules.iter().filter(|rule| rule.decides);
    let rule = decisive.next().expect("one decides");
    assert!(decisive.next().is_none(), "{explanation:?}");
    assert_eq!((explanation.code, explanation.allowed), (rule.code, rule.outcome == RuleOutcome::Allow));
    (rule.rule, rule.outcome, rule.code)
}

#[tokio::test]
async fn an_explanation_names_the_rule_that_decides() {
    let world = World::new();
    let home = world.home("acme");
    let model = world.model(home, "one");
    let (boss, viewer) = (somebody(&world, home, Role::Owner).await, world.signed_in(home, Role::Viewer).await);
    let dev = world.signed_in(home, Role::Dev).await;
    let (subject, resource) = (id(&viewer).to_string(), model.id.to_string());
    let call = |subject| Question {
        subject,
        action: "model.call",
        resource_type: Some(ResourceType::Model),
        resource_id: Some(resource.as_str()),
    };
    let explain = async |ctx: &OpContext, asked: Question<'_>| {
        world.identity.explain_access(&again(&world, ctx).await, &asked).await
    };
    let told = explain(&boss, call(&subject)).await.expect("an explanation");
    assert_eq!(decisive(&told), (AccessRule::Grant, RuleOutcome::Deny, Some(Code::RoleRequired)));
    let grant = granted(&world, &boss, &asked(GrantSubject::User(id(&viewer)), &model)).await;
    let told = explain(&viewer, call(&subject)).await.expect("of oneself");
    assert_eq!(decisive(&told), (AccessRule::Grant, RuleOutcome::Allow, None));
    assert_eq!(told.rules.iter().find_map(|rule| rule.grant_id), Some(grant.id));
    let plain = |subject, action| Question { subject, action, resource_type: None, resource_id: None };
    let told = explain(&boss, plain(&subject, "provider.create")).await.expect("an explanation");
    assert_eq!(decisive(&told), (AccessRule::Role, RuleOutcome::Deny, Some(Code::RoleRequired)));

    let list = CreateApiKey { allowed_models: Some(Vec::new()), ..wanted(&[Reach::Write]) };
    let key = world.identity.create_key(&dev, &list).await.expect("a key").item.id.to_string();
    let told = explain(&boss, call(&key)).await.expect("an explanation");
    assert_eq!(decisive(&told), (AccessRule::Allowlist, RuleOutcome::Deny, Some(Code::ModelNotAllowed)));
    let told = explain(&dev, plain(&key, "provider.create")).await.expect("of a key of one's own");
    assert_eq!(decisive(&told), (AccessRule::Scope, RuleOutcome::Deny, Some(Code::ScopeRequired)));
    world.identity.revoke_key(&again(&world, &dev).await, key.parse().expect("an id")).await.expect("revoked");
    let told = explain(&boss, call(&key)).await.expect("an explanation");
    assert_eq!(decisive(&told), (AccessRule::Subject, RuleOutcome::Deny, Some(Code::InvalidCredentials)));

    assert_eq!(code(explain(&dev, call(&subject)).await), Some(Code::RoleRequired), "of others, not everybody is told");
    let stranger = world.user("stranger@example.com").id.to_string();
    assert_eq!(code(explain(&boss, call(&stranger)).await), Some(Code::NotFound));
    for (asked, field) in [
        (plain("grp_x", "model.call"), "subject"),
        (plain(&subject, "model.destroy"), "action"),
        (Question { resource_type: None, ..call(&subject) }, "resource_type"),
        (Question { resource_id: None, ..call(&subject) }, "resource_id"),
        (Question { action: "provider.create", ..call(&subject) }, "resource_type"),
    ] {
        let refused = explain(&boss, asked).await.expect_err(field);
        assert_eq!((refused.code(), refused.field()), (Code::Invalid, Some(field)));
    }
}

#[tokio::test]
async fn a_thousand_grants_cost_a_warm_request_no_query() {
    let world = World::new();
    let home = world.home("acme");
    let (boss, viewer) = (somebody(&world, home, Role::Owner).await, world.signed_in(home, Role::Viewer).await);
    let models: Vec<Model> = (0..1_000).map(|number| world.model(home, &format!("m{number}"))).collect();
    for model in &models {
        let grant = kernel::record::Grant {
            id: types::id::GrantId::from_uuid(kernel::port::Ids::uuid(&*world.time)),
            scope: home.scope,
            subject: GrantSubject::User(id(&viewer)),
            resource_type: ResourceType::Model,
            resource_id: model.id.to_string(),
            actions: vec![GrantAction::Execute],
            expires_at: None,
            granted_by: id(&boss),
            created_at: boss.now,
            revoked_at: None,
            version: 1,
        };
        world.put(kernel::record::Row::Grant(grant));
    }
    let email = world.identity.find_me(&viewer).await.expect("oneself").user.email;
    let token = world.login(&email, super::world::PASSWORD).await.expect("the password is right").access_token;
    world.ask(&token).await.expect("signed in");
    let before = world.queries();
    for model in &models {
        assert!(may_call(&world.ask(&token).await.expect("signed in"), model));
    }
    assert_eq!(world.queries(), before, "warm");
}
