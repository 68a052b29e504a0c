//! Rows that are ticked, and what can be done to them at once. What is ticked stands in the address, so that it outlives the
//! way to a run and back; without scripts the form of the bar puts it there.

use std::collections::BTreeSet;

use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::components::Redirect;
use leptos_router::hooks::use_navigate;

use super::of;
use crate::backend::runs::{RunList, Total};
use crate::component::{Confirm, ConfirmActions, Form, HiddenParams, Icon, IconView, Place};
use crate::format;
use crate::function::CancelRuns;
use crate::query::{PICK, PICK_ALL, Params, Picked, Range, picked_of};
use crate::route::{self, At};
use crate::text::text;

/// The form of the bar, which the boxes of the rows belong to.
pub(super) const FORM: &str = "selection";
/// What is asked before it is done: its name in the address.
pub(super) const ASK: &str = "ask";

/// What is ticked.
#[derive(Clone, Copy)]
pub(super) struct Selection {
    picked: RwSignal<Picked>,
    /// The rows of the page, which it stands for while all are ticked.
    rows: StoredValue<Vec<String>>,
    params: Memo<Params>,
    go: StoredValue<Box<dyn Fn(String) + Send + Sync>>,
}

impl Selection {
    /// What the address says, as long as it says it.
    pub(super) fn of(params: Memo<Params>) -> Self {
        let navigate = use_navigate();
        let go = move |href: String| {
            navigate(&href, NavigateOptions { replace: true, scroll: false, ..NavigateOptions::default() });
        };
        let said = Memo::new(move |_| params.with(picked_of));
        let picked = RwSignal::new(said.get_untracked());
        Effect::new(move |before: Option<()>| {
            let said = said.get();
            if before.is_some() && picked.with_untracked(|picked| *picked != said) {
                picked.set(said);
            }
        });
        Self { picked, rows: StoredValue::default(), params, go: StoredValue::new(Box::new(go)) }
    }

    /// The rows of the page it is about.
    pub(super) fn shows(self, list: &RunList) {
        self.rows.set_value(list.page.items.iter().map(|run| run.id.to_string()).collect());
    }

    /// Whether a row is ticked.
    pub(super) fn has(self, id: &str) -> bool {
        self.picked.with(|picked| picked.has(id))
    }

    /// Whether every row of the page is.
    fn has_page(self) -> bool {
        self.rows.with_value(|rows| !rows.is_empty() && rows.iter().all(|id| self.has(id)))
    }

    /// Ticks a row, or not.
    pub(super) fn tick(self, id: &str, on: bool) {
        self.change(|ids| {
            if on {
                ids.insert(id.to_owned())
            } else {
                ids.remove(id)
            };
        });
    }

    fn tick_page(self, on: bool) {
        let rows = self.rows.get_value();
        self.change(|ids| if on { ids.extend(rows) } else { ids.retain(|id| !rows.contains(id)) });
    }

    fn tick_all(self, on: bool) {
        self.set(if on { Picked::All } else { Picked::default() });
    }

    fn change(self, how: impl FnOnce(&mut BTreeSet<String>)) {
        let mut ids = match self.picked.get_untracked() {
            Picked::These(ids) => ids,
            Picked::All => self.rows.get_value().into_iter().collect(),
        };
        how(&mut ids);
        self.set(Picked::These(ids));
    }

    fn set(self, picked: Picked) {
        let href = picked.write(self.params.get_untracked()).here();
        self.picked.set(picked);
        self.go.with_value(|go| go(href));
    }

    /// The two that are ticked, where they are exactly two.
    fn pair(self) -> Option<(String, String)> {
        self.picked.with(|picked| match picked {
            Picked::These(ids) if ids.len() == 2 => Some((ids.first()?.clone(), ids.last()?.clone())),
            Picked::These(_) | Picked::All => None,
        })
    }

