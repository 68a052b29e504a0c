use std::sync::atomic::Ordering;

use kernel::context::Scope;
use kernel::identity::{Client, FirstStep, digest};
use kernel::ledger::Outcome;
use kernel::record::{Row, User};
use types::identity::{Login, Role, UserStatus};
use types::problem::Code;

use super::world::{PASSWORD, World, client, first_account};

#[tokio::test]
async fn two_processes_that_start_at_once_make_one_first_account() {
    let world = World::new();
    let other = world.another();
    let first = first_account();
    let made = futures::join!(world.identity.bootstrap(&first), other.identity.bootstrap(&first));
    assert_eq!([made.0.unwrap(), made.1.unwrap()].iter().filter(|made| **made).count(), 1);
    assert!(!world.identity.bootstrap(&first_account()).await.unwrap());
    let me = world.login("Admin@Example.com", "changeme123").await.unwrap();
    assert!(me.user.is_operator && me.user.default_password);
    assert_eq!(me.workspaces.len(), 1);
    assert_eq!((me.workspaces[0].role, me.workspace_id), (Role::Owner, Some(me.workspaces[0].id)));
}

#[tokio::test]
async fn a_first_password_of_ones_own_must_be_hard_to_guess() {
    let world = World::new();
    let mut first = first_account();
    first.is_default_password = false;
    let refused = world.identity.bootstrap(&first).await.unwrap_err();
    assert_eq!(refused.code(), Code::WeakPassword);
}

#[tokio::test]
async fn unknown_address_wrong_password_and_no_password_look_alike() {
    let world = World::new();
    let known = world.user("ada@example.com");
    world.put(Row::User(User {
        id: types::id::UserId::from_uuid(types::id::Uuid::max()),
        email: "sso@example.com".to_owned(),
        email_key: "sso@example.com".to_owned(),
        password_hash: None,
        ..known
    }));
    let mut answers = Vec::new();
    for email in ["ada@example.com", "nobody@example.com", "sso@example.com"] {
        let hashes = world.hasher.0.load(Ordering::SeqCst);
        let refused = world.login(email, "wrong").await.unwrap_err();
        assert_eq!(world.hasher.0.load(Ordering::SeqCst), hashes + 1, "{email}");
        answers.push(format!("{:?}", refused.problem()));
    }
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:?}");
    let audit = world.audit(Scope::INSTANCE);
    assert!(audit.iter().all(|row| row.event_type == "auth.failed" && row.outcome == Outcome::Failed));
    assert!(!format!("{audit:?}").contains("@example.com"), "no address in the audit");
}

#[tokio::test]
async fn after_five_failures_an_account_waits_and_nothing_is_hashed() {
    let world = World::new();
    world.user("ada@example.com");
    for _ in 0..5 {
        assert_eq!(world.login("ada@example.com", "wrong").await.unwrap_err().code(), Code::InvalidCredentials);
    }
    let hashes = world.hasher.0.load(Ordering::SeqCst);
    let refused = world.login("ada@example.com", PASSWORD).await.unwrap_err();
    assert_eq!((refused.code(), refused.retry_after()), (Code::LoginThrottled, Some(1)));
    assert_eq!(world.hasher.0.load(Ordering::SeqCst), hashes);
    assert_eq!(world.count(Scope::INSTANCE, "auth.throttled"), 1);

    world.time.pass(1);
    assert!(world.login("ada@example.com", PASSWORD).await.is_ok());
    assert_eq!(world.login("ada@example.com", "wrong").await.unwrap_err().code(), Code::InvalidCredentials);
    assert!(world.login("ada@example.com", PASSWORD).await.is_ok(), "signing in forgave the failures before");
}

#[tokio::test]
async fn strangers_cannot_lock_out_a_browser_that_is_known() {
    let world = World::new();
    world.user("ada@example.com");
    world.user("bob@example.com");
    let command = |email: &str, password: &str| Login { email: email.to_owned(), password: password.to_owned() };
    let right = command("ada@example.com", PASSWORD);
    let FirstStep::SignedIn(signed_in) = world.identity.sign_in(&client(), &right, digest(b"1")).await.unwrap() else {
        panic!("no second factor is asked for");
    };
    let device = signed_in.device;
    for _ in 0..5 {
        assert!(world.login("ada@example.com", "wrong").await.is_err());
    }
    assert_eq!(world.login("ada@example.com", PASSWORD).await.unwrap_err().code(), Code::LoginThrottled);
    let known = Client { device: device.clone(), ..client() };
    assert!(world.identity.sign_in(&known, &right, digest(b"2")).await.is_ok());

    // The mark is good for one account, and its own failures count.
    for _ in 0..5 {
        assert!(world.identity.login(&known, &command("bob@example.com", "wrong")).await.is_err());
        assert!(world.identity.login(&known, &command("ada@example.com", "wrong")).await.is_err());
    }
    assert_eq!(world.login("bob@example.com", PASSWORD).await.unwrap_err().code(), Code::LoginThrottled);
    assert_eq!(world.identity.login(&known, &right).await.unwrap_err().code(), Code::LoginThrottled);
    let forged =
        Client { device: device.map(|mark| mark.replace(|letter: char| letter.is_lowercase(), "A")), ..client() };
    assert_eq!(world.identity.login(&forged, &right).await.unwrap_err().code(), Code::LoginThrottled);
}

#[tokio::test]
async fn an_address_that_tries_many_accounts_waits_too() {
    let world = World::new();
    for number in 0..20 {
        let email = format!("user-{number}@example.com");
        assert_eq!(world.login(&email, "wrong").await.unwrap_err().code(), Code::InvalidCredentials);
    }
    let refused = world.login("user-99@example.com", "wrong").await.unwrap_err();
    assert_eq!((refused.code(), refused.retry_after()), (Code::LoginThrottled, Some(900)));
}

#[tokio::test]
async fn what_is_no_address_or_password_is_refused_before_anything_is_hashed() {
    let world = World::new();
    for (email, password, field) in
        [("a@b@c", "x", "email"), ("a\n@example.com", "x", "email"), ("ada@example.com", &*"x".repeat(129), "password")]
    {
        let refused = world.login(email, password).await.unwrap_err();
        assert_eq!((refused.code(), refused.field()), (Code::Invalid, Some(field)));
    }
    assert_eq!(world.hasher.0.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn the_disabled_are_told_so_only_when_their_password_is_right() {
    let world = World::new();
    let user = world.user("ada@example.com");
    world.put(Row::User(User { status: UserStatus::Disabled, version: 2, ..user }));
    assert_eq!(world.login("ada@example.com", "wrong").await.unwrap_err().code(), Code::InvalidCredentials);
    assert_eq!(world.login("ada@example.com", PASSWORD).await.unwrap_err().code(), Code::SubjectDisabled);
}

#[tokio::test]
async fn an_old_hash_is_strengthened_on_the_way() {
    let world = World::new();
    let user = world.user("ada@example.com");
    world.put(Row::User(User { password_hash: Some(format!("old:{PASSWORD}")), version: 2, ..user }));
    world.login("ada@example.com", PASSWORD).await.unwrap();
    let hashes = world.hasher.0.load(Ordering::SeqCst);
    world.login("ada@example.com", PASSWORD).await.unwrap();
    assert_eq!(world.hasher.0.load(Ordering::SeqCst), hashes + 1, "the second time only compares");
}
