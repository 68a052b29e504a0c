//! What a view may be and who may do what with it, purely.

use serde_json::{Value, json};
use types::id::UserId;
use types::name::{Name, is_misleading};
use types::problem::{Code, PermissionRefusal};
use types::view::MOST_QUERY_CHARACTERS;
use unicode_normalization::UnicodeNormalization;

use super::change::Seen;
use crate::check::{Checks, normal_name};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::record::SavedView;

/// Most views that a person keeps in a workspace.
pub(super) const MOST_VIEWS: usize = 100;

/// Whose views they are.
pub(super) fn person(ctx: &OpContext) -> Result<UserId> {
    ctx.user_id.ok_or_else(|| {
        Error::new(Code::RoleRequired, "only a person has views, and this credential stands for none")
            .with_permission(PermissionRefusal { action: "view.list".to_owned(), roles: Vec::new() })
    })
}

/// A name as it is kept, and as it is compared.
pub(super) fn named(name: &Name) -> Result<(Name, String)> {
    let name = normal_name(name)?;
    let key = key(&name);
    Ok((name, key))
}

/// A name as it is compared: letters of any case are the same.
pub(crate) fn key(name: &Name) -> String {
    name.as_str().to_lowercase().nfc().collect()
}

/// What stands behind the `?` of an address, as it stands there.
pub(super) fn check_query(query: &str) -> Result<()> {
    let mut checks = Checks::default();
    let is_short = query.chars().count() <= MOST_QUERY_CHARACTERS;
    checks.require(is_short, "query", format!("must have at most {MOST_QUERY_CHARACTERS} characters"));
    checks.require(!query.starts_with('?'), "query", "must not begin with `?`, send what stands behind it");
    let is_plain =
        !query.chars().any(|character| character == '#' || character.is_whitespace() || is_misleading(character));
    checks.require(is_plain, "query", "must not hold `#`, blanks, control or invisible characters: encode them");
    checks.done()
}

/// Whether no other view of the same owner and list has the name.
pub(super) fn check_name(seen: &Seen, view: &SavedView) -> Result<()> {
    let same = |other: &&SavedView| (other.page, &other.name_key) == (view.page, &view.name_key) && other.id != view.id;
    if seen.own().find(same).is_none() {
        return Ok(());
    }
    Err(Error::new(Code::AlreadyExists, "you have a view of this name, letters of any case being the same")
        .with_field("name", "is taken, choose another"))
}

/// The refusal of who sees a view that is not theirs. No role changes that.
pub(super) fn not_the_owner() -> Error {
    Error::new(Code::RoleRequired, "only its owner changes a view, save one of your own instead")
        .with_permission(PermissionRefusal { action: "view.save".to_owned(), roles: Vec::new() })
}

/// All that a view is.
pub(super) fn facts(view: &SavedView) -> Value {
    json!({ "page": view.page, "name": view.name, "query": view.query, "shared": view.shared })
}

/// What the audit says of a view. What is private stays so: who reads the audit need not see the view.
pub(super) fn told(view: &SavedView) -> Value {
    if view.shared { facts(view) } else { json!({ "page": view.page, "shared": false }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_stands_as_in_an_address() {
        for good in ["", "f.status=failed&sort=duration_ms", "q=%20%23&cols=a,b", "q=é", &"x".repeat(4_000)] {
            assert!(check_query(good).is_ok(), "{good}");
        }
        for bad in ["?a=b", "a b", "a#b", "a\nb", "a\u{202E}b", "a\u{A0}b", "\0", &"é".repeat(4_001)] {
            let error = check_query(bad).expect_err(bad);
            assert_eq!((error.code(), error.field()), (Code::Invalid, Some("query")), "{bad:?}");
        }
    }

    #[test]
    fn names_are_compared_in_any_case_and_form() {
        let key = |name: &str| named(&name.parse().expect("a name")).expect("a name").1;
        assert_eq!(key("Failed ÉTÉ"), key("fAILED e\u{301}te\u{301}"));
        assert_ne!(key("Failed"), key("Failed 2"));
    }
}
