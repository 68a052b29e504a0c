//! `prices`

use entity::price::{ActiveModel, Model};
use kernel::context::Scope;
use sea_orm::ActiveValue::Set;
use types::id::PriceId;
use types::modelhub::Price;

use super::{Corrupt, document, text, word};

pub(crate) fn active(scope: Scope, price: &Price) -> Result<ActiveModel, Corrupt> {
    Ok(ActiveModel {
        id: Set(price.id.as_uuid()),
        tenant_id: Set(scope.tenant_id.as_uuid()),
        workspace_id: Set(scope.workspace_id.as_uuid()),
        match_ref: Set(price.match_ref.clone()),
        currency: Set(price.currency.to_string()),
        rates: Set(text(&price.rates, "prices.rates")?),
        valid_from: Set(price.valid_from),
        note: Set(price.note.clone()),
        created_at: Set(price.created_at),
    })
}

pub(crate) fn record(row: Model) -> Result<Price, Corrupt> {
    Ok(Price {
        id: PriceId::from_uuid(row.id),
        match_ref: row.match_ref,
        currency: word(&row.currency, "prices.currency")?,
        rates: document(&row.rates, "prices.rates")?,
        valid_from: row.valid_from,
        note: row.note,
        created_at: row.created_at,
    })
}
