//! `usage_daily` and `run_counts`

use std::collections::BTreeMap;

use chrono::SecondsFormat;
use entity::{run_count, usage_daily};
use kernel::ledger::{Measure, RunCountKey, UsageKey};
use sea_orm::ActiveModelTrait;
use sea_orm::ActiveValue::{NotSet, Set};
use sha2::{Digest, Sha256};
use types::id::{ApiKeyId, Uuid};
use types::run::UsageClass;

use super::{Corrupt, scope, word};

/// The row of a key with what it moves by.
pub(crate) fn active(key: &UsageKey, measures: &BTreeMap<Measure, i64>) -> usage_daily::ActiveModel {
    let mut row = usage_daily::ActiveModel {
        id: Set(id(key)),
        tenant_id: Set(key.scope.tenant_id.as_uuid()),
        workspace_id: Set(key.scope.workspace_id.as_uuid()),
        day: Set(key.day),
        source: Set(key.source.to_string()),
        entry: Set(key.entry.to_string()),
        caller_kind: Set(key.caller_kind.to_string()),
        caller_id: Set(key.caller_id.clone()),
        api_key_id: Set(key.api_key_id.map(ApiKeyId::as_uuid)),
        provider: Set(key.provider().map(str::to_owned)),
        model: Set(key.model.clone()),
        operation: Set(key.operation.clone()),
        currency: Set(key.currency.map(|currency| currency.to_string())),
        labels: Set(key.labels.clone()),
        sandbox: Set(key.sandbox),
        calls: NotSet,
        ended: NotSet,
        failed: NotSet,
        canceled: NotSet,
        refused: NotSet,
        latency_ms: NotSet,
        amount: NotSet,
        estimated: NotSet,
        estimated_amount: NotSet,
        unpriced: NotSet,
        replayed: NotSet,
        cache_hits: NotSet,
        input: NotSet,
        output: NotSet,
        cache_read: NotSet,
        cache_write: NotSet,
        cache_write_1h: NotSet,
        reasoning: NotSet,
        image_in: NotSet,
        audio_in: NotSet,
        audio_out: NotSet,
        images: NotSet,
        requests: NotSet,
        searches: NotSet,
        bytes_out: NotSet,
        bytes_in: NotSet,
        cpu_ms: NotSet,
    };
    for measure in Measure::all() {
        row.set(column(measure), measures.get(&measure).copied().unwrap_or_default().into());
    }
    row
}

/// One id for one key, on any process: SHA-256 of its parts, each with its length before it.
fn id(key: &UsageKey) -> Uuid {
    let mut hash = Sha256::new();
    let mut part = |text: Option<&str>| {
        let length = text.map_or(u64::MAX, |text| text.len() as u64);
        hash.update(length.to_be_bytes());
        hash.update(text.unwrap_or_default());
    };
    part(Some(&key.scope.tenant_id.to_string()));
    part(Some(&key.scope.workspace_id.to_string()));
    part(Some(&key.day.timestamp().to_string()));
    part(Some(key.source.as_str()));
    part(Some(key.entry.as_str()));
    part(Some(key.caller_kind.as_str()));
    part(Some(&key.caller_id));
    part(key.api_key_id.map(|id| id.to_string()).as_deref());
    part(key.model.as_deref());
    part(key.operation.as_deref());
    part(key.currency.map(|currency| currency.to_string()).as_deref());
    part(Some(&key.labels));
    part(Some(if key.sandbox { "sandbox" } else { "" }));
    let digest = hash.finalize();
    Uuid::from_slice(digest.get(..16).unwrap_or_default()).unwrap_or_default()
}

/// A row's key and numbers.
pub(crate) fn record(row: usage_daily::Model) -> Result<(UsageKey, BTreeMap<Measure, i64>), Corrupt> {
    let measures = Measure::all().map(|measure| (measure, number(&row, measure))).filter(|(_, n)| *n != 0).collect();
    let key = UsageKey {
        scope: scope(row.tenant_id, row.workspace_id),
        day: row.day,
        source: word(&row.source, "usage_daily.source")?,
        entry: word(&row.entry, "usage_daily.entry")?,
        caller_kind: word(&row.caller_kind, "usage_daily.caller_kind")?,
        caller_id: row.caller_id,
        api_key_id: row.api_key_id.map(ApiKeyId::from_uuid),
        model: row.model,
        operation: row.operation,
        currency: row.currency.map(|currency| word(&currency, "usage_daily.currency")).transpose()?,
        labels: row.labels,
        sandbox: row.sandbox,
    };
    Ok((key, measures))
}

