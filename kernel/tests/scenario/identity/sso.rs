//! Signing in with an identity provider.

use kernel::context::Scope;
use kernel::identity::{Finished, Place, Presented, Returned, Started, Unfinished};
use kernel::port::Ids;
use kernel::record::{Digest, Group, Row, SecondFactor, TotpSeed};
use kernel::secret::{Sealed, SecretString};
use kernel::{Error, OpContext};
use serde_json::{Value, json};
use types::id::{GroupId, SsoConnectionId, UserId, Uuid};
use types::identity::{Role, TenantRole};
use types::problem::Code;
use types::sso::{CreateOidcConnection, OidcConnection, SsoMapping, UpdateOidcConnection};
use url::Url;

use super::world::{Home, PASSWORD, World, client};

const ISSUER: &str = "https://idp.example.com";

fn wanted() -> CreateOidcConnection {
    CreateOidcConnection {
        label: "Company".parse().unwrap(),
        issuer: ISSUER.to_owned(),
        client_id: "soit".to_owned(),
        client_secret: Some("s3cret-of-soit".to_owned()),
        scopes: None,
        allowed_domains: vec!["example.com".to_owned()],
        group_claim: None,
        mappings: Vec::new(),
        jit: true,
        jit_role: None,
        workspace_id: None,
        enforced: false,
    }
}

/// A tenant with a connection, and its owner freshly proven.
async fn connected(world: &World, command: &CreateOidcConnection) -> (Home, OpContext, OidcConnection) {
    let home = world.home("acme");
    let owner = world.signed_in(home, Role::Owner).await;
    let owner = world.elevated(&owner).await;
    let made = world.identity.create_sso_connection(&whole(world, &owner).await, command).await;
    (home, owner, made.expect("a connection"))
}

/// The same caller in their tenant as a whole.
async fn whole(world: &World, ctx: &OpContext) -> OpContext {
    world.identity.enter_tenant(ctx, ctx.scope.tenant_id).await.expect("a member of it")
}

/// What stands in the query of an address.
fn query(started: &Started, name: &str) -> String {
    let url = Url::parse(&started.redirect).unwrap();
    url.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value.into_owned()).unwrap_or_default()
}

/// The claims the provider makes for a sign-in.
fn claims(world: &World, started: &Started, subject: &str) -> Value {
    let now = world.time.now_at().timestamp();
    json!({
        "iss": ISSUER, "aud": "soit", "sub": subject, "iat": now, "exp": now + 300, "nonce": query(started, "nonce"),
        "email": format!("{subject}@example.com"), "email_verified": true, "name": "Ada", "sid": format!("sid-{subject}"),
    })
}

fn returned(started: &Started, code: &str) -> Returned {
    Returned {
        state: SecretString::new(query(started, "state")),
        code: Some(SecretString::new(code.to_owned())),
        error: None,
        iss: None,
        cookie: Some(started.cookie.clone()),
    }
}

async fn start(world: &World, id: SsoConnectionId) -> Started {
    world.identity.start_sso(&client(), id, "/w/acme/runs").await.expect("the provider answers")
}

fn cookie(world: &World) -> Digest {
    let mut token = [0; 32];
    world.time.random(&mut token);
    Digest(token)
}

async fn finish(
    world: &World,
    ctx: Option<&OpContext>,
    id: SsoConnectionId,
    returned: Returned,
) -> Result<Finished, Unfinished> {
    world.identity.finish_sso(&client(), ctx, id, returned, cookie(world)).await
}

/// Signs somebody in whom the provider knows, with further claims; what their session is found by.
async fn enter(world: &World, id: SsoConnectionId, subject: &str, more: Value) -> Result<Digest, Error> {
    let started = start(world, id).await;
    let mut said = claims(world, &started, subject);
    for (name, value) in more.as_object().unwrap() {
        said[name] = value.clone();
    }
    let code = format!("code-{}", query(&started, "state"));
    world.provider.answer(&code, said);
    let cookie = cookie(world);
    match world.identity.finish_sso(&client(), None, id, returned(&started, &code), cookie).await {
        Ok(Finished::SignedIn(_, next)) => {
            assert_eq!(next, "/w/acme/runs");
            Ok(cookie)
        }
        Ok(Finished::Linked(_) | Finished::Proven(..)) => panic!("somebody was to come in"),
        Err(unfinished) => Err(unfinished.error),
    }
}

