use kernel::OpContext;
use kernel::identity::{Client, Place, Presented};
use kernel::secret::SecretString;
use types::identity::{Role, Scope};
use types::key::{CreateApiKey, KeyStatus, RotateApiKey, UpdateApiKey};
use types::problem::Code;

use super::world::{World, client_at, wanted};

async fn refused(world: &World, ctx: &OpContext, command: &CreateApiKey) -> (Code, Option<String>) {
    let error = world.identity.create_key(ctx, command).await.expect_err("refused");
    (error.code(), error.field().map(str::to_owned))
}

#[tokio::test]
async fn a_key_is_shown_once_and_then_only_hinted_at() {
    let world = World::new();
    let dev = world.signed_in(world.home("acme"), Role::Dev).await;
    let issued = world
        .identity
        .create_key(&dev, &wanted(&[Scope::Write, Scope::Read, Scope::Write]))
        .await
        .unwrap()
        .shown()
        .unwrap();
    assert_eq!(issued.item.scopes, [Scope::Read, Scope::Write]);
    assert_eq!((issued.item.expires_at - issued.item.created_at).num_days(), 90);
    let listed = serde_json::to_string(&world.identity.list_keys(&dev).await.unwrap()).unwrap();
    assert!(!listed.contains(&issued.api_key) && listed.contains(&issued.item.hint));
    assert!(!format!("{:?}", world.audit(dev.scope)).contains(&issued.api_key));
    let ctx = world.ask(&issued.api_key).await.unwrap();
    assert_eq!((ctx.scope, ctx.role, ctx.reach), (dev.scope, Some(Role::Dev), Scope::Write));
}

#[tokio::test]
async fn power_that_one_lacks_cannot_be_given_to_a_key() {
    let world = World::new();
    let home = world.home("acme");
    let (owner, dev) = (world.signed_in(home, Role::Owner).await, world.signed_in(home, Role::Dev).await);
    let viewer = world.signed_in(home, Role::Viewer).await;
    assert_eq!(refused(&world, &dev, &wanted(&[Scope::Admin])).await.0, Code::RoleRequired);
    assert_eq!(refused(&world, &viewer, &wanted(&[Scope::Read])).await.0, Code::RoleRequired);
    assert_eq!(refused(&world, &owner, &wanted(&[Scope::Admin])).await.0, Code::StepUpRequired);
    let elevated = world.elevated(&owner).await;
    let admin = world.identity.create_key(&elevated, &wanted(&[Scope::Admin])).await.unwrap().shown().unwrap();
    let with_admin = world.ask(&admin.api_key).await.unwrap();
    assert_eq!(refused(&world, &with_admin, &wanted(&[Scope::Admin])).await.0, Code::ScopeRequired);

    let narrow = CreateApiKey {
        rate_limit_per_minute: Some(10),
        allowed_models: Some(vec!["model:test:echo".to_owned()]),
        ..wanted(&[Scope::Write])
    };
    let narrow = world.identity.create_key(&owner, &narrow).await.unwrap().shown().unwrap();
    let with_narrow = world.ask(&narrow.api_key).await.unwrap();
    let same = CreateApiKey {
        rate_limit_per_minute: Some(10),
        allowed_models: Some(vec!["model:test:echo".to_owned()]),
        ..wanted(&[Scope::Write])
    };
    assert!(world.identity.create_key(&with_narrow, &same).await.is_ok());
    let faster = CreateApiKey { rate_limit_per_minute: Some(11), ..same.clone() };
    let wider = CreateApiKey { allowed_models: None, ..same.clone() };
    for (command, field) in [(faster, "rate_limit_per_minute"), (wider, "allowed_models")] {
        assert_eq!(refused(&world, &with_narrow, &command).await, (Code::ScopeRequired, Some(field.to_owned())));
    }
}

