//! The document, and which address shows which page.

use std::sync::Arc;

use leptos::config::LeptosOptions;
use leptos::hydration::HydrationScripts;
use leptos::prelude::*;
use leptos_meta::{MetaTags, Title, provide_meta_context};
use leptos_router::SsrMode;
use leptos_router::components::{ParentRoute, Route, Router, Routes};
use leptos_router::path;

use crate::browser;
use crate::component::{NotFound, Nowhere, ShellView, provide_clock, provide_live};
use crate::page;
use crate::text;
use crate::visit::{Visit, visit};

/// The document around the console. Rendered on the server only; the preferences stand on `<html>`, so that the first paint is
/// the final one.
pub fn shell(options: LeptosOptions) -> impl IntoView {
    let visit = use_context::<Visit>().unwrap_or_default();
    let text = &text::of(visit.lang).shell;
    let package = |file: &str| format!("/{}/{file}", options.site_pkg_dir);
    view! {
        <!DOCTYPE html>
        <html
            lang=visit.lang.as_str()
            data-theme=visit.prefs.theme.as_str()
            data-density=visit.prefs.density.as_str()
        >
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
                <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
                <link rel="stylesheet" href=package(&format!("{}.css", options.output_name)) />
                <script src="/boot.js"></script>
                <HydrationScripts options=options.clone() />
                <MetaTags />
            </head>
            <body>
                <App />
                // Outside of what the browser half owns: it must show up when that half has failed.
                <div class="banner" id="broken" data-tone="deny" role="alert" hidden=true>
                    <p>
                        {text.broken} " "
                        <a class="link" href="">
                            {text::of(visit.lang).common.reload}
                        </a>
                    </p>
                </div>
            </body>
        </html>
    }
}

/// The console.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    provide_context(Arc::new(SharedValue::new(|| use_context::<Visit>().unwrap_or_default()).into_inner()));
    provide_clock();
    provide_live();
    Effect::new(|| {
        let visit = visit();
        browser::start(visit.prefs.shortcuts_off);
        browser::tell_zone(&visit.prefs);
    });
    view! {
        <Title formatter=|title: String| format!("{title} · soit") />
        <Router>
            <Routes fallback=Nowhere>
                <Route path=path!("/") view=page::Root ssr=SsrMode::Async />
                <Route path=path!("/sign-in") view=page::SignIn ssr=SsrMode::Async />
                <Route path=path!("/mfa") view=page::Mfa ssr=SsrMode::Async />
                <Route path=path!("/second-factor") view=page::SecondFactor ssr=SsrMode::Async />
                <Route path=path!("/invite") view=page::Invite ssr=SsrMode::Async />
                <Route path=path!("/forgot-password") view=page::ForgotPassword ssr=SsrMode::Async />
                <Route path=path!("/reset-password") view=page::ResetPassword ssr=SsrMode::Async />
                <Route path=path!("/confirm-email") view=page::ConfirmEmail ssr=SsrMode::Async />
                <Route path=path!("/register") view=page::Register ssr=SsrMode::Async />
                <Route path=path!("/t/:tenant/sso") view=page::TenantSso ssr=SsrMode::Async />
                <Route path=path!("/t/:tenant/:section") view=page::Tenant ssr=SsrMode::Async />
                <Route path=path!("/operator/:section") view=page::Operator ssr=SsrMode::Async />
                <Route path=path!("/ui/kit") view=page::Kit ssr=SsrMode::Async />
                <ParentRoute path=path!("/w/:workspace") view=ShellView ssr=SsrMode::Async>
                    <Route path=path!("") view=page::Home ssr=SsrMode::Async />
                    <Route path=path!("runs") view=page::Runs ssr=SsrMode::Async />
                    <Route path=path!("runs/compare") view=page::Compare ssr=SsrMode::Async />
                    <Route path=path!("runs/:run") view=page::Run ssr=SsrMode::Async />
                    <Route path=path!("runs/:run/replay") view=page::Fork ssr=SsrMode::Async />
                    <Route path=path!("events") view=page::Events ssr=SsrMode::Async />
                    <Route path=path!("tasks") view=page::Tasks ssr=SsrMode::Async />
                    <Route path=path!("tasks/:task") view=page::Task ssr=SsrMode::Async />
                    <Route path=path!("audit") view=page::Audit ssr=SsrMode::Async />
                    <Route path=path!("audit/:seq") view=page::AuditEntry ssr=SsrMode::Async />
                    <Route path=path!("keys") view=page::Keys ssr=SsrMode::Async />
                    <Route path=path!("keys/new") view=page::NewKey ssr=SsrMode::Async />
                    <Route path=path!("keys/:key/reveal") view=page::KeyReveal ssr=SsrMode::Async />
                    <Route path=path!("access") view=page::Access ssr=SsrMode::Async />
                    <Route path=path!("access/new") view=page::NewInvitation ssr=SsrMode::Async />
                    <Route
                        path=path!("access/invitations/:invitation/reveal")
                        view=page::InvitationReveal
                        ssr=SsrMode::Async
                    />
                    <Route path=path!("access/principals") view=page::Principals ssr=SsrMode::Async />
                    <Route path=path!("access/principals/new") view=page::NewPrincipal ssr=SsrMode::Async />
                    <Route path=path!("access/groups") view=page::Groups ssr=SsrMode::Async />
                    <Route path=path!("access/groups/new") view=page::NewGroup ssr=SsrMode::Async />
                    <Route path=path!("access/grants") view=page::Grants ssr=SsrMode::Async />
                    <Route path=path!("access/grants/new") view=page::NewGrant ssr=SsrMode::Async />
                    <Route path=path!("budgets/new") view=page::NewBudget ssr=SsrMode::Async />
                    <Route path=path!("budgets/:budget") view=page::EditBudget ssr=SsrMode::Async />
                    <Route path=path!("models") view=page::Models ssr=SsrMode::Async />
                    <Route path=path!("models/new") view=page::NewProvider ssr=SsrMode::Async />
                    <Route path=path!("models/:provider") view=page::Provider ssr=SsrMode::Async />
                    <Route path=path!("settings") view=page::SettingsRoot ssr=SsrMode::Async />
                    <Route path=path!("settings/:section") view=page::Settings ssr=SsrMode::Async />
                    <Route path=path!("*rest") view=NotFound ssr=SsrMode::Async />
                </ParentRoute>
            </Routes>
        </Router>
    }
    .into_any()
}
