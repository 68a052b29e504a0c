//! English.

use super::SignIn;

pub(crate) const EN: SignIn = SignIn {
    code: "Code",
    code_hint: "Six digits of your authenticator app, or a recovery code.",
    code_title: "Second factor",
    email: "E-mail",
    ended: "Your session has ended",
    ended_text: |email| format!("Sign in again as {email}. What you typed is still here and is then sent, once."),
    language: "Language",
    other: "Sign in as somebody else",
    password: "Password",
    signed_out: "You are signed out.",
    start_again: "Start again",
    submit: "Sign in",
    title: "Sign in to soit",
    wait: |seconds| format!("Try again in {seconds} s."),
};