#[tokio::test]
async fn wrong_limits_are_refused_by_field() {
    let world = World::new();
    let dev = world.signed_in(world.home("acme"), Role::Dev).await;
    let ok = || wanted(&[Scope::Read]);
    let list = |text: &str| Some(vec![text.to_owned()]);
    let cases = [
        (wanted(&[]), "scopes"),
        (CreateApiKey { expires_in_days: Some(0), ..ok() }, "expires_in_days"),
        (CreateApiKey { expires_in_days: Some(366), ..ok() }, "expires_in_days"),
        (CreateApiKey { rate_limit_per_minute: Some(0), ..ok() }, "rate_limit_per_minute"),
        (CreateApiKey { rate_limit_per_minute: Some(100_001), ..ok() }, "rate_limit_per_minute"),
        (CreateApiKey { daily_token_quota: Some(1_000_000_000_001), ..ok() }, "daily_token_quota"),
        (CreateApiKey { ip_allowlist: list("10.0.0.1/8"), ..ok() }, "ip_allowlist[0]"),
        (CreateApiKey { ip_allowlist: Some(vec!["10.0.0.0/8".to_owned(); 65]), ..ok() }, "ip_allowlist"),
        (CreateApiKey { allowed_models: list(""), ..ok() }, "allowed_models[0]"),
        (CreateApiKey { allowed_models: Some(vec!["m".to_owned(); 201]), ..ok() }, "allowed_models"),
        (CreateApiKey { allowed_tools: list("search"), ..ok() }, "allowed_tools[0]"),
        (CreateApiKey { allowed_tools: list("tool:"), ..ok() }, "allowed_tools[0]"),
        (CreateApiKey { allowed_tools: list("tool:http:a b"), ..ok() }, "allowed_tools[0]"),
        (CreateApiKey { allowed_tools: list(&format!("tool:{}", "x".repeat(252))), ..ok() }, "allowed_tools[0]"),
        (CreateApiKey { allowed_tools: Some(vec!["tool:http:a".to_owned(); 501]), ..ok() }, "allowed_tools"),
    ];
    for (command, field) in cases {
        assert_eq!(refused(&world, &dev, &command).await, (Code::Invalid, Some(field.to_owned())));
    }
}

#[tokio::test]
async fn developers_see_their_own_keys_and_owners_all() {
    let world = World::new();
    let home = world.home("acme");
    let (owner, dev, other) = (
        world.signed_in(home, Role::Owner).await,
        world.signed_in(home, Role::Dev).await,
        world.signed_in(home, Role::Dev).await,
    );
    let key = world.identity.create_key(&dev, &wanted(&[Scope::Read])).await.unwrap().shown().unwrap().item;
    assert_eq!(world.identity.list_keys(&owner).await.unwrap().len(), 1);
    assert_eq!(world.identity.list_keys(&other).await.unwrap().len(), 0);
    for outcome in [
        world.identity.find_key(&other, key.id).await.map(|_| ()),
        world.identity.revoke_key(&other, key.id).await.map(|_| ()),
        world.identity.rotate_key(&other, key.id, &RotateApiKey::default()).await.map(|_| ()),
    ] {
        assert_eq!(outcome.unwrap_err().code(), Code::NotFound);
    }
    assert!(world.identity.revoke_key(&owner, key.id).await.is_ok());
}