fn reason(error: &Error) -> (Code, &'static str) {
    (error.code(), error.reason().unwrap_or_default())
}

/// The person a session belongs to.
fn person(world: &World, session: Digest) -> UserId {
    world.session(session).user_id
}

fn role(world: &World, home: Home, user_id: UserId) -> Option<Role> {
    world.role(home, user_id)
}

#[tokio::test]
async fn who_comes_first_is_a_viewer_and_comes_back_as_the_same() {
    let world = World::new();
    let (home, _, connection) = connected(&world, &wanted()).await;
    let first = enter(&world, connection.id, "ada", json!({})).await.expect("somebody new");
    let ada = person(&world, first);
    assert_eq!(role(&world, home, ada), Some(Role::Viewer));
    let again = enter(&world, connection.id, "ada", json!({ "email": "new@example.com" })).await.expect("the same");
    assert_eq!(person(&world, again), ada, "issuer and subject say who it is, not the address");
    let other = enter(&world, connection.id, "ben", json!({})).await.expect("somebody else");
    assert_ne!(person(&world, other), ada);
    for (event, times) in
        [("auth.login", 3), ("sso.account_created", 2), ("sso.connection_created", 0), ("sso.failed", 0)]
    {
        assert_eq!(world.count(home.scope, event), times + usize::from(event == "auth.login"), "{event}");
    }
    let whole = Scope::of_tenant(home.scope.tenant_id);
    assert_eq!(world.count(whole, "sso.connection_created"), 1, "the tenant has a chain of its own");
    let written = format!("{:?} {:?}", world.audit(home.scope), world.audit(whole));
    assert!(!written.contains("s3cret") && !written.contains("code-"), "no secret and no code is recorded");
}

#[tokio::test]
async fn who_may_not_come_in_is_told_why() {
    let world = World::new();
    let (home, owner, connection) = connected(&world, &wanted()).await;
    let known = world.user("known@example.com");
    world.join(home, known.id, Role::Dev);
    for (subject, more, expected) in [
        ("a", json!({ "email_verified": false }), "email_unverified"),
        ("b", json!({ "email_verified": null }), "email_unverified"),
        ("c", json!({ "email": "c@other.com" }), "domain_not_allowed"),
        ("d", json!({ "email": "d@sub.example.com" }), "domain_not_allowed"),
        ("e", json!({ "email": null }), "no_email"),
        ("known", json!({}), "email_taken"),
    ] {
        let refused = enter(&world, connection.id, subject, more).await.expect_err(subject);
        assert_eq!(reason(&refused), (Code::SsoRefused, expected), "{subject}");
    }
    assert_eq!(world.count(Scope::of_tenant(home.scope.tenant_id), "sso.failed"), 6);
    let off = UpdateOidcConnection { jit: Some(false), ..UpdateOidcConnection::default() };
    let owner = whole(&world, &owner).await;
    world.identity.update_sso_connection(&owner, connection.id, Some(1), &off).await.expect("a change");
    let refused = enter(&world, connection.id, "f", json!({})).await.expect_err("nobody new");
    assert_eq!(reason(&refused), (Code::SsoRefused, "no_account"));
}

