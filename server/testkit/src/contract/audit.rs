//! Reading the audit.

use std::sync::Arc;
use std::time::Duration;

use kernel::ledger::{Audit, Op};
use kernel::port::StoreError;
use serde_json::json;
use types::audit::{AuditEntry, AuditFilter, AuditQuery, Outcome};
use types::run::{Caller, CallerKind, Term};

use super::{Store, applied, seeded, seeded_as};
use crate::sample::{Sample, noon, open_run};

/// Rows `change` makes of a sample, one second after the other.
async fn written(store: &impl Store, sample: &Sample, count: u64, change: impl Fn(u64, &mut Audit)) {
    for number in 0..count {
        let mut audit = Audit { occurred_at: noon() + Duration::from_secs(number), ..sample.audit() };
        change(number, &mut audit);
        applied(store, sample.opening([Op::AuditAppend(Arc::new(audit))])).await;
    }
}

async fn listed(store: &impl Store, sample: &Sample, filter: AuditFilter) -> Vec<u64> {
    let query = AuditQuery { filter, limit: 200, ..AuditQuery::default() };
    let page = store.list_audit(sample.scope, None, &query).await.expect("a page");
    page.items.iter().map(|entry| entry.seq).collect()
}

/// As it was written.
pub async fn an_audit_row_is_read_as_it_was_written(store: &impl Store) {
    let sample = seeded(store).await;
    let run = sample.run();
    let audit = Audit {
        run_id: Some(run.id),
        credential_id: Some(sample.key_id.to_string()),
        outcome: Outcome::Denied,
        payload: json!({ "before": { "name": "a" }, "after": { "name": "b" } }),
        ..sample.audit()
    };
    applied(store, sample.opening([open_run(&run), Op::AuditAppend(Arc::new(audit.clone()))])).await;
    let entry = store.find_audit(sample.scope, None, 1).await.expect("a read").expect("the first row");
    assert_eq!((entry.id, entry.seq, entry.outcome, entry.run_id), (audit.id, 1, Outcome::Denied, Some(run.id)));
    assert_eq!((&entry.event_type, &entry.operation), (&audit.event_type, &audit.operation));
    assert_eq!((&entry.resource.kind, &entry.resource.id), (&audit.resource_type, &audit.resource_id));
    assert_eq!((&entry.actor, &entry.address), (&audit.actor, &audit.address));
    assert_eq!((&entry.credential_id, &entry.payload), (&audit.credential_id, &audit.payload));
    assert_eq!(entry.occurred_at, audit.occurred_at);
    assert_eq!(store.find_audit(sample.scope, None, 2).await.expect("a read"), None);
}

/// Newest first, each row once, whatever the length of a page.
pub async fn audit_pages_follow_each_other(store: &impl Store) {
    let sample = seeded(store).await;
    written(store, &sample, 7, |_, _| {}).await;
    for limit in [1, 3, 7, 200] {
        let (mut seen, mut query) = (Vec::new(), AuditQuery { limit, ..AuditQuery::default() });
        loop {
            let page = store.list_audit(sample.scope, None, &query).await.expect("a page");
            assert!(page.items.len() <= limit as usize);
            seen.extend(page.items.iter().map(|entry| entry.seq));
            query.cursor = page.next_cursor;
            if query.cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, [7, 6, 5, 4, 3, 2, 1], "by {limit}");
    }
}

/// And to nobody else.
pub async fn an_audit_cursor_belongs_to_its_list(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    written(store, &sample, 3, |_, _| {}).await;
    let query = AuditQuery { limit: 1, ..AuditQuery::default() };
    let page = store.list_audit(sample.scope, None, &query).await.expect("a page");
    let cursor = page.next_cursor.expect("more rows");
    let with = |cursor: &str| AuditQuery { cursor: Some(cursor.to_owned()), ..query.clone() };
    assert!(store.list_audit(sample.scope, None, &with(&cursor)).await.is_ok());
    let mut filtered = with(&cursor);
    filtered.filter.outcome.push(Outcome::Done.into());
    for (scope, by, query) in [
        (other.scope, None, &with(&cursor)),
        (sample.scope, Some(sample.user_id), &with(&cursor)),
        (sample.scope, None, &filtered),
        (sample.scope, None, &with("")),
        (sample.scope, None, &with("not a cursor")),
    ] {
        assert!(matches!(store.list_audit(scope, by, query).await, Err(StoreError::Cursor)), "{query:?}");
    }
}

