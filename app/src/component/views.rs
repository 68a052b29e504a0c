//! Saved views of a list: the menu that leads to them, and the drawer that saves or changes one.

use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::components::Redirect;
use types::view::{SavedView, ViewPage};

use super::{
    ButtonForm, Confirm, ConfirmActions, Drawer, Form, FormActions, Frame, Icon, IconView, Look, Notice, Place,
    SwitchField, TextField, Tone, changes, told_action,
};
use crate::error::AppError;
use crate::function::{CreateView, DeleteView, UpdateView, list_views};
use crate::query::{NO_VIEW, PASSING, Params, VIEW, in_view, is_changed, kept_of, opening, view_of};
use crate::resource::Resource;
use crate::text::text;

/// The saved views of a list, and what can be done to them.
#[derive(Clone, Copy)]
pub(crate) struct Views {
    page: ViewPage,
    params: Memo<Params>,
    list: Resource<Result<Vec<SavedView>, AppError>>,
    create: ServerAction<CreateView>,
    update: ServerAction<UpdateView>,
    delete: ServerAction<DeleteView>,
}

impl Views {
    /// Those of a list, whose address this is.
    pub(crate) fn of(frame: Frame, page: ViewPage, params: Memo<Params>) -> Self {
        let create = told_action::<CreateView>(text().views.told_saved);
        let update = told_action::<UpdateView>(text().views.told_saved);
        let delete = told_action::<DeleteView>(text().common.told_deleted);
        let (created, updated, deleted) = (changes(create), changes(update), changes(delete));
        let list = frame
            .resource(move || (created.get(), updated.get(), deleted.get()), move |slug, _| list_views(slug, page));
        Self { page, params, list, create, update, delete }
    }

    /// The page of the list, with its views; or the way to the view it opens with, where its address says nothing. A list
    /// whose views cannot be read has none.
    pub(crate) fn page<Value>(
        self,
        frame: Frame,
        list: Resource<Result<Value, AppError>>,
        view: impl Fn(ViewsMenu, Value) -> AnyView + Clone + Send + Sync + 'static,
    ) -> AnyView
    where
        Value: Clone + Send + Sync + 'static,
    {
        let load = move || async move { Ok((list.await?, self.list.await.unwrap_or_default())) };
        frame.page_of(load, move |place, (list, saved)| {
            let path = place.at.list(self.page);
            if let Some(params) = self.params.with_untracked(|params| opening(params, &saved)) {
                let options = NavigateOptions { replace: true, ..NavigateOptions::default() };
                return view! { <Redirect path=params.at(&path) options=options /> }.into_any();
            }
            let menu = ViewsMenu { views: self, saved, place, path };
            let drawer = menu.clone();
            view! {
                {view(menu, list)}
                {drawer.drawer()}
            }
            .into_any()
        })
    }
}

/// What the head of a list shows of its views.
#[derive(Clone)]
pub(crate) struct ViewsMenu {
    views: Views,
    saved: Vec<SavedView>,
    place: Place,
    path: String,
}

impl ViewsMenu {
    /// The workspace of the list.
    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    /// The menu. It says which view the list is in, and whether it was changed since.
    pub(crate) fn menu(self) -> AnyView {
        let words = &text().views;
        let params = self.views.params;
        let Self { saved, place, path, .. } = self.clone();
        let present = {
            let saved = saved.clone();
            Memo::new(move |_| {
                params.with(|params| view_of(params, &saved).map(|view| (view.clone(), is_changed(params, view))))
            })
        };
        let name = move || {
            present.with(|present| {
                present.as_ref().map_or_else(|| words.title.to_owned(), |(view, _)| view.name.to_string())
            })
        };
        let changed = move || {
            let is_changed = present.with(|present| present.as_ref().is_some_and(|(_, is_changed)| *is_changed));
            is_changed.then(|| view! { <span class="count" data-testid="view-changed">{words.changed}</span> })
        };
        let none = Params::default().with(VIEW, NO_VIEW).at(&path);
        let items = saved.into_iter().map(|view| self.clone().item(view, present)).collect_view();
        let may_save = place.may("view.save");
        let foot = move || may_save.then(|| self.clone().foot(present.get()));
        view! {
            <details class="menu menu--end" name="menu" data-testid="views">
                <summary class="btn" aria-current=move || present.with(Option::is_some).then_some("true")>
                    <IconView icon=Icon::Views />
                    <span class="menu-name">{name}</span>
                    " "
                    {changed}
                </summary>
                <div class="menu-panel">
                    <a
                        class="menu-item"
                        href=none
                        aria-current=move || present.with(Option::is_none).then_some("true")
                    >
                        {words.none}
                    </a>
                    {items}
                    {foot}
                </div>
            </details>
        }
        .into_any()
    }

