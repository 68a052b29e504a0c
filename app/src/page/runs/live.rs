//! The list while things happen: rows on the page change in place, later ones wait to be asked for.

use std::collections::{BTreeMap, BTreeSet};

use leptos::prelude::*;
use types::id::RunId;
use types::run::Run;

use crate::backend::runs::RunList;
use crate::component::{Frame, use_live};
use crate::error::AppError;
use crate::function::find_run;
use crate::query::RunsQuery;
use crate::resource::Resource;

/// What came after the list was loaded.
#[derive(Clone, Copy)]
pub(super) struct LiveRows {
    list: Resource<Result<RunList, AppError>>,
    changed: RwSignal<BTreeMap<RunId, Run>>,
    later: RwSignal<BTreeSet<String>>,
    /// Runs that changed and are still to be loaded.
    stale: StoredValue<BTreeSet<RunId>>,
    loads: StoredValue<bool>,
}

impl LiveRows {
    /// Follows the live hints of the workspace.
    pub(super) fn follow(frame: Frame, list: Resource<Result<RunList, AppError>>, query: Memo<RunsQuery>) -> Self {
        let (stale, loads) = (StoredValue::default(), StoredValue::default());
        let rows = Self { list, changed: RwSignal::default(), later: RwSignal::default(), stale, loads };
        let shown = StoredValue::new(BTreeSet::<String>::new());
        Effect::new(move || {
            if let Some(Ok(list)) = list.get() {
                shown.set_value(list.page.items.iter().map(|run| run.id.to_string()).collect());
                rows.changed.update(BTreeMap::clear);
                rows.later.update(BTreeSet::clear);
            }
        });
        use_live().on_change(move |changes| {
            if changes.missed {
                rows.reload();
                return;
            }
            let shown = shown.get_value();
            let (known, others): (Vec<&String>, Vec<&String>) = changes.runs.iter().partition(|id| shown.contains(*id));
            // Ids sort by time: only what is later than every row shown is new.
            let newest = shown.last();
            let later = others.into_iter().filter(|id| newest.is_none_or(|newest| *id > newest)).cloned();
            if query.with_untracked(|query| query.query.cursor.is_none()) {
                rows.later.update(|present| present.extend(later));
            }
            rows.refresh(frame, known.into_iter().filter_map(|id| id.parse().ok()));
        });
        rows
    }

    /// How many rows wait.
    pub(super) fn waiting(self) -> usize {
        self.later.with(BTreeSet::len)
    }

    /// Loads the list anew.
    pub(super) fn reload(self) {
        self.list.refetch();
    }

    /// A run as it is now.
    pub(super) fn latest(self, run: &Run) -> Run {
        self.changed.with(|changed| changed.get(&run.id).cloned()).unwrap_or_else(|| run.clone())
    }

    /// Loads runs anew and draws them all at once; what changes meanwhile comes next.
    fn refresh(self, frame: Frame, ids: impl Iterator<Item = RunId>) {
        self.stale.update_value(|stale| stale.extend(ids));
        let Some(slug) = frame.slug().get_untracked() else { return };
        if self.loads.get_value() {
            return;
        }
        self.loads.set_value(true);
        leptos::task::spawn_local(async move {
            // The reader may leave the page in the meantime.
            while let Some(ids) = self.stale.try_update_value(std::mem::take).filter(|ids| !ids.is_empty()) {
                let mut fresh = BTreeMap::new();
                for id in ids {
                    if let Ok(detail) = find_run(slug.clone(), id).await {
                        fresh.insert(id, detail.run);
                    }
                }
                let _ = self.changed.try_update(|changed| changed.extend(fresh));
            }
            let _ = self.loads.try_set_value(false);
        });
    }
}