#[tokio::test]
async fn what_comes_back_counts_once_in_the_browser_that_started_it_and_not_for_long() {
    let world = World::new();
    let (_, _, connection) = connected(&world, &wanted()).await;
    let (one, two) = (start(&world, connection.id).await, start(&world, connection.id).await);
    assert_eq!(query(&one, "code_challenge_method"), "S256");
    assert_eq!(query(&one, "redirect_uri"), format!("https://soit.test/auth/oidc/{}/callback", connection.id));
    assert_eq!((query(&one, "tenant").as_str(), query(&one, "scope").as_str()), ("1", "openid email profile"));
    world.provider.answer("c1", claims(&world, &one, "ada"));
    world.provider.answer("c2", claims(&world, &two, "ada"));
    let state = |error: Unfinished| reason(&error.error);
    let without = Returned { cookie: None, ..returned(&one, "c1") };
    let crossed = Returned { cookie: Some(two.cookie.clone()), ..returned(&one, "c1") };
    for strange in [without, crossed] {
        let refused = finish(&world, None, connection.id, strange).await.expect_err("another browser");
        assert_eq!(state(refused), (Code::SsoFailed, "state"));
    }
    finish(&world, None, connection.id, returned(&two, "c2")).await.expect("two tabs at once");
    finish(&world, None, connection.id, returned(&one, "c1")).await.expect("and the other one");
    let replayed = finish(&world, None, connection.id, returned(&one, "c1")).await.expect_err("a code counts once");
    assert_eq!(state(replayed), (Code::SsoFailed, "code"));
    let mixed = Returned { iss: Some("https://evil.example.com".to_owned()), ..returned(&two, "c2") };
    assert_eq!(
        state(finish(&world, None, connection.id, mixed).await.expect_err("a mix-up")),
        (Code::SsoFailed, "issuer")
    );
    let denied = Returned { code: None, error: Some("access_denied".to_owned()), ..returned(&two, "c2") };
    let denied = finish(&world, None, connection.id, denied).await.expect_err("the person said no");
    assert!(denied.error.detail().contains("access_denied") && denied.next == "/w/acme/runs");
    let late = start(&world, connection.id).await;
    world.provider.answer("c3", claims(&world, &late, "ada"));
    world.time.pass(600);
    let late = finish(&world, None, connection.id, returned(&late, "c3")).await.expect_err("ten minutes are over");
    assert_eq!(state(late), (Code::SsoFailed, "state"));
}

#[tokio::test]
async fn a_token_for_another_sign_in_is_not_believed() {
    let world = World::new();
    let (_, _, connection) = connected(&world, &wanted()).await;
    for (more, expected) in [
        (json!({ "nonce": "other" }), "nonce"),
        (json!({ "iss": "https://evil.example.com" }), "issuer"),
        (json!({ "aud": "other" }), "audience"),
        (json!({ "exp": 1 }), "expired"),
    ] {
        let refused = enter(&world, connection.id, "ada", more).await.expect_err(expected);
        assert_eq!(reason(&refused), (Code::SsoFailed, expected));
    }
}

#[tokio::test]
async fn keys_are_kept_and_looked_for_once_a_minute() {
    let world = World::new();
    let (_, _, connection) = connected(&world, &wanted()).await;
    enter(&world, connection.id, "ada", json!({})).await.expect("the first key");
    enter(&world, connection.id, "ada", json!({})).await.expect("the first key");
    assert_eq!(world.provider.key_reads(), 1);
    world.provider.rotate("k2");
    let refused = enter(&world, connection.id, "ada", json!({})).await.expect_err("the keys were just read");
    assert_eq!(reason(&refused), (Code::SsoFailed, "key"));
    world.time.pass(60);
    enter(&world, connection.id, "ada", json!({})).await.expect("the second key");
    assert_eq!(world.provider.key_reads(), 2);
    world.time.pass(3600);
    enter(&world, connection.id, "ada", json!({})).await.expect("read anew after an hour");
    assert_eq!(world.provider.key_reads(), 3);
}

#[tokio::test]
async fn a_provider_that_is_down_is_told_and_passwords_live_on() {
    let world = World::new();
    let (home, _, connection) = connected(&world, &wanted()).await;
    let started = start(&world, connection.id).await;
    world.provider.answer("c", claims(&world, &started, "ada"));
    world.provider.set_down(true);
    let down = finish(&world, None, connection.id, returned(&started, "c")).await.expect_err("it is down");
    assert_eq!(down.error.code(), Code::SsoUnavailable);
    assert!(down.error.retry_after().is_some());
    world.time.pass(7200);
    let down = world.identity.start_sso(&client(), connection.id, "/").await.expect_err("it is down");
    assert_eq!(down.code(), Code::SsoUnavailable);
    world.signed_in(home, Role::Dev).await;
}