    /// One view: the way to it, and to what it is.
    fn item(self, view: SavedView, present: Memo<Option<(SavedView, bool)>>) -> AnyView {
        let words = &text().views;
        let is_own = view.owner_id == self.place.shell.me.user.id;
        let id = view.id;
        let params = self.views.params;
        let edit = move || params.with(|params| params.clone().without(PASSING).with("edit", &id.to_string()).here());
        let marks = [
            view.default.then(|| words.is_default.to_owned()),
            (view.shared && is_own).then(|| words.is_shared.to_owned()),
            (!is_own).then(|| view.owner.as_ref().map(|owner| (words.by)(&owner.to_string()))).flatten(),
        ];
        let marks = marks.into_iter().flatten().collect::<Vec<_>>().join(" · ");
        let marks = (!marks.is_empty()).then(|| view! { <span class="count">{marks}</span> });
        let current = move || present.with(|present| present.as_ref().is_some_and(|(view, _)| view.id == id));
        view! {
            <div class="menu-choice">
                <a class="menu-item" href=in_view(&view).at(&self.path) aria-current=move || current().then_some("true")>
                    {view.name.to_string()}
                    " "
                    {marks}
                </a>
                <a class="menu-item menu-not" href=edit data-noscroll="" aria-label=(words.edit)(&view.name.to_string())>
                    <IconView icon=Icon::Edit />
                </a>
            </div>
        }
        .into_any()
    }

    /// What keeps the list as it is now: in its view, where that is one's own, or in a new one.
    fn foot(self, present: Option<(SavedView, bool)>) -> AnyView {
        let words = &text().views;
        let params = self.views.params;
        let save = move || params.with(|params| params.clone().without(PASSING).with("save", "1").here());
        let is_own = |view: &SavedView| view.owner_id == self.place.shell.me.user.id;
        let changed = present.filter(|(view, is_changed)| *is_changed && is_own(view)).map(|(view, _)| {
            let now = params.get_untracked();
            let on = |is: bool| if is { "on".to_owned() } else { String::new() };
            let sends = self.place.sends([
                ("id", view.id.to_string()),
                ("version", view.version.to_string()),
                ("list", now.clone().without(PASSING).to_string()),
                ("form[name]", view.name.to_string()),
                ("form[query]", kept_of(now).to_string()),
                ("form[shared]", on(view.shared)),
                ("form[default]", on(view.default)),
            ]);
            view! {
                <div class="menu-form">
                    <ButtonForm action=self.views.update sends=sends label=words.save_changes look=Look::Small />
                </div>
            }
        });
        view! {
            {changed}
            <a class="menu-item" href=save data-noscroll="">
                <IconView icon=Icon::Plus />
                {words.save}
            </a>
        }
        .into_any()
    }

