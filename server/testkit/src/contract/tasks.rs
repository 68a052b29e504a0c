//! Tasks: what moves them, who may, and what readers find.

use std::time::Duration;

use kernel::ledger::{Batch, Durability, Fence, NewTask, Op, Refusal, TaskEnd, TaskOp, TaskOutcome};
use kernel::port::ReadyTask;
use kernel::task::{CONTENT_SCRUB, FAILED};
use serde_json::json;
use types::id::{ProcessId, RunId, TaskId};
use types::outbox::{DeadLetterFilter, DeadLetterKind, DeadLetterQuery};
use types::run::{Failure, Mode, RunStatus, Term};
use types::task::{Task, TaskFilter, TaskProgress, TaskQuery, TaskStatus, TaskSubject};

use super::{Store, applied, refused, seeded, seeded_as};
use crate::sample::{Sample, move_run, open_run};

const MINUTE: Duration = Duration::from_secs(60);

fn new(sample: &Sample, run_id: Option<RunId>) -> NewTask {
    NewTask { run_id, ..sample.task() }
}

fn open(task: &NewTask) -> Op {
    Op::Task(TaskOp::Open(task.clone().into()))
}

fn claim(sample: &Sample, task_id: TaskId, epoch: u64, lease: Duration) -> Op {
    Op::Task(TaskOp::Claim { task_id, epoch, owner: ProcessId::from_uuid(sample.ids().uuid()), lease })
}

fn finish(task_id: TaskId, epoch: u64, outcome: TaskOutcome) -> Op {
    Op::Task(TaskOp::Finish(TaskEnd { task_id, epoch, outcome }.into()))
}

fn lapse(task_id: TaskId, epoch: u64, outcome: TaskOutcome) -> Op {
    Op::Task(TaskOp::Lapse(TaskEnd { task_id, epoch, outcome }.into()))
}

fn failure() -> Failure {
    Failure { code: "internal".to_owned(), message: "it broke".to_owned(), step_id: None }
}

fn retry() -> TaskOutcome {
    TaskOutcome::Retry { error: failure(), after: Duration::ZERO }
}

fn outcome(to: TaskStatus) -> TaskOutcome {
    match to {
        TaskStatus::Succeeded => TaskOutcome::Succeeded { output: None },
        TaskStatus::Failed => TaskOutcome::Failed(failure()),
        TaskStatus::RetryWait => retry(),
        TaskStatus::WaitingInput => TaskOutcome::WaitsForInput,
        TaskStatus::WaitingApproval => TaskOutcome::WaitsForApproval,
        _ => TaskOutcome::Released,
    }
}

async fn find(store: &impl Store, sample: &Sample, id: TaskId) -> Task {
    store.find_task(sample.scope, id).await.expect("a read").expect("the task")
}

/// A task that was opened and claimed, and its epoch.
async fn claimed(store: &impl Store, sample: &Sample, lease: Duration) -> (TaskId, u64) {
    let task = new(sample, None);
    applied(store, sample.opening([open(&task), claim(sample, task.id, 0, lease)])).await;
    (task.id, find(store, sample, task.id).await.epoch)
}

/// A task in this state, and its epoch.
async fn brought(store: &impl Store, sample: &Sample, status: TaskStatus) -> (TaskId, u64) {
    let (id, epoch) = claimed(store, sample, MINUTE).await;
    match status {
        TaskStatus::Running => {}
        TaskStatus::Canceled => {
            let canceled = TaskOp::Move { task_id: id, to: TaskStatus::Canceled, error: None };
            applied(store, sample.closing([Op::Task(canceled)])).await;
        }
        other => {
            applied(store, sample.closing([finish(id, epoch, outcome(other))])).await;
        }
    }
    let task = find(store, sample, id).await;
    assert_eq!(task.status, status);
    (id, task.epoch)
}

