//! Tasks on real stores: taken once, tried again, given up, canceled, given back; and through their doors.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use futures::future::{BoxFuture, join_all, pending, ready};
use kernel::ledger::{NewTask, Op, TaskOp};
use kernel::port::Clock;
use kernel::task::{Claimed, Outcome, Progress, TYPES, TaskError, TaskWork, Worker, WorkerPorts};
use serde_json::{Value, json};
use testkit::sample::Sample;
use tokio::sync::Notify;
use types::identity::Role;

use crate::identity::people::{WORKSPACE_ID, first_home, new_home, new_member, signed_in};
use crate::util::letters::waiting_task;
use crate::util::test_app::{Caller, TestApp, on_both};

/// A type that only the workers of these tests do.
const TYPE: &str = "test.work";

/// What a try comes to.
#[derive(Clone, Copy)]
enum Try {
    Succeeds,
    Fails,
    Panics,
    NeverEnds,
}

/// Work that counts its tries.
struct Work {
    comes_to: Try,
    tries: AtomicU32,
    begun: Notify,
}

impl Work {
    fn new(comes_to: Try) -> Arc<Self> {
        Arc::new(Self { comes_to, tries: AtomicU32::new(0), begun: Notify::new() })
    }

    fn tries(&self) -> u32 {
        self.tries.load(Ordering::Relaxed)
    }
}

#[async_trait]
impl TaskWork for Work {
    fn task_type(&self) -> &'static str {
        TYPE
    }

    async fn run(&self, _: &Claimed, progress: &Progress) -> Result<Outcome, TaskError> {
        self.tries.fetch_add(1, Ordering::Relaxed);
        progress.report(1, Some(2), Some("half")).await?;
        self.begun.notify_one();
        match self.comes_to {
            Try::Succeeds => Ok(Outcome::Done { output: None, ops: Vec::new() }),
            Try::Fails => Err(TaskError {
                code: "storage_unavailable".to_owned(),
                message: "the store does not answer".to_owned(),
                is_retryable: true,
            }),
            Try::Panics => panic!("what a test wants"),
            Try::NeverEnds => pending().await,
        }
    }
}

/// The system's clock, which sleeps a moment only: leases are renewed all the time.
struct Hasty(Arc<dyn Clock>);

impl Clock for Hasty {
    fn now(&self) -> DateTime<Utc> {
        self.0.now()
    }

    fn monotonic(&self) -> Duration {
        self.0.monotonic()
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
        self.0.sleep(Duration::from_millis(10))
    }
}

fn worker(app: &TestApp, work: &Arc<Work>) -> Worker {
    let ports = WorkerPorts {
        tasks: Arc::clone(&app.app.stored_tasks),
        ledger: Arc::clone(&app.app.ledger),
        clock: Arc::new(Hasty(Arc::clone(&app.app.clock))),
        ids: Arc::clone(&app.app.ids),
        lifecycle: app.app.life.clone(),
    };
    Worker::new(ports, [Arc::clone(work) as Arc<dyn TaskWork>])
}

/// Opens a task of the type; its id.
async fn open(app: &TestApp) -> String {
    let mut sample = Sample::default();
    sample.scope = first_home(app).await.scope;
    let task = NewTask { id: app.app.ids.task(), task_type: TYPE.to_owned(), ..sample.task() };
    let id = task.id.to_string();
    app.app.ledger.commit(sample.opening([Op::Task(TaskOp::Open(Arc::new(task)))])).await.expect("a batch");
    id
}

/// Takes what is ready and does it; how many there were.
async fn do_ready(worker: &Worker) -> usize {
    let taken = worker.take(32).await.expect("a look");
    let count = taken.len();
    join_all(taken.into_iter().map(|taken| worker.work(taken, pending()))).await;
    count
}

/// The wait between two attempts is over.
async fn hurry(app: &TestApp) {
    let rush = "UPDATE tasks SET available_at = created_at WHERE status = 'retry_wait' RETURNING status";
    app.database.texts(rush).await;
}

async fn find(admin: &Caller, id: &str) -> Value {
    admin.get(&format!("/api/v1/tasks/{id}")).await.expect(200)
}

