//! Samples of what speaks to the reader: notices, code, and what stands where nothing does.

use leptos::prelude::*;
use types::compare::{Piece, PieceKind};
use types::problem::{Code as ProblemCode, Problem};
use types::run::{Capture, Content};

use super::Theme;
use super::data::{LONG, failure, id};
use crate::component::{Banner, Code, ContentView, Empty, Failure, Icon, Notice, Snippets, TextDiff, Tone};
use crate::text::text;

pub(super) fn notices(_: Theme) -> AnyView {
    let text = text();
    view! {
        {Tone::ALL.map(|tone| view! { <Notice tone=tone text=text.keys.reveal /> }).collect_view()}
        <Banner tone=Tone::Ask>
            {text.shell.default_password} " " <a class="link" href="#main">
                {text.shell.change_it}
            </a>
        </Banner>
    }
    .into_any()
}

pub(super) fn code(_: Theme) -> AnyView {
    let text = text();
    let json = r#"{"model":"model:test:echo","temperature":0.2,"stream":true,"stop":null,"messages":[{"role":"user","content":"Hello"}]}"#;
    let withheld = Content { preview: None, chars: 1204, artifact_id: None };
    let piece = |kind, text: &str| Piece { kind, text: text.to_owned() };
    let pieces = vec![piece(PieceKind::Same, LONG), piece(PieceKind::Removed, LONG), piece(PieceKind::Added, LONG)];
    view! {
        <Code title=text.run.metrics code=json />
        <Snippets api_url="http://localhost:9200/v1".to_owned() secret=None model="model:test:echo".to_owned() />
        <ContentView title=text.run.input content=withheld capture=Capture::MetadataOnly />
        <TextDiff title=text.run.output pieces=pieces />
        <div class="reveal">
            <p class="reveal-text">{text.keys.reveal}</p>
            <div class="reveal-line">
                <code class="reveal-value" tabindex="0">
                    {id("sk", 1)}
                </code>
                <button class="btn" type="button" data-copy=id("sk", 1)>
                    {text.common.copy}
                </button>
            </div>
        </div>
    }
    .into_any()
}

pub(super) fn absent(_: Theme) -> AnyView {
    let text = text();
    let problem = |code: ProblemCode| Problem::new(code, text.problem.denied_text).into();
    view! {
        <Empty icon=Icon::Keys title=text.keys.empty text=text.keys.empty_text>
            <a class="btn" href="#main">
                {text.keys.new}
            </a>
        </Empty>
        <Failure error=failure().into() />
        <Failure error=problem(ProblemCode::RoleRequired) />
        <Failure error=problem(ProblemCode::NotFound) />
        <Failure error=problem(ProblemCode::Unauthenticated) />
        <div class="skeleton skeleton--text" aria-hidden="true"></div>
    }
    .into_any()
}