/// The operation that would move a task so.
fn moving(sample: &Sample, (task_id, epoch): (TaskId, u64), from: TaskStatus, to: TaskStatus) -> Op {
    use TaskStatus as S;
    match (from, to) {
        (_, S::Running) => claim(sample, task_id, epoch, MINUTE),
        (S::Failed, S::Queued) => Op::Task(TaskOp::Redrive { task_id, run_id: None }),
        (S::Running, S::Canceled) => Op::Task(TaskOp::Move { task_id, to, error: None }),
        (S::Running, _) => finish(task_id, epoch, outcome(to)),
        (_, S::Queued | S::Canceled) => Op::Task(TaskOp::Move { task_id, to, error: None }),
        (_, S::Failed) => Op::Task(TaskOp::Move { task_id, to, error: Some(failure()) }),
        _ => finish(task_id, epoch, outcome(to)),
    }
}

/// Every move of every state: those of the table, and no other.
pub async fn a_task_moves_as_its_states_allow(store: &impl Store) {
    let sample = seeded(store).await;
    for from in TaskStatus::ALL.iter().copied() {
        for to in TaskStatus::ALL.iter().copied() {
            let (id, epoch) = brought(store, &sample, from).await;
            let batch = sample.closing([moving(&sample, (id, epoch), from, to)]);
            if from.may_become(to) {
                applied(store, batch).await;
                let task = find(store, &sample, id).await;
                assert_eq!(task.status, to, "{from} → {to}");
                assert!(task.epoch > epoch, "{from} → {to}: what was claimed before is stale");
                assert_eq!(task.lease_until.is_some(), to == TaskStatus::Running, "{from} → {to}");
                assert_eq!(task.finished_at.is_some(), to.is_over(), "{from} → {to}");
            } else {
                let refusal = refused(store, batch).await;
                assert!(matches!(refusal, Refusal::State { what: "task", .. }), "{from} → {to}: {refusal:?}");
                let task = find(store, &sample, id).await;
                assert_eq!((task.status, task.epoch), (from, epoch), "{from} → {to}");
            }
        }
    }
}

/// Attempts count, a release does not, and a redrive begins anew.
pub async fn attempts_are_counted(store: &impl Store) {
    let sample = seeded(store).await;
    let (id, epoch) = claimed(store, &sample, MINUTE).await;
    assert_eq!(find(store, &sample, id).await.attempts, 1);
    applied(store, sample.closing([finish(id, epoch, TaskOutcome::Released)])).await;
    let task = find(store, &sample, id).await;
    assert_eq!((task.attempts, task.status), (0, TaskStatus::Queued));
    applied(store, sample.closing([claim(&sample, id, task.epoch, MINUTE)])).await;
    let progress = TaskProgress { done: 3, total: Some(9), text: Some("a third".to_owned()) };
    let epoch = find(store, &sample, id).await.epoch;
    let said = TaskOp::Progress { task_id: id, epoch, progress: progress.clone() };
    applied(store, sample.closing([Op::Task(said), finish(id, epoch, TaskOutcome::Failed(failure()))])).await;
    let task = find(store, &sample, id).await;
    assert_eq!((task.attempts, task.progress, task.last_error), (1, Some(progress), Some(failure())));
    applied(store, sample.opening([Op::Task(TaskOp::Redrive { task_id: id, run_id: None })])).await;
    let task = find(store, &sample, id).await;
    assert_eq!((task.attempts, task.redrives, task.progress, task.finished_at), (0, 1, None, None));
    assert_eq!(task.status, TaskStatus::Queued);
}

