//! What goes when its time is over, what stays whatever its age, and who works at it.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use kernel::chain::{Kind, Purge};
use kernel::ledger::{Audit, NewArtifact, NewRun, Op, Place};
use kernel::port::{DueQuery, ObjectKey, Purging};
use kernel::record::{Digest, Feedback, LegalHold, Release, Retention, Row};
use types::artifact::ArtifactKind;
use types::feedback::Rating;
use types::id::{RunId, Uuid};
use types::retention::{Keep, KeptFor, PurgeCounts, Purged, RetentionClass};
use types::run::{Caller, CallerKind, RunStatus};

use super::{Store, applied, seeded, seeded_as};
use crate::sample::{Sample, add_cost, append, close_step, move_run, noon, open_run, open_step, put};

const LEASE: Duration = Duration::from_secs(60);
const NONE: [Uuid; 0] = [];

fn later() -> DateTime<Utc> {
    noon() + Duration::from_secs(60)
}

fn query(sample: &Sample, class: RetentionClass) -> DueQuery {
    DueQuery { scope: sample.scope, class, before: later(), open_day: later().date_naive() + chrono::Days::new(1) }
}

async fn due(store: &impl Store, query: &DueQuery) -> Vec<Uuid> {
    store.list_due(query, 100).await.expect("a list").into_iter().map(|due| due.id).collect()
}

async fn purge(store: &impl Store, sample: &Sample, query: DueQuery, ids: Vec<Uuid>) -> PurgeCounts {
    let purging = Purging { query, ids, decided: Vec::new(), purge_id: sample.ids().retention_report() };
    store.purge(&purging).await.expect("an answer")
}

fn artifact(sample: &Sample, run_id: RunId, place: Place) -> Op {
    Op::ArtifactAdd(Arc::new(NewArtifact {
        id: sample.ids().artifact(),
        run_id: Some(run_id),
        step_id: None,
        kind: ArtifactKind::File,
        mime: "text/plain; charset=utf-8".to_owned(),
        size: 5,
        sha256: sample.digest(7),
        place,
        expires_at: None,
    }))
}

fn comment(sample: &Sample, run_id: RunId) -> Feedback {
    Feedback {
        id: sample.ids().feedback(),
        scope: sample.scope,
        run_id,
        user_id: sample.user_id,
        rating: Rating::Down,
        labels: Vec::new(),
        comment: Some("in their own words".to_owned()),
        created_at: noon(),
        updated_at: noon(),
        version: 1,
    }
}

/// A run that ended a second after noon, with all that hangs on one.
async fn ended(store: &impl Store, sample: &Sample, run: &NewRun) {
    let step = sample.step(run.id);
    let ops = [
        open_run(run),
        open_step(&step),
        append(sample.run_event(run.id, "noted")),
        artifact(sample, run.id, Place::Inline(b"bytes".to_vec())),
        close_step(step.id),
        add_cost(&sample.cost(run.id, step.id, 5)),
        move_run(run.id, RunStatus::Succeeded),
    ];
    applied(store, sample.opening(ops)).await;
}

pub(super) fn held(sample: &Sample) -> LegalHold {
    LegalHold {
        id: sample.ids().legal_hold(),
        scope: sample.scope,
        name: "Case".parse().expect("a name"),
        reason: "a court asks".to_owned(),
        run_ids: Vec::new(),
        caller_id: None,
        starts_from: None,
        starts_before: None,
        created_by: sample.caller(),
        created_at: noon(),
        released: None,
        version: 1,
    }
}

async fn released(store: &impl Store, sample: &Sample, hold: &LegalHold) {
    let release = Release { at: later(), by: sample.caller(), reason: "it is over".to_owned() };
    let hold = LegalHold { released: Some(release), version: hold.version + 1, ..hold.clone() };
    applied(store, sample.opening([put(Row::LegalHold(hold.clone()))])).await;
    let found = store.find_legal_hold(sample.scope, hold.id).await.expect("a read");
    assert_eq!(found, Some(hold));
}

