//! English.

use super::SignIn;

pub(crate) const EN: SignIn = SignIn {
    email: "E-mail",
    language: "Language",
    password: "Password",
    signed_out: "You are signed out.",
    submit: "Sign in",
    title: "Sign in to soit",
    wait: |seconds| format!("Try again in {seconds} s."),
};