/// Of two that take it one has it; what an older claim writes is stale, what a dead process claims is refused.
pub async fn a_task_is_one_workers_at_a_time(store: &impl Store) {
    let sample = seeded(store).await;
    let task = new(&sample, None);
    applied(store, sample.opening([open(&task)])).await;
    applied(store, sample.opening([claim(&sample, task.id, 0, Duration::ZERO)])).await;
    let refusal = refused(store, sample.opening([claim(&sample, task.id, 0, MINUTE)])).await;
    assert_eq!(refusal, Refusal::Stale { current: 1 });
    // Its lease is over: somebody else has it.
    applied(store, sample.closing([lapse(task.id, 1, retry())])).await;
    let woken = TaskOp::Move { task_id: task.id, to: TaskStatus::Queued, error: None };
    applied(store, sample.opening([Op::Task(woken), claim(&sample, task.id, 3, MINUTE)])).await;
    let progress = TaskProgress::default();
    for late in [
        Op::Task(TaskOp::Renew { task_id: task.id, epoch: 1, lease: MINUTE }),
        Op::Task(TaskOp::Progress { task_id: task.id, epoch: 1, progress }),
        finish(task.id, 1, TaskOutcome::Succeeded { output: None }),
        lapse(task.id, 1, retry()),
    ] {
        assert_eq!(refused(store, sample.closing([late])).await, Refusal::Stale { current: 4 });
    }
    applied(store, sample.closing([finish(task.id, 4, TaskOutcome::Succeeded { output: None })])).await;
    let done = find(store, &sample, task.id).await;
    assert_eq!((done.status, done.attempts), (TaskStatus::Succeeded, 2));

    let fence = register(store, &sample).await;
    let dead = new(&sample, None);
    applied(store, sample.opening([open(&dead)])).await;
    store.close(fence).await.expect("closed");
    let batch = sample.opening([claim(&sample, dead.id, 0, MINUTE)]).fenced(fence);
    assert_eq!(refused(store, batch).await, Refusal::Fenced);
    assert_eq!(find(store, &sample, dead.id).await.status, TaskStatus::Queued);
}

async fn register(store: &impl Store, sample: &Sample) -> Fence {
    store.register(sample.ids().process(), "all", "0", false).await.expect("a process")
}

/// By the database's clock; one that was renewed meanwhile is not taken from its worker.
pub async fn a_claim_ends_with_its_lease(store: &impl Store) {
    let sample = seeded(store).await;
    let ((short, epoch), (long, _)) =
        (claimed(store, &sample, Duration::ZERO).await, claimed(store, &sample, MINUTE).await);
    let lapsed = async || -> Vec<TaskId> {
        store.lapsed_tasks(10).await.expect("a list").into_iter().map(|(_, task)| task.id).collect()
    };
    assert_eq!(lapsed().await, [short]);
    let refusal = refused(store, sample.closing([lapse(long, 1, retry())])).await;
    assert!(matches!(refusal, Refusal::State { .. }), "{refusal:?}");
    let renewed = TaskOp::Renew { task_id: short, epoch, lease: MINUTE };
    applied(store, sample.closing([Op::Task(renewed)])).await;
    assert_eq!(lapsed().await, []);
    let refusal = refused(store, sample.closing([lapse(short, epoch, retry())])).await;
    assert!(matches!(refusal, Refusal::State { .. }), "{refusal:?}");
    assert_eq!(find(store, &sample, short).await.status, TaskStatus::Running);
}

/// What a process has that was declared dead, or said goodbye, lapses at once.
pub async fn what_a_dead_process_has_lapses(store: &impl Store) {
    let sample = seeded(store).await;
    let (dies, lives) = (register(store, &sample).await, register(store, &sample).await);
    let mut ids = Vec::new();
    for fence in [dies, lives] {
        let task = new(&sample, None);
        let owner = fence.process_id;
        let taken = TaskOp::Claim { task_id: task.id, epoch: 0, owner, lease: MINUTE };
        applied(store, sample.opening([open(&task), Op::Task(taken)])).await;
        assert_eq!(find(store, &sample, task.id).await.lease_owner, Some(owner));
        ids.push(task.id);
    }
    store.close(dies).await.expect("closed");
    let lapsed = store.lapsed_tasks(10).await.expect("a list");
    assert_eq!(lapsed.iter().map(|(scope, task)| (*scope, task.id)).collect::<Vec<_>>(), [(sample.scope, ids[0])]);
}

