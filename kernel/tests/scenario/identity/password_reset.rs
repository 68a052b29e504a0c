//! A forgotten password.

use kernel::context::Scope;
use kernel::port::{Letter, MailError};
use kernel::record::{Row, User};
use types::account::{Language, RequestPasswordReset, ResetPassword};
use types::identity::{ChangePassword, Role, UserStatus};
use types::problem::Code;

use super::world::{PASSWORD, World, client, client_at};

const NEW: &str = "lantern orchid gravel 42";

pub(super) fn token(letter: &Letter) -> String {
    let (_, token) = letter.text.split_once('#').expect("a link");
    token.split_whitespace().next().expect("a token").to_owned()
}

async fn ask(world: &World, email: &str) -> Result<(), Code> {
    let command = RequestPasswordReset { email: email.to_owned() };
    let asked = world.identity.request_password_reset(&client(), Language::English, &command).await;
    asked.map_err(|error| error.code())
}

async fn reset(world: &World, token: &str, password: &str) -> Result<(), Code> {
    let command = ResetPassword { token: token.to_owned(), password: password.to_owned() };
    world.identity.reset_password(&client(), &command).await.map_err(|error| error.code())
}

#[tokio::test]
async fn a_link_sets_a_new_password_once_and_ends_every_session() {
    let (world, mailer) = World::with_mail();
    let home = world.home("acme");
    let user = world.user("ada@example.com");
    world.join(home, user.id, Role::Owner);
    let session = world.login("ada@example.com", PASSWORD).await.unwrap();
    assert_eq!(ask(&world, "Ada@Example.com").await, Ok(()));
    assert!(mailer.sent().is_empty(), "the request itself sends nothing");
    assert!(world.deliver().await.is_empty());
    let letters = mailer.sent();
    let [letter] = letters.as_slice() else { panic!("one mail: {letters:?}") };
    assert_eq!((letter.to.as_str(), letter.subject.as_str()), ("ada@example.com", "Set a new password for soit"));
    let token = token(letter);
    assert!(letter.text.contains(&format!("https://soit.test/reset-password#{token}")));
    assert_eq!(reset(&world, &token, "password1234").await, Err(Code::WeakPassword));
    assert_eq!(reset(&world, &token, NEW).await, Ok(()));
    assert_eq!(reset(&world, &token, NEW).await, Err(Code::LinkExpired), "once");
    let over = world.ask(&session.access_token).await.expect_err("ended");
    assert_eq!(over.code(), Code::InvalidCredentials);
    assert!(world.login("ada@example.com", PASSWORD).await.is_err());
    world.login("ada@example.com", NEW).await.expect("the new password");
    for event in ["password.reset_requested", "password.reset", "session.revoked"] {
        assert_eq!(world.count(home.scope, event), 1, "{event}");
    }
    for audit in world.audit(home.scope) {
        assert!(!format!("{audit:?}").contains("ada@example.com") && !format!("{audit:?}").contains(&token));
    }
}

#[tokio::test]
async fn an_address_without_an_account_writes_as_much_and_gets_no_mail() {
    let (world, mailer) = World::with_mail();
    let home = world.home("acme");
    let user = world.user("ada@example.com");
    world.join(home, user.id, Role::Owner);
    let gone = world.user("gone@example.com");
    world.put(Row::User(User { status: UserStatus::Disabled, version: 2, ..gone }));
    let before = (world.queries(), world.hasher.0.load(std::sync::atomic::Ordering::SeqCst));
    for email in ["ada@example.com", "nobody@example.com", "gone@example.com"] {
        let asked = world.queries();
        assert_eq!(ask(&world, email).await, Ok(()), "{email}");
        assert_eq!(world.queries() - asked, 3, "{email}: the same reads");
    }
    assert_eq!(before.1, world.hasher.0.load(std::sync::atomic::Ordering::SeqCst), "nothing is hashed");
    assert_eq!(world.count(home.scope, "password.reset_requested"), 1);
    assert_eq!(world.count(Scope::INSTANCE, "password.reset_requested"), 2);
    let events = |scope| world.fake().events(scope).len();
    assert_eq!((events(home.scope), events(Scope::INSTANCE)), (1, 2), "each has its event");
    assert!(world.deliver().await.is_empty());
    assert_eq!(mailer.sent().iter().map(|letter| letter.to.clone()).collect::<Vec<_>>(), ["ada@example.com"]);
    assert_eq!(ask(&world, "no address").await, Err(Code::Invalid));
    assert_eq!(ask(&world, "ada@example.com\r\nBcc: eve@example.com").await, Err(Code::Invalid));
}

#[tokio::test]
async fn an_address_gets_three_mails_an_hour_and_nobody_is_told() {
    let (world, mailer) = World::with_mail();
    world.user("ada@example.com");
    for _ in 0..5 {
        assert_eq!(ask(&world, "ada@example.com").await, Ok(()));
        world.deliver().await;
    }
    assert_eq!(mailer.sent().len(), 3);
    world.time.pass(3599);
    assert_eq!(ask(&world, "ada@example.com").await, Ok(()));
    world.deliver().await;
    assert_eq!(mailer.sent().len(), 3);
    world.time.pass(1);
    assert_eq!(ask(&world, "ada@example.com").await, Ok(()));
    world.deliver().await;
    assert_eq!(mailer.sent().len(), 4);
}

