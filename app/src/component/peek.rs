//! A list whose rows open a drawer: the row's part of it, and what the address asks to show over the list. Not here: the
//! drawer itself (`drawer`).

use std::fmt::Display;
use std::future::ready;

use leptos::prelude::*;
use types::problem::{Code, Problem};

use super::{Drawer, Failure, Icon, IconView, Place, use_frame};
use crate::backend::List;
use crate::error::AppError;
use crate::format;
use crate::query::Params;
use crate::resource::Resource;
use crate::text::text;

/// The key of a row's own link to its drawer: `J` begins with the first row while no drawer is open.
pub(crate) fn opens_list(first: bool, params: Memo<Params>) -> Option<&'static str> {
    (first && params.with(|params| params.get("peek").is_none())).then_some("j")
}

/// The address of a row's drawer, in place of what else these names ask for.
pub(crate) fn peek_of(
    id: String,
    params: Memo<Params>,
    names: &'static [&'static str],
) -> impl Fn() -> String + Clone + Send + 'static {
    move || params.with(|params| params.clone().without(names).with("peek", &id).here())
}

/// The `aria-current` of a row: whether its drawer is open.
pub(crate) fn peeked(id: String, params: Memo<Params>) -> impl Fn() -> Option<&'static str> + Send + 'static {
    move || params.with(|params| params.get("peek") == Some(id.as_str())).then_some("true")
}

/// The last cell of a row: the link to its drawer.
#[component]
pub(crate) fn PeekCell(
    /// The drawer.
    href: impl Fn() -> String + Send + 'static,
    /// Whether it is the first row.
    first: bool,
    /// The address.
    params: Memo<Params>,
) -> impl IntoView {
    view! {
        <td class="cell-actions">
            <a
                class="btn btn--quiet btn--icon"
                href=href
                data-shortcut=move || opens_list(first, params)
                data-noscroll=""
                aria-label=text().runs.peek
            >
                <IconView icon=Icon::Sidebar />
            </a>
        </td>
    }
    .into_any()
}

/// The drawers of the rows above and below one; beside none of them, the first row is below.
pub(crate) fn neighbours<Id: Display>(
    rows: &[Id],
    place: Option<usize>,
    params: &Params,
) -> (Option<String>, Option<String>) {
    let peek = |index: Option<usize>| {
        let id = rows.get(index?)?;
        Some(params.clone().with("peek", &id.to_string()).here())
    };
    (peek(place.and_then(|place| place.checked_sub(1))), peek(Some(place.map_or(0, |place| place + 1))))
}

/// What an address asks for over a list.
pub(crate) struct Over {
    /// The name that asks for it.
    pub(crate) asked_by: &'static str,
    /// The address.
    pub(crate) params: Params,
    /// The list without it.
    pub(crate) close: String,
    /// The drawer of the row above.
    pub(crate) previous: Option<String>,
    /// The drawer of the row below.
    pub(crate) next: Option<String>,
}

/// The drawer or dialog of the row that the first of these names asks for, or a drawer that says that there is none.
pub(crate) fn over_list<Row>(
    list: Resource<Result<List<Row>, AppError>>,
    params: Memo<Params>,
    names: &'static [&'static str],
    id_of: fn(&Row) -> String,
    show: impl Fn(Place, Row, Over) -> AnyView + Clone + Send + Sync + 'static,
) -> AnyView
where
    Row: Clone + Send + Sync + 'static,
{
    over_list_with(list, || ready(()), params, names, id_of, move |place, row, over, ()| show(place, row, over))
}

/// The same where the drawer needs something that the list does not hold: both are waited for together.
pub(crate) fn over_list_with<Row, Aside, Waiting>(
    list: Resource<Result<List<Row>, AppError>>,
    aside: impl Fn() -> Waiting + Clone + Send + Sync + 'static,
    params: Memo<Params>,
    names: &'static [&'static str],
    id_of: fn(&Row) -> String,
    show: impl Fn(Place, Row, Over, Aside) -> AnyView + Clone + Send + Sync + 'static,
) -> AnyView
where
    Row: Clone + Send + Sync + 'static,
    Waiting: Future<Output = Aside> + Send + 'static,
    Aside: Send + 'static,
{
    let shell = use_frame().shell();
    let asked = Memo::new(move |_| {
        params.with(|params| names.iter().find_map(|name| Some((*name, params.get(name)?.to_owned()))))
    });
    view! {
        <Transition>
            {move || {
                asked
                    .get()
                    .map(|(asked_by, id)| {
                        let (show, aside) = (show.clone(), aside.clone());
                        Suspend::new(async move {
                            let (Ok(shell), Ok(list)) = (shell.await, list.await) else { return ().into_any() };
                            let aside = aside().await;
                            let params = params.get_untracked();
                            let close = params.clone().without(names).here();
                            let ids: Vec<String> = list.page.items.iter().map(id_of).collect();
                            let index = ids.iter().position(|known| *known == id);
                            let Some(row) = index.and_then(|index| list.page.items.into_iter().nth(index)) else {
                                return view! { <Missing id=id close=close /> }.into_any();
                            };
                            let (previous, next) = neighbours(&ids, index, &params);
                            show(Place::new(shell), row, Over { asked_by, params, close, previous, next }, aside)
                        })
                    })
            }}
        </Transition>
    }
    .into_any()
}

#[component]
fn Missing(id: String, close: String) -> impl IntoView {
    let title = format::short_id(&id);
    let error = AppError::from(Problem::new(Code::NotFound, id));
    view! {
        <Drawer title=title close=close>
            <Failure error=error />
        </Drawer>
    }
    .into_any()
}