/// Those whose time has come, of the types asked for, longest ready first.
pub async fn ready_tasks_are_found(store: &impl Store) {
    let sample = seeded(store).await;
    let (first, second) = (new(&sample, None), new(&sample, None));
    let later = NewTask { delay: MINUTE, ..new(&sample, None) };
    let unknown = NewTask { task_type: "other.work".to_owned(), ..new(&sample, None) };
    for task in [&first, &second, &later, &unknown] {
        applied(store, sample.opening([open(task)])).await;
    }
    let ready = async |limit| -> Vec<TaskId> {
        let ready: Vec<ReadyTask> = store.ready_tasks(&[CONTENT_SCRUB], limit).await.expect("a list");
        assert!(ready.iter().all(|ready| ready.scope == sample.scope && ready.waited < MINUTE));
        ready.into_iter().map(|ready| ready.task.id).collect()
    };
    assert_eq!(ready(10).await, [first.id, second.id]);
    assert_eq!(ready(1).await, [first.id]);
    let counts = store.count_ready().await.expect("counts");
    assert_eq!(counts, [(CONTENT_SCRUB.to_owned(), 2), ("other.work".to_owned(), 1)]);
    // One that is tried again is ready when its wait is over.
    applied(store, sample.opening([claim(&sample, first.id, 0, MINUTE)])).await;
    assert_eq!(ready(10).await, [second.id]);
    let waits = TaskOutcome::Retry { error: failure(), after: MINUTE };
    applied(store, sample.closing([finish(first.id, 1, waits)])).await;
    assert_eq!(ready(10).await, [second.id]);
    applied(store, sample.opening([claim(&sample, second.id, 0, MINUTE)])).await;
    applied(store, sample.closing([finish(second.id, 1, retry())])).await;
    assert_eq!(ready(10).await, [second.id]);
    let early = refused(store, sample.opening([claim(&sample, later.id, 0, MINUTE)])).await;
    assert!(matches!(early, Refusal::State { .. }), "{early:?}");
}

/// In the same batch; what was done stays, and nothing is opened or redriven for a run that is over.
pub async fn a_run_takes_its_tasks_along(store: &impl Store) {
    let sample = seeded(store).await;
    let run = kernel::ledger::NewRun { mode: Mode::Agent, ..sample.run() };
    let [done, waits, runs, dead] = std::array::from_fn(|_| new(&sample, Some(run.id)));
    let bystander = new(&sample, None);
    applied(store, sample.opening([open_run(&run)])).await;
    applied(store, sample.opening([&done, &waits, &runs, &dead, &bystander].map(open))).await;
    for task in [&done, &runs, &dead] {
        applied(store, sample.opening([claim(&sample, task.id, 0, MINUTE)])).await;
    }
    let succeeded = finish(done.id, 1, TaskOutcome::Succeeded { output: None });
    applied(store, sample.closing([succeeded, finish(dead.id, 1, TaskOutcome::Failed(failure()))])).await;
    applied(store, sample.closing([move_run(run.id, RunStatus::Failed)])).await;
    let mut states = Vec::new();
    for task in [&done, &waits, &runs, &dead, &bystander] {
        states.push(find(store, &sample, task.id).await.status);
    }
    use TaskStatus::{Canceled, Failed, Queued, Succeeded};
    assert_eq!(states, [Succeeded, Canceled, Canceled, Failed, Queued]);
    let late = refused(store, sample.closing([finish(runs.id, 1, TaskOutcome::Succeeded { output: None })])).await;
    assert!(matches!(late, Refusal::Stale { .. }), "{late:?}");
    let redriven = TaskOp::Redrive { task_id: dead.id, run_id: Some(run.id) };
    let over = refused(store, sample.opening([Op::Task(redriven)])).await;
    assert!(matches!(over, Refusal::State { what: "run", .. }), "{over:?}");
    let over = refused(store, sample.opening([open(&new(&sample, Some(run.id)))])).await;
    assert!(matches!(over, Refusal::State { what: "run", .. }), "{over:?}");

    let call = sample.run();
    applied(store, sample.opening([open_run(&call)])).await;
    let none = refused(store, sample.opening([open(&new(&sample, Some(call.id)))])).await;
    assert!(matches!(none, Refusal::Invalid { .. }), "a call of the gateway has no tasks: {none:?}");
}

