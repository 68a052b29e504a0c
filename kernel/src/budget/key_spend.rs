//! What keys have spent: read from the counters that settling moves, never summed.

use std::collections::BTreeSet;

use types::key::ApiKey;
use types::money::{Amount, Currency, Money};

use super::Budgets;
use crate::context::OpContext;
use crate::error::Result;
use crate::ledger::CounterKey;
use crate::policy::guard;

impl Budgets {
    /// What the calls of each key cost in the present UTC month: one amount a currency, none where nothing was spent.
    pub async fn list_key_spend(&self, ctx: &OpContext, keys: &[ApiKey]) -> Result<Vec<Vec<Money>>> {
        guard::authorize(ctx, "cost.read")?;
        let snapshot = self.editor.read(ctx).await?;
        // A cost has the currency of a price, and prices stay.
        let currencies: BTreeSet<Currency> = snapshot.prices.iter().map(|price| price.currency).collect();
        let of_key = |key: &ApiKey| {
            let id = key.id;
            currencies.iter().map(move |currency| CounterKey::key_spend(id, *currency, ctx.now))
        };
        let wanted: Vec<CounterKey> = keys.iter().flat_map(of_key).collect();
        let mut counters = self.runs.counters(ctx.scope, &wanted).await?.into_iter();
        let mut spent = || {
            let amounts = currencies.iter().zip(counters.by_ref());
            let amounts = amounts.filter(|(_, counter)| counter.value != 0);
            amounts
                .map(|(currency, counter)| Money { currency: *currency, amount: Amount::from_nanos(counter.value) })
                .collect()
        };
        Ok(keys.iter().map(|_| spent()).collect())
    }
}