/// The column of a measure.
pub(crate) const fn column(measure: Measure) -> usage_daily::Column {
    use usage_daily::Column as C;
    match measure {
        Measure::Calls => C::Calls,
        Measure::Ended => C::Ended,
        Measure::Failed => C::Failed,
        Measure::Canceled => C::Canceled,
        Measure::Refused => C::Refused,
        Measure::LatencyMs => C::LatencyMs,
        Measure::Amount => C::Amount,
        Measure::Estimated => C::Estimated,
        Measure::EstimatedAmount => C::EstimatedAmount,
        Measure::Unpriced => C::Unpriced,
        Measure::Replayed => C::Replayed,
        Measure::CacheHits => C::CacheHits,
        Measure::Class(UsageClass::Input) => C::Input,
        Measure::Class(UsageClass::Output) => C::Output,
        Measure::Class(UsageClass::CacheRead) => C::CacheRead,
        Measure::Class(UsageClass::CacheWrite) => C::CacheWrite,
        Measure::Class(UsageClass::CacheWrite1h) => C::CacheWrite1h,
        Measure::Class(UsageClass::Reasoning) => C::Reasoning,
        Measure::Class(UsageClass::ImageIn) => C::ImageIn,
        Measure::Class(UsageClass::AudioIn) => C::AudioIn,
        Measure::Class(UsageClass::AudioOut) => C::AudioOut,
        Measure::Class(UsageClass::Images) => C::Images,
        Measure::Class(UsageClass::Requests) => C::Requests,
        Measure::Class(UsageClass::Searches) => C::Searches,
        Measure::Class(UsageClass::BytesOut) => C::BytesOut,
        Measure::Class(UsageClass::BytesIn) => C::BytesIn,
        Measure::Class(UsageClass::CpuMs) => C::CpuMs,
    }
}

const fn number(row: &usage_daily::Model, measure: Measure) -> i64 {
    match measure {
        Measure::Calls => row.calls,
        Measure::Ended => row.ended,
        Measure::Failed => row.failed,
        Measure::Canceled => row.canceled,
        Measure::Refused => row.refused,
        Measure::LatencyMs => row.latency_ms,
        Measure::Amount => row.amount,
        Measure::Estimated => row.estimated,
        Measure::EstimatedAmount => row.estimated_amount,
        Measure::Unpriced => row.unpriced,
        Measure::Replayed => row.replayed,
        Measure::CacheHits => row.cache_hits,
        Measure::Class(UsageClass::Input) => row.input,
        Measure::Class(UsageClass::Output) => row.output,
        Measure::Class(UsageClass::CacheRead) => row.cache_read,
        Measure::Class(UsageClass::CacheWrite) => row.cache_write,
        Measure::Class(UsageClass::CacheWrite1h) => row.cache_write_1h,
        Measure::Class(UsageClass::Reasoning) => row.reasoning,
        Measure::Class(UsageClass::ImageIn) => row.image_in,
        Measure::Class(UsageClass::AudioIn) => row.audio_in,
        Measure::Class(UsageClass::AudioOut) => row.audio_out,
        Measure::Class(UsageClass::Images) => row.images,
        Measure::Class(UsageClass::Requests) => row.requests,
        Measure::Class(UsageClass::Searches) => row.searches,
        Measure::Class(UsageClass::BytesOut) => row.bytes_out,
        Measure::Class(UsageClass::BytesIn) => row.bytes_in,
        Measure::Class(UsageClass::CpuMs) => row.cpu_ms,
    }
}

/// A key as a person reads it.
pub(crate) fn told(key: &UsageKey) -> String {
    let mut parts = vec![
        key.scope.workspace_id.to_string(),
        key.day.format("%Y-%m-%d").to_string(),
        key.source.to_string(),
        key.entry.to_string(),
        format!("{}:{}", key.caller_kind, key.caller_id),
    ];
    parts.extend(key.api_key_id.map(|id| id.to_string()));
    parts.extend(key.model.clone());
    parts.extend(key.operation.clone());
    parts.extend(key.currency.map(|currency| currency.to_string()));
    parts.extend(Some(key.labels.clone()).filter(|labels| labels != "{}"));
    parts.extend(key.sandbox.then(|| "sandbox".to_owned()));
    parts.join(" ")
}

/// A count's key as a person reads it.
pub(crate) fn told_count(key: &RunCountKey) -> String {
    let starts_at = key.starts_at.to_rfc3339_opts(SecondsFormat::Secs, true);
    let RunCountKey { scope, seconds, mode, source, entry, .. } = key;
    format!("{} {starts_at} {seconds}s {mode} {source} {entry}", scope.workspace_id)
}

/// The row of a count with what it moves by.
pub(crate) fn active_count(key: &RunCountKey, n: i64) -> run_count::ActiveModel {
    run_count::ActiveModel {
        tenant_id: Set(key.scope.tenant_id.as_uuid()),
        workspace_id: Set(key.scope.workspace_id.as_uuid()),
        starts_at: Set(key.starts_at),
        seconds: Set(key.seconds),
        mode: Set(key.mode.to_string()),
        source: Set(key.source.to_string()),
        entry: Set(key.entry.to_string()),
        measure: Set(key.measure.to_string()),
        n: Set(n),
    }
}

/// A count's key and number.
pub(crate) fn count_record(row: &run_count::Model) -> Result<(RunCountKey, i64), Corrupt> {
    let key = RunCountKey {
        scope: scope(row.tenant_id, row.workspace_id),
        seconds: row.seconds,
        starts_at: row.starts_at,
        mode: word(&row.mode, "run_counts.mode")?,
        source: word(&row.source, "run_counts.source")?,
        entry: word(&row.entry, "run_counts.entry")?,
        measure: word(&row.measure, "run_counts.measure")?,
    };
    Ok((key, row.n))
}
