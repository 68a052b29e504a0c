//! `soit admin reconcile-counters`: counters against the rows they count. A running soit is not disturbed.

use std::process::ExitCode;

use adapter_store::Store;
use kernel::context::Scope;
use kernel::ledger::{Audit, Batch, LedgerError, Outcome};
use kernel::port::{Clock, Counters, Difference, Ids, Ledger, Recount};
use serde_json::{Value, json};
use types::run::{Caller, CallerKind};

use crate::command::output::{print, print_json, say};
use crate::compose;
use crate::config::Config;
use crate::local::{SystemClock, SystemIds};

/// Tells every difference, and adds what lacks if asked to. Exit code 1 where there was one.
pub(super) async fn reconcile_counters(config: &Config, fix: bool, json: bool) -> anyhow::Result<ExitCode> {
    let store = compose::open_beside(config).await?;
    let recounted = store.recount(if fix { Recount::Fix } else { Recount::Look }).await;
    let recorded = match &recounted {
        Ok(differences) if fix && !differences.is_empty() => record(&store, differences.len()).await,
        _ => Ok(()),
    };
    store.close().await?;
    let differences = recounted?;
    recorded?;
    if json {
        print_json(&json!({ "differences": differences.iter().map(told).collect::<Vec<_>>(), "fixed": fix }))?;
    } else {
        differences.iter().for_each(|difference| print(line(difference)));
    }
    if differences.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let what = if fix { "fixed" } else { "run it again with --fix to add what lacks" };
    say(format!("{} counters differ from their rows: {what}", differences.len()));
    Ok(ExitCode::FAILURE)
}

/// Tells the audit that counters were changed, and how many.
async fn record(store: &Store, count: usize) -> Result<(), LedgerError> {
    let ids: &dyn Ids = &SystemIds;
    let audit = Audit {
        id: ids.audit(),
        event_type: "counters.reconciled".to_owned(),
        operation: "instance.settings".to_owned(),
        outcome: Outcome::Done,
        resource_type: "instance".to_owned(),
        resource_id: "counters".to_owned(),
        actor: Caller { kind: CallerKind::System, id: "cli".to_owned() },
        run_id: None,
        address: None,
        credential_id: None,
        payload: json!({ "differences": count }),
        occurred_at: SystemClock::start().now(),
    };
    store.commit(Batch::closing(Scope::INSTANCE).with([audit.into()])).await.map(drop)
}

fn line(difference: &Difference) -> String {
    let Difference { table, key, measure, counter, rows } = difference;
    format!("{table} {key} {measure}: counter {counter}, rows {rows}")
}

fn told(difference: &Difference) -> Value {
    let Difference { table, key, measure, counter, rows } = difference;
    json!({ "table": table, "key": key, "measure": measure, "counter": counter, "rows": rows })
}