    /// The drawer the address asks for.
    fn drawer(self) -> impl IntoView {
        let params = self.views.params;
        let asked = Memo::new(move |_| {
            params.with(|params| {
                let of = |name: &str| params.get(name).map(str::to_owned);
                (of("save").is_some(), of("edit"), of("delete").is_some())
            })
        });
        move || {
            let menu = self.clone();
            let (saves, edits, deletes) = asked.get();
            let found = edits.map(|id| menu.saved.iter().find(|view| view.id.to_string() == id).cloned());
            match found {
                None => (saves && menu.place.may("view.save")).then(|| view! { <Save menu=menu /> }.into_any()),
                Some(None) => Some(view! { <Gone menu=menu /> }.into_any()),
                Some(Some(view)) if deletes => Some(view! { <Delete menu=menu view=view /> }.into_any()),
                Some(Some(view)) => Some(view! { <Edit menu=menu view=view /> }.into_any()),
            }
        }
    }

    /// The list as it is, without what lies over it.
    fn beneath(&self) -> Params {
        self.views.params.get_untracked().without(PASSING)
    }
}

#[component]
fn Save(menu: ViewsMenu) -> impl IntoView {
    let (words, common) = (&text().views, &text().common);
    let back = menu.beneath();
    let sends =
        menu.place.sends([("page", menu.views.page.to_string()), ("form[query]", kept_of(back.clone()).to_string())]);
    view! {
        <Drawer title=words.save_title close=back.here()>
            <Form action=menu.views.create sends=sends>
                <TextField field="name" label=common.name hint=words.name_hint />
                {menu.place.may("view.share").then(|| view! { <SwitchField field="shared" label=words.shared hint=words.shared_hint /> })}
                <SwitchField field="default" label=words.default hint=words.default_hint />
                <FormActions label=common.save back=back.here() />
            </Form>
        </Drawer>
    }
    .into_any()
}

#[component]
fn Edit(menu: ViewsMenu, view: SavedView) -> impl IntoView {
    let (words, common) = (&text().views, &text().common);
    let back = menu.beneath();
    let is_own = view.owner_id == menu.place.shell.me.user.id;
    let may_share = view.shared || menu.place.may("view.share");
    let may_delete = is_own || view.shared && menu.place.may("workspace.update");
    let sends = menu.place.sends([
        ("id", view.id.to_string()),
        ("version", view.version.to_string()),
        ("list", back.to_string()),
    ]);
    let own = is_own.then(|| {
        view! {
            <TextField field="name" label=common.name value=view.name.to_string() />
            {may_share
                .then(|| view! { <SwitchField field="shared" label=words.shared hint=words.shared_hint on=view.shared /> })}
        }
    });
    let foot = may_delete.then(|| {
        let href = back.clone().with("edit", &view.id.to_string()).with("delete", "1").here();
        view! {
            <a class="btn btn--danger" href=href data-noscroll="" data-stays="">
                {common.delete}
            </a>
        }
        .into_any()
    });
    let title = if is_own { words.edit_title.to_owned() } else { view.name.to_string() };
    view! {
        <Drawer title=title close=back.here() foot=foot>
            <Form action=menu.views.update sends=sends>
                {own}
                <SwitchField field="default" label=words.default hint=words.default_hint on=view.default />
                <FormActions label=common.save back=back.here() />
            </Form>
        </Drawer>
    }
    .into_any()
}

#[component]
fn Gone(menu: ViewsMenu) -> impl IntoView {
    let words = &text().views;
    view! {
        <Drawer title=words.edit_title close=menu.beneath().here()>
            <Notice tone=Tone::Ask text=words.gone />
        </Drawer>
    }
    .into_any()
}

#[component]
fn Delete(menu: ViewsMenu, view: SavedView) -> impl IntoView {
    let words = &text().views;
    let back = menu.beneath();
    let id = view.id.to_string();
    let list = if back.get(VIEW) == Some(&id) { back.clone().with(VIEW, NO_VIEW) } else { back.clone() };
    let sends = menu.place.sends([("id", id.clone()), ("page", view.page.to_string()), ("list", list.to_string())]);
    view! {
        <Confirm title=(words.delete_question)(&view.name.to_string()) meaning=words.delete_meaning>
            <Form action=menu.views.delete sends=sends>
                <ConfirmActions back=back.with("edit", &id).here() label=text().common.delete danger=true />
            </Form>
        </Confirm>
    }
    .into_any()
}
