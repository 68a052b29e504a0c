use kernel::context::Credential;
use kernel::identity::{Place, Presented, digest};
use kernel::port::Directory;
use types::identity::{ChangePassword, Login, Refresh, Role, StepUp, UpdateMe};
use types::problem::Code;

use super::world::{PASSWORD, World, client};

fn refresh(token: &str) -> Refresh {
    Refresh { refresh_token: token.to_owned() }
}

#[tokio::test]
async fn a_new_name_is_shown_at_once_and_makes_no_decision_stale() {
    let world = World::new();
    let home = world.home("acme");
    let here = world.signed_in(home, Role::Owner).await;
    let email = world.identity.find_me(&here).await.unwrap().user.email;
    let there = world.login(&email, PASSWORD).await.unwrap().access_token;
    let there = world.ask(&there).await.unwrap();
    let epoch = async || world.store.epochs(&[home.scope.tenant_id]).await.unwrap();
    let before = epoch().await;
    let command = UpdateMe { name: Some("Ada Lovelace".parse().unwrap()) };
    world.identity.update_me(&here, &command).await.unwrap();
    assert_eq!(epoch().await, before);
    for ctx in [&here, &there] {
        assert_eq!(world.identity.find_me(ctx).await.unwrap().user.name.as_str(), "Ada Lovelace");
    }
    assert_eq!(world.count(home.scope, "user.updated"), 1);
}

#[tokio::test]
async fn a_refresh_token_works_once() {
    let world = World::new();
    let home = world.home("acme");
    let user = world.user("ada@example.com");
    world.join(home, user.id, Role::Dev);
    let first = world.login("ada@example.com", PASSWORD).await.unwrap();
    assert!(world.ask(&first.access_token).await.is_ok(), "warm from now on");
    let second = world.identity.refresh(&client(), &refresh(&first.refresh_token)).await.unwrap();
    assert!(world.ask(&second.access_token).await.is_ok());
    assert_eq!(world.ask(&first.access_token).await.unwrap_err().code(), Code::InvalidCredentials);

    world.time.pass(10);
    let conflict = world.identity.refresh(&client(), &refresh(&first.refresh_token)).await.unwrap_err();
    assert_eq!(conflict.code(), Code::RefreshConflict);
    assert!(world.ask(&second.access_token).await.is_ok(), "two tabs at once do no harm");

    world.time.pass(1);
    let reused = world.identity.refresh(&client(), &refresh(&first.refresh_token)).await.unwrap_err();
    assert_eq!(reused.code(), Code::InvalidCredentials);
    assert_eq!(world.ask(&second.access_token).await.unwrap_err().code(), Code::InvalidCredentials);
    let ended = world.identity.refresh(&client(), &refresh(&second.refresh_token)).await.unwrap_err();
    assert_eq!(ended.code(), Code::InvalidCredentials);
    assert_eq!(world.count(home.scope, "session.refresh_reused"), 1);
}

#[tokio::test]
async fn access_ends_after_a_quarter_of_an_hour_and_all_after_a_fortnight() {
    let world = World::new();
    let home = world.home("acme");
    let user = world.user("ada@example.com");
    world.join(home, user.id, Role::Dev);
    let tokens = world.login("ada@example.com", PASSWORD).await.unwrap();
    assert_eq!(tokens.expires_in, 900);
    world.time.pass(899);
    assert!(world.ask(&tokens.access_token).await.is_ok());
    world.time.pass(1);
    assert_eq!(world.ask(&tokens.access_token).await.unwrap_err().code(), Code::CredentialsExpired);
    world.time.pass(14 * 24 * 3600);
    let expired = world.identity.refresh(&client(), &refresh(&tokens.refresh_token)).await.unwrap_err();
    assert_eq!(expired.code(), Code::CredentialsExpired);
}

#[tokio::test]
async fn a_console_session_lives_as_long_as_it_is_used() {
    let world = World::new();
    let home = world.home("acme");
    let user = world.user("ada@example.com");
    world.join(home, user.id, Role::Dev);
    let command = Login { email: "ada@example.com".to_owned(), password: PASSWORD.to_owned() };
    let cookie = digest(b"cookie");
    world.identity.sign_in(&client(), &command, cookie).await.unwrap();
    let visit = || async {
        let place = Place::Slug("acme".parse().unwrap());
        world
            .identity
            .authenticate(&client(), Some(&Presented::Cookie(cookie)), &place)
            .await
            .map_err(kernel::Error::from)
    };
    for _ in 0..27 {
        world.time.pass(12 * 3600 - 1);
        assert!(visit().await.is_ok());
    }
    world.time.pass(12 * 3600);
    assert_eq!(visit().await.unwrap_err().code(), Code::CredentialsExpired);
}

