//! Taking records out: page by page, and on the record.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use chrono::TimeDelta;
use futures::StreamExt;
use kernel::context::Scope;
use kernel::observe::Window;
use kernel::port::{
    Clock, Exports, LastRecord, Place, PlaceKey, PlacedRecord, Record, RecordQuery, Records, StoreError,
};
use serde_json::{Map, json};
use types::audit::AuditFilter;
use types::identity::Role;
use types::page::Page;
use types::problem::Code;
use types::run::RunQuery;

use super::world::World;

/// So many records, made as they are asked for.
struct Many {
    count: u64,
    pages: AtomicUsize,
    largest: AtomicUsize,
}

impl Many {
    fn new(count: u64) -> Arc<Self> {
        Arc::new(Self { count, pages: AtomicUsize::new(0), largest: AtomicUsize::new(0) })
    }

    fn pages(&self) -> usize {
        self.pages.load(Ordering::Relaxed)
    }

    fn read(&self, rows: usize) {
        self.pages.fetch_add(1, Ordering::Relaxed);
        self.largest.fetch_max(rows, Ordering::Relaxed);
    }
}

#[async_trait]
impl Exports for Many {
    async fn list_run_records(&self, _: Scope, query: &RunQuery) -> Result<Page<Record>, StoreError> {
        let from: u64 = query.cursor.as_deref().map_or(0, |cursor| cursor.parse().unwrap());
        let to = (from + u64::from(query.limit)).min(self.count);
        let items: Vec<Record> = (from..to).map(|number| Map::from_iter([("id".to_owned(), json!(number))])).collect();
        self.read(items.len());
        Ok(Page { items, next_cursor: (to < self.count).then(|| to.to_string()) })
    }

    async fn find_place(&self, _: Scope, _: LastRecord) -> Result<Option<Place>, StoreError> {
        Ok(None)
    }

    async fn list_records(&self, _: Scope, query: &RecordQuery) -> Result<Vec<PlacedRecord>, StoreError> {
        let from = match query.after.map(|place| place.key) {
            Some(PlaceKey::Number(number)) => number + 1,
            _ => 0,
        };
        let to = (from + u64::from(query.limit)).min(self.count);
        let placed = |number| PlacedRecord {
            place: Place { created_at: testkit::sample::noon(), key: PlaceKey::Number(number) },
            record: Map::from_iter([("id".to_owned(), json!(number))]),
        };
        let page: Vec<PlacedRecord> = (from..to).map(placed).collect();
        self.read(page.len());
        Ok(page)
    }
}

fn window() -> Window {
    Window { since: None, until: None, after: None }
}

/// However many there are: a page is read when the one before has left, and none is larger than the first.
#[tokio::test]
async fn no_more_than_a_page_is_held_however_many_records_leave() {
    let world = World::new();
    let ctx = world.caller(Role::Owner);
    for many in [Many::new(1_000), Many::new(1_001)] {
        let observe = world.exporting(many.clone());
        let export = observe.export_records_on(&ctx, Records::Costs, window()).await.unwrap();
        let mut records = export.records;
        for number in 0..many.count {
            assert_eq!(records.next().await.unwrap().unwrap()["id"], json!(number));
            assert_eq!(many.pages(), usize::try_from(number).unwrap() / 200 + 1);
        }
        assert!(records.next().await.is_none());
        assert!(many.pages() <= 6 && many.largest.load(Ordering::Relaxed) == 200);
    }
    let many = Many::new(450);
    let export = world.exporting(many.clone()).export_runs(&ctx, RunQuery::default()).await.unwrap();
    let mut runs = export.records;
    for number in 0..450 {
        assert_eq!(runs.next().await.unwrap().unwrap()["id"], json!(number));
        assert_eq!(many.pages(), number / 200 + 1);
    }
    assert!(runs.next().await.is_none());
}

#[tokio::test]
async fn only_who_may_take_records_out_gets_any() {
    let world = World::new();
    let (many, window) = (Many::new(1), window());
    let observe = world.exporting(many.clone());
    for role in [Role::Dev, Role::Viewer] {
        let ctx = world.caller(role);
        for records in [
            Records::Steps,
            Records::Costs,
            Records::Audit(AuditFilter::default()),
            Records::Events(Default::default()),
            Records::RunEvents,
        ] {
            let refused = observe.export_records_on(&ctx, records.clone(), window.clone()).await;
            assert_eq!(refused.err().map(|error| error.code()), Some(Code::RoleRequired), "{role} {records:?}");
            let refused = observe.export_records(&ctx, records).await;
            assert_eq!(refused.err().map(|error| error.code()), Some(Code::RoleRequired));
        }
    }
    assert_eq!(many.pages(), 0);
}

#[tokio::test]
async fn a_window_that_is_not_settled_or_not_there_is_refused_by_name() {
    let world = World::new();
    let observe = world.exporting(Many::new(1));
    let ctx = world.caller(Role::Owner);
    let at = |seconds| Some(Clock::now(&*world) - TimeDelta::seconds(seconds));
    let after = |text: &str| Window { after: Some(text.to_owned()), ..window() };
    for (window, field) in [
        (Window { until: at(5), ..window() }, "until"),
        (Window { until: at(60), since: at(60), ..window() }, "until"),
        (Window { since: at(1), ..window() }, "until"),
        (after("cst_01jz8k0000000000000000000a"), "after"),
        (after("run_01jz8k0000000000000000000a"), "after"),
        (after(""), "after"),
    ] {
        let refused = observe.export_records_on(&ctx, Records::Costs, window.clone()).await;
        let error = refused.err().expect("a refusal");
        assert_eq!((error.code(), error.field()), (Code::Invalid, Some(field)), "{window:?}");
    }
    let many = AuditFilter { event_type: vec!["x".to_owned().into(); 101], ..AuditFilter::default() };
    let refused = observe.export_records(&ctx, Records::Audit(many)).await.err().expect("a refusal");
    assert_eq!(refused.field(), Some("event_type"));
}
