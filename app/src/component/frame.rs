//! What a page of a workspace stands on: its address, what surrounds it, and how its data is awaited.

use std::future::Future;
use std::sync::Arc;

use leptos::prelude::*;
use leptos_router::hooks::{use_location, use_params_map};
use types::name::Slug;
use types::problem::{Code, Problem};

use super::form::TAKEN;
use super::{Failure, Sent};
use crate::backend::session::Shell;
use crate::error::AppError;
use crate::function::find_shell;
use crate::query::Params;
use crate::resource::{Resource, resource};
use crate::route::At;
use crate::visit::visit;

/// The workspace of the page.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    slug: Memo<Option<Slug>>,
    shell: Resource<Result<Shell, AppError>>,
}

/// What a loaded page knows of its workspace.
#[derive(Clone)]
pub(crate) struct Place {
    /// Its addresses.
    pub(crate) at: At,
    /// What surrounds the page.
    pub(crate) shell: Shell,
}

impl Place {
    /// What surrounds a page.
    pub(crate) fn new(shell: Shell) -> Self {
        Self { at: at(&shell.workspace.slug), shell }
    }

    /// Whether the reader may do it.
    pub(crate) fn may(&self, action: &str) -> bool {
        self.shell.permissions.allow(action)
    }

    /// What a form of the workspace sends unseen: which workspace, whose page it is on, and these.
    pub(crate) fn sends<const N: usize>(&self, more: [(&'static str, String); N]) -> Sent {
        let shell = &self.shell;
        let own = [("workspace", shell.workspace.slug.to_string()), ("user", shell.me.user.id.to_string())];
        own.into_iter().chain(more).collect()
    }
}

impl Frame {
    /// Reads the workspace from the address, and loads what surrounds its pages.
    pub(crate) fn provide() -> Self {
        let parameters = use_params_map();
        let slug = Memo::new(move |_| parameters.with(|map| map.get_str("workspace")?.parse().ok()));
        let shell = resource(
            move || slug.get(),
            |slug: Option<Slug>| async move {
                match slug {
                    Some(slug) => find_shell(slug).await,
                    None => Err(not_found()),
                }
            },
        );
        let frame = Self { slug, shell };
        provide_context(frame);
        frame
    }

    /// The slug of the address.
    pub(crate) fn slug(self) -> Signal<Option<Slug>> {
        self.slug.into()
    }

    /// The addresses of the workspace.
    pub(crate) fn at(self) -> At {
        at(self.slug.get().map(String::from).unwrap_or_default())
    }

    /// What surrounds the page.
    pub(crate) fn shell(self) -> Resource<Result<Shell, AppError>> {
        self.shell
    }

    /// A resource of the workspace: fetched on the server, again whenever what it depends on changes.
    pub(crate) fn resource<Source, Value, Fetched>(
        self,
        source: impl Fn() -> Source + Send + Sync + 'static,
        fetch: impl Fn(Slug, Source) -> Fetched + Send + Sync + 'static,
    ) -> Resource<Result<Value, AppError>>
    where
        Source: PartialEq + Clone + Send + Sync + 'static,
        Value: serde::Serialize + serde::de::DeserializeOwned + Send + Sync + 'static,
        Fetched: Future<Output = Result<Value, AppError>> + Send + 'static,
    {
        let slug = self.slug;
        let fetch = Arc::new(fetch);
        resource(
            move || (slug.get(), source()),
            move |(slug, source)| {
                let fetched = slug.map(|slug| fetch(slug, source));
                async move {
                    match fetched {
                        Some(fetched) => fetched.await,
                        None => Err(not_found()),
                    }
                }
            },
        )
    }

    /// A part of what surrounds the page, once it is known. Without it there is nothing: the page says why.
    pub(crate) fn around(self, view: impl Fn(Place) -> AnyView + Clone + Send + Sync + 'static) -> AnyView {
        let shell = self.shell;
        view! {
            <Transition>
                {move || {
                    let view = view.clone();
                    Suspend::new(async move { shell.await.ok().map(|shell| view(Place::new(shell))) })
                }}
            </Transition>
        }
        .into_any()
    }

    /// The page's view once its data is there. Without it, the page is the failure and answers with its status.
    pub(crate) fn page<Value, View>(
        self,
        resource: Resource<Result<Value, AppError>>,
        view: impl Fn(Place, Value) -> View + Clone + Send + Sync + 'static,
    ) -> AnyView
    where
        Value: Clone + Send + Sync + 'static,
        View: IntoView + 'static,
    {
        self.page_of(move || async move { resource.await }, view)
    }

    /// The same where the data is more than one resource.
    pub(crate) fn page_of<Value, Loaded, View>(
        self,
        load: impl Fn() -> Loaded + Clone + Send + Sync + 'static,
        view: impl Fn(Place, Value) -> View + Clone + Send + Sync + 'static,
    ) -> AnyView
    where
        Value: Send + 'static,
        Loaded: Future<Output = Result<Value, AppError>> + Send,
        View: IntoView + 'static,
    {
        let shell = self.shell;
        view! {
            <Transition fallback=|| view! { <div class="page"><Skeleton /></div> }>
                {move || {
                    let (load, view) = (load.clone(), view.clone());
                    Suspend::new(async move {
                        let loaded = match shell.await {
                            Ok(shell) => load().await.map(|value| (shell, value)),
                            Err(error) => Err(error),
                        };
                        match loaded {
                            Ok((shell, value)) => view(Place::new(shell), value).into_any(),
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
}

/// The addresses of a workspace, in the zone the page's own address has chosen.
pub(super) fn at(slug: impl std::fmt::Display) -> At {
    At::workspace(slug).in_zone(visit().chosen_zone())
}

/// The workspace of the page.
pub(crate) fn use_frame() -> Frame {
    use_context::<Frame>().unwrap_or_else(Frame::provide)
}

/// The parameters of the address, without those a refused form left there.
pub(crate) fn params() -> Memo<Params> {
    let search = use_location().search;
    Memo::new(move |_| search.with(|search| Params::parse(search).without(&["__path", "__err", TAKEN])))
}

/// The address of the page, without what a refused form left there.
pub(super) fn here() -> String {
    params().get_untracked().at(&use_location().pathname.get_untracked())
}

fn not_found() -> AppError {
    Problem::new(Code::NotFound, "no such workspace").into()
}

/// Holds the place of what is loading.
#[component]
pub(crate) fn Skeleton() -> impl IntoView {
    view! {
        <div class="stack" aria-busy="true" data-testid="loading">
            <div class="skeleton skeleton--text" aria-hidden="true"></div>
            <div class="skeleton" style="--h: 320px" aria-hidden="true"></div>
        </div>
    }
    .into_any()
}
