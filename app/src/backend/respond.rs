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
        let is_script = use_context::<Parts>().is_some_and(|parts| {
            let accepts_html = parts
                .headers
                .get(ACCEPT)
                .and_then(|value| value.to_str().ok())
                .is_some_and(|value| value.contains("text/html"));
            parts.uri.path().starts_with(route::FUNCTION_PREFIX) && !accepts_html
        });
        if is_script {
            set_status(problem.status);
        }
    }

    /// Sends the reader on: by status and header for a plain form, by the router for a script.
    pub(crate) fn redirect(path: &str) {
        leptos_axum::redirect(path);
    }
}

#[cfg(feature = "ssr")]
pub(crate) use server::{redirect, refuse, set_status};

/// Nothing to answer in the browser.
#[cfg(not(feature = "ssr"))]
pub(crate) fn set_status(_status: u16) {}

/// Nothing to answer in the browser.
#[cfg(not(feature = "ssr"))]
pub(crate) fn refuse(_problem: &types::problem::Problem) {}

/// Nothing to answer in the browser.
#[cfg(not(feature = "ssr"))]
pub(crate) fn redirect(_path: &str) {}