#[tokio::test]
async fn a_rotated_key_keeps_two_secrets_at_most() {
    let world = World::new();
    let dev = world.signed_in(world.home("acme"), Role::Dev).await;
    let first = world.identity.create_key(&dev, &wanted(&[Scope::Read])).await.unwrap().shown().unwrap();
    let overlap = RotateApiKey { overlap_seconds: 100 };
    let second = world.identity.rotate_key(&dev, first.item.id, &overlap).await.unwrap().shown().unwrap();
    assert_eq!(second.item.id, first.item.id);
    assert!(world.ask(&first.api_key).await.is_ok() && world.ask(&second.api_key).await.is_ok());
    let third = world.identity.rotate_key(&dev, first.item.id, &overlap).await.unwrap().shown().unwrap();
    assert_eq!(world.ask(&first.api_key).await.unwrap_err().code(), Code::CredentialsExpired);
    assert!(world.ask(&second.api_key).await.is_ok());
    world.time.pass(100);
    assert_eq!(world.ask(&second.api_key).await.unwrap_err().code(), Code::CredentialsExpired);
    let fourth =
        world.identity.rotate_key(&dev, first.item.id, &RotateApiKey::default()).await.unwrap().shown().unwrap();
    assert!(world.ask(&third.api_key).await.is_err() && world.ask(&fourth.api_key).await.is_ok());
    let too_long = RotateApiKey { overlap_seconds: 604_801 };
    let refused = world.identity.rotate_key(&dev, first.item.id, &too_long).await.err().unwrap();
    assert_eq!(refused.field(), Some("overlap_seconds"));
}

#[tokio::test]
async fn tightening_is_for_the_keys_owner_and_loosening_for_admins() {
    let world = World::new();
    let home = world.home("acme");
    let (owner, dev) = (world.signed_in(home, Role::Owner).await, world.signed_in(home, Role::Dev).await);
    let key = world.identity.create_key(&dev, &wanted(&[Scope::Read])).await.unwrap().shown().unwrap().item;
    let tighten = UpdateApiKey { rate_limit_per_minute: Some(Some(5)), ..UpdateApiKey::default() };
    let missing = world.identity.update_key(&dev, key.id, None, &tighten).await.unwrap_err();
    assert_eq!(missing.code(), Code::PreconditionRequired);
    let tight = world.identity.update_key(&dev, key.id, Some(1), &tighten).await.unwrap();
    assert_eq!((tight.rate_limit_per_minute, tight.version), (Some(5), 2));
    let stale = world.identity.update_key(&dev, key.id, Some(1), &tighten).await.unwrap_err();
    assert_eq!(stale.code(), Code::PreconditionFailed);
    let lift = UpdateApiKey { rate_limit_per_minute: Some(None), ..UpdateApiKey::default() };
    let code = |ctx: OpContext| {
        let (world, lift) = (&world, &lift);
        async move { world.identity.update_key(&ctx, key.id, Some(2), lift).await.map(|_| ()).map_err(|error| error.code()) }
    };
    assert_eq!(code(dev.clone()).await, Err(Code::RoleRequired));
    assert_eq!(code(owner.clone()).await, Err(Code::StepUpRequired));
    assert_eq!(code(world.elevated(&owner).await).await, Ok(()));
}

#[tokio::test]
async fn a_list_of_tools_is_tightened_by_its_owner_and_given_on_within_itself() {
    let world = World::new();
    let home = world.home("acme");
    let (owner, dev) = (world.signed_in(home, Role::Owner).await, world.signed_in(home, Role::Dev).await);
    let tools = |refs: &[&str]| Some(refs.iter().map(|tool| (*tool).to_owned()).collect::<Vec<String>>());
    let two = CreateApiKey {
        allowed_tools: tools(&["tool:http:b", "tool:http:a", "tool:http:b"]),
        ..wanted(&[Scope::Write])
    };
    let made = world.identity.create_key(&dev, &two).await.unwrap().shown().unwrap();
    assert_eq!(made.item.allowed_tools, tools(&["tool:http:a", "tool:http:b"]));
    let with_key = world.ask(&made.api_key).await.unwrap();
    assert!(kernel::policy::allowlist::check_tool(&with_key, "tool:http:a").is_ok());
    assert!(kernel::policy::allowlist::check_tool(&with_key, "tool:http:c").is_err());
    for wider in [None, tools(&["tool:http:c"])] {
        let command = CreateApiKey { allowed_tools: wider, ..wanted(&[Scope::Write]) };
        assert_eq!(refused(&world, &with_key, &command).await, (Code::ScopeRequired, Some("allowed_tools".to_owned())));
    }
    let change = |list: Option<Vec<String>>| UpdateApiKey { allowed_tools: Some(list), ..UpdateApiKey::default() };
    let none = world.identity.update_key(&dev, made.item.id, Some(1), &change(tools(&[]))).await.unwrap();
    assert_eq!(none.allowed_tools, tools(&[]), "an empty list allows nothing");
    for looser in [tools(&["tool:http:a"]), None] {
        let error = world.identity.update_key(&dev, made.item.id, Some(2), &change(looser.clone())).await.unwrap_err();
        assert_eq!(error.code(), Code::RoleRequired);
        let error = world.identity.update_key(&owner, made.item.id, Some(2), &change(looser)).await.unwrap_err();
        assert_eq!(error.code(), Code::StepUpRequired);
    }
}

