//! A lock that one tab of a browser holds at a time.
//!
//! web-sys has Web Locks behind a switch for all that may still change, so they are reached by their names.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Function, Object, Promise, Reflect};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortController;

/// A place in the line for a lock; dropping it gives up the lock, or the wait for it.
pub(super) struct Lock {
    wait: AbortController,
    release: Rc<RefCell<Option<Function>>>,
}

impl Lock {
    /// Stands in line, and calls back when it is this tab's turn. None where the browser has no locks.
    pub(super) fn ask(name: &str, on_turn: impl FnOnce() + 'static) -> Option<Self> {
        let locks = Reflect::get(&window().navigator(), &"locks".into()).ok()?;
        let request: Function = Reflect::get(&locks, &"request".into()).ok()?.dyn_into().ok()?;
        let wait = AbortController::new().ok()?;
        let options = Object::new();
        Reflect::set(&options, &"signal".into(), &wait.signal()).ok()?;
        let release = Rc::new(RefCell::new(None));
        let (signal, kept) = (wait.signal(), Rc::clone(&release));
        // The lock is held until the promise is settled.
        let hold = Closure::once_into_js(move || -> JsValue {
            if signal.aborted() {
                return JsValue::UNDEFINED;
            }
            let held = Promise::new(&mut |settle, _| drop(kept.replace(Some(settle))));
            on_turn();
            held.into()
        });
        let done: Promise = request.call3(&locks, &name.into(), &options.into(), &hold).ok()?.dyn_into().ok()?;
        // A wait that was given up is refused, and that is no news.
        spawn_local(async move { drop(JsFuture::from(done).await) });
        Some(Self { wait, release })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        self.wait.abort();
        if let Some(settle) = self.release.take() {
            let _ = settle.call0(&JsValue::UNDEFINED);
        }
    }
}