/// Texts, artifacts, comments and salts; rows, numbers and the chain stay, and say what went.
pub async fn content_goes_and_nothing_else(store: &impl Store) {
    let sample = seeded(store).await;
    let run = sample.run();
    ended(store, &sample, &run).await;
    let said = comment(&sample, run.id);
    applied(store, sample.opening([put(Row::Feedback(said.clone()))])).await;
    let before = store.find_run(sample.scope, run.id).await.expect("a read").expect("a run");
    assert!(before.input.preview.is_some() && before.output.preview.is_some());

    let content = query(&sample, RetentionClass::Content);
    assert_eq!(due(store, &DueQuery { before: noon(), ..content }).await, NONE, "it ended after noon");
    assert_eq!(due(store, &content).await, [run.id.as_uuid()]);
    let purged = purge(store, &sample, content, vec![run.id.as_uuid()]).await;
    let counts =
        [(Purged::Content, 1), (Purged::Artifacts, 1), (Purged::Bytes, 5), (Purged::Comments, 1)].into_iter().collect();
    assert_eq!(purged, counts);
    assert_eq!(due(store, &content).await, NONE);
    assert_eq!(purge(store, &sample, content, vec![run.id.as_uuid()]).await, PurgeCounts::new(), "once is enough");

    let after = store.find_run(sample.scope, run.id).await.expect("a read").expect("the run stays");
    assert_eq!((&after.input.preview, &after.output.preview), (&None, &None));
    assert_eq!((after.input.chars, after.totals.clone()), (before.input.chars, before.totals.clone()));
    let steps = store.list_steps(sample.scope, run.id).await.expect("a read");
    assert!(steps.len() == 1 && steps.iter().all(|step| step.output.preview.is_none()), "{steps:?}");
    assert_eq!(store.list_artifacts(sample.scope, run.id).await.expect("a list"), []);
    let left = store.list_feedback(sample.scope, run.id).await.expect("a list");
    let left: Vec<Feedback> = left.into_iter().map(|said| said.feedback).collect();
    assert_eq!(left, [Feedback { comment: None, version: 2, ..said }]);

    let entries = store.list_entries(sample.scope, 1, 100).await.expect("entries");
    let last = entries.last().expect("an entry");
    let says = last.parts.as_deref().and_then(Purge::read).expect("a purge");
    let of_run = entries.iter().find(|entry| entry.kind == Kind::Run).expect("the run's").seq;
    assert!(last.kind == Kind::Purge && last.is_whole() && says.covers(RetentionClass::Content, of_run), "{last:?}");
    let records = store.records(sample.scope, &entries).await.expect("records");
    assert_eq!(records.runs[&run.id.to_string()].salt, None);
    let found = records.purge_of(of_run, RetentionClass::Content).map(|entry| entry.seq);
    assert_eq!(found, Some(last.seq), "who looks for what took the content finds it");

    // What is said of it later is content too.
    let again = Feedback { comment: Some("more".to_owned()), version: 3, ..left[0].clone() };
    applied(store, sample.opening([put(Row::Feedback(again))])).await;
    assert_eq!(due(store, &content).await, [run.id.as_uuid()]);
}

