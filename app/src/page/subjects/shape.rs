//! What the lists of this section have in common: title and tabs above, rows in pages, or why there are none.

use leptos::prelude::*;

use crate::backend::List;
use crate::component::{Empty, Frame, Icon, Loading, Page, Paged, Place};
use crate::page::access::{AccessTab, Head};
use crate::query::Params;
use crate::route::At;

/// The action that makes one, where it is made, and what that is called.
type Create = (&'static str, fn(&At) -> String, &'static str);

/// What makes the lists differ besides their rows.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) tab: AccessTab,
    /// How many there are, in words.
    pub(super) count: fn(usize) -> String,
    /// What is said where there are none: in short, and in a sentence.
    pub(super) empty: (&'static str, &'static str),
    /// What may make one, where, and what that is called.
    pub(super) create: Option<Create>,
}

/// A list of this section.
pub(super) fn listed<Item: Clone + Send + Sync + 'static>(
    frame: Frame,
    list: Loading<List<Item>>,
    params: Memo<Params>,
    shape: Shape,
    rows: impl Fn(Place, Vec<Item>) -> AnyView + Clone + Send + Sync + 'static,
) -> AnyView {
    frame.page(list, move |place, list| {
        let meta = (shape.count)(list.total);
        let head = view! { <Head place=place.clone() meta=Some(meta) tab=shape.tab /> };
        let body = match list.total {
            0 => nothing(&place, shape),
            _ => {
                let rows = rows.clone();
                let rows = move |items: Vec<Item>| rows(place, items);
                view! { <Paged list=list params=params.get_untracked() rows=rows /> }.into_any()
            }
        };
        view! { <Page>{head} {body}</Page> }
    })
}

fn nothing(place: &Place, shape: Shape) -> AnyView {
    let create = shape.create.filter(|(action, ..)| place.may(action)).map(|(_, to, label)| {
        view! {
            <a class="btn" href=to(&place.at)>
                {label}
            </a>
        }
    });
    let (title, text) = shape.empty;
    view! {
        <Empty icon=Icon::Access title=title text=text>
            {create}
        </Empty>
    }
    .into_any()
}