async fn events(admin: &Caller, id: &str) -> Vec<String> {
    let page = admin.get(&format!("/api/v1/events?subject={id}")).await.expect(200);
    let names = page["items"].as_array().expect("a list").iter();
    names.map(|event| event["event_type"].as_str().expect("a name").to_owned()).collect()
}

on_both! {
    async fn of_many_workers_each_task_has_one(app: TestApp) {
        let work = Work::new(Try::Succeeds);
        let workers: Vec<Worker> = (0..4).map(|_| worker(&app, &work)).collect();
        let mut ids = Vec::new();
        for _ in 0..12 {
            ids.push(open(&app).await);
        }
        let counts = join_all(workers.iter().map(do_ready)).await;
        assert_eq!(counts.iter().sum::<usize>(), 12, "{counts:?}");
        assert_eq!(work.tries(), 12);
        let admin = app.admin().await;
        for id in ids {
            let task = find(&admin, &id).await;
            assert_eq!((&task["status"], &task["attempts"]), (&json!("succeeded"), &json!(1)), "{task}");
            assert_eq!(task["progress"], json!({ "done": 1, "total": 2, "text": "half" }));
        }
    }

    async fn a_task_that_fails_five_times_is_a_dead_letter_until_somebody_decides(app: TestApp) {
        let (admin, work) = (app.admin().await, Work::new(Try::Fails));
        let (worker, id) = (worker(&app, &work), open(&app).await);
        for attempt in 1..=5 {
            assert_eq!(do_ready(&worker).await, 1, "attempt {attempt}");
            let task = find(&admin, &id).await;
            let status = if attempt < 5 { "retry_wait" } else { "failed" };
            assert_eq!((&task["status"], &task["attempts"]), (&json!(status), &json!(attempt)), "{task}");
            assert_eq!(task["last_error"]["code"], "storage_unavailable");
            assert_eq!(do_ready(&worker).await, 0, "it waits");
            hurry(&app).await;
        }
        assert_eq!(work.tries(), 5);
        assert_eq!(events(&admin, &id).await, ["task.failed"]);
        let letters = admin.get("/api/v1/observe/dead-letters?kind=task").await.expect(200);
        let letter = &letters["items"][0];
        assert_eq!((&letter["id"], &letter["consumer"], &letter["attempts"]), (&json!(id), &json!(TYPE), &json!(5)));
        assert_eq!((&letter["subject_seq"], &letter["error"]), (&Value::Null, &json!("the store does not answer")));

        // Nobody of this version does it: it stays as it is.
        let retried = admin.post(&format!("/api/v1/tasks/{id}/retry"), Value::Null).await;
        assert_eq!(retried.refusal(409), "task_not_rerunnable");
        let path = format!("/api/v1/observe/dead-letters/task/{id}");
        let redriven = admin.post(&format!("{path}/redrive"), json!({})).await.expect(200);
        assert_eq!(redriven["outcome"], "unsupported");
        assert_eq!(find(&admin, &id).await["status"], "failed");
        admin.post(&format!("{path}/discard"), json!({ "reason": "not wanted" })).await.expect(204);
        assert_eq!(find(&admin, &id).await["discard_reason"], "not wanted");
        assert_eq!(admin.get("/api/v1/observe/dead-letters?kind=task").await.expect(200)["items"], json!([]));
        let again = admin.post(&format!("{path}/redrive"), json!({})).await.expect(200);
        assert_eq!(again["outcome"], "not_dead");
        let again = admin.post(&format!("{path}/discard"), json!({ "reason": "not wanted" })).await;
        assert_eq!(again.refusal(409), "invalid_transition");
    }

    async fn one_that_was_given_up_is_tried_again_from_its_first_attempt(app: TestApp) {
        let admin = app.admin().await;
        let home = first_home(&app).await;
        // One without a moment cannot be done, however often.
        let mut sample = Sample::default();
        sample.scope = home.scope;
        let task = NewTask { id: app.app.ids.task(), params: json!({}), ..sample.task() };
        let id = task.id.to_string();
        app.app.ledger.commit(sample.opening([Op::Task(TaskOp::Open(Arc::new(task)))])).await.expect("a batch");
        let failed = until(&admin, &id, "failed").await;
        assert_eq!((&failed["attempts"], &failed["last_error"]["code"]), (&json!(1), &json!("invalid")));
        let mend = r#"UPDATE tasks SET params = '{"before":"2020-01-01T00:00:00Z"}' RETURNING status"#;
        app.database.texts(mend).await;
        let retried = admin.post(&format!("/api/v1/tasks/{id}/retry"), Value::Null).await.expect(202);
        assert_eq!((&retried["redrives"], &retried["finished_at"]), (&json!(1), &Value::Null));
        let done = until(&admin, &id, "succeeded").await;
        assert_eq!(done["attempts"], 1);
        assert_eq!(events(&admin, &id).await, ["task.redriven", "task.failed"]);
        let audit = admin.get(&format!("/api/v1/audit?resource_id={id}")).await.expect(200);
        assert_eq!(audit["items"][0]["event_type"], "task.redriven");
        let over = admin.post(&format!("/api/v1/tasks/{id}/retry"), Value::Null).await;
        assert_eq!(over.refusal(409), "invalid_transition");
    }

    async fn a_canceled_task_stops_and_writes_nothing_more(app: TestApp) {
        let (admin, work) = (app.admin().await, Work::new(Try::NeverEnds));
        let (worker, id) = (worker(&app, &work), open(&app).await);
        let taken = worker.take(1).await.expect("a look").remove(0);
        let working = worker.work(taken, pending());
        let canceling = async {
            work.begun.notified().await;
            admin.post(&format!("/api/v1/tasks/{id}/cancel"), Value::Null).await.expect(202)
        };
        let both = futures::future::join(working, canceling);
        let (.., canceled) = tokio::time::timeout(Duration::from_secs(10), both).await.expect("it stops");
        assert_eq!((&canceled["status"], &canceled["lease_until"]), (&json!("canceled"), &Value::Null));
        let again = admin.post(&format!("/api/v1/tasks/{id}/cancel"), Value::Null).await;
        assert_eq!(again.refusal(409), "invalid_transition");
        assert_eq!(do_ready(&worker).await, 0);
        let audit = admin.get(&format!("/api/v1/audit?resource_id={id}")).await.expect(200);
        assert_eq!(audit["items"][0]["event_type"], "task.canceled");
        assert_eq!(events(&admin, &id).await, [""; 0]);
    }

    async fn a_process_that_ends_gives_its_tasks_back(app: TestApp) {
        let (admin, work) = (app.admin().await, Work::new(Try::NeverEnds));
        let (worker, id) = (worker(&app, &work), open(&app).await);
        let taken = worker.take(1).await.expect("a look").remove(0);
        assert_eq!(find(&admin, &id).await["attempts"], 1);
        worker.work(taken, ready(())).await;
        let task = find(&admin, &id).await;
        assert_eq!((&task["status"], &task["attempts"]), (&json!("queued"), &json!(0)), "{task}");
    }

    async fn work_that_breaks_off_is_tried_again(app: TestApp) {
        let (admin, work) = (app.admin().await, Work::new(Try::Panics));
        let (worker, id) = (worker(&app, &work), open(&app).await);
        assert_eq!(do_ready(&worker).await, 1);
        let task = find(&admin, &id).await;
        assert_eq!((&task["status"], &task["last_error"]["code"]), (&json!("retry_wait"), &json!("internal")));
    }

    async fn a_worker_that_fell_silent_is_too_late(app: TestApp) {
        let (admin, slow) = (app.admin().await, Work::new(Try::Succeeds));
        let (first, id) = (worker(&app, &slow), open(&app).await);
        let taken = first.take(1).await.expect("a look").remove(0);
        // Its lease runs out while it does nothing, and the reaper gives the task to another one.
        let over = "UPDATE tasks SET lease_until = created_at WHERE status = 'running' RETURNING status";
        app.database.texts(over).await;
        app.app.reaper.pass().await.expect("a pass");
        let task = find(&admin, &id).await;
        assert_eq!((&task["status"], &task["last_error"]["code"]), (&json!("retry_wait"), &json!("process_lost")));
        hurry(&app).await;
        let (other, quick) = (Work::new(Try::Succeeds), Work::new(Try::Succeeds));
        assert_eq!(do_ready(&worker(&app, &other)).await, 1);
        first.work(taken, pending()).await;
        let task = find(&admin, &id).await;
        assert_eq!((&task["status"], &task["attempts"]), (&json!("succeeded"), &json!(2)), "{task}");
        assert_eq!(do_ready(&worker(&app, &quick)).await, 0);
    }

    async fn what_is_asked_for_wrongly_is_named(app: TestApp) {
        let admin = app.admin().await;
        let home = first_home(&app).await;
        for (query, field) in [
            ("limit=0", "limit"),
            ("limit=201", "limit"),
            ("status=bogus", "status"),
            ("task_type=Content", "task_type"),
            ("run_id=tsk_1", "run_id"),
            ("kind=x", "kind"),
        ] {
            let refused = admin.get(&format!("/api/v1/tasks?{query}")).await.expect(400);
            assert_eq!(refused["errors"][0]["field"], field, "{query}: {refused}");
        }
        assert_eq!(admin.get("/api/v1/tasks?cursor=x").await.refusal(400), "invalid_cursor");
        let scrub = format!("/api/v1/workspaces/{}/content/scrub", home.scope.workspace_id);
        for body in [json!({ "before": "2999-01-01T00:00:00Z" }), json!({ "before": "soon" }), json!({})] {
            let refused = admin.post(&scrub, body.clone()).await;
            assert_eq!(refused.status, 400, "{body}: {}", refused.text);
        }
        let late = admin.post(&scrub, json!({ "before": "2999-01-01T00:00:00Z" })).await.expect(400);
        assert_eq!(late["errors"][0]["field"], "before");

        let user_id = new_member(&app, &home, "ada@example.com", Role::Owner).await;
        let id = waiting_task(&app, &home, user_id).await;
        for action in ["pause", "resume"] {
            let refused = admin.post(&format!("/api/v1/tasks/{id}/{action}"), Value::Null).await;
            assert_eq!(refused.refusal(409), "not_supported", "{action}");
        }
        assert_eq!(admin.post(&format!("/api/v1/tasks/{id}/retry"), Value::Null).await.refusal(409), "invalid_transition");

        // What is elsewhere is not there, exactly as what is nowhere.
        let elsewhere = new_home(&app, "elsewhere").await;
        new_member(&app, &elsewhere, "bob@example.com", Role::Owner).await;
        let bob = signed_in(&app, "bob@example.com").await;
        let bob = bob.header(WORKSPACE_ID, &elsewhere.scope.workspace_id.to_string());
        let nowhere = app.app.ids.task().to_string();
        for action in ["", "/cancel", "/retry", "/pause", "/resume"] {
            let ask = async |id: &str| {
                let path = format!("/api/v1/tasks/{id}{action}");
                let answer = if action.is_empty() { bob.get(&path).await } else { bob.post(&path, Value::Null).await };
                let mut problem = answer.expect(404);
                problem.as_object_mut().expect("a problem").remove("instance");
                problem
            };
            assert_eq!(ask(&id).await, ask(&nowhere).await, "{action}");
        }
        assert_eq!(bob.get("/api/v1/tasks").await.expect(200)["items"], json!([]));
        let own = admin.get("/api/v1/tasks?status=queued&task_type=content.scrub").await.expect(200);
        assert_eq!(own["items"][0]["id"], json!(id));
    }
}

/// The task once it stands so.
async fn until(admin: &Caller, id: &str, status: &str) -> Value {
    let stands = async {
        loop {
            let task = find(admin, id).await;
            if task["status"] == status {
                return task;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), stands).await.unwrap_or_else(|_| panic!("{id} never is `{status}`"))
}

#[tokio::test]
async fn every_type_of_task_is_done() {
    let app = TestApp::sqlite().await;
    let (mut done, mut known) = (app.app.worker.types(), TYPES.to_vec());
    done.sort_unstable();
    known.sort_unstable();
    assert_eq!(done, known);
}
