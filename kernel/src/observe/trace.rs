//! The runs of a trace, for tools that show traces.

use serde_json::json;
use types::run::{Run, RunFilter, RunQuery, RunSort, Step};

use super::Observe;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::ledger::Audit;
use crate::policy::guard;

/// Most runs of a trace that is handed out.
const MOST: usize = 1_000;
/// Runs read at once.
const PAGE: u32 = 200;

/// A run of a trace, with its steps by sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct TracedRun {
    /// The run.
    pub run: Run,
    /// Its steps.
    pub steps: Vec<Step>,
}

impl Observe {
    /// The runs of a trace that the caller may read, oldest first; the audit tells that they were taken.
    pub async fn export_trace(&self, ctx: &OpContext, trace_id: &str) -> Result<Vec<TracedRun>> {
        guard::authorize(ctx, "run.read")?;
        let filter =
            RunFilter { trace_id: Some(trace_id.to_owned()), sandbox: vec![true, false], ..RunFilter::default() };
        let query = RunQuery { filter, sort: RunSort::StartedAt, descending: false, limit: PAGE, cursor: None };
        let mut next = Some(query);
        let mut runs = Vec::new();
        while let Some(query) = next {
            let page = self.ports.runs.list_runs(ctx.scope, &query).await?;
            runs.extend(page.items);
            if runs.len() > MOST {
                let message = format!("has more than {MOST} runs here, export runs and steps instead");
                return Err(Error::invalid("trace_id", message));
            }
            next = page.next_cursor.map(|cursor| RunQuery { cursor: Some(cursor), ..query });
        }
        if runs.is_empty() {
            return Err(Error::not_found());
        }
        let mut traced = Vec::with_capacity(runs.len());
        for run in runs {
            let steps = self.ports.runs.list_steps(ctx.scope, run.id).await?;
            traced.push(TracedRun { run, steps });
        }
        let audit = Audit::done(ctx, &*self.ports.ids, "trace.otlp_exported", "run.read", ("trace", trace_id))
            .with_payload(json!({ "runs": traced.len() }));
        self.note(ctx, audit).await?;
        Ok(traced)
    }
}
