//! The form of a saved view.

use serde::{Deserialize, Serialize};
use types::name::Name;
use types::problem::Problem;
use types::view::{CreateView, UpdateView, ViewPage};

use super::Reader;

/// The form of a saved view. Who does not own it says only whether their list opens with it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ViewForm {
    /// Its name; absent where it is somebody else's.
    pub(crate) name: Option<String>,
    /// The query it keeps.
    pub(crate) query: Option<String>,
    /// Whether everybody sees it: nothing when off.
    pub(crate) shared: String,
    /// Whether the list opens with it: nothing when off.
    pub(crate) default: String,
}

impl ViewForm {
    /// The command of a new one, or every wrong field.
    pub(crate) fn create(&self, page: ViewPage) -> Result<CreateView, Problem> {
        let mut reader = Reader::default();
        let name: Option<Name> = reader.required("name", self.name.as_deref().unwrap_or_default());
        let query = self.query.clone().unwrap_or_default();
        let (shared, default) = (!self.shared.is_empty(), !self.default.is_empty());
        reader.finish(name.map(|name| CreateView { page, name, query, shared, default }))
    }

    /// The command that changes one, or every wrong field.
    pub(crate) fn update(&self) -> Result<UpdateView, Problem> {
        let mut reader = Reader::default();
        let name: Option<Option<Name>> = match &self.name {
            Some(name) => reader.required("name", name).map(Some),
            None => Some(None),
        };
        let shared = self.name.is_some().then_some(!self.shared.is_empty());
        let (query, default) = (self.query.clone(), Some(!self.default.is_empty()));
        reader.finish(name.map(|name| UpdateView { name, query, shared, default }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_does_not_own_it_says_only_whether_the_list_opens_with_it() {
        let others = ViewForm { default: "on".to_owned(), ..ViewForm::default() };
        assert_eq!(others.update().expect("a command"), UpdateView { default: Some(true), ..UpdateView::default() });
        let own = ViewForm { name: Some("Failed".to_owned()), query: Some(String::new()), ..ViewForm::default() };
        let command = own.update().expect("a command");
        assert_eq!((command.shared, command.default, command.query.as_deref()), (Some(false), Some(false), Some("")));
    }

    #[test]
    fn a_name_is_demanded() {
        let blank = ViewForm { name: Some(" ".to_owned()), ..ViewForm::default() };
        for problem in [blank.update().map(drop), blank.create(ViewPage::Runs).map(drop)] {
            let errors = problem.expect_err("no name").errors;
            assert_eq!(errors.iter().map(|error| error.field.as_str()).collect::<Vec<_>>(), ["name"]);
        }
    }
}
