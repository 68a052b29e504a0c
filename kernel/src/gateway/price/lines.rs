//! From quantities and rates to money.

use serde_json::{Value, json};
use types::cost::{PricingStatus, UsageBasis};
use types::modelhub::Price;
use types::money::{Amount, Money, Rate, Rounding};
use types::run::{Usage, UsageClass};

/// What quantities come to at a price.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::gateway) struct Bill {
    /// How sure the amount is.
    pub(in crate::gateway) status: PricingStatus,
    /// Why it is unpriced.
    pub(in crate::gateway) reason: Option<&'static str>,
    /// None when unpriced.
    pub(in crate::gateway) money: Option<Money>,
    /// Rates and lines as used.
    pub(in crate::gateway) snapshot: Value,
}

impl Bill {
    fn unpriced(reason: &'static str) -> Self {
        Self { status: PricingStatus::Unpriced, reason: Some(reason), money: None, snapshot: Value::Null }
    }
}

/// What one metered attempt costs. `with_output` says whether the operation answers in tokens.
pub(in crate::gateway) fn bill(price: Option<&Price>, usage: &Usage, basis: UsageBasis, with_output: bool) -> Bill {
    let price = match usable(price, with_output) {
        Ok(price) => price,
        Err(reason) => return Bill::unpriced(reason),
    };
    let (mut sum, mut lines, mut free) = (Amount::ZERO, Vec::new(), true);
    for (class, quantity) in &usage.0 {
        let Some(rate) = rate(price, *class) else { return Bill::unpriced("class_not_priced") };
        let added = rate.line(*quantity, Rounding::HalfUp).and_then(|line| Some((line, sum.checked_add(line)?)));
        let Some((line, total)) = added else { return Bill::unpriced("amount_out_of_range") };
        sum = total;
        free &= rate.nanos() == 0;
        lines.push(json!({ "class": class, "quantity": quantity, "rate": rate, "amount": line }));
    }
    let status = match basis {
        _ if free => PricingStatus::Free,
        UsageBasis::Provider => PricingStatus::Priced,
        _ => PricingStatus::Estimated,
    };
    Bill {
        status,
        reason: None,
        money: Some(Money { currency: price.currency, amount: sum }),
        snapshot: json!({ "rates": price.rates, "lines": lines }),
    }
}

/// The most that prompt and answer of these bounds can cost, every line rounded up; or why that cannot be said.
pub(in crate::gateway) fn worst_case(
    price: Option<&Price>,
    prompt: u64,
    output: Option<u64>,
) -> Result<Money, &'static str> {
    let price = usable(price, output.is_some())?;
    // Every class a provider may report instead of plain input or output, at its own rate.
    let input = dearest(price, &[UsageClass::Input, UsageClass::CacheRead, UsageClass::ImageIn, UsageClass::AudioIn]);
    let answer = dearest(price, &[UsageClass::Output, UsageClass::Reasoning, UsageClass::AudioOut]);
    let line = |rate: Option<Rate>, quantity: u64| match rate {
        Some(rate) => rate.line(quantity, Rounding::Up).ok_or("amount_out_of_range"),
        None => Ok(Amount::ZERO),
    };
    let amount = line(input, prompt)?.checked_add(line(answer, output.unwrap_or_default())?);
    Ok(Money { currency: price.currency, amount: amount.ok_or("amount_out_of_range")? })
}

fn usable(price: Option<&Price>, with_output: bool) -> Result<&Price, &'static str> {
    let price = price.ok_or("pricing_not_configured")?;
    if !price.rates.contains_key(&UsageClass::Input) {
        return Err("input_rate_missing");
    }
    if with_output && !price.rates.contains_key(&UsageClass::Output) {
        return Err("output_rate_missing");
    }
    Ok(price)
}

fn dearest(price: &Price, classes: &[UsageClass]) -> Option<Rate> {
    classes.iter().filter_map(|class| rate(price, *class)).max()
}

