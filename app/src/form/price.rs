//! The form of a price, on its own or with a model.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use types::modelhub::{CreatePrice, Pricing};
use types::money::{Amount, Currency, Rate};
use types::problem::Problem;
use types::run::UsageClass;

use super::Reader;

/// The form of a price: rates per million units.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct PriceForm {
    /// A model ref, or a prefix ending in `*`. Not asked when the price belongs to a model's form.
    pub(crate) match_ref: String,
    /// Which money.
    pub(crate) currency: String,
    /// Prompt tokens.
    pub(crate) input: String,
    /// Answer tokens.
    pub(crate) output: String,
    /// Cached prompt tokens; empty for the input rate.
    pub(crate) cache_read: String,
    /// Reasoning tokens; empty for the output rate.
    pub(crate) reasoning: String,
    /// Where it comes from.
    pub(crate) note: String,
}

impl PriceForm {
    /// The command, or every wrong field.
    pub(crate) fn read(&self) -> Result<CreatePrice, Problem> {
        let mut reader = Reader::default();
        let match_ref = self.match_ref.trim();
        if match_ref.is_empty() {
            reader.refuse("match_ref", "must be a model like `model:openai:gpt-4o`, or a prefix ending in `*`");
        }
        let currency: Option<Currency> = reader.required("currency", &self.currency);
        let rates = self.rates(&mut reader);
        if rates.is_empty() {
            reader.refuse("input", "give at least one rate; `0` means free");
        }
        let command = currency.map(|currency| CreatePrice {
            match_ref: match_ref.to_owned(),
            currency,
            rates,
            valid_from: None,
            note: self.note.trim().to_owned(),
        });
        reader.finish(command)
    }

    /// The rates for a model's form; none when no rate was typed.
    pub(super) fn pricing(&self, reader: &mut Reader) -> Option<Pricing> {
        let rates = self.rates(reader);
        if rates.is_empty() {
            return None;
        }
        let currency = reader.required("currency", &self.currency)?;
        Some(Pricing { currency, rates })
    }

    fn rates(&self, reader: &mut Reader) -> BTreeMap<UsageClass, Rate> {
        let mut rates = BTreeMap::new();
        for (field, text, class) in [
            ("input", &self.input, UsageClass::Input),
            ("output", &self.output, UsageClass::Output),
            ("cache_read", &self.cache_read, UsageClass::CacheRead),
            ("reasoning", &self.reasoning, UsageClass::Reasoning),
        ] {
            let Some(amount) = reader.optional::<Amount>(field, text) else { continue };
            match Rate::try_from(amount) {
                Ok(rate) => drop(rates.insert(class, rate)),
                Err(_) => reader.refuse(field, "must not be negative"),
            }
        }
        rates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_exact_and_zero_is_a_rate() {
        let form = PriceForm {
            match_ref: "model:test:*".to_owned(),
            currency: "USD".to_owned(),
            input: "0.15".to_owned(),
            output: "0".to_owned(),
            ..PriceForm::default()
        };
        let price = form.read().expect("a price");
        assert_eq!(price.rates.get(&UsageClass::Input).map(|rate| rate.nanos()), Some(150_000_000));
        assert_eq!(price.rates.get(&UsageClass::Output).map(|rate| rate.nanos()), Some(0));
        assert_eq!(price.rates.len(), 2);
    }

    #[test]
    fn a_negative_rate_and_no_rate_are_named() {
        let form = PriceForm {
            match_ref: "x".to_owned(),
            currency: "USD".to_owned(),
            input: "-1".to_owned(),
            ..PriceForm::default()
        };
        assert!(form.read().is_err_and(|problem| problem.errors.iter().all(|error| error.field == "input")));
    }
}