    fn count(self, total: Option<&Total>) -> Option<(u64, String)> {
        self.picked.with(|picked| match picked {
            Picked::All => {
                Some(total.map_or_else(|| (u64::MAX, text().runs.all.to_owned()), |total| (total.count, of(*total))))
            }
            Picked::These(ids) if ids.is_empty() => None,
            Picked::These(ids) => {
                let count = super::count(ids.len());
                Some((count, format::count(count)))
            }
        })
    }
}

/// The box in the head of the table: every row of the page.
#[component]
pub(super) fn PageBox(selection: Selection) -> impl IntoView {
    let all = move || selection.has_page();
    view! {
        <th scope="col" class="cell-check">
            <label class="check">
                <input
                    type="checkbox"
                    checked=all()
                    prop:checked=all
                    on:change=move |event| selection.tick_page(event_target_checked(&event))
                    aria-label=text().runs.select_page
                />
            </label>
        </th>
    }
    .into_any()
}

/// The box of a row.
#[component]
pub(super) fn RowBox(selection: Selection, id: String) -> impl IntoView {
    let label = (text().runs.select)(&format::short_id(&id));
    let (has, ticked) = (id.clone(), id.clone());
    let is_on = move || selection.has(&has);
    view! {
        <td class="cell-check">
            <label class="check">
                <input
                    type="checkbox"
                    name=PICK
                    value=id
                    form=FORM
                    checked=is_on()
                    prop:checked=is_on
                    on:change=move |event| selection.tick(&ticked, event_target_checked(&event))
                    data-row-shortcut="x"
                    aria-label=label
                />
            </label>
        </td>
    }
    .into_any()
}

/// What can be done to the rows that are ticked; there while some are.
#[component]
pub(super) fn BulkBar(
    place: Place,
    path: String,
    total: Option<Total>,
    params: Params,
    selection: Selection,
) -> impl IntoView {
    let runs = &text().runs;
    let kept = params.without(&[PICK, ASK, "peek"]);
    let words = move || selection.count(total.as_ref()).map(|(_, count)| (runs.selected)(&count));
    let all =
        total.filter(|total| total.is_lower_bound || total.count > super::count(selection.rows.with_value(Vec::len)));
    let all = all.map(|total| {
        let is_on = move || selection.picked.with(|picked| *picked == Picked::All);
        view! {
            <label class="check">
                <input
                    type="checkbox"
                    name=PICK
                    value=PICK_ALL
                    checked=is_on()
                    prop:checked=is_on
                    on:change=move |event| selection.tick_all(event_target_checked(&event))
                />
                <span>{(runs.all_matching)(&of(total))}</span>
            </label>
        }
    });
    let asking = {
        let kept = kept.clone();
        move |what: &'static str, label: &'static str, class: &'static str| {
            let kept = kept.clone();
            let ask = move |event: leptos::ev::MouseEvent| {
                event.prevent_default();
                let asked = selection.picked.with_untracked(|picked| picked.write(kept.clone())).with(ASK, what);
                selection.go.with_value(|go| go(asked.here()));
            };
            view! {
                <button class=class type="submit" name=ASK value=what on:click=ask>
                    {label}
                </button>
            }
        }
    };
    let compare = place.may("run.compare").then(|| view! { <CompareButton at=place.at.clone() selection=selection /> });
    let cancel = place.may("run.cancel").then(|| asking("cancel", runs.cancel_selected, "btn btn--danger"));
    let export = place.may("export.runs").then(|| asking("export", runs.export_selected, "btn"));
    view! {
        <form class="bulk-bar" id=FORM method="get" action=path data-testid="bulk">
            <HiddenParams params=kept.clone() />
            <span aria-live="polite">{words}</span>
            {all}
            {compare}
            {export}
            {cancel}
            <a class="btn btn--quiet" href=kept.here() data-noscroll="">
                {runs.clear_selection}
            </a>
        </form>
    }
    .into_any()
}

