//! What a page or server function says about its own HTTP answer. In the browser there is none, and nothing happens.

#[cfg(feature = "ssr")]
mod server {
    use http::{StatusCode, header::ACCEPT, request::Parts};
    use leptos::prelude::use_context;
    use leptos_axum::ResponseOptions;
    use types::problem::Problem;

    use crate::route;

    /// Sets the status of the page being rendered.
    pub(crate) fn set_status(status: u16) {
        if let (Some(options), Ok(status)) = (use_context::<ResponseOptions>(), StatusCode::from_u16(status)) {
            options.set_status(status);
        }
    }

    /// Answers a server function called by a script with the problem's own status. A form posted without scripts is sent
    /// back to its page instead, and a page being rendered decides itself what a failed part means for it.
    pub(crate) fn refuse(problem: &Problem) {
        let is_script = |parts: Parts| parts.uri.path().starts_with(route::FUNCTION_PREFIX) && !accepts_html(&parts);
        if use_context().is_some_and(is_script) {
            set_status(problem.status);
        }
    }

    /// Whether a refusal is written into the address of a page: no script waits for it.
    pub(crate) fn answers_by_address() -> bool {
        use_context().is_some_and(|parts| accepts_html(&parts))
    }

    /// Sends the reader on: by status and header for a plain form, by the router for a script.
    pub(crate) fn redirect(path: &str) {
        leptos_axum::redirect(path);
    }

    /// Sends the reader on so that a plain form is posted again, there; a script goes on as ever.
    pub(crate) fn redirect_as_post(path: &str) {
        redirect(path);
        if answers_by_address() {
            set_status(StatusCode::TEMPORARY_REDIRECT.as_u16());
        }
    }

    fn accepts_html(parts: &Parts) -> bool {
        let accepted = parts.headers.get(ACCEPT).and_then(|value| value.to_str().ok());
        accepted.is_some_and(|accepted| accepted.contains("text/html"))
    }
}

#[cfg(feature = "ssr")]
pub(crate) use server::{answers_by_address, redirect, redirect_as_post, refuse, set_status};

/// Nothing to answer in the browser.
#[cfg(not(feature = "ssr"))]
pub(crate) fn set_status(_status: u16) {}

/// Nothing to answer in the browser.
#[cfg(not(feature = "ssr"))]
pub(crate) fn refuse(_problem: &types::problem::Problem) {}

/// Nothing to answer in the browser.
#[cfg(not(feature = "ssr"))]
pub(crate) fn answers_by_address() -> bool {
    false
}

/// Nothing to answer in the browser.
#[cfg(not(feature = "ssr"))]
pub(crate) fn redirect(_path: &str) {}

/// Nothing to answer in the browser.
#[cfg(not(feature = "ssr"))]
pub(crate) fn redirect_as_post(_path: &str) {}