#[tokio::test]
async fn one_client_cannot_write_to_everybody() {
    let (world, mailer) = World::with_mail();
    for number in 0..25 {
        let email = format!("user{number}@example.com");
        world.user(&email);
        assert_eq!(ask(&world, &email).await, Ok(()));
    }
    world.deliver().await;
    assert_eq!(mailer.sent().len(), 20);
    let command = RequestPasswordReset { email: "user24@example.com".to_owned() };
    let elsewhere = client_at([198, 51, 100, 7]);
    world.identity.request_password_reset(&elsewhere, Language::Chinese, &command).await.unwrap();
    world.deliver().await;
    let last = mailer.sent().pop().expect("another one");
    assert_eq!((last.to.as_str(), last.subject.as_str()), ("user24@example.com", "设置新的 soit 密码"));
}

#[tokio::test]
async fn only_the_newest_link_is_good_and_only_for_its_time() {
    let (world, mailer) = World::with_mail();
    world.user("ada@example.com");
    ask(&world, "ada@example.com").await.unwrap();
    world.deliver().await;
    world.time.pass(60);
    ask(&world, "ada@example.com").await.unwrap();
    world.deliver().await;
    let tokens: Vec<String> = mailer.sent().iter().map(token).collect();
    assert_eq!(reset(&world, &tokens[0], NEW).await, Err(Code::LinkExpired), "superseded");
    world.time.pass(30 * 60);
    assert_eq!(reset(&world, &tokens[1], NEW).await, Err(Code::LinkExpired), "its time is over");
    for made_up in ["", "sl_x", &tokens[1].replace("sl_", "si_")] {
        assert_eq!(reset(&world, made_up, NEW).await, Err(Code::NotFound), "{made_up}");
    }
    ask(&world, "ada@example.com").await.unwrap();
    world.time.pass(30 * 60);
    assert!(world.deliver().await.is_empty());
    assert_eq!(mailer.sent().len(), 2, "what nobody can use is not sent");
}

#[tokio::test]
async fn changing_the_password_voids_links_that_were_sent() {
    let (world, mailer) = World::with_mail();
    let home = world.home("acme");
    let user = world.user("ada@example.com");
    world.join(home, user.id, Role::Owner);
    ask(&world, "ada@example.com").await.unwrap();
    world.deliver().await;
    let session = world.login("ada@example.com", PASSWORD).await.unwrap();
    let ctx = world.ask(&session.access_token).await.unwrap();
    let command = ChangePassword { current_password: PASSWORD.to_owned(), new_password: NEW.to_owned() };
    world.identity.change_password(&ctx, &client(), &command, None).await.unwrap();
    let link = token(&mailer.sent()[0]);
    assert_eq!(reset(&world, &link, "harbour violin plum 17").await, Err(Code::LinkExpired));
    world.login("ada@example.com", NEW).await.expect("the password that was chosen");
}

#[tokio::test]
async fn a_server_that_is_down_loses_nothing_and_one_that_refuses_is_not_asked_again() {
    let (world, mailer) = World::with_mail();
    world.user("ada@example.com");
    mailer.fail(Some(MailError::Unavailable("it cannot be reached".to_owned())));
    ask(&world, "ada@example.com").await.unwrap();
    for _ in 0..3 {
        assert_eq!(world.deliver().await.len(), 1);
    }
    mailer.fail(None);
    assert!(world.deliver().await.is_empty());
    assert_eq!(mailer.sent().len(), 1);
    mailer.fail(Some(MailError::Refused("it answers 550".to_owned())));
    ask(&world, "ada@example.com").await.unwrap();
    assert!(world.deliver().await.is_empty(), "given up at once");
    mailer.fail(None);
    assert!(world.deliver().await.is_empty());
    assert_eq!(mailer.sent().len(), 1);
}

#[tokio::test]
async fn two_who_use_one_link_at_once_set_one_password() {
    let (world, mailer) = World::with_mail();
    world.user("ada@example.com");
    ask(&world, "ada@example.com").await.unwrap();
    world.deliver().await;
    let link = token(&mailer.sent()[0]);
    let (one, other) = tokio::join!(reset(&world, &link, NEW), reset(&world, &link, "harbour violin plum 17"));
    assert!(one.is_ok() != other.is_ok(), "{one:?} {other:?}");
    assert_eq!(one.and(other), Err(Code::LinkExpired));
}

#[tokio::test]
async fn without_mail_it_is_said_that_there_is_none() {
    let world = World::new();
    world.user("ada@example.com");
    for email in ["ada@example.com", "nobody@example.com"] {
        assert_eq!(ask(&world, email).await, Err(Code::NotConfigured));
    }
    let offers = world.identity.capabilities();
    assert!(!offers.password_reset && !offers.registration && !offers.email_verification && offers.password_login);
}