/// Its costs stay, and go when their own time is over; the chain says both.
pub async fn a_run_goes_with_what_hangs_on_it_and_its_costs_do_not(store: &impl Store) {
    let sample = seeded(store).await;
    let (run, open) = (sample.run(), sample.run());
    ended(store, &sample, &run).await;
    applied(store, sample.opening([open_run(&open), put(Row::Feedback(comment(&sample, run.id)))])).await;
    let runs = query(&sample, RetentionClass::Runs);
    assert_eq!(due(store, &runs).await, [run.id.as_uuid()], "what goes on is not over");
    let purged = purge(store, &sample, runs, vec![run.id.as_uuid(), open.id.as_uuid()]).await;
    for what in [Purged::Runs, Purged::Steps, Purged::RunEvents, Purged::Artifacts, Purged::Comments] {
        assert_eq!(purged.get(&what), Some(&1), "{what}");
    }
    assert!(store.find_run(sample.scope, run.id).await.expect("a read").is_none());
    assert!(store.find_run(sample.scope, open.id).await.expect("a read").is_some());

    let entries = store.list_entries(sample.scope, 1, 100).await.expect("entries");
    let entry = entries.iter().find(|entry| entry.kind == Kind::Run).expect("the run's");
    let records = store.records(sample.scope, std::slice::from_ref(entry)).await.expect("records");
    assert!(records.runs.is_empty() && records.costs[&run.id.to_string()].len() == 1, "{records:?}");
    assert!(records.purge_of(entry.seq, RetentionClass::Runs).is_some());
    assert!(records.purge_of(entry.seq, RetentionClass::Costs).is_none());

    let costs = query(&sample, RetentionClass::Costs);
    assert_eq!(due(store, &costs).await, [run.id.as_uuid()]);
    let purged = purge(store, &sample, costs, vec![run.id.as_uuid()]).await;
    assert_eq!(purged.get(&Purged::Costs), Some(&1));
    let records = store.records(sample.scope, std::slice::from_ref(entry)).await.expect("records");
    assert!(records.purge_of(entry.seq, RetentionClass::Costs).is_some());
    assert_eq!(records.costs.get(&run.id.to_string()).map_or(0, Vec::len), 0);
}

/// By run, by caller, by time, also what matches later; released, it goes.
pub async fn what_is_held_is_never_due(store: &impl Store) {
    let sample = seeded(store).await;
    let mut theirs = sample.run();
    theirs.caller = Caller { kind: CallerKind::User, id: sample.ids().user().to_string() };
    let mut late = sample.run();
    late.started_at = noon() + Duration::from_secs(1);
    let (named, late_id) = (sample.run(), late.id.as_uuid());
    for run in [&theirs, &late, &named] {
        ended(store, &sample, run).await;
    }
    let of_caller = LegalHold { caller_id: Some(theirs.caller.id.clone()), ..held(&sample) };
    let of_time = LegalHold { starts_from: Some(late.started_at), ..held(&sample) };
    let of_run = LegalHold { run_ids: vec![named.id], ..held(&sample) };
    let all = [theirs.id.as_uuid(), late_id, named.id.as_uuid()];
    for class in [RetentionClass::Content, RetentionClass::Costs, RetentionClass::Runs] {
        let query = query(&sample, class);
        for (hold, run) in [(&of_caller, all[0]), (&of_time, all[1]), (&of_run, all[2])] {
            let mut hold = hold.clone();
            hold.id = sample.ids().legal_hold();
            applied(store, sample.opening([put(Row::LegalHold(hold.clone()))])).await;
            let found = due(store, &query).await;
            assert!(!found.contains(&run) && found.len() == 2, "{class}: {found:?}");
            let still = store.still_due(&query, &all).await.expect("an answer");
            assert!(!still.contains(&run) && still.len() == 2, "{class}: {still:?}");
            assert_eq!(purge(store, &sample, query, vec![run]).await, PurgeCounts::new(), "{class}");
            released(store, &sample, &hold).await;
            assert_eq!(due(store, &query).await.len(), 3, "{class}");
        }
    }
    // A run that comes to match later is held from its first moment.
    let open_end = LegalHold { starts_from: Some(noon()), ..held(&sample) };
    applied(store, sample.opening([put(Row::LegalHold(open_end.clone()))])).await;
    let newcomer = sample.run();
    ended(store, &sample, &newcomer).await;
    assert_eq!(due(store, &query(&sample, RetentionClass::Content)).await, NONE);
    // Its objects are gone already: it is decided, whatever holds it by now.
    let (query, ids) = (query(&sample, RetentionClass::Content), vec![newcomer.id.as_uuid()]);
    let purging = Purging { query, decided: ids.clone(), ids, purge_id: sample.ids().retention_report() };
    assert_eq!(store.purge(&purging).await.expect("an answer").get(&Purged::Content), Some(&1));
    assert_eq!(store.list_legal_holds(sample.scope).await.expect("a list").len(), 10);
}