/// What the address asks to do to the rows that are ticked.
#[component]
pub(super) fn Asked(
    place: Place,
    list: RunList,
    range: Range,
    params: Memo<Params>,
    selection: Selection,
    cancel: ServerAction<CancelRuns>,
) -> impl IntoView {
    let told = StoredValue::new((place, list));
    move || {
        let params = params.get();
        let asked = params.get(ASK)?.to_owned();
        let (place, list) = told.get_value();
        let (count, shown) = selection.count(list.total.as_ref())?;
        let what = (text().runs.so_many)(&shown, count == 1);
        let back = params.clone().without(&[ASK]);
        let these = selection.picked.with(|picked| picked.narrow(range.freeze(back.clone(), (list.from, list.to))));
        match asked.as_str() {
            "compare" if place.may("run.compare") => {
                Some(view! { <Compare place=place pair=selection.pair() back=back /> }.into_any())
            }
            "cancel" if place.may("run.cancel") => {
                Some(view! { <Cancel place=place what=what these=these back=back action=cancel /> }.into_any())
            }
            "export" if place.may("export.runs") => {
                Some(view! { <Export place=place what=what these=these back=back /> }.into_any())
            }
            _ => None,
        }
    }
}

/// Leads to the comparison; there while exactly two are ticked. Without scripts nobody knows how many are before the form is
/// sent, so it is there always, and the answer leads on.
#[component]
fn CompareButton(at: At, selection: Selection) -> impl IntoView {
    let is_live = RwSignal::new(false);
    Effect::new(move || is_live.set(true));
    let navigate = use_navigate();
    let lead = move |event: leptos::ev::MouseEvent| {
        if let Some((a, b)) = selection.pair() {
            event.prevent_default();
            navigate(&at.compare(a, b), NavigateOptions::default());
        }
    };
    view! {
        <button
            class="btn"
            type="submit"
            name=ASK
            value="compare"
            hidden=move || is_live.get() && selection.pair().is_none()
            on:click=lead
            data-testid="compare"
        >
            {text().compare.compare}
        </button>
    }
    .into_any()
}

/// Leads to the comparison of the two that are ticked.
#[component]
fn Compare(place: Place, pair: Option<(String, String)>, back: Params) -> impl IntoView {
    let texts = text();
    if let Some((a, b)) = pair {
        return view! { <Redirect path=place.at.compare(a, b) /> }.into_any();
    }
    view! {
        <Confirm title=texts.compare.two_needed meaning=texts.compare.two_needed_text>
            <div class="dialog-actions">
                <a class="btn" href=back.here() data-shortcut="Esc" data-noscroll="">
                    {texts.common.close}
                </a>
            </div>
        </Confirm>
    }
    .into_any()
}

#[component]
fn Cancel(place: Place, what: String, these: Params, back: Params, action: ServerAction<CancelRuns>) -> impl IntoView {
    let runs = &text().runs;
    let page = back.clone().without(&[PICK]).to_string();
    let sends = place.sends([("runs", these.to_string()), ("list", page)]);
    view! {
        <Confirm title=(runs.cancel_question)(&what) meaning=runs.cancel_meaning>
            <Form action=action sends=sends>
                <ConfirmActions back=back.here() label=runs.cancel_runs keep=runs.keep_running danger=true />
            </Form>
        </Confirm>
    }
    .into_any()
}

#[component]
fn Export(place: Place, what: String, these: Params, back: Params) -> impl IntoView {
    let (runs, common) = (&text().runs, &text().common);
    let these = these.with("w", &place.shell.workspace.slug.to_string());
    let link = move |format: &str, label: &'static str| {
        let href = these.clone().with("format", format).at(route::RUNS_EXPORT);
        view! {
            <a class="btn" href=href rel="external" download="">
                <IconView icon=Icon::Download />
                {label}
            </a>
        }
    };
    view! {
        <Confirm title=(runs.export_question)(&what) meaning=runs.export_meaning>
            <div class="dialog-actions">
                <a class="btn" href=back.here() data-shortcut="Esc" data-noscroll="">
                    {common.close}
                </a>
                {link("csv", runs.export_csv)}
                {link("jsonl", runs.export_jsonl)}
            </div>
        </Confirm>
    }
    .into_any()
}