#[tokio::test]
async fn roles_follow_the_groups_at_each_sign_in_and_make_no_owner() {
    let world = World::new();
    let to = |group: &str, role| SsoMapping {
        group: group.to_owned(),
        role: Some(role),
        workspace_id: None,
        group_id: None,
    };
    let command = CreateOidcConnection {
        group_claim: Some("groups".to_owned()),
        mappings: vec![to("devs", Role::Dev), to("admins", Role::Admin)],
        ..wanted()
    };
    let (home, owner, connection) = connected(&world, &command).await;
    let mut ada = None;
    for (groups, expected) in [
        (json!(["devs"]), Role::Dev),
        (json!(["devs", "admins"]), Role::Admin),
        (json!(["admins"]), Role::Admin),
        (json!([]), Role::Viewer),
        (json!("devs"), Role::Dev),
    ] {
        let signed_in = enter(&world, connection.id, "ada", json!({ "groups": groups })).await.expect("she signs in");
        let id = person(&world, signed_in);
        assert_eq!(*ada.get_or_insert(id), id);
        assert_eq!(role(&world, home, id), Some(expected), "{groups}");
    }
    let owners = CreateOidcConnection { mappings: vec![to("kings", Role::Owner)], ..command };
    let refused = world.identity.create_sso_connection(&whole(&world, &owner).await, &owners).await;
    assert_eq!(refused.expect_err("no owners").field(), Some("mappings[0].role"));
}

#[tokio::test]
async fn places_in_groups_come_and_go_with_the_groups_of_the_provider() {
    let world = World::new();
    let (home, owner, connection) = connected(&world, &wanted()).await;
    let group_id = GroupId::from_uuid(Uuid::from_u128(77));
    let group = Group {
        id: group_id,
        scope: home.scope,
        name: "Team".parse().unwrap(),
        name_key: "team".to_owned(),
        created_at: world.time.now_at(),
        deleted_at: None,
        version: 1,
    };
    world.put(Row::Group(group));
    let joins = SsoMapping { group: "team".to_owned(), role: None, workspace_id: None, group_id: Some(group_id) };
    let change = UpdateOidcConnection {
        group_claim: Some(Some("groups".to_owned())),
        mappings: Some(vec![joins]),
        ..UpdateOidcConnection::default()
    };
    let boss = whole(&world, &owner).await;
    world.identity.update_sso_connection(&boss, connection.id, Some(1), &change).await.expect("a change");
    let members = async || {
        let groups = world.identity.list_groups(&owner).await.expect("the groups");
        groups[0].members.len()
    };
    enter(&world, connection.id, "ada", json!({ "groups": ["team"] })).await.expect("she signs in");
    assert_eq!(members().await, 1);
    enter(&world, connection.id, "ada", json!({ "groups": [] })).await.expect("she signs in");
    assert_eq!(members().await, 0);
}

/// Starts linking in a session, from the page that knows how.
async fn start_link(world: &World, ctx: &OpContext, id: SsoConnectionId) -> Result<Started, Error> {
    let links = world.identity.list_sso_links(ctx).await.expect("the links");
    let offer = links.offers.iter().find(|offer| offer.id == id).expect("an offer");
    let proof = offer.link_url.split_once("link=").expect("a proof").1.to_owned();
    world.identity.start_sso_link(&client(), ctx, id, &proof, "/w/acme/runs").await
}

