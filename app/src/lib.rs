//! The soit console: pages, components and the server functions between browser and server.
//!
//! It renders on the server (feature `ssr`) and wakes up in the browser (feature `hydrate`). It sees [`types`] and its own
//! [`backend`] traits, which the server fulfils; no kernel, no database. Start at [`app`] for the routes, then open the page.
//!
//! Invariant: the server's view and the browser's first view are the same text. So a view reads no clock, no window, no
//! storage and no locale: what it needs of them comes with the page as [`visit::Visit`].

#![recursion_limit = "256"]
#![cfg_attr(
    not(feature = "ssr"),
    expect(
        dead_code,
        unused_imports,
        reason = "the bodies of server functions, and all they need, exist on the server only"
    )
)]

pub mod app;
pub mod backend;
mod browser;
#[expect(unreachable_pub, reason = "the component macro adds a hidden public twin to every component")]
mod component;
pub mod error;
mod form;
mod format;
mod function;
#[expect(unreachable_pub, reason = "the component macro adds a hidden public twin to every component")]
mod page;
pub mod part;
pub mod prefs;
pub mod query;
mod resource;
pub mod route;
mod text;
pub mod visit;
