//! The frame of every form: what came back, field by field, and the button that sends it.

use std::ops::Deref as _;

use leptos::context::Provider;
use leptos::ev::SubmitEvent;
use leptos::form::FromFormData as _;
use leptos::html;
use leptos::prelude::*;
use leptos::server_fn::codec::{Json, PostUrl};
use leptos::server_fn::error::{IntoAppError as _, ServerFnErrorErr};
use leptos::server_fn::{Http, ServerFn};
use leptos_router::hooks::use_location;
use serde::de::DeserializeOwned;
use types::id::FormKey;
use types::problem::Code;

use super::frame::here;
use super::session_ended::SessionEnded;
use super::{Icon, IconView, Id, Notice, StepUpForm, Tone};
use crate::backend;
use crate::browser;
use crate::error::{AppError, ID, VERSION};
use crate::query::Params;
use crate::text::text;

/// The parameter that names the fields whose reader took what is stored, where a form came back without scripts.
pub(super) const TAKEN: &str = "__take";

/// A server function that a form posts to.
pub(crate) trait Posted:
    ServerFn<Protocol = Http<PostUrl, Json>, Error = AppError, Output: Clone + Send + Sync>
    + DeserializeOwned
    + Clone
    + Send
    + Sync
    + 'static
{
}

impl<Call> Posted for Call where
    Call: ServerFn<Protocol = Http<PostUrl, Json>, Error = AppError, Output: Clone + Send + Sync>
        + DeserializeOwned
        + Clone
        + Send
        + Sync
        + 'static
{
}

