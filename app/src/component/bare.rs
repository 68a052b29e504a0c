//! What surrounds a page outside of any workspace, the table of such a page, and how its data is awaited.

use std::future::Future;

use leptos::prelude::*;

use super::frame::Skeleton;
use super::{BrandMark, Failure, Icon, IconView, ThemeMenu, ToastList, UnsentGuard};
use crate::error::AppError;
use crate::route;
use crate::text::text;

/// The bar with the way out, and the page inside. Toasts are to be provided before the page is.
#[component]
pub(crate) fn Bare(children: Children) -> impl IntoView {
    let shell = &text().shell;
    view! {
        <a class="skip-link" href="#main" rel="external">
            {shell.skip}
        </a>
        <div class="bare" data-testid="shell">
            <header class="topbar">
                <a class="brand" href=route::CHOOSER>
                    <BrandMark />
                    <span>{shell.places}</span>
                </a>
                <div class="topbar-end">
                    <ThemeMenu />
                    <form method="post" action=route::SIGN_OUT_POST>
                        <button class="btn btn--quiet btn--icon" title=shell.sign_out aria-label=shell.sign_out>
                            <IconView icon=Icon::Logout size=20 />
                        </button>
                    </form>
                </div>
            </header>
            <main class="main" id="main" tabindex="-1">
                {children()}
            </main>
        </div>
        <ToastList />
        <UnsentGuard />
    }
    .into_any()
}

/// The page once its data is there. Without it, the page is the failure and answers with its status.
pub(crate) fn awaited<Value, Loaded>(
    load: impl Fn() -> Loaded + Clone + Send + Sync + 'static,
    view: impl Fn(Value) -> AnyView + Clone + Send + Sync + 'static,
) -> AnyView
where
    Value: Send + 'static,
    Loaded: Future<Output = Result<Value, AppError>> + Send + 'static,
{
    view! {
        <Transition fallback=|| view! { <div class="page"><Skeleton /></div> }>
            {move || {
                let (load, view) = (load.clone(), view.clone());
                Suspend::new(async move {
                    match load().await {
                        Ok(value) => view(value),
                        Err(error) => {
                            view! {
                                <div class="page">
                                    <Failure error=error whole=true />
                                </div>
                            }
                                .into_any()
                        }
                    }
                })
            }}
        </Transition>
    }
    .into_any()
}

/// A table of cells. The first cell of a row names it.
pub(crate) fn sheet(caption: &'static str, heads: Vec<&'static str>, rows: Vec<Vec<AnyView>>) -> AnyView {
    let head = heads.iter().map(|head| view! { <th scope="col">{*head}</th> }).collect_view();
    let row = |cells: Vec<AnyView>| {
        let cell = |(index, (head, cell)): (usize, (&&'static str, AnyView))| {
            let class = if index == 0 { "cell-main" } else { "" };
            view! {
                <td data-label=*head class=class>
                    {cell}
                </td>
            }
        };
        view! { <tr>{heads.iter().zip(cells).enumerate().map(cell).collect_view()}</tr> }
    };
    view! {
        <div class="table-wrap">
            <table class="table table--cards" data-testid="sheet">
                <caption class="sr-only">{caption}</caption>
                <thead>
                    <tr>{head}</tr>
                </thead>
                <tbody>{rows.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}