/// A hold on a person keeps what they did, too.
pub async fn audit_goes_by_its_own_time(store: &impl Store) {
    let sample = seeded(store).await;
    let run = sample.run();
    let stranger = Caller { kind: CallerKind::User, id: sample.ids().user().to_string() };
    let own = Audit { run_id: Some(run.id), ..sample.audit() };
    let theirs = Audit { actor: stranger.clone(), ..sample.audit() };
    let young = Audit { occurred_at: later(), ..sample.audit() };
    let rows = [&own, &theirs, &young].map(|row| Op::AuditAppend(Arc::new(row.clone())));
    applied(store, sample.opening([open_run(&run)].into_iter().chain(rows))).await;
    let query = query(&sample, RetentionClass::Audit);
    assert_eq!(due(store, &query).await, [own.id.as_uuid(), theirs.id.as_uuid()]);
    for hold in [
        LegalHold { run_ids: vec![run.id], ..held(&sample) },
        LegalHold { caller_id: Some(sample.user_id.to_string()), ..held(&sample) },
    ] {
        applied(store, sample.opening([put(Row::LegalHold(hold.clone()))])).await;
        assert_eq!(due(store, &query).await, [theirs.id.as_uuid()]);
        released(store, &sample, &hold).await;
    }
    let purged = purge(store, &sample, query, vec![theirs.id.as_uuid(), young.id.as_uuid()]).await;
    assert_eq!(purged, PurgeCounts::from([(Purged::Audit, 1)]), "what is young stays");
    let entries = store.list_entries(sample.scope, 1, 100).await.expect("entries");
    let records = store.records(sample.scope, &entries).await.expect("records");
    let of = |row: &Audit| entries.iter().find(|entry| entry.subject_id == row.id.to_string()).expect("its entry");
    assert!(!records.audit.contains_key(&theirs.id.to_string()));
    assert!(records.purge_of(of(&theirs).seq, RetentionClass::Audit).is_some());
    assert!(records.audit.contains_key(&own.id.to_string()));
    assert!(records.purge_of(of(&own).seq, RetentionClass::Audit).is_none(), "a purge covers what it took");
}

/// And a run that names an object of a day that is not over waits.
pub async fn an_object_goes_with_the_last_that_names_it(store: &impl Store) {
    let sample = seeded(store).await;
    let key = |number| ObjectKey::new(noon().date_naive(), sample.scope, &Digest([number; 32]));
    let (one, other) = (sample.run(), sample.run());
    for run in [&one, &other] {
        ended(store, &sample, run).await;
    }
    let name = |run: &NewRun, number| artifact(&sample, run.id, Place::Object(key(number)));
    applied(store, sample.opening([name(&one, 1), name(&one, 2), name(&other, 2)])).await;
    let query = query(&sample, RetentionClass::Content);
    let waiting = DueQuery { open_day: noon().date_naive(), ..query };
    assert_eq!(due(store, &waiting).await, NONE, "others may put what they name today");
    let found = store.list_due(&query, 100).await.expect("a list");
    assert_eq!(found.iter().map(|due| due.objects.len()).collect::<Vec<_>>(), [2, 1], "nobody else names them");
    let hold = LegalHold { run_ids: vec![other.id], ..held(&sample) };
    applied(store, sample.opening([put(Row::LegalHold(hold))])).await;
    let found = store.list_due(&query, 100).await.expect("a list");
    assert_eq!((found.len(), &found[0].objects), (1, &vec![key(1)]), "what is held names the other one");
}

