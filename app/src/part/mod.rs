//! The parts of the console that browsers load when one of their pages is opened. What is in none comes with the first page:
//! the frame, home, the runs and one run.
//!
//! The server draws every page at once. A browser that starts on a page of a part loads the part first ([`load`]), so that
//! the page wakes up in one go; one that comes there by a link sees the page before until the part is there.
//!
//! Which code goes into which file is decided by `frontend/bindgen`: what only one part calls, into that part; what several
//! call, into files of their own; what the main part calls too, stays there.

mod missing;

use std::future::Future;
use std::pin::Pin;

use leptos::prelude::*;
use leptos_router::ChooseView;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use missing::chosen;

/// A page that is drawn once its part is there.
type Drawn = Pin<Box<dyn Future<Output = Result<AnyView, SplitLoaderError>> + Send>>;
/// Whether a part could be loaded.
type Loaded = Pin<Box<dyn Future<Output = Result<(), SplitLoaderError>> + Send>>;

macro_rules! parts {
    ($($(#[$doc:meta])* $part:ident, $draw:ident, $load:ident: $($page:ident)+;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) enum $part {
            $($page,)+
        }

        #[wasm_split($draw, fallible, preload($load))]
        fn $draw(page: $part) -> Result<AnyView, SplitLoaderError> {
            Ok(match page {
                $($part::$page => crate::page::$page().into_any(),)+
            })
        }

        impl ChooseView for $part {
            async fn choose(self) -> AnyView {
                chosen(move || Box::pin($draw(self)), || Box::pin($load())).await
            }

            async fn preload(&self) {
                // Without it the page says so.
                let _ = $load().await;
            }
        }
    )+};
}

parts! {
    /// Around the sign-in: second factor, invitations, forgotten passwords.
    AccountPart, account, load_account: Mfa SecondFactor Invite ForgotPassword ResetPassword ConfirmEmail Register;
    /// A tenant as a whole, and the instance.
    TenancyPart, tenancy, load_tenancy: TenantSso Tenant Operator;
    /// Every component in every state.
    KitPart, kit, load_kit: Kit;
    /// Two runs side by side, and one run again.
    ComparingPart, comparing, load_comparing: Compare Fork;
    /// Events, tasks, audit.
    LedgerPart, ledger, load_ledger: Events Tasks Task Audit AuditEntry;
    /// API keys and budgets.
    KeysPart, keys, load_keys: Keys NewKey KeyReveal NewBudget EditBudget;
    /// Members and invitations, principals, groups, grants.
    AccessPart, access, load_access: Access NewInvitation InvitationReveal Principals NewPrincipal Groups NewGroup Grants NewGrant;
    /// Providers with their models, prices, egress rules.
    ModelsPart, models, load_models: Models NewProvider Provider;
    /// One's own account and the workspace.
    SettingsPart, settings, load_settings: SettingsRoot Settings;
}

/// Loads the part that the page of a path is in, if it is in one.
///
/// # Errors
///
/// Where it could not be loaded.
pub async fn load(path: &str) -> Result<(), SplitLoaderError> {
    match load_of(path) {
        Some(load) => load().await,
        None => Ok(()),
    }
}

/// What loads the part of a path: the other side of the routes in [`crate::app`].
fn load_of(path: &str) -> Option<fn() -> Loaded> {
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    Some(match segments.as_slice() {
        ["mfa" | "second-factor" | "invite" | "forgot-password" | "reset-password" | "confirm-email" | "register"] => {
            || Box::pin(load_account())
        }
        ["t" | "operator", ..] => || Box::pin(load_tenancy()),
        ["ui", "kit"] => || Box::pin(load_kit()),
        ["w", _, "runs", "compare"] | ["w", _, "runs", _, "replay"] => || Box::pin(load_comparing()),
        ["w", _, "events" | "tasks" | "audit", ..] => || Box::pin(load_ledger()),
        ["w", _, "keys" | "budgets", ..] => || Box::pin(load_keys()),
        ["w", _, "access", ..] => || Box::pin(load_access()),
        ["w", _, "models", ..] => || Box::pin(load_models()),
        ["w", _, "settings", ..] => || Box::pin(load_settings()),
        _ => return None,
    })
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::load_of;
    use crate::app::App;

    #[tokio::test]
    async fn every_page_is_in_a_part_but_those_that_come_first() {
        let routes = leptos_axum::generate_route_list(App);
        let mut first: Vec<&str> =
            routes.iter().map(|route| route.path()).filter(|path| load_of(path).is_none()).collect();
        first.sort_unstable();
        let expected = [
            "/",
            "/sign-in",
            "/w/{workspace}",
            "/w/{workspace}/runs",
            "/w/{workspace}/runs/{run}",
            "/w/{workspace}/{*rest}",
        ];
        assert_eq!(first, expected);
    }

    #[test]
    fn what_a_name_is_makes_no_other_page_of_it() {
        for path in ["/w/settings", "/w/keys/runs", "/w/default/runs/settings", "/sign-in/t", ""] {
            assert!(load_of(path).is_none(), "{path}");
        }
    }
}
