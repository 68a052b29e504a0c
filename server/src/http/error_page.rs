//! The page of an error code: what a problem's `type` points to.

use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use types::problem::Code;

use super::parameter::Path;
use super::problem::Result;

const PAGES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/error_pages.rs"));

/// `GET /docs/errors/{code}`
pub(super) async fn show_error_page(Path(code): Path<Code>) -> Result<impl IntoResponse> {
    let page = page(code).ok_or_else(kernel::Error::not_found)?;
    Ok(([(CONTENT_TYPE, "text/markdown; charset=utf-8")], page))
}

fn page(code: Code) -> Option<&'static [u8]> {
    PAGES.iter().find(|(name, _)| name.strip_suffix(".md") == Some(code.as_str())).map(|(_, page)| *page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_page_that_names_it_and_its_status() {
        for code in Code::ALL {
            let page = page(*code).unwrap_or_else(|| panic!("docs/errors/{code}.md is missing"));
            let text = std::str::from_utf8(page).unwrap();
            let head = format!("# {}\n\n`{code}` · HTTP {}\n", code.title(), code.status());
            assert!(text.starts_with(&head), "docs/errors/{code}.md must begin with:\n{head}");
            for section in ["## Why", "## What to do"] {
                assert!(text.contains(section), "docs/errors/{code}.md has no `{section}`");
            }
        }
        assert_eq!(PAGES.len(), Code::ALL.len(), "a page without a code lies in docs/errors");
    }
}
