//! Two texts in one, word by word.

use leptos::prelude::*;
use types::compare::{Piece, PieceKind};

use crate::text::text;

/// Two texts in one: what only the first has is struck through, what only the second has is underlined.
#[component]
pub(crate) fn TextDiff(
    /// Which texts.
    title: &'static str,
    /// What is in both, and in each alone.
    pieces: Vec<Piece>,
) -> impl IntoView {
    let compare = &text().compare;
    let piece = |Piece { kind, text }: Piece| match kind {
        PieceKind::Same => text.into_any(),
        PieceKind::Removed => view! { <del title=compare.removed>{text}</del> }.into_any(),
        PieceKind::Added => view! { <ins title=compare.added>{text}</ins> }.into_any(),
    };
    view! {
        <details class="diff" open=true data-testid="diff">
            <summary>{title}</summary>
            <pre tabindex="0">{pieces.into_iter().map(piece).collect_view()}</pre>
        </details>
    }
    .into_any()
}
