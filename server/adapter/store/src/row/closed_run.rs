//! A run with its steps and costs, whole rows: what the entry of a closed run is made of, and checked against.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use entity::{cost, run, step};
use kernel::chain::{ClosedRun, Hash};
use types::id::{ArtifactId, UserId, Uuid};

use super::{Corrupt, scope};
use crate::dialect::{FromRecord, Record};
use crate::error::Trouble;

/// Reads every column of a table, in the order of the entity.
macro_rules! whole {
    ($table:ident: $($position:literal $field:ident),+ $(,)?) => {
        impl FromRecord for $table::Model {
            fn read(record: &Record<'_>) -> Result<Self, Trouble> {
                Ok(Self { $($field: record.get($position)?),+ })
            }
        }
    };
}

whole! { run:
    0 id, 1 tenant_id, 2 workspace_id, 3 mode, 4 source, 5 entry, 6 caller_kind, 7 caller_id, 8 user_id, 9 api_key_id,
    10 root_run_id, 11 parent_run_id, 12 source_run_id, 13 attempt_no, 14 capture, 15 trace_id, 16 request_id,
    17 policy_revision, 18 sandbox, 19 model_ref, 20 input_preview, 21 input_chars, 22 labels, 23 owner_process_id,
    24 owner_epoch, 25 started_at, 26 status, 27 steps, 28 events, 29 emitted, 30 open_steps, 31 open_holds,
    32 totals, 33 ended_at, 34 duration_ms, 35 error_code, 36 error_message, 37 error_step_id, 38 output_preview,
    39 output_chars, 40 delivered, 41 flags, 42 refusals, 43 created_at, 44 changed_at, 45 input_artifact_id,
    46 output_artifact_id, 47 salt,
}
whole! { step:
    0 id, 1 tenant_id, 2 workspace_id, 3 run_id, 4 seq, 5 parent_step_id, 6 call_id, 7 step_type, 8 status,
    9 attempt_no, 10 effect, 11 decision, 12 request_digest, 13 input_preview, 14 input_chars, 15 output_preview,
    16 output_chars, 17 metrics, 18 error_code, 19 error_message, 20 started_at, 21 outbound_at, 22 ended_at,
    23 latency_ms, 24 ttft_ms, 25 created_at, 26 input_artifact_id, 27 output_artifact_id,
}
whole! { cost:
    0 id, 1 tenant_id, 2 workspace_id, 3 run_id, 4 step_id, 5 kind, 6 occurred_at, 7 source_ref, 8 source_port,
    9 operation, 10 provider, 11 provider_id, 12 model_ref, 13 target_ref, 14 upstream_model, 15 upstream_id,
    16 upstream_request_id, 17 api_key_id, 18 usage, 19 usage_basis, 20 pricing_status, 21 reason, 22 currency,
    23 amount, 24 price_id, 25 snapshot, 26 created_at,
}

/// Run, id and SHA-256 of an artifact.
pub(crate) type RunArtifact = (Uuid, Uuid, Vec<u8>);

/// Those of these runs that name artifacts, themselves or by their steps.
pub(crate) fn naming_artifacts(runs: &[run::Model], steps: &[step::Model]) -> BTreeSet<Uuid> {
    let names = |input: Option<Uuid>, output: Option<Uuid>| input.or(output).is_some();
    let runs = runs.iter().filter(|row| names(row.input_artifact_id, row.output_artifact_id)).map(|row| row.id);
    let steps = steps.iter().filter(|row| names(row.input_artifact_id, row.output_artifact_id)).map(|row| row.run_id);
    runs.chain(steps).collect()
}

/// The runs, each with what belongs to it: steps in order, costs oldest first.
pub(crate) fn records(
    runs: Vec<run::Model>,
    steps: Vec<step::Model>,
    costs: Vec<cost::Model>,
    artifacts: Vec<RunArtifact>,
) -> Result<Vec<ClosedRun>, Corrupt> {
    let mut steps_of: HashMap<Uuid, Vec<step::Model>> = HashMap::new();
    steps.into_iter().for_each(|row| steps_of.entry(row.run_id).or_default().push(row));
    let mut costs_of: HashMap<Uuid, Vec<cost::Model>> = HashMap::new();
    costs.into_iter().for_each(|row| costs_of.entry(row.run_id).or_default().push(row));
    let mut artifacts_of: HashMap<Uuid, BTreeMap<ArtifactId, Hash>> = HashMap::new();
    for (run_id, id, sha256) in artifacts {
        let of_run = artifacts_of.entry(run_id).or_default();
        of_run.insert(ArtifactId::from_uuid(id), super::hash(&sha256, "artifacts.sha256")?);
    }
    let closed = runs.into_iter().map(|row| {
        let mut steps = steps_of.remove(&row.id).unwrap_or_default();
        steps.sort_by_key(|step| step.seq);
        let mut costs = costs_of.remove(&row.id).unwrap_or_default();
        costs.sort_by_key(|cost| (cost.occurred_at, cost.id));
        let salt = row.salt.as_deref().map(<[u8; 16]>::try_from).transpose();
        Ok(ClosedRun {
            scope: scope(row.tenant_id, row.workspace_id),
            user_id: row.user_id.map(UserId::from_uuid),
            salt: salt.map_err(|_| Corrupt::new("runs.salt", "not 16 bytes"))?,
            artifacts: artifacts_of.remove(&row.id).unwrap_or_default(),
            run: super::run::record(row)?,
            steps: steps.into_iter().map(super::step::record).collect::<Result<_, _>>()?,
            costs: costs.into_iter().map(super::cost::record).collect::<Result<_, _>>()?,
        })
    });
    closed.collect()
}
