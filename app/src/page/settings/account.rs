//! One's address and the end of one's account.

use leptos::prelude::*;
use types::identity::User;

use crate::component::{
    ButtonForm, ConfirmByName, Form, FormActions, FormState, FormSummary, Look, Moment, TextField, params, told_action,
    use_frame,
};
use crate::function::{ChangeEmail, RequestDeletion, VerifyEmail, WithdrawDeletion};
use crate::text::text;
use crate::visit::visit;

/// One's address, whether it is confirmed, and another one. Nothing where no mail is sent.
#[component]
pub(super) fn Address(user: User) -> impl IntoView {
    let account = &text().account;
    let verified = told_action::<VerifyEmail>(account.mail_sent);
    let changed = told_action::<ChangeEmail>(account.mail_sent);
    let state = if user.email_verified { account.verified } else { account.not_verified };
    let verify = (!user.email_verified).then(|| view! { <ButtonForm action=verified label=account.verify /> });
    visit().password_reset.then(|| {
        view! {
            <section class="section" id="address">
                <header class="section-head">
                    <h3>{text().settings.email}</h3>
                </header>
                <FormSummary form=FormState::of(verified) />
                <p data-testid="email-state">{format!("{} · {state}", user.email)}</p>
                {verify}
                <Form action=changed>
                    <TextField
                        field="email"
                        label=account.new_email
                        hint=account.change_email_hint
                        kind="email"
                        autocomplete="email"
                    />
                    <FormActions label=account.change_email look=Look::Plain />
                </Form>
            </section>
        }
    })
}

/// Closing one's account, or keeping it after all.
#[component]
pub(super) fn Closure(user: User) -> impl IntoView {
    let account = &text().account;
    let closed = told_action::<RequestDeletion>(account.told_closing);
    let kept = told_action::<WithdrawDeletion>(account.told_kept);
    let shell = use_frame().shell();
    Effect::new(move || {
        let is_done = closed.value().with(|value| matches!(value, Some(Ok(_))))
            || kept.value().with(|value| matches!(value, Some(Ok(_))));
        if is_done {
            shell.refetch();
        }
    });
    let body = match user.closes_at {
        Some(at) => view! {
            <p data-testid="closes">{account.closing} " " <Moment at=at /></p>
            <FormSummary form=FormState::of(kept) />
            <ButtonForm action=kept label=account.keep />
        }
        .into_any(),
        None => view! { <Close email=user.email closed=closed /> }.into_any(),
    };
    view! {
        <section class="section" id="closure">
            <header class="section-head">
                <h3>{account.close}</h3>
            </header>
            {body}
        </section>
    }
    .into_any()
}

/// Asks before the account is closed: the address has to be typed.
#[component]
fn Close(email: String, closed: ServerAction<RequestDeletion>) -> impl IntoView {
    let account = &text().account;
    let params = params();
    let (ask, back) =
        (params.get_untracked().with("close", "1").here(), params.get_untracked().without(&["close"]).here());
    let told = StoredValue::new((email, back));
    let dialog = move || {
        params.with(|params| params.get("close").is_some()).then(|| {
            let (email, back) = told.get_value();
            view! {
                <ConfirmByName
                    title=account.close_question.to_owned()
                    meaning=account.close_text
                    name=email
                    action=closed
                    sends=Vec::new()
                    back=back
                    label=account.close
                />
            }
        })
    };
    view! {
        <FormSummary form=FormState::of(closed) />
        <p class="field-hint">{account.close_text}</p>
        <div class="form-actions">
            <a class="btn btn--danger" href=ask data-noscroll="" data-stays="">
                {account.close}
            </a>
        </div>
        {dialog}
    }
    .into_any()
}
