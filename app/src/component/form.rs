//! The frame of every form: what came back, field by field, and the button that sends it.

use std::ops::Deref as _;

use leptos::html;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use types::id::FormKey;
use types::problem::{Code, Problem};

use super::{Icon, IconView, Id, StepUpForm};
use crate::backend;
use crate::browser;
use crate::error::AppError;
use crate::text::text;

/// What came back from a form, if it was refused.
#[derive(Clone, Copy)]
pub(crate) struct FormState {
    error: Signal<Option<AppError>>,
    pending: Signal<bool>,
    /// How often it was answered.
    answers: Signal<usize>,
}

impl FormState {
    /// The state of an action's form.
    pub(crate) fn of<Call>(action: ServerAction<Call>) -> Self
    where
        Call: ServerFn<Error = AppError> + Clone + Send + Sync + 'static,
        Call::Output: Clone + Send + Sync + 'static,
    {
        let (value, pending) = (action.value(), action.pending());
        let error =
            Signal::derive(move || value.with(|value| value.as_ref().and_then(|value| value.as_ref().err().cloned())));
        Self { error, pending: pending.into(), answers: action.version().into() }
    }

    /// A form that was never sent.
    pub(crate) fn fresh() -> Self {
        Self { error: Signal::stored(None), pending: Signal::stored(false), answers: Signal::stored(0) }
    }

    /// A form that was refused; for the kit.
    pub(crate) fn refused(error: AppError) -> Self {
        Self { error: Signal::stored(Some(error)), ..Self::fresh() }
    }

    /// What a field starts with: what was typed before the page was loaded anew, else a value.
    pub(crate) fn start(self, field: &str, value: impl Into<String>) -> String {
        self.error
            .with_untracked(|error| error.as_ref().and_then(|error| error.typed.get(field).cloned()))
            .unwrap_or_else(|| value.into())
    }

    /// Whether the form was sent and came back.
    pub(crate) fn was_refused(self) -> bool {
        self.error.with_untracked(Option::is_some)
    }

    /// Whether something was typed into the form before the page was loaded anew.
    pub(crate) fn was_typed(self) -> bool {
        self.error.with_untracked(|error| error.as_ref().is_some_and(|error| !error.typed.is_empty()))
    }

    /// What is wrong, in the reader's words, whatever the field.
    pub(crate) fn wrong_at_all(self) -> Memo<Option<String>> {
        let title = text().problem.title;
        let error = self.error;
        Memo::new(move |_| error.with(|error| error.as_ref().map(|error| title(error.problem.code))))
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
            let problem = error.problem;
            if problem.code == Code::StepUpRequired {
                return view! { <StepUpForm /> }.into_any();
            }
            let code = problem.code.as_str();
            view! {
                <div class="form-summary" role="alert" tabindex="-1" node_ref=place data-testid="form-summary" data-code=code>
                    <Summary problem=problem />
                </div>
            }
            .into_any()
        })
    }
}

#[component]
fn Summary(problem: Problem) -> impl IntoView {
    let text = text();
    let title = match problem.errors.len() {
        0 => (text.problem.title)(problem.code),
        count => (text.common.fields_need_attention)(count),
    };
    let detail = problem.errors.is_empty().then(|| problem.detail.clone());
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

/// A value the form carries unseen.
#[component]
pub(crate) fn Hidden(
    /// Its name.
    name: &'static str,
    /// The value.
    #[prop(into)]
    value: String,
) -> impl IntoView {
    view! { <input type="hidden" name=name value=value /> }.into_any()
}

/// The key of a form that makes something, so that the form sent twice makes it once. A form that was answered well and
/// stays gets another key; one that was refused, or whose answer never came, keeps its own.
#[component]
pub(crate) fn FormKeyField(
    /// The form.
    form: FormState,
) -> impl IntoView {
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

/// The button that sends a form. While it is on its way, the button is busy and takes no second press.
#[component]
pub(crate) fn Submit(
    /// The form.
    form: FormState,
    /// What it does.
    #[prop(into)]
    label: String,
    /// How it looks.
    #[prop(optional)]
    look: Look,
    /// Before the words.
    #[prop(optional)]
    icon: Option<Icon>,
) -> impl IntoView {
    let pending = form.pending;
    view! {
        <button
            class=look.class()
            type="submit"
            aria-busy=move || pending.get().then_some("true")
            prop:disabled=move || pending.get()
            data-testid="submit"
        >
            {icon.map(|icon| view! { <IconView icon=icon /> })}
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