#[tokio::test]
async fn only_its_owner_links_an_account_signed_in_and_freshly_proven() {
    let world = World::new();
    let off = CreateOidcConnection { jit: false, ..wanted() };
    let (home, _, connection) = connected(&world, &off).await;
    let dev = world.signed_in(home, Role::Dev).await;
    let refused = start_link(&world, &dev, connection.id).await.expect_err("no fresh proof");
    assert_eq!(refused.code(), Code::StepUpRequired);
    let dev = world.elevated(&dev).await;
    let made_up = world.identity.start_sso_link(&client(), &dev, connection.id, &"0".repeat(64), "/").await;
    assert_eq!(made_up.expect_err("not from the page").code(), Code::CsrfFailed);

    let started = start_link(&world, &dev, connection.id).await.expect("a start");
    world.provider.answer("c1", claims(&world, &started, "ada"));
    let other = world.signed_in(home, Role::Dev).await;
    let other = world.elevated(&other).await;
    for strange in [None, Some(&other)] {
        let refused =
            finish(&world, strange, connection.id, returned(&started, "c1")).await.expect_err("another session");
        assert_eq!((reason(&refused.error), refused.is_signed_in), ((Code::SsoFailed, "state"), true));
        world.provider.answer("c1", claims(&world, &started, "ada"));
    }
    let linked = finish(&world, Some(&dev), connection.id, returned(&started, "c1")).await.expect("linked");
    assert!(matches!(linked, Finished::Linked(next) if next == "/w/acme/runs"));
    let signed_in = enter(&world, connection.id, "ada", json!({ "email_verified": false })).await.expect("by the link");
    assert_eq!(Some(person(&world, signed_in)), dev.user_id);

    let started = start_link(&world, &other, connection.id).await.expect("a start");
    world.provider.answer("c2", claims(&world, &started, "ada"));
    let taken = finish(&world, Some(&other), connection.id, returned(&started, "c2")).await.expect_err("hers already");
    assert_eq!(reason(&taken.error), (Code::SsoRefused, "linked_elsewhere"));

    let dev = world.identity.reauthenticate(&dev).await.expect("still signed in");
    let links = world.identity.list_sso_links(&dev).await.expect("the links").items;
    world.identity.unlink_sso(&dev, links[0].id).await.expect("taken away");
    let refused = enter(&world, connection.id, "ada", json!({})).await.expect_err("nobody's any more");
    assert_eq!(reason(&refused), (Code::SsoRefused, "no_account"));
}

#[tokio::test]
async fn who_has_no_password_proves_themselves_again_at_the_provider() {
    let world = World::new();
    let (_, owner, connection) = connected(&world, &wanted()).await;
    let of = async |cookie: Digest| {
        let cookie = Presented::Cookie(cookie);
        world.identity.authenticate(&client(), Some(&cookie), &Place::Person { header: None }).await.expect("let in")
    };
    let ada = of(enter(&world, connection.id, "ada", json!({})).await.expect("somebody new")).await;
    let ben = of(enter(&world, connection.id, "ben", json!({})).await.expect("somebody new")).await;
    let refused = start_link(&world, &ada, connection.id).await.expect_err("no fresh proof");
    assert_eq!(reason(&refused), (Code::StepUpRequired, "identity_provider"));
    let ask = async |ctx: &OpContext| world.identity.start_sso_step_up(&client(), ctx, "/w/acme/runs").await;
    let unlinked = ask(&owner).await.expect_err("she signs in with a password");
    assert_eq!(reason(&unlinked), (Code::SsoRefused, "no_account"));

    let started = ask(&ada).await.expect("the provider answers");
    assert_eq!((query(&started, "prompt").as_str(), query(&started, "max_age").as_str()), ("login", "0"));
    let now = world.time.now_at().timestamp();
    let fresh = json!({ "auth_time": now });
    for (subject, ctx, more, expected) in [
        ("ada", Some(&ada), json!({}), (Code::SsoFailed, "auth_time")),
        ("ada", Some(&ada), json!({ "auth_time": now - 61 }), (Code::SsoFailed, "auth_time")),
        ("ben", Some(&ada), fresh.clone(), (Code::SsoRefused, "other_account")),
        ("ada", Some(&ben), fresh.clone(), (Code::SsoFailed, "state")),
        ("ada", None, fresh.clone(), (Code::SsoFailed, "state")),
    ] {
        let mut said = claims(&world, &started, subject);
        more.as_object().unwrap().iter().for_each(|(name, value)| said[name] = value.clone());
        world.provider.answer("c", said);
        let refused = finish(&world, ctx, connection.id, returned(&started, "c")).await.expect_err("no proof");
        assert_eq!((reason(&refused.error), refused.is_signed_in), (expected, true), "{more}");
        assert!(!world.identity.reauthenticate(&ada).await.expect("still signed in").is_elevated());
    }
    let mut said = claims(&world, &started, "ada");
    said["auth_time"] = json!(now);
    world.provider.answer("c", said);
    let cookie = cookie(&world);
    let proven = world.identity.finish_sso(&client(), Some(&ada), connection.id, returned(&started, "c"), cookie).await;
    assert!(matches!(proven, Ok(Finished::Proven(_, next)) if next == "/w/acme/runs"));
    let ada = of(cookie).await;
    start_link(&world, &ada, connection.id).await.expect("freshly proven, under the session's new cookie");
    let step_ups: Vec<_> = world.audit(ada.scope).into_iter().filter(|audit| audit.event_type == "step_up").collect();
    assert!(step_ups.iter().any(|audit| audit.payload["method"] == "sso"), "{step_ups:?}");
    world.time.pass(600);
    assert!(!of(cookie).await.is_elevated(), "ten minutes are over");
}