/// One that is left is gone on with, and what it counted so far is kept.
pub async fn one_works_at_a_workspace_at_a_time(store: &impl Store) {
    let sample = seeded(store).await;
    let run = sample.run();
    ended(store, &sample, &run).await;
    let (first, second) = (sample.ids().uuid(), sample.ids().uuid());
    let claim = async |by, lease| {
        store.claim_report(sample.scope, sample.ids().retention_report(), by, lease).await.expect("an answer")
    };
    let report = claim(first, LEASE).await.expect("a pass");
    assert!(claim(second, LEASE).await.is_none(), "somebody works at it");
    let query = query(&sample, RetentionClass::Runs);
    let purging = Purging { query, ids: vec![run.id.as_uuid()], decided: Vec::new(), purge_id: report.id };
    let purged = store.purge(&purging).await.expect("an answer");
    let renewed = store.renew_report(&report, Duration::ZERO).await.expect("an answer").expect("its own");
    assert_eq!(renewed.purged, purged, "it counts what went");
    let taken = claim(second, LEASE).await.expect("it was left");
    assert_eq!((taken.id, &taken.purged), (report.id, &purged), "it is gone on with");
    assert!(store.renew_report(&report, LEASE).await.expect("an answer").is_none(), "it is somebody else's now");
    store.drop_report(&taken).await.expect("an answer");
    let listed = store.list_retention_reports(sample.scope, None, 10).await.expect("a list");
    assert_eq!(listed.iter().map(|report| report.id).collect::<Vec<_>>(), [report.id], "what counted stays");
    let now = kernel::record::RetentionReport { finished_at: Some(later()), version: taken.version + 1, ..taken };
    applied(store, sample.opening([put(Row::RetentionReport(now.clone()))])).await;
    assert_eq!(store.list_retention_reports(sample.scope, None, 10).await.expect("a list"), std::slice::from_ref(&now));
    let next = claim(first, LEASE).await.expect("a pass of its own");
    assert_ne!(next.id, now.id);
    store.drop_report(&next).await.expect("an answer");
    assert_eq!(store.list_retention_reports(sample.scope, None, 10).await.expect("a list"), std::slice::from_ref(&now));
    assert_eq!(store.list_retention_reports(sample.scope, Some(now.id), 10).await.expect("a list"), []);
}

/// Its times, its holds, what is due in it; unknown runs and those of others are told alike.
pub async fn a_workspace_has_its_own_times(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    let run = sample.run();
    ended(store, &sample, &run).await;
    let kept_for = KeptFor::default().with(RetentionClass::Content, Keep::Days(1));
    let set = Retention { scope: sample.scope, kept_for, updated_at: noon(), version: 1 };
    applied(store, sample.opening([put(Row::Retention(set.clone()))])).await;
    let rules = async |of: &Sample| store.find_retention(of.scope).await.expect("a read").expect("a workspace").set;
    assert_eq!((rules(&sample).await, rules(&other).await), (Some(set.clone()), None));
    let all = store.list_retentions(None, 10).await.expect("a list");
    assert_eq!(all.iter().filter(|(_, rules)| rules.set.as_ref() == Some(&set)).count(), 1);
    assert!(all.len() >= 2 && all.windows(2).all(|two| two[0].0.workspace_id < two[1].0.workspace_id));
    let rest = store.list_retentions(Some(all[0].0.workspace_id), 10).await.expect("a list");
    assert_eq!(rest, all[1..]);
    let nowhere = kernel::context::Scope { workspace_id: sample.ids().workspace(), ..sample.scope };
    assert!(store.find_retention(nowhere).await.expect("a read").is_none());

    let hold = LegalHold { run_ids: vec![run.id], ..held(&sample) };
    applied(store, sample.opening([put(Row::LegalHold(hold.clone()))])).await;
    assert_eq!(store.find_legal_hold(other.scope, hold.id).await.expect("a read"), None);
    assert_eq!(store.list_legal_holds(other.scope).await.expect("a list"), []);
    assert_eq!(store.list_legal_holds(sample.scope).await.expect("a list"), [hold]);
    for class in RetentionClass::ALL {
        assert_eq!(due(store, &DueQuery { scope: other.scope, ..query(&sample, *class) }).await, NONE, "{class}");
    }
    let (unknown, foreign) = (sample.ids().run(), run.id);
    assert_eq!(store.unknown_runs(sample.scope, &[run.id, unknown]).await.expect("a list"), [unknown]);
    assert_eq!(store.unknown_runs(other.scope, &[foreign, unknown]).await.expect("a list"), [foreign, unknown]);
}
