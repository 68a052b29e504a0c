//! What a viewer finds at the console: everything to read and nothing that makes, changes or deletes. That the same
//! forms posted by hand are refused is in the matrix.

use types::identity::Role;

use super::people::{at_console, first_home, new_member};
use crate::util::test_app::{Caller, TestApp};

/// Pages with something to make for those who may, in a workspace where nothing has been made yet.
const PAGES: [&str; 7] =
    ["", "/runs", "/keys", "/keys?tab=budgets", "/models", "/models?tab=prices", "/models?tab=egress"];
/// Where things are made, and what makes, changes or deletes them.
const MAKING: [&str; 6] =
    ["/keys/new", "/budgets/new", "/models/new", "/ui/fn/create_", "/ui/fn/update_", "/ui/fn/delete_"];

/// What a page offers of it.
async fn offered(reader: &Caller, page: &str) -> Vec<&'static str> {
    let answer = reader.get(&format!("/w/default{page}")).await;
    assert_eq!(answer.status, 200, "{page}: {}", answer.text);
    let offers =
        |target: &&str| ["href", "action"].iter().any(|name| answer.text.contains(&format!("{name}=\"{target}")));
    let places = MAKING.into_iter().filter(|making| offers(making) || offers(&format!("/w/default{making}").as_str()));
    places.collect()
}

#[tokio::test]
async fn a_viewer_is_offered_nothing_to_make_where_an_owner_is() {
    let app = TestApp::sqlite().await;
    let home = first_home(&app).await;
    new_member(&app, &home, "ada@example.com", Role::Owner).await;
    new_member(&app, &home, "ben@example.com", Role::Viewer).await;
    let (owner, viewer) = (at_console(&app, "ada@example.com").await, at_console(&app, "ben@example.com").await);
    for page in PAGES {
        assert_ne!(offered(&owner, page).await, [""; 0], "{page} for an owner");
        assert_eq!(offered(&viewer, page).await, [""; 0], "{page} for a viewer");
    }
}