/// A second factor that counts.
fn with_second_factor(world: &World, user_id: UserId) {
    let sealed = Sealed { key_id: "fake".to_owned(), nonce: vec![1], ciphertext: b"JBSWY3DPEHPK3PXP".to_vec() };
    world.put(Row::SecondFactor(SecondFactor {
        user_id,
        active: Some((TotpSeed { number: 1, sealed }, world.time.now_at())),
        pending: None,
        seeds: 1,
        last_step: 0,
        recovery: Vec::new(),
        version: 1,
    }));
}

#[tokio::test]
async fn an_enforced_provider_turns_passwords_away_but_those_of_owners_with_a_second_factor() {
    let world = World::new();
    let (home, owner, connection) = connected(&world, &wanted()).await;
    let owner = whole(&world, &owner).await;
    let enforce = UpdateOidcConnection { enforced: Some(true), ..UpdateOidcConnection::default() };
    let early = world.identity.update_sso_connection(&owner, connection.id, Some(1), &enforce).await;
    assert_eq!(early.expect_err("everybody would be locked out").field(), Some("enforced"));
    with_second_factor(&world, owner.user_id.unwrap());
    world.identity.update_sso_connection(&owner, connection.id, Some(1), &enforce).await.expect("enforced");

    for (email, tenant_role, role) in
        [("dev@example.com", TenantRole::Member, Role::Dev), ("admin@example.com", TenantRole::Owner, Role::Owner)]
    {
        let user = world.user(email);
        world.join(home, user.id, role);
        assert_eq!(world.tenant_role(home, user.id), Some(tenant_role));
        let wrong = world.first_step(email, "not the password 1").await.expect_err("the password is wrong");
        assert_eq!(wrong.code(), Code::InvalidCredentials, "nothing is told before the password is right");
        assert_eq!(world.login(email, PASSWORD).await.expect_err("turned away").code(), Code::SsoRequired);
        if tenant_role == TenantRole::Owner {
            with_second_factor(&world, user.id);
            assert!(world.first_step(email, PASSWORD).await.is_ok(), "and is asked for a code");
        }
    }
    let stranger = world.home("elsewhere");
    world.signed_in(stranger, Role::Dev).await;
    assert_eq!((world.count(home.scope, "sso.required"), world.count(home.scope, "sso.bypassed")), (2, 1));
    enter(&world, connection.id, "ada", json!({})).await.expect("with the provider they come in");
}

