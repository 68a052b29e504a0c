//! Recovery codes, shown once.

use leptos::prelude::*;

use crate::component::{Notice, Tone};
use crate::text::text;

/// Recovery codes, to copy or to keep as a file.
#[component]
pub(super) fn Codes(codes: Vec<String>, next: String) -> impl IntoView {
    let (common, text) = (&text().common, &text().second_factor);
    let lines = codes.join("\n");
    // Letters, digits and dashes: nothing of them is to be written otherwise in an address.
    let file = format!("data:text/plain;charset=utf-8,{}", codes.join("%0A"));
    view! {
        <Notice tone=Tone::Allow text=text.enabled />
        <div class="reveal" data-testid="reveal">
            <p class="reveal-text">{text.codes}</p>
            <pre class="code-list" tabindex="0" data-testid="codes">
                {lines.clone()}
            </pre>
            <div class="reveal-line">
                <button class="btn" type="button" data-copy=lines>
                    {common.copy}
                </button>
                <a class="btn" href=file download="soit-recovery-codes.txt" rel="external">
                    {text.download}
                </a>
            </div>
        </div>
        <div class="form-actions">
            <a class="btn btn--primary" href=next rel="external" data-testid="continue">
                {text.go_on}
            </a>
        </div>
    }
    .into_any()
}