/// Newest first, by page; filters narrow; nothing of another workspace is there.
pub async fn tasks_are_listed_by_page(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    let run = kernel::ledger::NewRun { mode: Mode::Agent, ..sample.run() };
    applied(store, sample.opening([open_run(&run)])).await;
    let mut ids = Vec::new();
    for number in 0..5 {
        let subject = TaskSubject { kind: "thing".to_owned(), id: format!("thing_{number}") };
        let of_run = (number == 4).then_some(run.id);
        let task_type = if number == 3 { "other.work" } else { CONTENT_SCRUB }.to_owned();
        let task = NewTask { subject, task_type, ..new(&sample, of_run) };
        applied(store, sample.opening([open(&task)])).await;
        ids.push(task.id);
    }
    applied(store, sample.opening([claim(&sample, ids[0], 0, MINUTE)])).await;
    ids.reverse();
    let list = async |query: &TaskQuery| store.list_tasks(sample.scope, query).await.expect("a page");
    let listed = |page: &types::page::Page<Task>| page.items.iter().map(|task| task.id).collect::<Vec<_>>();
    let first = list(&TaskQuery { limit: 2, ..TaskQuery::default() }).await;
    assert_eq!(listed(&first), ids[..2]);
    let second = list(&TaskQuery { limit: 2, cursor: first.next_cursor.clone(), ..TaskQuery::default() }).await;
    assert_eq!(listed(&second), ids[2..4]);
    let last = list(&TaskQuery { limit: 2, cursor: second.next_cursor, ..TaskQuery::default() }).await;
    assert_eq!((listed(&last), last.next_cursor), (ids[4..].to_vec(), None));

    let only = async |filter: TaskFilter| listed(&list(&TaskQuery { filter, ..TaskQuery::default() }).await);
    let running = TaskFilter { status: vec![TaskStatus::Running.into()], ..TaskFilter::default() };
    assert_eq!(only(running.clone()).await, ids[4..]);
    let others = TaskFilter { status: vec![Term::Not(TaskStatus::Running)], ..TaskFilter::default() };
    assert_eq!(only(others).await, ids[..4]);
    let unknown = TaskFilter {
        task_type: vec!["other.work".parse::<types::task::TaskType>().expect("a type").into()],
        ..TaskFilter::default()
    };
    assert_eq!(only(unknown).await, ids[1..2]);
    assert_eq!(only(TaskFilter { run_id: vec![run.id], ..TaskFilter::default() }).await, ids[..1]);
    let about = TaskFilter {
        subject_id: ["thing_1", "thing_2"].map(|id| id.to_owned().into()).to_vec(),
        ..TaskFilter::default()
    };
    assert_eq!(only(about).await, ids[2..4]);

    let foreign = TaskQuery { filter: running, cursor: first.next_cursor.clone(), ..TaskQuery::default() };
    assert!(store.list_tasks(sample.scope, &foreign).await.is_err(), "a cursor belongs to its filters");
    let foreign = TaskQuery { cursor: first.next_cursor, ..TaskQuery::default() };
    assert!(store.list_tasks(other.scope, &foreign).await.is_err(), "and to its workspace");
    assert_eq!(listed(&store.list_tasks(other.scope, &TaskQuery::default()).await.expect("a page")), []);
    assert_eq!(store.find_task(other.scope, ids[0]).await.expect("a read"), None);
    let canceled = TaskOp::Move { task_id: ids[0], to: TaskStatus::Canceled, error: None };
    let batch = Batch::opening(other.scope, Durability::Process).with([Op::Task(canceled)]);
    assert_eq!(refused(store, batch).await, Refusal::Missing { what: "task" });
}