#[tokio::test]
async fn a_provider_ends_its_sessions_with_one_word_each() {
    let world = World::new();
    let (home, _, connection) = connected(&world, &wanted()).await;
    let sessions = [
        enter(&world, connection.id, "ada", json!({ "sid": "s1" })).await.expect("a session"),
        enter(&world, connection.id, "ada", json!({ "sid": "s2" })).await.expect("a session"),
        enter(&world, connection.id, "ben", json!({ "sid": "s3" })).await.expect("a session"),
    ];
    let live = || sessions.iter().filter(|opened| world.session(**opened).ended_at.is_none()).count();
    let now = world.time.now_at().timestamp();
    let word = |more: Value| {
        let mut said = json!({
            "iss": ISSUER, "aud": "soit", "iat": now, "jti": "j1",
            "events": { "http://schemas.openid.net/event/backchannel-logout": {} },
        });
        more.as_object().unwrap().iter().for_each(|(name, value)| said[name] = value.clone());
        world.provider.sign(&said)
    };
    let tell = async |token: SecretString| world.identity.end_sso_sessions(&client(), connection.id, token).await;
    for wrong in [
        json!({ "sub": "ada", "nonce": "n" }),
        json!({ "sub": "ada", "events": {} }),
        json!({ "sub": "ada", "aud": "other" }),
        json!({ "sub": "ada", "iat": now - 3600 }),
        json!({}),
    ] {
        assert_eq!(tell(word(wrong.clone())).await.expect_err("no word").code(), Code::SsoFailed, "{wrong}");
    }
    assert_eq!(live(), 3);
    tell(word(json!({ "sub": "ada", "sid": "s1" }))).await.expect("one session");
    assert_eq!(live(), 2);
    let again = tell(word(json!({ "sub": "ada", "sid": "s1" }))).await.expect_err("told before");
    assert_eq!(reason(&again), (Code::SsoFailed, "jti"));
    tell(word(json!({ "jti": "j2", "sub": "ada" }))).await.expect("all of somebody");
    assert_eq!(live(), 1);
    tell(word(json!({ "jti": "j3", "sub": "nobody" }))).await.expect("nobody here");
    tell(word(json!({ "jti": "j4", "sid": "s3" }))).await.expect("by the provider's session alone");
    assert_eq!((live(), world.count(Scope::of_tenant(home.scope.tenant_id), "sso.logout")), (0, 3));
}

#[tokio::test]
async fn whoever_was_switched_off_or_removed_stays_out() {
    let world = World::new();
    let (home, owner, connection) = connected(&world, &wanted()).await;
    let signed_in = enter(&world, connection.id, "ada", json!({})).await.expect("a session");
    let ada = person(&world, signed_in);
    let owner = world.identity.reauthenticate(&owner).await.expect("still signed in");
    world.identity.remove_member(&owner, ada).await.expect("removed");
    enter(&world, connection.id, "ada", json!({})).await.expect("she belongs to the tenant still");
    assert_eq!(role(&world, home, ada), None, "but a provider brings nobody back into a workspace");
    let off =
        kernel::record::User { status: types::identity::UserStatus::Disabled, version: 2, ..world.find_user(ada) };
    world.put(Row::User(off));
    let refused = enter(&world, connection.id, "ada", json!({})).await.expect_err("switched off");
    assert_eq!(refused.code(), Code::SubjectDisabled);
}

#[tokio::test]
async fn connections_are_set_up_by_owners_and_admins_of_their_tenant_alone() {
    let world = World::new();
    let (home, owner, connection) = connected(&world, &wanted()).await;
    let tenant_id = home.scope.tenant_id;
    let elsewhere = world.home("elsewhere");
    let stranger = world.signed_in(elsewhere, Role::Owner).await;
    let stranger = world.elevated(&stranger).await;
    let dev = world.signed_in(home, Role::Dev).await;
    let dev = world.elevated(&dev).await;
    let fresh = world.signed_in(home, Role::Owner).await;
    for (ctx, expected) in [(&stranger, Code::NotFound), (&dev, Code::RoleRequired), (&fresh, Code::StepUpRequired)] {
        let here = match world.identity.enter_tenant(ctx, tenant_id).await {
            Ok(here) => here,
            Err(refused) => {
                assert_eq!(refused.code(), expected, "no place there");
                continue;
            }
        };
        let listed = world.identity.list_sso_connections(&here).await.expect_err("refused");
        let made = world.identity.create_sso_connection(&here, &wanted()).await.expect_err("refused");
        let deleted = world.identity.delete_sso_connection(&here, connection.id).await.expect_err("refused");
        assert_eq!([listed.code(), made.code(), deleted.code()], [expected; 3]);
    }
    let foreign = world.identity.find_sso_connection(&whole(&world, &stranger).await, connection.id).await;
    assert_eq!(foreign.expect_err("another tenant's").code(), Code::NotFound);
    let owner = whole(&world, &owner).await;
    for _ in 0..4 {
        world.identity.create_sso_connection(&owner, &wanted()).await.expect("one more");
    }
    let sixth = world.identity.create_sso_connection(&owner, &wanted()).await;
    assert_eq!(sixth.expect_err("one too many").code(), Code::QuotaExceeded);
    let same = UpdateOidcConnection::default();
    let stale = world.identity.update_sso_connection(&owner, connection.id, Some(9), &same);
    assert_eq!(stale.await.expect_err("another version").code(), Code::PreconditionFailed);
    let moved =
        UpdateOidcConnection { issuer: Some("https://evil.example.com".to_owned()), ..UpdateOidcConnection::default() };
    let moved = world.identity.update_sso_connection(&owner, connection.id, Some(1), &moved).await;
    assert_eq!(moved.expect_err("the secret would go along").field(), Some("client_secret"));
    world.identity.delete_sso_connection(&owner, connection.id).await.expect("deleted");
    let gone = world.identity.start_sso(&client(), connection.id, "/").await.expect_err("nobody signs in by it");
    assert_eq!(gone.code(), Code::NotFound);
}

