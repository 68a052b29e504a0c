//! Saved views of lists.

use std::collections::BTreeMap;
use std::time::Duration;

use kernel::ledger::Refusal;
use kernel::port::SeenViews;
use kernel::record::{Row, SavedView, User, ViewDefaults};
use types::id::UserId;
use types::view::ViewPage;

use super::{Store, applied, refused, seeded, seeded_as};
use crate::sample::{Sample, noon, put};

fn view(sample: &Sample, owner_id: UserId, name: &str) -> SavedView {
    SavedView {
        id: types::id::ViewId::from_uuid(sample.ids().uuid()),
        scope: sample.scope,
        owner_id,
        page: ViewPage::Runs,
        name: name.parse().expect("a name"),
        name_key: name.to_lowercase(),
        query: "f.status=failed&q=%E5%A4%B1".to_owned(),
        shared: false,
        created_at: noon(),
        updated_at: noon(),
        deleted_at: None,
        version: 1,
    }
}

async fn guest(store: &impl Store, sample: &Sample) -> UserId {
    let user = User { id: sample.ids().user(), email_key: "guest@sample.example".to_owned(), ..sample.user() };
    applied(store, sample.opening([put(Row::User(user.clone()))])).await;
    user.id
}

/// What somebody sees, by name.
async fn seen(store: &impl Store, sample: &Sample, user_id: UserId) -> Vec<SavedView> {
    let SeenViews { mut views, .. } = store.list_views(sample.scope, user_id).await.expect("a read");
    views.sort_by(|one, other| one.name_key.cmp(&other.name_key));
    views
}

/// In their workspace alone.
pub async fn views_are_seen_by_their_owner_and_shared_ones_by_all(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    let guest = guest(store, &sample).await;
    let own = view(&sample, sample.user_id, "A");
    let shared = SavedView { shared: true, page: ViewPage::Audit, ..view(&sample, sample.user_id, "B") };
    let foreign = view(&sample, guest, "C");
    let rows = [own.clone(), shared.clone(), foreign.clone()].map(|view| put(Row::SavedView(view)));
    applied(store, sample.opening(rows)).await;
    assert_eq!(seen(store, &sample, sample.user_id).await, [own.clone(), shared.clone()]);
    assert_eq!(seen(store, &sample, guest).await, [shared.clone(), foreign]);
    assert_eq!(seen(store, &other, sample.user_id).await, []);
    let owners = async |of: &Sample, reader| store.list_views(of.scope, reader).await.expect("a read").owners;
    let name = sample.user().name;
    assert_eq!(owners(&sample, guest).await, BTreeMap::from([(sample.user_id, name.clone()), (guest, name)]));
    assert_eq!(owners(&other, sample.user_id).await, BTreeMap::new());
    assert_eq!(store.find_view(sample.scope, own.id).await.expect("a read"), Some(own.clone()));
    assert_eq!(store.find_view(other.scope, own.id).await.expect("a read"), None);

    let hidden = SavedView { shared: false, query: String::new(), version: 2, ..shared };
    applied(store, sample.opening([put(Row::SavedView(hidden.clone()))])).await;
    assert_eq!(seen(store, &sample, guest).await.len(), 1);
    let refusal = refused(store, sample.opening([put(Row::SavedView(hidden.clone()))])).await;
    assert_eq!(refusal, Refusal::Version { table: "saved view", current: 2 });
}

/// Which is taken once by an owner and list.
pub async fn a_deleted_view_frees_its_name(store: &impl Store) {
    let sample = seeded(store).await;
    let guest = guest(store, &sample).await;
    let first = view(&sample, sample.user_id, "Failed");
    applied(store, sample.opening([put(Row::SavedView(first.clone()))])).await;
    let twin = view(&sample, sample.user_id, "FAILED");
    let refusal = refused(store, sample.opening([put(Row::SavedView(twin.clone()))])).await;
    let constraint = "saved_views_workspace_id_owner_id_page_name_key_key";
    assert_eq!(refusal, Refusal::Unique { constraint: constraint.to_owned() });
    assert_eq!(kernel::ledger::unique_field(constraint), "name");
    let elsewhere = SavedView { page: ViewPage::Events, ..view(&sample, sample.user_id, "failed") };
    let foreign = view(&sample, guest, "failed");
    applied(store, sample.opening([elsewhere, foreign].map(|view| put(Row::SavedView(view))))).await;

    let gone = SavedView { deleted_at: Some(noon() + Duration::from_secs(1)), version: 2, ..first };
    for view in [&gone, &twin] {
        applied(store, sample.opening([put(Row::SavedView(view.clone()))])).await;
    }
    let own = seen(store, &sample, sample.user_id).await;
    assert!(own.contains(&twin) && !own.contains(&gone), "{own:?}");
    assert_eq!(store.find_view(sample.scope, gone.id).await.expect("a read"), Some(gone), "the row stays");
}

/// And of one workspace.
pub async fn defaults_are_kept_by_person(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    let guest = guest(store, &sample).await;
    let defaults = async |of: &Sample, user_id| store.list_views(of.scope, user_id).await.expect("a read").defaults;
    assert_eq!(defaults(&sample, sample.user_id).await, None);
    let (runs, audit) = (view(&sample, guest, "A").id, view(&sample, guest, "B").id);
    let first = ViewDefaults {
        scope: sample.scope,
        user_id: sample.user_id,
        views: BTreeMap::from([(ViewPage::Runs, runs), (ViewPage::Audit, audit)]),
        version: 1,
    };
    let of_guest = ViewDefaults { user_id: guest, views: BTreeMap::new(), ..first.clone() };
    let rows = [first.clone(), of_guest.clone()].map(|defaults| put(Row::ViewDefaults(defaults)));
    applied(store, sample.opening(rows)).await;
    assert_eq!(defaults(&sample, sample.user_id).await, Some(first.clone()));
    assert_eq!(defaults(&sample, guest).await, Some(of_guest));
    assert_eq!(defaults(&other, sample.user_id).await, None);
    let next = ViewDefaults { views: BTreeMap::from([(ViewPage::Runs, audit)]), version: 2, ..first };
    applied(store, sample.opening([put(Row::ViewDefaults(next.clone()))])).await;
    assert_eq!(defaults(&sample, sample.user_id).await, Some(next.clone()));
    let refusal = refused(store, sample.opening([put(Row::ViewDefaults(next))])).await;
    assert_eq!(refusal, Refusal::Version { table: "view defaults", current: 2 });
}
