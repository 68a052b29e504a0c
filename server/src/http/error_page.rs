//! The page of an error code: what a problem's `type` points to, and what ended a run.

use super::parameter::Path;
use super::problem::Result;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;

const PAGES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/error_pages.rs"));

/// `GET /docs/errors/{code}`
pub(super) async fn show_error_page(Path(code): Path<String>) -> Result<impl IntoResponse> {
    let page = page(&code).ok_or_else(kernel::Error::not_found)?;
    Ok(([(CONTENT_TYPE, "text/markdown; charset=utf-8")], page))
}

fn page(code: &str) -> Option<&'static [u8]> {
    PAGES.iter().find(|(name, _)| name.strip_suffix(".md") == Some(code)).map(|(_, page)| *page)
}

#[cfg(test)]
mod tests {
    use types::problem::Code;
    use types::run::EndReason;

    use super::*;

    #[test]
    fn every_code_has_a_page_that_names_it_and_where_it_stands() {
        let of_answers = Code::ALL.iter().map(|code| (code.as_str(), format!("HTTP {}", code.status())));
        // What ends a run may be answered to its caller, too.
        let of_runs = EndReason::ALL.iter().filter(|reason| reason.as_str().parse::<Code>().is_err());
        let of_runs = of_runs.map(|reason| (reason.as_str(), "ends a run".to_owned()));
        let codes: Vec<_> = of_answers.chain(of_runs).collect();
        for (code, place) in &codes {
            let page = page(code).unwrap_or_else(|| panic!("docs/errors/{code}.md is missing"));
            let text = std::str::from_utf8(page).unwrap();
            let words = code.replace('_', " ").replace("mfa", "MFA").replace("sso", "SSO");
            let (first, rest) = words.split_at(1);
            let head = format!("# {}{rest}\n\n`{code}` · {place}\n", first.to_uppercase());
            assert!(text.starts_with(&head), "docs/errors/{code}.md must begin with:\n{head}");
            for section in ["## Why", "## What to do"] {
                assert!(text.contains(section), "docs/errors/{code}.md has no `{section}`");
            }
        }
        assert_eq!(PAGES.len(), codes.len(), "a page without a code lies in docs/errors");
    }
}
