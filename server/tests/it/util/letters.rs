//! Deliveries that are given up, and tasks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use kernel::ledger::{Fence, NewTask, Op, TaskOp};
use kernel::outbox::Consumer;
use kernel::port::Delivery;
use testkit::sample::Sample;
use tokio::sync::Mutex;
use types::id::UserId;
use types::problem::Code;
use types::run::{Caller, CallerKind};

use super::test_app::TestApp;
use crate::identity::people::Home;

/// A consumer that only tests have.
pub(crate) const BROKEN: &str = "broken";

/// A consumer that takes nothing until it is mended, and remembers what it took.
#[derive(Default)]
pub(crate) struct Broken {
    is_mended: AtomicBool,
    pub(crate) taken: Mutex<Vec<Delivery>>,
}

impl Broken {
    pub(crate) fn mend(&self) {
        self.is_mended.store(true, Ordering::Relaxed);
    }
}

#[async_trait]
impl Consumer for Broken {
    fn name(&self) -> &'static str {
        BROKEN
    }

    async fn deliver(&self, delivery: &Delivery) -> kernel::Result<()> {
        if !self.is_mended.load(Ordering::Relaxed) {
            return Err(kernel::Error::new(Code::UpstreamError, "no answer"));
        }
        self.taken.lock().await.push(delivery.clone());
        Ok(())
    }
}

/// Events about one thing for the consumers; the thing.
pub(crate) async fn emit(app: &TestApp, home: &Home, consumers: &[&'static str], count: usize) -> String {
    let mut sample = Sample::default();
    sample.scope = home.scope;
    let subject = app.app.ids.budget().to_string();
    let event = || {
        let mut event = sample.event(&subject, BROKEN);
        (event.id, event.consumers) = (app.app.ids.event(), consumers.to_vec());
        Op::EventEmit(Arc::new(event))
    };
    app.app.ledger.commit(sample.opening((0..count).map(|_| event()))).await.expect("a batch");
    subject
}

/// A delivery that was given up; its id.
pub(crate) async fn dead_letter(app: &TestApp, home: &Home) -> String {
    emit(app, home, &[BROKEN], 1).await;
    let fence = Fence { process_id: app.app.ids.process(), epoch: 1 };
    let lease = std::time::Duration::from_secs(60);
    let claimed = app.app.outbox.claim(BROKEN, fence, 1, lease).await.expect("a claim");
    let [delivery] = claimed.as_slice() else { panic!("one delivery: {claimed:?}") };
    app.app.outbox.failed(BROKEN, delivery, "no answer", None).await.expect("an answer");
    format!("{}.{BROKEN}", delivery.event_id)
}

/// A task of somebody that nobody takes within the hour; its id.
pub(crate) async fn waiting_task(app: &TestApp, home: &Home, of: UserId) -> String {
    let mut sample = Sample::default();
    sample.scope = home.scope;
    let caller = Caller { kind: CallerKind::User, id: of.to_string() };
    let delay = std::time::Duration::from_secs(3_600);
    let task = NewTask { id: app.app.ids.task(), caller, user_id: Some(of), delay, ..sample.task() };
    let id = task.id.to_string();
    app.app.ledger.commit(sample.opening([Op::Task(TaskOp::Open(Arc::new(task)))])).await.expect("a batch");
    id
}
