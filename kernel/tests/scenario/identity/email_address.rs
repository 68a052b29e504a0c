//! The address of an account.

use kernel::OpContext;
use types::account::{ConfirmEmail, Language, VerifyEmail};
use types::identity::Role;
use types::problem::Code;

use super::password_reset::token;
use super::world::{PASSWORD, World, client};

async fn ask(world: &World, ctx: &OpContext, email: Option<&str>) -> Result<(), Code> {
    let command = VerifyEmail { email: email.map(str::to_owned) };
    let asked = world.identity.verify_email(ctx, &client(), Language::English, &command).await;
    asked.map_err(|error| error.code())
}

async fn confirm(world: &World, token: &str) -> Result<(), Code> {
    let command = ConfirmEmail { token: token.to_owned() };
    world.identity.confirm_email(&client(), &command).await.map_err(|error| error.code())
}

async fn ada(world: &World) -> OpContext {
    let home = world.home("acme");
    let user = world.user("ada@example.com");
    world.join(home, user.id, Role::Owner);
    let session = world.login("ada@example.com", PASSWORD).await.unwrap();
    world.ask(&session.access_token).await.unwrap()
}

#[tokio::test]
async fn an_address_is_proved_by_a_link() {
    let (world, mailer) = World::with_mail();
    let ctx = ada(&world).await;
    assert!(!world.identity.find_me(&ctx).await.unwrap().user.email_verified);
    assert_eq!(ask(&world, &ctx, None).await, Ok(()));
    world.deliver().await;
    let link = token(&mailer.sent()[0]);
    assert_eq!(confirm(&world, &link).await, Ok(()));
    assert!(
        world.identity.find_me(&world.identity.reauthenticate(&ctx).await.unwrap()).await.unwrap().user.email_verified
    );
    assert_eq!(confirm(&world, &link).await, Err(Code::LinkExpired));
    assert_eq!(world.count(ctx.scope, "email.verified"), 1);
}

#[tokio::test]
async fn another_address_needs_a_proof_counts_once_confirmed_and_is_told_to_the_former_one() {
    let (world, mailer) = World::with_mail();
    let ctx = ada(&world).await;
    assert_eq!(ask(&world, &ctx, Some("new@example.com")).await, Err(Code::StepUpRequired));
    let ctx = world.elevated(&ctx).await;
    assert_eq!(ask(&world, &ctx, Some("new@example.com")).await, Ok(()));
    world.deliver().await;
    let letter = mailer.sent().pop().expect("a mail");
    assert_eq!(letter.to, "new@example.com");
    world.login("ada@example.com", PASSWORD).await.expect("until it is confirmed");
    world.time.pass(24 * 3600 - 1);
    assert_eq!(confirm(&world, &token(&letter)).await, Ok(()));
    world.deliver().await;
    let notice = mailer.sent().pop().expect("a notice");
    assert_eq!((notice.to.as_str(), notice.text.contains('#')), ("ada@example.com", false));
    assert!(!notice.text.contains("new@example.com"), "whoever reads the old mailbox learns no more");
    assert!(world.login("ada@example.com", PASSWORD).await.is_err());
    let session = world.login("new@example.com", PASSWORD).await.expect("the new address");
    assert!(session.user.email_verified);
}

#[tokio::test]
async fn an_address_of_somebody_else_is_never_given_and_only_its_mailbox_is_told() {
    let (world, mailer) = World::with_mail();
    let ctx = world.elevated(&ada(&world).await).await;
    world.user("bob@example.com");
    assert_eq!(ask(&world, &ctx, Some("bob@example.com")).await, Ok(()));
    assert_eq!(ask(&world, &ctx, Some("free@example.com")).await, Ok(()));
    world.deliver().await;
    let letters = mailer.sent();
    let of = |to: &str| letters.iter().find(|letter| letter.to == to).expect("a mail");
    assert!(!of("bob@example.com").text.contains('#'));
    world.user("free@example.com");
    assert_eq!(confirm(&world, &token(of("free@example.com"))).await, Err(Code::LinkExpired), "taken meanwhile");
    assert_eq!(ask(&world, &ctx, Some("two@at@example.com")).await, Err(Code::Invalid));
    assert_eq!(ask(&world, &ctx, Some(&format!("{}@example.com", "x".repeat(250)))).await, Err(Code::Invalid));
}

#[tokio::test]
async fn a_link_to_the_address_of_before_is_good_no_more() {
    let (world, mailer) = World::with_mail();
    let ctx = world.elevated(&ada(&world).await).await;
    ask(&world, &ctx, None).await.unwrap();
    ask(&world, &ctx, Some("new@example.com")).await.unwrap();
    world.deliver().await;
    let letters = mailer.sent();
    let of = |to: &str| token(letters.iter().find(|letter| letter.to == to).expect("a mail"));
    assert_eq!(confirm(&world, &of("new@example.com")).await, Ok(()));
    assert_eq!(confirm(&world, &of("ada@example.com")).await, Err(Code::LinkExpired));
}