/// The rate of a class; cached and image input fall back to input, reasoning to output.
fn rate(price: &Price, class: UsageClass) -> Option<Rate> {
    use UsageClass as C;
    let own = price.rates.get(&class).copied();
    own.or_else(|| match class {
        C::CacheRead | C::CacheWrite | C::CacheWrite1h | C::ImageIn => price.rates.get(&C::Input).copied(),
        C::Reasoning => price.rates.get(&C::Output).copied(),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::id::{PriceId, Uuid};

    fn price(rates: &[(UsageClass, &str)]) -> Price {
        let rate = |text: &str| Rate::try_from(text.parse::<Amount>().unwrap()).unwrap();
        Price {
            id: PriceId::from_uuid(Uuid::from_u128(1)),
            match_ref: "model:a:b".to_owned(),
            currency: types::money::Currency::USD,
            rates: rates.iter().map(|(class, text)| (*class, rate(text))).collect(),
            valid_from: chrono::DateTime::UNIX_EPOCH,
            note: String::new(),
            created_at: chrono::DateTime::UNIX_EPOCH,
        }
    }

    fn usage(parts: &[(UsageClass, u64)]) -> Usage {
        Usage(parts.iter().copied().collect())
    }

    fn cost(price: &Price, parts: &[(UsageClass, u64)]) -> (PricingStatus, Option<String>, Option<&'static str>) {
        let bill = bill(Some(price), &usage(parts), UsageBasis::Provider, true);
        (bill.status, bill.money.map(|money| money.amount.to_string()), bill.reason)
    }

    #[test]
    fn the_examples_of_the_specification_come_out_to_the_nano() {
        let chat = price(&[(UsageClass::Input, "0.15"), (UsageClass::Output, "0.6")]);
        let of = |input, output| cost(&chat, &[(UsageClass::Input, input), (UsageClass::Output, output)]);
        assert_eq!(of(1000, 500), (PricingStatus::Priced, Some("0.00045".to_owned()), None));
        assert_eq!(of(990, 120), (PricingStatus::Priced, Some("0.0002205".to_owned()), None));
        let held = worst_case(Some(&chat), 1064, Some(500)).unwrap();
        assert_eq!(held.amount.to_string(), "0.0004596");
        let small = price(&[(UsageClass::Input, "0.0375"), (UsageClass::Output, "0")]);
        assert_eq!(cost(&small, &[(UsageClass::Input, 1)]).1.as_deref(), Some("0.000000038"));
        assert_eq!(worst_case(Some(&small), 1, Some(0)).unwrap().amount.to_string(), "0.000000038");
    }

    #[test]
    fn unpriced_is_never_zero_and_says_why() {
        let input_only = price(&[(UsageClass::Input, "1")]);
        assert_eq!(
            cost(&input_only, &[(UsageClass::Input, 1)]),
            (PricingStatus::Unpriced, None, Some("output_rate_missing"))
        );
        let chat = price(&[(UsageClass::Input, "1"), (UsageClass::Output, "1")]);
        assert_eq!(cost(&chat, &[(UsageClass::AudioIn, 1)]).2, Some("class_not_priced"));
        assert_eq!(bill(None, &usage(&[]), UsageBasis::Provider, true).reason, Some("pricing_not_configured"));
        assert_eq!(worst_case(None, 1, None), Err("pricing_not_configured"));
        assert_eq!(worst_case(Some(&chat), u64::MAX, Some(1)), Err("amount_out_of_range"));
    }

    #[test]
    fn classes_fall_back_and_zero_rates_are_free() {
        let chat = price(&[(UsageClass::Input, "1"), (UsageClass::Output, "2")]);
        let parts = [(UsageClass::CacheRead, 1_000_000), (UsageClass::Reasoning, 1_000_000)];
        assert_eq!(cost(&chat, &parts).1.as_deref(), Some("3"));
        let free = price(&[(UsageClass::Input, "0"), (UsageClass::Output, "0")]);
        assert_eq!(cost(&free, &[(UsageClass::Input, 9)]), (PricingStatus::Free, Some("0".to_owned()), None));
    }

    #[test]
    fn an_exact_match_beats_a_prefix_and_a_newer_price_an_older_one() {
        let at = |text: &str| text.parse::<chrono::DateTime<chrono::Utc>>().unwrap();
        let entry = |match_ref: &str, from: &str, id| Price {
            id: PriceId::from_uuid(Uuid::from_u128(id)),
            match_ref: match_ref.to_owned(),
            valid_from: at(from),
            ..price(&[])
        };
        let list = [
            entry("model:a:*", "2026-03-01T00:00:00Z", 1),
            entry("model:a:b", "2026-02-01T00:00:00Z", 2),
            entry("model:a:b", "2026-01-01T00:00:00Z", 3),
            entry("model:*", "2026-01-01T00:00:00Z", 4),
        ];
        let found = |model: &str, now: &str| {
            super::super::resolve(&list, model, at(now)).map(|price| price.id.as_uuid().as_u128())
        };
        assert_eq!(found("model:a:b", "2026-06-01T00:00:00Z"), Some(2));
        assert_eq!(found("model:a:b", "2026-01-15T00:00:00Z"), Some(3));
        assert_eq!(found("model:a:c", "2026-06-01T00:00:00Z"), Some(1));
        assert_eq!(found("model:z:c", "2026-06-01T00:00:00Z"), Some(4));
        assert_eq!(found("model:z:c", "2025-06-01T00:00:00Z"), None);
    }
}
