//! What people say of the run, and the form to say something oneself.

use leptos::prelude::*;
use types::feedback::{Feedback, Rating};
use types::run::{Capture, Run};

use crate::component::{ChoiceField, Form, FormActions, Icon, IconView, Look, Moment, Place, TextField};
use crate::function::GiveFeedback;
use crate::text::text;

/// What people say of the run, newest first.
#[component]
pub(super) fn FeedbackOf(
    place: Place,
    run: Run,
    feedback: Vec<Feedback>,
    action: ServerAction<GiveFeedback>,
) -> impl IntoView {
    let texts = &text().compare;
    let own = feedback.iter().find(|said| said.user_id == place.shell.me.user.id).cloned();
    let said = if feedback.is_empty() {
        view! { <p class="muted">{texts.nobody}</p> }.into_any()
    } else {
        let item = |said: Feedback| view! { <Said said=said /> };
        view! { <ul class="stack" data-testid="feedback">{feedback.into_iter().map(item).collect_view()}</ul> }
            .into_any()
    };
    let form =
        place.may("feedback.create").then(|| view! { <Say place=place.clone() run=run own=own action=action /> });
    view! {
        <section class="section" id="feedback">
            <header class="section-head">
                <h2>{texts.feedback}</h2>
            </header>
            {said}
            {form}
        </section>
    }
    .into_any()
}

#[component]
fn Said(said: Feedback) -> impl IntoView {
    let texts = &text().compare;
    let (icon, word) = match said.rating {
        Rating::Up => (Icon::ThumbUp, texts.up),
        Rating::Down => (Icon::ThumbDown, texts.down),
    };
    let who = said.user.map_or_else(|| texts.somebody.to_owned(), |name| name.to_string());
    let label = |label: String| view! { <span class="chip">{label}</span> };
    view! {
        <li data-state=said.rating.as_str()>
            <p class="row">
                <IconView icon=icon />
                <strong>{word}</strong>
                {who}
                <Moment at=said.updated_at />
                {said.labels.into_iter().map(label).collect_view()}
            </p>
            {said.comment.map(|comment| view! { <p class="measure">{comment}</p> })}
        </li>
    }
    .into_any()
}

/// The form starts with what one said before.
#[component]
fn Say(place: Place, run: Run, own: Option<Feedback>, action: ServerAction<GiveFeedback>) -> impl IntoView {
    let texts = &text().compare;
    let label = if own.is_some() { texts.send_anew } else { texts.send };
    let (rating, labels, comment) = own.map_or_else(Default::default, |own| {
        (own.rating.as_str().to_owned(), own.labels.join("\n"), own.comment.unwrap_or_default())
    });
    let option =
        |rating: Rating, title: &str, meaning: &str| (rating.to_string(), title.to_owned(), meaning.to_owned());
    let options = vec![option(Rating::Up, texts.up, texts.up_text), option(Rating::Down, texts.down, texts.down_text)];
    let comment = if run.capture == Capture::Full {
        view! { <TextField field="comment" label=texts.comment hint=texts.comment_hint value=comment lines=3 optional=true /> }
            .into_any()
    } else {
        view! { <p class="field-hint">{texts.comment_withheld}</p> }.into_any()
    };
    view! {
        <Form action=action sends=place.sends([("id", run.id.to_string())])>
            <ChoiceField field="rating" label=texts.rating value=rating options=options />
            <TextField field="labels" label=texts.labels hint=texts.labels_hint value=labels lines=2 optional=true />
            {comment}
            <FormActions label=label look=Look::Plain />
        </Form>
    }
    .into_any()
}
