//! The form of a budget, new or changed.

use serde::{Deserialize, Serialize};
use types::budget::{BudgetStatus, CreateBudget, Period, ScopeKind, UpdateBudget};
use types::money::{Amount, Currency};
use types::name::Name;
use types::problem::Problem;

use super::Reader;

/// The form of a budget.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct BudgetForm {
    /// Its name.
    pub(crate) name: String,
    /// `workspace`, or `api_key:` and `user:` with an id. Fixed once made.
    pub(crate) scope: String,
    /// How long it counts. Fixed once made.
    pub(crate) period: String,
    /// Which money. Fixed once made.
    pub(crate) currency: String,
    /// What may be spent.
    pub(crate) amount: String,
    /// A checkbox: refuses, instead of only alerting.
    pub(crate) hard_stop: Option<String>,
    /// Whole percents.
    pub(crate) thresholds: String,
}

impl BudgetForm {
    /// The command for a new one, or every wrong field.
    pub(crate) fn create(&self) -> Result<CreateBudget, Problem> {
        let mut reader = Reader::default();
        let name: Option<Name> = reader.required("name", &self.name);
        let scope = self.scope(&mut reader);
        let period: Option<Period> = reader.required("period", &self.period);
        let currency: Option<Currency> = reader.required("currency", &self.currency);
        let amount: Option<Amount> = reader.required("amount", &self.amount);
        let thresholds = self.thresholds(&mut reader);
        let command = name.zip(scope).zip(period).zip(currency.zip(amount)).map(
            |(((name, (scope_kind, scope_id)), period), (currency, amount))| CreateBudget {
                name,
                scope_kind,
                scope_id,
                period,
                currency,
                amount,
                hard_stop: self.hard_stop.is_some(),
                thresholds,
            },
        );
        reader.finish(command)
    }

    /// The command for a change, or every wrong field.
    pub(crate) fn update(&self) -> Result<UpdateBudget, Problem> {
        let mut reader = Reader::default();
        let name: Option<Name> = reader.required("name", &self.name);
        let amount: Option<Amount> = reader.required("amount", &self.amount);
        let thresholds = self.thresholds(&mut reader);
        let command = name.zip(amount).map(|(name, amount)| UpdateBudget {
            name: Some(name),
            amount: Some(amount),
            hard_stop: Some(self.hard_stop.is_some()),
            thresholds: Some(thresholds),
            ..UpdateBudget::default()
        });
        reader.finish(command)
    }

    fn scope(&self, reader: &mut Reader) -> Option<(ScopeKind, Option<String>)> {
        let (kind, id) = match self.scope.split_once(':') {
            Some((kind, id)) => (kind, Some(id.to_owned())),
            None => (self.scope.as_str(), None),
        };
        reader.required("scope", kind).map(|kind| (kind, id))
    }

    fn thresholds(&self, reader: &mut Reader) -> Vec<u16> {
        let words = Reader::list(&self.thresholds).unwrap_or_default();
        words.iter().filter_map(|word| reader.number("thresholds", word.trim_end_matches('%'))).collect()
    }
}

/// Switches a budget on or off.
pub(crate) fn with_status(status: BudgetStatus) -> UpdateBudget {
    UpdateBudget { status: Some(status), ..UpdateBudget::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form() -> BudgetForm {
        BudgetForm {
            name: "Daily".to_owned(),
            scope: "api_key:key_01".to_owned(),
            period: "day".to_owned(),
            currency: "USD".to_owned(),
            amount: "12.5".to_owned(),
            hard_stop: Some("on".to_owned()),
            thresholds: "50, 80%, 100".to_owned(),
        }
    }

    #[test]
    fn a_budget_is_read() {
        let command = form().create().expect("a budget");
        assert_eq!((command.scope_kind, command.scope_id.as_deref()), (ScopeKind::ApiKey, Some("key_01")));
        assert_eq!(command.amount.to_string(), "12.5");
        assert_eq!(command.thresholds, [50, 80, 100]);
        assert!(command.hard_stop);
    }

    #[test]
    fn an_amount_that_is_none_is_named() {
        let wrong = BudgetForm { amount: "1,5".to_owned(), period: "year".to_owned(), ..form() };
        let problem = wrong.create().expect_err("two fields are wrong");
        let fields: Vec<&str> = problem.errors.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(fields, ["period", "amount"]);
    }
}