#[tokio::test]
async fn a_label_is_added_by_its_owner_and_changed_by_who_may_lift_limits() {
    let world = World::new();
    let home = world.home("acme");
    let (owner, dev) = (world.signed_in(home, Role::Owner).await, world.signed_in(home, Role::Dev).await);
    let labels = |pairs: &[(&str, &str)]| {
        let pairs = pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        UpdateApiKey { labels: Some(pairs.collect()), ..UpdateApiKey::default() }
    };
    let id = world.identity.create_key(&dev, &wanted(&[Scope::Read])).await.unwrap().shown().unwrap().item.id;
    world.identity.update_key(&dev, id, Some(1), &labels(&[("team", "search")])).await.unwrap();
    world.identity.update_key(&dev, id, Some(2), &labels(&[("team", "search"), ("env", "prod")])).await.unwrap();
    for looser in [labels(&[("team", "other"), ("env", "prod")]), labels(&[("env", "prod")]), labels(&[])] {
        let refused = world.identity.update_key(&dev, id, Some(3), &looser).await.unwrap_err();
        assert_eq!(refused.code(), Code::RoleRequired, "budgets bind by labels");
        let refused = world.identity.update_key(&owner, id, Some(3), &looser).await.unwrap_err();
        assert_eq!(refused.code(), Code::StepUpRequired);
    }
}

#[tokio::test]
async fn the_last_use_says_when_and_from_where_and_is_written_once_a_minute() {
    let world = World::new();
    let dev = world.signed_in(world.home("acme"), Role::Dev).await;
    let key = world.identity.create_key(&dev, &wanted(&[Scope::Read])).await.unwrap().shown().unwrap();
    let used = || async { world.identity.find_key(&dev, key.item.id).await.unwrap() };
    assert_eq!((used().await.last_used_at, used().await.last_used_address), (None, None));
    let ask = |address: [u8; 4]| {
        let (world, token) = (&world, key.api_key.clone());
        async move {
            let presented = Presented::Token(SecretString::new(token));
            let place = Place::Workspace { path: None, header: None };
            world.identity.authenticate(&client_at(address), Some(&presented), &place).await.unwrap().now
        }
    };
    let first = ask([198, 51, 100, 7]).await;
    world.time.pass(59);
    ask([198, 51, 100, 8]).await;
    assert_eq!(
        (used().await.last_used_at, used().await.last_used_address),
        (Some(first), Some("198.51.100.7".to_owned()))
    );
    world.time.pass(1);
    let later = ask([198, 51, 100, 9]).await;
    assert_eq!(
        (used().await.last_used_at, used().await.last_used_address),
        (Some(later), Some("198.51.100.9".to_owned()))
    );
}