#[tokio::test]
async fn every_wrong_field_of_a_connection_is_named() {
    let world = World::new();
    let (_, owner, _) = connected(&world, &wanted()).await;
    let wrong = |group: &str| SsoMapping { group: group.to_owned(), role: None, workspace_id: None, group_id: None };
    let command = CreateOidcConnection {
        issuer: "http://93.184.215.14/x?y=1".to_owned(),
        client_id: String::new(),
        client_secret: Some("a b".to_owned()),
        scopes: Some(vec!["email".to_owned(), "a\"b".to_owned()]),
        allowed_domains: vec!["example.com".to_owned(), "a@b".to_owned()],
        mappings: vec![wrong("g")],
        jit_role: Some(Role::Owner),
        ..wanted()
    };
    let refused =
        world.identity.create_sso_connection(&whole(&world, &owner).await, &command).await.expect_err("wrong");
    let fields: Vec<String> = refused.problem().errors.into_iter().map(|error| error.field).collect();
    for field in [
        "issuer",
        "client_id",
        "client_secret",
        "scopes[1]",
        "allowed_domains[1]",
        "jit_role",
        "group_claim",
        "mappings[0].role",
    ] {
        assert!(fields.iter().any(|named| named == field), "{field}: {fields:?}");
    }
}

#[tokio::test]
async fn a_session_of_a_provider_is_let_in_where_a_second_factor_is_asked_for() {
    let world = World::new();
    let (home, _, connection) = connected(&world, &wanted()).await;
    world.ask_second_factor(home);
    let signed_in = enter(&world, connection.id, "ada", json!({})).await.expect("a session");
    let cookie = Presented::Cookie(signed_in);
    let place = Place::Workspace { path: None, header: None };
    let ctx = world.identity.authenticate(&client(), Some(&cookie), &place).await.expect("let in");
    assert_eq!(ctx.role, Some(Role::Viewer));
}

#[tokio::test]
async fn a_provider_vouches_for_nobody_in_another_tenant_and_never_for_who_runs_the_instance() {
    let world = World::new();
    let (_, _, connection) = connected(&world, &wanted()).await;
    let signed_in = enter(&world, connection.id, "ada", json!({})).await.expect("a session");
    let cookie = Presented::Cookie(signed_in);
    let own = Place::Workspace { path: None, header: None };
    let ctx = world.identity.authenticate(&client(), Some(&cookie), &own).await.expect("let in");
    assert!(!ctx.is_operator);
    // The same person, in a tenant that never heard of that provider and asks for a second factor.
    let other = world.home("other");
    world.join(other, ctx.user_id.expect("a person"), Role::Owner);
    world.ask_second_factor(other);
    let again = Presented::Cookie(enter(&world, connection.id, "ada", json!({})).await.expect("a session"));
    let there = Place::Workspace { path: Some(other.scope.workspace_id), header: None };
    let refused = world.identity.authenticate(&client(), Some(&again), &there).await.expect_err("no second factor");
    assert_eq!(refused.error.code(), Code::MfaRequired);
}
