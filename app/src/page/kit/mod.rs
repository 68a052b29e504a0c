//! `/ui/kit`: every component in every state, light and dark side by side. Tests of contrast, overflow and accessibility look
//! here; the server leaves it out in production.

mod data;
mod shape;
mod show;
mod speak;

use leptos::prelude::*;
use leptos_meta::Title;

use crate::component::{Icon, IconView, Page, PageHead};
use crate::text::text;

/// Every component in every state.
#[component]
pub(crate) fn Kit() -> impl IntoView {
    let kit = &text().kit;
    view! {
        <Title text=kit.title />
        <main class="main" id="main">
            <Page>
                <PageHead title=kit.title meta=Some(kit.text.into_any()) />
                <Sample name="button" sample=shape::buttons />
                <Sample name="status" sample=show::states />
                <Sample name="money" sample=show::figures />
                <Sample name="notice" sample=speak::notices />
                <Sample name="form" sample=shape::form />
                <Sample name="filter" sample=shape::filters />
                <Sample name="table" sample=show::table />
                <Sample name="meter" sample=show::meters />
                <Sample name="chart" sample=show::chart />
                <Sample name="tree" sample=show::tree />
                <Sample name="code" sample=speak::code />
                <Sample name="empty" sample=speak::absent />
                <Sample name="live" sample=show::live />
                <Icons />
            </Page>
        </main>
    }
    .into_any()
}

/// One kind of component, in both themes.
#[component]
fn Sample(name: &'static str, sample: fn(Theme) -> AnyView) -> impl IntoView {
    view! {
        <section class="section" data-testid=format!("kit-{name}")>
            <header class="section-head">
                <h2>{(text().kit.section)(name)}</h2>
            </header>
            <div class="kit-sample">
                {[Theme("light"), Theme("dark")]
                    .map(|theme| view! { <div data-theme=theme.0>{sample(theme)}</div> })
                    .collect_view()}
            </div>
        </section>
    }
    .into_any()
}

/// Which side a sample is drawn for; ids on the two must differ.
#[derive(Clone, Copy)]
struct Theme(&'static str);

#[component]
fn Icons() -> impl IntoView {
    view! {
        <section class="section" data-testid="kit-icon">
            <header class="section-head">
                <h2>{(text().kit.section)("icon")}</h2>
            </header>
            <ul class="kit-icons">
                {Icon::ALL
                    .iter()
                    .map(|icon| {
                        view! {
                            <li>
                                <IconView icon=*icon size=20 />
                                {format!("{icon:?}")}
                            </li>
                        }
                    })
                    .collect_view()}
            </ul>
        </section>
    }
    .into_any()
}
