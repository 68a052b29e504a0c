//! `costs`

use entity::cost::{ActiveModel, Model};
use kernel::context::Scope;
use sea_orm::ActiveValue::{NotSet, Set};
use types::cost::Cost;
use types::id::{ApiKeyId, CostId, PriceId, ProviderId, RunId, StepId};
use types::money::Amount;

use super::{Corrupt, document, text, word};

pub(crate) fn active(scope: Scope, cost: &Cost) -> Result<ActiveModel, Corrupt> {
    Ok(ActiveModel {
        id: Set(cost.id.as_uuid()),
        tenant_id: Set(scope.tenant_id.as_uuid()),
        workspace_id: Set(scope.workspace_id.as_uuid()),
        run_id: Set(cost.run_id.as_uuid()),
        step_id: Set(cost.step_id.as_uuid()),
        kind: Set(cost.kind.to_string()),
        occurred_at: Set(cost.occurred_at),
        source_ref: Set(cost.source_ref.clone()),
        source_port: Set(cost.source_port.clone()),
        operation: Set(cost.operation.clone()),
        provider: Set(cost.provider.clone()),
        provider_id: Set(cost.provider_id.map(ProviderId::as_uuid)),
        model_ref: Set(cost.model_ref.clone()),
        target_ref: Set(cost.target_ref.clone()),
        upstream_model: Set(cost.upstream_model.clone()),
        upstream_id: Set(cost.upstream_id.clone()),
        upstream_request_id: Set(cost.upstream_request_id.clone()),
        api_key_id: Set(cost.api_key_id.map(ApiKeyId::as_uuid)),
        usage: Set(text(&cost.usage, "costs.usage")?),
        usage_basis: Set(cost.usage_basis.to_string()),
        pricing_status: Set(cost.pricing_status.to_string()),
        reason: Set(cost.reason.clone()),
        currency: Set(cost.currency.map(|currency| currency.to_string())),
        amount: Set(cost.amount.map(Amount::nanos)),
        price_id: Set(cost.price_id.map(PriceId::as_uuid)),
        snapshot: Set(text(&cost.snapshot, "costs.snapshot")?),
        created_at: NotSet,
    })
}

pub(crate) fn record(row: Model) -> Result<Cost, Corrupt> {
    Ok(Cost {
        id: CostId::from_uuid(row.id),
        run_id: RunId::from_uuid(row.run_id),
        step_id: StepId::from_uuid(row.step_id),
        kind: word(&row.kind, "costs.kind")?,
        occurred_at: row.occurred_at,
        source_ref: row.source_ref,
        source_port: row.source_port,
        operation: row.operation,
        provider: row.provider,
        provider_id: row.provider_id.map(ProviderId::from_uuid),
        model_ref: row.model_ref,
        target_ref: row.target_ref,
        upstream_model: row.upstream_model,
        upstream_id: row.upstream_id,
        upstream_request_id: row.upstream_request_id,
        api_key_id: row.api_key_id.map(ApiKeyId::from_uuid),
        usage: document(&row.usage, "costs.usage")?,
        usage_basis: word(&row.usage_basis, "costs.usage_basis")?,
        pricing_status: word(&row.pricing_status, "costs.pricing_status")?,
        reason: row.reason,
        currency: row.currency.map(|currency| word(&currency, "costs.currency")).transpose()?,
        amount: row.amount.map(Amount::from_nanos),
        price_id: row.price_id.map(PriceId::from_uuid),
        snapshot: document(&row.snapshot, "costs.snapshot")?,
    })
}