/// Beside deliveries that were given up, last given up first; gone once it is redriven or let go.
pub async fn a_task_that_was_given_up_is_a_dead_letter(store: &impl Store) {
    let sample = seeded(store).await;
    let mut ids = Vec::new();
    for _ in 0..2 {
        let (id, epoch) = claimed(store, &sample, MINUTE).await;
        applied(store, sample.closing([finish(id, epoch, TaskOutcome::Failed(failure()))])).await;
        ids.push(id.to_string());
    }
    applied(store, sample.opening([sample.event("thing_1", "live").into()])).await;
    let fence = register(store, &sample).await;
    let delivery = store.claim("live", fence, 1, MINUTE).await.expect("a claim").remove(0);
    store.failed("live", &delivery, "gone", None).await.expect("given up");
    let dead = async |filter: DeadLetterFilter, limit, cursor| {
        store.list_dead(sample.scope, &DeadLetterQuery { filter, limit, cursor }).await.expect("a page")
    };
    let all = dead(DeadLetterFilter::default(), 10, None).await.items;
    let of_kind = |kind| all.iter().filter(|letter| letter.kind == kind).cloned().collect::<Vec<_>>();
    let (tasks, deliveries) = (of_kind(DeadLetterKind::Task), of_kind(DeadLetterKind::Outbox));
    assert_eq!((tasks.len(), deliveries.len(), all.len()), (2, 1, 3));
    assert!(all.is_sorted_by(|one, other| one.died_at >= other.died_at));
    assert_eq!([tasks[0].id.clone(), tasks[1].id.clone()], [ids[1].clone(), ids[0].clone()]);
    let letter = &tasks[1];
    assert_eq!((letter.consumer.as_str(), letter.event_type.as_str()), (CONTENT_SCRUB, FAILED));
    assert_eq!((letter.attempts, letter.error.as_deref(), letter.subject_seq), (1, Some("it broke"), None));
    // The same one by one, over the border between the kinds.
    let (mut cursor, mut seen) = (None, Vec::new());
    loop {
        let page = dead(DeadLetterFilter::default(), 1, cursor).await;
        seen.extend(page.items);
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen, all);
    let of = |kind| DeadLetterFilter { kind: Some(kind), ..DeadLetterFilter::default() };
    assert_eq!(dead(of(DeadLetterKind::Task), 10, None).await.items, tasks);
    assert_eq!(dead(of(DeadLetterKind::Outbox), 10, None).await.items, deliveries);
    assert_eq!(dead(of(DeadLetterKind::Ingest), 10, None).await.items, []);
    let named = DeadLetterFilter { event_type: Some(FAILED.to_owned()), ..DeadLetterFilter::default() };
    assert_eq!(dead(named, 10, None).await.items, tasks);

    let [first, second] = [&ids[0], &ids[1]].map(|id| id.parse::<TaskId>().expect("an id"));
    let let_go = TaskOp::Discard { task_id: first, reason: "not wanted".to_owned() };
    let redriven = TaskOp::Redrive { task_id: second, run_id: None };
    applied(store, sample.opening([Op::Task(let_go), Op::Task(redriven)])).await;
    assert_eq!(dead(of(DeadLetterKind::Task), 10, None).await.items, []);
    let task = find(store, &sample, first).await;
    assert_eq!((task.status, task.discard_reason.as_deref()), (TaskStatus::Failed, Some("not wanted")));
    let again = refused(store, sample.opening([Op::Task(TaskOp::Redrive { task_id: first, run_id: None })])).await;
    assert_eq!(again, Refusal::State { what: "task", present: "discarded".to_owned() });
}

/// With everything it was opened with and learned.
pub async fn a_task_is_read_as_it_was_written(store: &impl Store) {
    let sample = seeded(store).await;
    let wanted = NewTask { params: json!({ "a": [1, "b\u{0}"] }), max_attempts: 7, ..new(&sample, None) };
    applied(store, sample.opening([open(&wanted)])).await;
    let task = find(store, &sample, wanted.id).await;
    let made = (&task.task_type, task.max_attempts, &task.subject, &task.caller, task.user_id, task.run_id);
    assert_eq!(made, (&wanted.task_type, 7, &wanted.subject, &wanted.caller, Some(sample.user_id), None));
    assert_eq!((task.status, task.epoch, task.attempts, task.redrives), (TaskStatus::Queued, 0, 0, 0));
    assert_eq!(task.params["a"][0], 1);
    assert_eq!((task.progress, task.lease_owner, task.lease_until, task.finished_at), (None, None, None, None));
    let twice = refused(store, sample.opening([open(&wanted)])).await;
    assert_eq!(twice, Refusal::Unique { constraint: "tasks_pkey".to_owned() });
}