#[tokio::test]
async fn a_new_password_ends_all_other_sessions_and_renews_the_cookie() {
    let world = World::new();
    let home = world.home("acme");
    let user = world.user("ada@example.com");
    world.join(home, user.id, Role::Dev);
    let elsewhere = world.login("ada@example.com", PASSWORD).await.unwrap();
    assert!(world.ask(&elsewhere.access_token).await.is_ok());
    let command = Login { email: "ada@example.com".to_owned(), password: PASSWORD.to_owned() };
    let (before, after) = (digest(b"before"), digest(b"after"));
    world.identity.sign_in(&client(), &command, before).await.unwrap();
    let place = Place::Person { header: None };
    let cookie = |cookie| Presented::Cookie(cookie);
    let ctx = world.identity.authenticate(&client(), Some(&cookie(before)), &place).await.unwrap();

    let change = |current: &str, new: &str| ChangePassword {
        current_password: current.to_owned(),
        new_password: new.to_owned(),
    };
    let wrong = change("wrong", "tulip anchor seventeen");
    let refused = world.identity.change_password(&ctx, &client(), &wrong, Some(after)).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidCredentials);
    for weak in ["short", "password1234", "ada@example.com!!"] {
        let refused =
            world.identity.change_password(&ctx, &client(), &change(PASSWORD, weak), Some(after)).await.unwrap_err();
        assert_eq!((refused.code(), refused.field()), (Code::WeakPassword, Some("new_password")), "{weak}");
    }
    let good = change(PASSWORD, "tulip anchor seventeen");
    world.identity.change_password(&ctx, &client(), &good, Some(after)).await.unwrap();

    assert_eq!(world.ask(&elsewhere.access_token).await.unwrap_err().code(), Code::InvalidCredentials);
    let old = world.identity.authenticate(&client(), Some(&cookie(before)), &place).await.unwrap_err();
    assert_eq!(old.error.code(), Code::InvalidCredentials);
    assert!(world.identity.authenticate(&client(), Some(&cookie(after)), &place).await.is_ok());
    assert_eq!(world.login("ada@example.com", PASSWORD).await.unwrap_err().code(), Code::InvalidCredentials);
    assert!(world.login("ada@example.com", "tulip anchor seventeen").await.is_ok());
}

#[tokio::test]
async fn more_sessions_than_fit_one_batch_end_as_well() {
    let world = World::new();
    let home = world.home("acme");
    let user = world.user("ada@example.com");
    world.join(home, user.id, Role::Dev);
    let present = world.login("ada@example.com", PASSWORD).await.unwrap();
    for _ in 0..850 {
        world.login("ada@example.com", PASSWORD).await.unwrap();
    }
    let ctx = world.ask(&present.access_token).await.unwrap();
    world.identity.revoke_other_sessions(&ctx).await.unwrap();
    let left = world.identity.list_sessions(&ctx).await.unwrap();
    assert_eq!(left.len(), 1);
    assert!(left[0].current);
}

#[tokio::test]
async fn a_proof_lasts_ten_minutes() {
    let world = World::new();
    let home = world.home("acme");
    let user = world.user("ada@example.com");
    world.join(home, user.id, Role::Owner);
    let tokens = world.login("ada@example.com", PASSWORD).await.unwrap();
    let ctx = world.ask(&tokens.access_token).await.unwrap();
    assert!(!ctx.is_elevated());
    let wrong = StepUp { password: Some("wrong".to_owned()), code: None };
    assert!(world.identity.step_up(&ctx, &client(), &wrong, None).await.is_err());
    let right = StepUp { password: Some(PASSWORD.to_owned()), code: None };
    world.identity.step_up(&ctx, &client(), &right, None).await.unwrap();
    assert!(world.ask(&tokens.access_token).await.unwrap().is_elevated());
    world.time.pass(600);
    assert!(!world.ask(&tokens.access_token).await.unwrap().is_elevated());
}

#[tokio::test]
async fn one_ends_ones_own_sessions_and_nobody_elses() {
    let world = World::new();
    let home = world.home("acme");
    let (ada, bob) = (world.signed_in(home, Role::Owner).await, world.signed_in(home, Role::Dev).await);
    let Credential::Session(of_bob) = bob.credential else { panic!("a session") };
    assert_eq!(world.identity.revoke_session(&ada, of_bob).await.unwrap_err().code(), Code::NotFound);
    assert_eq!(world.identity.list_sessions(&bob).await.unwrap().len(), 1);
    world.identity.log_out(&bob).await.unwrap();
    assert_eq!(world.identity.list_sessions(&bob).await.unwrap().len(), 0);
    assert_eq!(world.count(home.scope, "auth.logout"), 1);
    assert_eq!(world.identity.log_out(&bob).await.unwrap_err().code(), Code::InvalidCredentials);
}

#[tokio::test]
async fn the_last_used_workspace_is_remembered() {
    let world = World::new();
    let (first, second) = (world.home("first"), world.home("second"));
    let user = world.user("ada@example.com");
    world.join(first, user.id, Role::Dev);
    world.join(second, user.id, Role::Viewer);
    let tokens = world.login("ada@example.com", PASSWORD).await.unwrap();
    assert_eq!(world.ask(&tokens.access_token).await.unwrap().scope, first.scope);
    let there = Place::Workspace { path: None, header: Some(second.scope.workspace_id) };
    let ctx = world.ask_at(&tokens.access_token, there).await.unwrap();
    assert_eq!((ctx.scope, ctx.role), (second.scope, Some(Role::Viewer)));
    world.identity.remember_workspace(&ctx).await.unwrap();
    assert_eq!(world.ask(&tokens.access_token).await.unwrap().scope, second.scope);
}
