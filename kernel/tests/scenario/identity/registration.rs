//! Making one's own account, and being invited by mail.

use kernel::context::Scope;
use types::account::{ConfirmEmail, Language, Register};
use types::identity::Role;
use types::member::{AcceptInvitation, CreateInvitation};
use types::problem::Code;

use super::password_reset::token;
use super::world::{PASSWORD, World, client};

fn wanted(email: &str, password: &str) -> Register {
    Register { email: email.to_owned(), name: "Ada".parse().unwrap(), password: password.to_owned() }
}

async fn register(world: &World, email: &str) -> Result<(), Code> {
    let command = wanted(email, PASSWORD);
    world.identity.register(&client(), Language::English, &command).await.map_err(|error| error.code())
}

async fn confirm(world: &World, token: &str) -> Result<(), Code> {
    let command = ConfirmEmail { token: token.to_owned() };
    world.identity.confirm_email(&client(), &command).await.map_err(|error| error.code())
}

#[tokio::test]
async fn an_account_is_made_once_its_address_is_proved_with_a_tenant_of_its_own() {
    let (world, mailer) = World::with_mail();
    let home = world.home("acme");
    assert_eq!(register(&world, "ada@example.com").await, Ok(()));
    assert!(world.login("ada@example.com", PASSWORD).await.is_err(), "nothing is made yet");
    world.deliver().await;
    let letter = mailer.sent().pop().expect("a mail");
    assert!(letter.text.contains("https://soit.test/confirm-email#sl_"));
    let link = token(&letter);
    assert_eq!(confirm(&world, &link).await, Ok(()));
    assert_eq!(confirm(&world, &link).await, Err(Code::LinkExpired), "once");
    let session = world.login("ada@example.com", PASSWORD).await.expect("the account");
    let [place] = session.workspaces.as_slice() else { panic!("one workspace") };
    assert_eq!((place.role, place.slug.as_str()), (Role::Owner, "main"));
    assert_ne!(place.tenant_id, home.scope.tenant_id);
    assert!(session.user.email_verified && !session.user.is_operator);
    let scope = Scope { tenant_id: place.tenant_id, workspace_id: place.id };
    assert_eq!(world.count(scope, "user.registered"), 1);
}

#[tokio::test]
async fn an_address_that_has_an_account_is_told_so_by_mail_alone() {
    let (world, mailer) = World::with_mail();
    world.user("ada@example.com");
    let hashed = |world: &World| world.hasher.0.load(std::sync::atomic::Ordering::SeqCst);
    for email in ["ada@example.com", "eve@example.com"] {
        let before = (hashed(&world), world.queries());
        assert_eq!(register(&world, email).await, Ok(()));
        assert_eq!((hashed(&world) - before.0, world.queries() - before.1), (1, 3), "{email}: the same path");
    }
    world.deliver().await;
    let subjects: Vec<_> = mailer.sent().into_iter().map(|letter| (letter.to, letter.subject)).collect();
    let told = ("ada@example.com".to_owned(), "You have an account at soit".to_owned());
    assert!(subjects.contains(&told) && subjects.len() == 2, "{subjects:?}");
    assert_eq!(world.count(Scope::INSTANCE, "user.registration_requested"), 2);
}

#[tokio::test]
async fn the_newest_registration_counts_and_an_account_made_meanwhile_wins() {
    let (world, mailer) = World::with_mail();
    register(&world, "ada@example.com").await.unwrap();
    world.deliver().await;
    world.time.pass(1);
    register(&world, "Ada@example.com").await.unwrap();
    world.deliver().await;
    let links: Vec<String> = mailer.sent().iter().map(token).collect();
    assert_eq!(confirm(&world, &links[0]).await, Err(Code::LinkExpired));
    world.user("ada@example.com");
    assert_eq!(confirm(&world, &links[1]).await, Err(Code::LinkExpired));
}

#[tokio::test]
async fn where_it_is_not_offered_there_is_no_such_thing() {
    let world = World::new();
    assert_eq!(register(&world, "ada@example.com").await, Err(Code::NotFound));
    let (world, mailer) = World::with_mail();
    for (command, code) in [
        (wanted("no address", PASSWORD), Code::Invalid),
        (wanted("ada@example.com", "password1234"), Code::WeakPassword),
        (wanted("ada@example.com", &"x".repeat(129)), Code::WeakPassword),
    ] {
        let refused = world.identity.register(&client(), Language::English, &command).await.expect_err("refused");
        assert_eq!(refused.code(), code);
    }
    world.deliver().await;
    assert!(mailer.sent().is_empty());
}

#[tokio::test]
async fn an_invitation_is_sent_and_proves_the_address_of_the_account_it_makes() {
    let (world, mailer) = World::with_mail();
    let home = world.home("acme");
    let owner = world.signed_in(home, Role::Owner).await;
    let command = CreateInvitation { email: "Guest@example.com".to_owned(), role: Role::Dev };
    let (_, shown) = world.identity.create_invitation(&owner, &command).await.unwrap().shown().unwrap();
    assert!(shown.is_none(), "whoever invites does not see the link");
    world.deliver().await;
    let letter = mailer.sent().pop().expect("a mail");
    assert_eq!(letter.to, "Guest@example.com");
    assert!(letter.subject.contains("acme") && letter.text.contains("https://soit.test/invite#si_"));
    let accept = AcceptInvitation {
        token: token(&letter),
        name: Some("Guest".parse().unwrap()),
        password: Some(PASSWORD.to_owned()),
    };
    world.identity.accept_invitation(&client(), None, &accept).await.unwrap();
    let session = world.login("guest@example.com", PASSWORD).await.unwrap();
    assert!(session.user.email_verified);

    let (invited, _) = world
        .identity
        .create_invitation(&owner, &CreateInvitation { email: "late@example.com".to_owned(), ..command })
        .await
        .unwrap()
        .shown()
        .unwrap();
    world.identity.revoke_invitation(&owner, invited.id).await.unwrap();
    assert!(world.deliver().await.is_empty());
    assert_eq!(mailer.sent().len(), 1, "what was taken back is not sent");
}