/// Several values of one filter mean *or*, different filters mean *and*; what is left out stays out.
pub async fn filters_narrow_the_audit(store: &impl Store) {
    let sample = seeded(store).await;
    let run = sample.run();
    applied(store, sample.opening([open_run(&run)])).await;
    written(store, &sample, 4, |number, audit| match number {
        0 => audit.actor = Caller { kind: CallerKind::System, id: "reaper".to_owned() },
        1 => {
            audit.run_id = Some(run.id);
            audit.outcome = Outcome::Denied;
            audit.address = None;
        }
        2 => {
            audit.event_type = "budget.updated".to_owned();
            audit.operation = "budget.update".to_owned();
        }
        _ => {
            audit.resource_type = "budget".to_owned();
            audit.resource_id = "bdg_1".to_owned();
        }
    })
    .await;
    let word = |text: &str| vec![Term::Is(text.to_owned())];
    let not = |text: &str| vec![Term::Not(text.to_owned())];
    let none = AuditFilter::default;
    let second = |number| Some(noon() + Duration::from_secs(number));
    for (filter, expected) in [
        (none(), &[4, 3, 2, 1][..]),
        (AuditFilter { actor_kind: vec![CallerKind::System.into()], ..none() }, &[1]),
        (AuditFilter { actor_id: word("reaper"), ..none() }, &[1]),
        (AuditFilter { actor_id: not("reaper"), ..none() }, &[4, 3, 2]),
        (AuditFilter { run_id: vec![run.id], ..none() }, &[2]),
        (AuditFilter { outcome: vec![Outcome::Denied.into(), Outcome::Failed.into()], ..none() }, &[2]),
        (AuditFilter { outcome: vec![Outcome::Denied.into()], actor_id: word("reaper"), ..none() }, &[]),
        (AuditFilter { address: word("10.0.0.1"), ..none() }, &[4, 3, 1]),
        (AuditFilter { address: not("10.0.0.1"), ..none() }, &[2]),
        (AuditFilter { event_type: word("budget.updated"), ..none() }, &[3]),
        (AuditFilter { operation: word("budget.update"), ..none() }, &[3]),
        (AuditFilter { resource_type: word("budget"), ..none() }, &[4]),
        (AuditFilter { resource_id: word("bdg_1"), ..none() }, &[4]),
        (AuditFilter { since: second(1), until: second(3), ..none() }, &[3, 2]),
    ] {
        assert_eq!(listed(store, &sample, filter.clone()).await, expected, "{filter:?}");
    }
}

/// Neither another workspace's, nor what others did where one person's rows are asked for.
pub async fn nobody_elses_audit_is_there(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    written(store, &other, 5, |_, _| {}).await;
    written(store, &sample, 2, |number, audit| {
        if number == 0 {
            audit.actor = Caller { kind: CallerKind::System, id: sample.user_id.to_string() };
        }
    })
    .await;
    let read = async |by| {
        let page = store.list_audit(sample.scope, by, &AuditQuery::default()).await.expect("a page");
        page.items.iter().map(|entry: &AuditEntry| entry.seq).collect::<Vec<_>>()
    };
    assert_eq!(read(None).await, [2, 1]);
    assert_eq!(read(Some(sample.user_id)).await, [2], "soit itself is not the person whose id it bears");
    assert!(read(Some(other.user_id)).await.is_empty());
    assert!(store.find_audit(sample.scope, Some(sample.user_id), 2).await.expect("a read").is_some());
    for (by, seq) in [(Some(sample.user_id), 1), (Some(other.user_id), 2), (None, 5)] {
        assert_eq!(store.find_audit(sample.scope, by, seq).await.expect("a read"), None, "{by:?} {seq}");
    }
}