/// What a form sends unseen: names and values.
pub(crate) type Sent = Vec<(&'static str, String)>;

/// What came back from a form, if it was refused. Its fields and its button find it around them.
#[derive(Clone, Copy)]
pub(crate) struct FormState {
    error: Signal<Option<AppError>>,
    pending: Signal<bool>,
    /// How often it was answered.
    answers: Signal<usize>,
    /// Whether it is posted to a server function, which wants to know what it showed.
    is_posted: bool,
}

/// What a field shows at first.
pub(super) struct Start {
    /// What was typed before the page was loaded anew, else what is stored.
    pub(super) value: String,
    /// What is stored.
    pub(super) stored: String,
    /// Whether what was typed was refused because somebody else changed the thing meanwhile, and differs from what is stored.
    pub(super) is_late: bool,
    /// Whether the form tells what it showed.
    pub(super) is_posted: bool,
}

impl FormState {
    /// The state of an action's form.
    pub(crate) fn of<Call: Posted>(action: ServerAction<Call>) -> Self {
        let (value, pending) = (action.value(), action.pending());
        let error =
            Signal::derive(move || value.with(|value| value.as_ref().and_then(|value| value.as_ref().err().cloned())));
        Self { error, pending: pending.into(), answers: action.version().into(), is_posted: true }
    }

    /// The same about the thing it sends the id of: what was refused for another one is none of its own.
    fn about(self, sends: &Sent) -> Self {
        let id = sends.iter().find(|(name, _)| *name == ID).map(|(_, id)| id.clone());
        let error = self.error;
        let is_own = move |error: &AppError| error.typed.get(ID).is_none_or(|typed| id.as_ref() == Some(typed));
        Self { error: Signal::derive(move || error.get().filter(&is_own)), ..self }
    }

    /// A form that was never sent.
    pub(crate) fn fresh() -> Self {
        Self {
            error: Signal::stored(None),
            pending: Signal::stored(false),
            answers: Signal::stored(0),
            is_posted: false,
        }
    }

    /// A form that was refused; for the kit.
    pub(crate) fn refused(error: AppError) -> Self {
        Self { error: Signal::stored(Some(error)), ..Self::fresh() }
    }

    /// What a field starts with.
    pub(super) fn start(self, field: &str, stored: impl Into<String>) -> Start {
        let (stored, typed) = (stored.into(), self.typed(field));
        let is_late = self.is_late() && typed.as_ref().is_some_and(|typed| *typed != stored);
        Start { value: typed.unwrap_or_else(|| stored.clone()), stored, is_late, is_posted: self.is_posted }
    }

    /// What was typed into a field before the page was loaded anew, unless its reader took what is stored.
    fn typed(self, field: &str) -> Option<String> {
        let typed = self.error.with_untracked(|error| error.as_ref()?.typed.get(field).cloned())?;
        let is_taken =
            use_location().search.with_untracked(|search| Params::parse(search).words(TAKEN).any(|word| word == field));
        (!is_taken).then_some(typed)
    }

    /// Whether it was refused because somebody else changed the thing meanwhile.
    fn is_late(self) -> bool {
        self.error.with_untracked(|error| error.as_ref().is_some_and(is_late))
    }

    /// Whether the form was sent and came back.
    pub(crate) fn was_refused(self) -> bool {
        self.error.with_untracked(Option::is_some)
    }

    /// Whether something was typed into the form before the page was loaded anew.
    pub(super) fn was_typed(self) -> bool {
        self.error.with_untracked(|error| error.as_ref().is_some_and(|error| !error.typed.is_empty()))
    }

    /// As what it was refused, whatever the field.
    pub(super) fn refused_as(self) -> Option<Code> {
        self.error.with(|error| error.as_ref().map(|error| error.problem.code))
    }

    /// What is wrong with a field.
    pub(crate) fn wrong(self, field: &'static str) -> Memo<Option<String>> {
        let error = self.error;
        Memo::new(move |_| {
            error.with(|error| {
                let errors = &error.as_ref()?.problem.errors;
                errors.iter().find(|wrong| is_field(&wrong.field, field)).map(|wrong| wrong.message.clone())
            })
        })
    }
}

/// The form around a field or button; alone they belong to one that was never sent.
pub(crate) fn use_form() -> FormState {
    use_context().unwrap_or_else(FormState::fresh)
}

/// Moves with every answer of an action after which its page is read anew: what was changed, or what somebody else changed
/// meanwhile. While a form is refused for what was typed, it is left alone.
pub(crate) fn changes<Call: Posted>(action: ServerAction<Call>) -> Memo<usize> {
    let (answers, value) = (action.version(), action.value());
    Memo::new(move |before: Option<&usize>| {
        let answers = answers.get();
        let stays = value.with(|value| matches!(value, Some(Err(error)) if !is_late(error)));
        before.copied().filter(|_| stays).unwrap_or(answers)
    })
}

fn is_late(error: &AppError) -> bool {
    matches!(error.problem.code, Code::PreconditionFailed | Code::PolicyConflict)
}

/// Whether a path like `rules[2].host` or `allowed_models[0]` speaks of a field.
fn is_field(path: &str, field: &str) -> bool {
    let name = path.rsplit('.').next().unwrap_or(path);
    name.split('[').next() == Some(field)
}

/// Why a form was refused: what to do, and a link to each wrong field. It takes the focus when it appears.
#[component]
pub(crate) fn FormSummary(
    /// The form.
    form: FormState,
) -> impl IntoView {
    let place = NodeRef::<html::Div>::new();
    let error = form.error;
    Effect::new(move || {
        error.track();
        if let Some(place) = place.get() {
            let _ = place.deref().focus();
        }
    });
    move || {
        error.get().map(|error| {
            let cut = (!error.cut.is_empty()).then(|| {
                let text = (text().problem.cut)(&error.cut.join(", "));
                view! { <Notice tone=Tone::Ask text=text /> }
            });
            let code = error.problem.code;
            let summary = if code == Code::StepUpRequired {
                view! { <StepUpForm proven=error.proven by_provider=error.problem.reason.is_some() /> }.into_any()
            } else if error.user.is_some() {
                view! { <Notice tone=Tone::Ask text=text().problem.resumed /> }.into_any()
            } else {
                view! {
                    <div
                        class="form-summary"
                        role="alert"
                        tabindex="-1"
                        node_ref=place
                        data-testid="form-summary"
                        data-code=code.as_str()
                    >
                        <Summary error=error />
                    </div>
                }
                .into_any()
            };
            view! { {summary} {cut} }
        })
    }
}

#[component]
fn Summary(error: AppError) -> impl IntoView {
    let text = text();
    let (is_conflict, problem) = (is_late(&error) && !error.typed.is_empty(), error.problem);
    let title = match problem.errors.len() {
        0 => (text.problem.title)(problem.code),
        count => (text.common.fields_need_attention)(count),
    };
    let detail = problem.errors.is_empty().then(|| match is_conflict {
        true => text.problem.conflict.to_owned(),
        false => super::failure::reason(&problem),
    });
    let wait = problem.retry_after.map(|seconds| (text.problem.retry_after)(seconds));
    let field = |wrong: types::problem::FieldError| {
        let anchor =
            wrong.field.rsplit('.').next().and_then(|name| name.split('[').next()).unwrap_or_default().to_owned();
        view! {
            <li>
                // Messages are what is said of the field, which the summary has to name.
                <a href=format!("#{anchor}") rel="external">
                    <code>{anchor.clone()}</code>
                    " "
                    {wrong.message}
                </a>
            </li>
        }
    };
    let signed_out = (problem.status == 401).then(|| {
        view! {
            <p>
                {text.problem.sign_in_hint} " "
                <a class="link" target="_blank" href=super::failure::sign_in_here()>
                    {text.problem.sign_in_again}
                </a>
            </p>
        }
    });
    view! {
        <h2>{title}</h2>
        {detail.map(|detail| view! { <p>{detail} {wait.map(|wait| format!(" {wait}"))}</p> })}
        {signed_out}
        {(!problem.errors.is_empty()).then(|| view! { <ul>{problem.errors.into_iter().map(field).collect_view()}</ul> })}
        {problem.instance.map(|id| view! { <p class="muted">{text.problem.request} " " <Id id=id copy=true /></p> })}
    }
    .into_any()
}

/// A form: why it was refused, what it sends unseen, its fields, its answer.
#[component]
pub(crate) fn Form<Call: Posted>(
    /// What it does.
    action: ServerAction<Call>,
    /// What it sends besides its fields.
    #[prop(optional)]
    sends: Sent,
    /// The fields, and [`FormActions`].
    children: Children,
) -> impl IntoView {
    view! {
        <FormSummary form=FormState::of(action).about(&sends) />
        <Post action=action class="form" sends=sends guarded=true>
            <FormKeyField />
            {children()}
        </Post>
    }
    .into_any()
}

/// A form that is one button.
#[component]
pub(crate) fn ButtonForm<Call: Posted>(
    /// What it does.
    action: ServerAction<Call>,
    /// What it sends.
    #[prop(optional)]
    sends: Sent,
    /// What the button says.
    label: &'static str,
    /// How it looks.
    #[prop(default = Look::Plain)]
    look: Look,
) -> impl IntoView {
    view! {
        <Post action=action sends=sends>
            <Submit label=label look=look />
        </Post>
    }
    .into_any()
}

/// The bare form of an action: posted by a script, or by the browser where there is none.
#[component]
pub(super) fn Post<Call: Posted>(
    action: ServerAction<Call>,
    #[prop(optional)] class: &'static str,
    #[prop(optional)] sends: Sent,
    /// Whether what is typed is worth to be asked for before its page is left.
    #[prop(optional)]
    guarded: bool,
    /// The page it goes back to without scripts, if not simply the one it is on.
    #[prop(optional, into)]
    page: Option<String>,
    children: Children,
) -> impl IntoView {
    let form = FormState::of(action).about(&sends);
    // Whether there may be something that was not sent.
    let unsent = RwSignal::new(guarded);
    // What was sent last, as long as it may have to be sent again.
    let sent = StoredValue::new(None::<Call>);
    let has_ended = RwSignal::new(false);
    Effect::new(move || {
        let (is_refused, is_over) =
            form.error.with(|error| (error.is_some(), error.as_ref().is_some_and(is_signed_out)));
        if is_refused {
            unsent.set(guarded);
        }
        if is_over && sent.with_value(Option::is_some) {
            has_ended.set(true);
        }
    });
    let again = move || {
        let call = sent.try_update_value(Option::take).flatten();
        call.map(|call| action.dispatch(call));
    };
    // What was typed and not sent outlives the form, for the next one of the same page about the same thing.
    let place = NodeRef::<html::Form>::new();
    let unique = sends.iter().filter(|(name, _)| *name != VERSION).map(|(_, value)| value.as_str());
    let name = [here().as_str(), Call::PATH].into_iter().chain(unique).collect::<Vec<_>>().join(" ");
    Effect::new(move || {
        if let Some(form) = place.get().filter(|_| guarded) {
            let shown = name.clone();
            browser::form_shown(name.clone(), form);
            on_cleanup(move || browser::form_gone(&shown));
        }
    });
    let submit = move |event: SubmitEvent| {
        if event.default_prevented() {
            return;
        }
        event.prevent_default();
        match Call::from_event(&event) {
            Ok(call) => {
                sent.set_value(Some(call.clone()));
                unsent.set(false);
                action.dispatch(call);
            }
            Err(error) => {
                action.value().set(Some(Err(ServerFnErrorErr::Serialization(error.to_string()).into_app_error())));
            }
        }
    };
    let hidden = |(name, value): (&'static str, String)| {
        // A form that is refused for what was typed is still about what its reader saw.
        let seen = (name == VERSION && !form.is_late()).then(|| form.typed(name)).flatten();
        view! { <input type="hidden" name=name value=seen.unwrap_or(value) /> }
    };
    // Where a form without scripts goes back to: browsers may keep the page it is on to themselves.
    let url = Params::default().with("page", &page.unwrap_or_else(here)).at(Call::url());
    view! {
        <form
            class=class
            node_ref=place
            method="post"
            action=url
            data-guard=move || unsent.get().then_some("")
            on:submit=submit
            on:input=move |_| unsent.set(guarded)
        >
            {sends.into_iter().map(hidden).collect_view()}
            <Provider value=form>{children()}</Provider>
        </form>
        <SessionEnded asked=has_ended then=again />
    }
    .into_any()
}

fn is_signed_out(error: &AppError) -> bool {
    error.problem.code == Code::Unauthenticated
}

/// The key of a form, so that the form sent twice makes one thing. A form that was answered well and stays gets another
/// key; one that was refused, or whose answer never came, keeps its own.
#[component]
fn FormKeyField() -> impl IntoView {
    let form = use_form();
    let shown = SharedValue::new(|| backend::current().ok().map(|backend| backend.form_key)).into_inner();
    let key = RwSignal::new(shown);
    Effect::new(move |before: Option<usize>| {
        let answers = form.answers.get();
        let is_used = before.is_some_and(|before| before != answers) && form.error.with_untracked(Option::is_none);
        if is_used || key.with_untracked(Option::is_none) {
            key.set(Some(browser::form_key()));
        }
        answers
    });
    view! { <input type="hidden" name="form_key" value=move || key.get().as_ref().map(FormKey::to_string) /> }
        .into_any()
}

/// The end of a form: do it, or go back.
#[component]
pub(crate) fn FormActions(
    /// What the form does.
    label: &'static str,
    /// How its button looks.
    #[prop(optional)]
    look: Look,
    /// The page to go back to; absent where the form is only a part of one.
    #[prop(optional, into)]
    back: Option<String>,
    /// What else can be done.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    view! {
        <div class="form-actions">
            <Submit label=label look=look />
            {back
                .map(|back| {
                    let stays = back.starts_with('?').then_some("");
                    view! {
                        <a class="btn btn--quiet" href=back data-noscroll=stays>
                            {text().common.cancel}
                        </a>
                    }
                })}
            {children.map(|children| children())}
        </div>
    }
    .into_any()
}

