//! The form of a model, new or changed.

use serde::{Deserialize, Serialize};
use types::modelhub::{Capability, CreateModel, Tokenizer, UpdateModel};
use types::problem::Problem;

use super::{PriceForm, Reader};

/// The form of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ModelForm {
    /// The provider's own name. Fixed once made.
    pub(crate) model_id: String,
    /// A name to show; empty for the provider's.
    pub(crate) display_name: String,
    /// What it can do.
    pub(crate) capabilities: Vec<String>,
    /// Tokens of prompt and answer together; empty when unknown.
    pub(crate) context_window: String,
    /// Most tokens of an answer; empty when unknown.
    pub(crate) max_output_tokens: String,
    /// What counts its tokens.
    pub(crate) tokenizer: String,
    /// Its price; no rates for none.
    pub(crate) price: PriceForm,
}

impl ModelForm {
    /// The command for a new one, or every wrong field.
    pub(crate) fn create(&self) -> Result<CreateModel, Problem> {
        let mut reader = Reader::default();
        let model_id = self.model_id.trim();
        if model_id.is_empty() {
            reader.refuse("model_id", "must be the name the provider knows, like `gpt-4o-mini`");
        }
        let command = CreateModel {
            model_id: model_id.to_owned(),
            display_name: self.display_name(),
            capabilities: self.capabilities(&mut reader),
            context_window: reader.number("context_window", &self.context_window),
            max_output_tokens: reader.number("max_output_tokens", &self.max_output_tokens),
            tokenizer: self.tokenizer(&mut reader),
            pricing: self.price.pricing(&mut reader),
        };
        reader.finish(Some(command))
    }

    /// The command for a change, or every wrong field.
    pub(crate) fn update(&self) -> Result<UpdateModel, Problem> {
        let mut reader = Reader::default();
        let command = UpdateModel {
            display_name: self.display_name(),
            capabilities: self.capabilities(&mut reader),
            context_window: reader.number("context_window", &self.context_window),
            max_output_tokens: reader.number("max_output_tokens", &self.max_output_tokens),
            tokenizer: self.tokenizer(&mut reader),
            enabled: None,
            pricing: self.price.pricing(&mut reader),
        };
        reader.finish(Some(command))
    }

    fn display_name(&self) -> Option<String> {
        let name = self.display_name.trim();
        (!name.is_empty()).then(|| name.to_owned())
    }

    fn tokenizer(&self, reader: &mut Reader) -> Option<Tokenizer> {
        (!self.tokenizer.is_empty()).then(|| reader.required("tokenizer", &self.tokenizer)).flatten()
    }

    fn capabilities(&self, reader: &mut Reader) -> Option<Vec<Capability>> {
        let read: Vec<Capability> =
            self.capabilities.iter().filter_map(|word| reader.required("capabilities", word)).collect();
        (!read.is_empty()).then_some(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_without_rates_has_no_price() {
        let form = ModelForm { model_id: "gpt-4o-mini".to_owned(), ..ModelForm::default() };
        let command = form.create().expect("a model");
        assert_eq!((command.pricing, command.capabilities, command.display_name), (None, None, None));
    }

    #[test]
    fn rates_make_a_price_in_their_currency() {
        let price = PriceForm {
            currency: "EUR".to_owned(),
            input: "1".to_owned(),
            output: "2".to_owned(),
            ..PriceForm::default()
        };
        let form = ModelForm { model_id: "m".to_owned(), price, ..ModelForm::default() };
        assert_eq!(
            form.create().expect("a model").pricing.map(|pricing| pricing.currency.to_string()),
            Some("EUR".to_owned())
        );
    }
}
