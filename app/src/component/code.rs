//! Blocks of code and JSON, with their copy buttons.

use leptos::prelude::*;

use super::CopyButton;
use crate::format::{Token, json_tokens};

/// A block of code; JSON is indented and marked.
#[component]
pub(crate) fn Code(
    /// What it is.
    #[prop(into)]
    title: String,
    /// The code.
    #[prop(into)]
    code: String,
    /// Breaks long lines: for prose.
    #[prop(optional)]
    wrap: bool,
) -> impl IntoView {
    let class = if wrap { "code code--wrap" } else { "code" };
    view! {
        <figure class=class data-testid="code">
            <figcaption class="code-head">
                <span>{title.clone()}</span>
                <CopyButton text_to_copy=code.clone() />
            </figcaption>
            // A block that scrolls must be reachable by keyboard.
            <pre tabindex="0" aria-label=title>
                <code>{marked(code)}</code>
            </pre>
        </figure>
    }
    .into_any()
}

fn marked(code: String) -> AnyView {
    let Some(tokens) = json_tokens(&code) else { return code.into_any() };
    let piece = |(token, text): (Token, String)| {
        let class = match token {
            Token::Plain => return text.into_any(),
            Token::Key => "tok-key",
            Token::Str => "tok-str",
            Token::Num => "tok-num",
            Token::Lit => "tok-lit",
        };
        view! { <span class=class>{text}</span> }.into_any()
    };
    tokens.into_iter().map(piece).collect_view().into_any()
}