#[tokio::test]
async fn a_revoked_key_opens_nothing_in_this_process_nor_in_another() {
    let world = World::new();
    let dev = world.signed_in(world.home("acme"), Role::Dev).await;
    let key = world.identity.create_key(&dev, &wanted(&[Scope::Write])).await.unwrap().shown().unwrap();
    let other = world.another();
    let decided = other.ask(&key.api_key).await.unwrap();
    assert!(world.ask(&key.api_key).await.is_ok());

    let revoked = world.identity.revoke_key(&dev, key.item.id).await.unwrap();
    assert_eq!(revoked.status, KeyStatus::Revoked);
    assert_eq!(world.ask(&key.api_key).await.unwrap_err().code(), Code::InvalidCredentials);
    // The other process was told nothing: it still lets the caller in, but what it then starts is refused by the store …
    assert!(other.ask(&key.api_key).await.is_ok());
    let refused = other.identity.reauthenticate(&decided).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidCredentials);
    // … and once it has looked there, it lets nobody in.
    assert_eq!(other.ask(&key.api_key).await.unwrap_err().code(), Code::InvalidCredentials);
    assert!(world.identity.revoke_key(&dev, key.item.id).await.is_ok(), "ending it again changes nothing");
}

#[tokio::test]
async fn a_change_decided_under_old_rules_is_decided_again() {
    let world = World::new();
    let home = world.home("acme");
    let (owner, dev) = (world.signed_in(home, Role::Owner).await, world.signed_in(home, Role::Dev).await);
    let key = world.identity.create_key(&dev, &wanted(&[Scope::Read])).await.unwrap().shown().unwrap();
    world.identity.revoke_key(&owner, key.item.id).await.unwrap();
    // Contexts of before the revocation: the owner still may, a session that has ended may not.
    assert!(world.identity.create_key(&owner, &wanted(&[Scope::Read])).await.is_ok());
    world.identity.log_out(&dev).await.unwrap();
    assert_eq!(refused(&world, &dev, &wanted(&[Scope::Read])).await.0, Code::InvalidCredentials);
}

#[tokio::test]
async fn a_key_with_an_address_list_is_good_there_only() {
    let world = World::new();
    let dev = world.signed_in(world.home("acme"), Role::Dev).await;
    let from = |networks: &[&str]| CreateApiKey {
        ip_allowlist: Some(networks.iter().map(|network| (*network).to_owned()).collect()),
        ..wanted(&[Scope::Read])
    };
    let key = world.identity.create_key(&dev, &from(&["198.51.100.0/24"])).await.unwrap().shown().unwrap();
    let nowhere = world.identity.create_key(&dev, &from(&[])).await.unwrap().shown().unwrap();
    let ask = |client: Client, token: String| {
        let world = &world;
        async move {
            let presented = Presented::Token(SecretString::new(token));
            let place = Place::Workspace { path: None, header: None };
            world
                .identity
                .authenticate(&client, Some(&presented), &place)
                .await
                .map(|_| ())
                .map_err(|turned_away| turned_away.error.code())
        }
    };
    let mapped = Client { address: Some("::ffff:198.51.100.7".parse().unwrap()), ..client_at([0; 4]) };
    assert_eq!(ask(client_at([198, 51, 100, 7]), key.api_key.clone()).await, Ok(()));
    assert_eq!(ask(mapped, key.api_key.clone()).await, Ok(()));
    assert_eq!(ask(client_at([192, 0, 2, 1]), key.api_key.clone()).await, Err(Code::AddressNotAllowed));
    assert_eq!(ask(client_at([198, 51, 100, 7]), nowhere.api_key).await, Err(Code::AddressNotAllowed));
    assert_eq!(ask(client_at([192, 0, 2, 2]), key.api_key).await, Err(Code::AddressNotAllowed));
    let denied: Vec<_> =
        world.audit(dev.scope).into_iter().filter(|audit| audit.event_type == "access.denied").collect();
    assert_eq!(denied.len(), 2, "one row a minute for each key");
    assert_eq!(denied[0].credential_id, Some(key.item.id.to_string()));
    assert_eq!(
        (denied[0].address.as_deref(), &denied[0].payload["code"]),
        (Some("192.0.2.1"), &"address_not_allowed".into())
    );
}