/// A form that waits behind its button until it is wanted; it opens without scripts.
#[component]
pub(crate) fn Disclosure(
    /// What it is for.
    label: &'static str,
    /// Whether it is open at the start.
    open: bool,
    /// The form.
    children: Children,
) -> impl IntoView {
    view! {
        <details class="section disclosure" open=open>
            <summary class="btn">{label} <IconView icon=Icon::ChevronDown /></summary>
            {children()}
        </details>
    }
    .into_any()
}

/// How a button looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Look {
    /// The one filled button of a view.
    #[default]
    Primary,
    /// An ordinary one.
    Plain,
    /// A small ordinary one.
    Small,
    /// The one that destroys, in its confirmation.
    Danger,
}

impl Look {
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Primary => "btn btn--primary",
            Self::Plain => "btn",
            Self::Small => "btn btn--sm",
            Self::Danger => "btn btn--danger btn--filled",
        }
    }
}

/// The button that sends the form around it. While that is on its way, the button is busy and takes no second press.
#[component]
pub(crate) fn Submit(
    /// What it does.
    #[prop(into)]
    label: String,
    /// How it looks.
    #[prop(optional)]
    look: Look,
) -> impl IntoView {
    let pending = use_form().pending;
    view! {
        <button
            class=look.class()
            type="submit"
            aria-busy=move || pending.get().then_some("true")
            prop:disabled=move || pending.get()
            data-testid="submit"
        >
            {label}
        </button>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::is_field;

    #[test]
    fn a_path_speaks_of_its_last_field() {
        for path in ["name", "form.name", "name[0]", "rules[2].name"] {
            assert!(is_field(path, "name"), "{path}");
        }
        assert!(!is_field("display_name", "name"));
    }
}
