//! The saved view in the address of a list.

use types::id::ViewId;
use types::view::SavedView;

use super::{PICK, Params, Range, ZONE};

/// The view a list is shown in: its id, or [`NO_VIEW`].
pub(crate) const VIEW: &str = "view";
/// No view, also where the list opens with one.
pub(crate) const NO_VIEW: &str = "none";

/// Parameters that open something over a list, or tick rows of it: none of them makes it another list.
pub(crate) const PASSING: &[&str] = &["peek", PICK, "ask", "save", "edit", "delete"];

/// What a view keeps of an address: neither the page of the list, nor what lies over it, nor the reader's zone.
pub(crate) fn kept_of(params: Params) -> Params {
    Range::thaw(params.without(&["after", VIEW, ZONE]).without(PASSING))
}

/// The view the address names, if there still is one.
pub(crate) fn view_of<'a>(params: &Params, views: &'a [SavedView]) -> Option<&'a SavedView> {
    let id: ViewId = params.get(VIEW)?.parse().ok()?;
    views.iter().find(|view| view.id == id)
}

/// The list in a view.
pub(crate) fn in_view(view: &SavedView) -> Params {
    Params::parse(&view.query).with(VIEW, &view.id.to_string())
}

/// The address of the view a list opens with, where its own says nothing.
pub(crate) fn opening(params: &Params, views: &[SavedView]) -> Option<Params> {
    let says_nothing = params.clone().without(&[ZONE]).iter().next().is_none();
    views.iter().find(|view| view.default).filter(|_| says_nothing).map(in_view)
}

/// Whether a list shows something else than the view it is in, whatever the order of the parameters.
pub(crate) fn is_changed(params: &Params, view: &SavedView) -> bool {
    let pairs = |params: &Params| {
        let mut pairs: Vec<_> = params.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        pairs.sort();
        pairs
    };
    pairs(&kept_of(params.clone())) != pairs(&Params::parse(&view.query))
}

#[cfg(test)]
mod tests {
    use types::view::ViewPage;

    use super::*;

    fn view(query: &str, default: bool) -> SavedView {
        SavedView {
            id: "viw_01j00000000000000000000000".parse().expect("an id"),
            page: ViewPage::Runs,
            name: "Failed".parse().expect("a name"),
            query: query.to_owned(),
            shared: false,
            default,
            owner_id: "usr_01j00000000000000000000000".parse().expect("an id"),
            owner: None,
            version: 1,
        }
    }

    #[test]
    fn a_list_opens_with_its_default_only_where_the_address_says_nothing() {
        let views = [view("f.status=failed", true)];
        let opens = |query: &str| opening(&Params::parse(query), &views).map(|params| params.to_string());
        let expected = "f.status=failed&view=viw_01j00000000000000000000000";
        assert_eq!(opens("").as_deref(), Some(expected));
        assert_eq!(opens("tz=UTC").as_deref(), Some(expected));
        assert_eq!(opens("view=none"), None);
        assert_eq!(opens("range=7d"), None);
        assert_eq!(opening(&Params::default(), &[view("", false)]), None);
    }

    #[test]
    fn only_what_a_view_keeps_makes_it_changed() {
        let view = view("range=7d&f.status=failed", false);
        let changed = |query: &str| is_changed(&Params::parse(query), &view);
        let named = "view=viw_01j00000000000000000000000&tz=UTC&peek=run_1&pick=run_1,run_2&after=x";
        assert!(!changed(&format!("f.status=failed&range=7d&{named}")));
        assert!(changed(&format!("f.status=failed&{named}")));
        assert!(changed("f.status=failed&range=7d&cols=none"));
        let frozen = "f.status=failed&range=7d&from=2026-01-01T00:00:00Z&to=2026-01-08T00:00:00Z&after=x";
        assert!(!changed(frozen), "an older page is a page of the same view");
    }
}
