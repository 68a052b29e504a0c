//! What is done at the command line.

use kernel::identity::{AccountPlace, NewAccount};
use kernel::secret::SecretString;
use types::account::ResetPassword;
use types::identity::Role;
use types::problem::Code;

use super::world::{PASSWORD, World, client};

const NEW: &str = "lantern orchid gravel 42";

fn account(email: &str) -> NewAccount {
    NewAccount {
        email: email.to_owned(),
        name: "Ada".parse().unwrap(),
        password: None,
        is_operator: false,
        place: None,
    }
}

#[tokio::test]
async fn a_link_sets_the_password_of_an_account_without_any_mail() {
    let world = World::new();
    let home = world.home("acme");
    let user = world.user("ada@example.com");
    world.join(home, user.id, Role::Owner);
    let link = world.identity.make_reset_link("Ada@example.com").await.unwrap();
    let command = ResetPassword { token: link.token.expose().to_owned(), password: NEW.to_owned() };
    world.identity.reset_password(&client(), &command).await.unwrap();
    world.login("ada@example.com", NEW).await.expect("the new password");
    let audit = world.audit(home.scope).into_iter().find(|audit| audit.event_type == "admin.cli").expect("audited");
    assert_eq!((audit.actor.id.as_str(), audit.operation.as_str()), ("cli", "admin.reset_link"));
    assert!(!format!("{audit:?}").contains(link.token.expose()));
    let unknown = world.identity.make_reset_link("nobody@example.com").await.expect_err("no account");
    assert_eq!((unknown.code(), unknown.field()), (Code::Invalid, Some("email")));
}

#[tokio::test]
async fn an_account_is_made_in_a_place_that_is_there_or_in_one_of_its_own() {
    let world = World::new();
    let home = world.home("acme");
    let (id, link) = world.identity.create_account(&account("ada@example.com")).await.unwrap();
    let token = link.expect("no password was given").token;
    let command = ResetPassword { token: token.expose().to_owned(), password: NEW.to_owned() };
    world.identity.reset_password(&client(), &command).await.unwrap();
    let session = world.login("ada@example.com", NEW).await.unwrap();
    assert_eq!((session.user.id, session.workspaces.len(), session.workspaces[0].role), (id, 1, Role::Owner));

    let slug = || "acme".parse().unwrap();
    let place = |tenant| Some(AccountPlace { tenant, workspace: slug(), role: Role::Dev });
    let password = Some(SecretString::new(PASSWORD.to_owned()));
    let bob = NewAccount { password, place: place(slug()), is_operator: true, ..account("bob@example.com") };
    let (_, link) = world.identity.create_account(&bob).await.unwrap();
    assert!(link.is_none());
    let session = world.login("bob@example.com", PASSWORD).await.unwrap();
    assert_eq!((session.workspaces[0].id, session.workspaces[0].role), (home.scope.workspace_id, Role::Dev));
    assert!(session.user.is_operator);

    let twin = world.identity.create_account(&account("Bob@example.com")).await.expect_err("taken");
    assert_eq!((twin.code(), twin.field()), (Code::AlreadyExists, Some("email")));
    let nowhere = NewAccount { place: place("nowhere".parse().unwrap()), ..account("eve@example.com") };
    let nowhere = world.identity.create_account(&nowhere).await.expect_err("no such tenant");
    assert_eq!(nowhere.field(), Some("workspace"));
    let weak = Some(SecretString::new("password1234".to_owned()));
    let weak = world.identity.create_account(&NewAccount { password: weak, ..account("eve@example.com") }).await;
    assert_eq!(weak.expect_err("guessable").code(), Code::WeakPassword);
}

#[tokio::test]
async fn somebody_is_made_an_operator_once() {
    let world = World::new();
    let home = world.home("acme");
    let user = world.user("ada@example.com");
    world.join(home, user.id, Role::Owner);
    assert_eq!(world.identity.make_operator("ada@example.com").await.unwrap(), (user.id, true));
    assert_eq!(world.identity.make_operator("ada@example.com").await.unwrap(), (user.id, false));
    assert!(world.login("ada@example.com", PASSWORD).await.unwrap().user.is_operator);
    assert_eq!(world.count(home.scope, "admin.cli"), 1);
}
