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
use crate::part::{
    AccessPart, AccountPart, ComparingPart, KeysPart, KitPart, LedgerPart, ModelsPart, SettingsPart, TenancyPart,
};
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
                // What the script of the browser half imports; it names no file that is needed before a page asks for it.
                <link rel="modulepreload" href=package("parts.js") />
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
                <Route path=path!("/mfa") view=AccountPart::Mfa ssr=SsrMode::Async />
                <Route path=path!("/second-factor") view=AccountPart::SecondFactor ssr=SsrMode::Async />
                <Route path=path!("/invite") view=AccountPart::Invite ssr=SsrMode::Async />
                <Route path=path!("/forgot-password") view=AccountPart::ForgotPassword ssr=SsrMode::Async />
                <Route path=path!("/reset-password") view=AccountPart::ResetPassword ssr=SsrMode::Async />
                <Route path=path!("/confirm-email") view=AccountPart::ConfirmEmail ssr=SsrMode::Async />
                <Route path=path!("/register") view=AccountPart::Register ssr=SsrMode::Async />
                <Route path=path!("/t/:tenant/sso") view=TenancyPart::TenantSso ssr=SsrMode::Async />
                <Route path=path!("/t/:tenant/:section") view=TenancyPart::Tenant ssr=SsrMode::Async />
                <Route path=path!("/operator/:section") view=TenancyPart::Operator ssr=SsrMode::Async />
                <Route path=path!("/ui/kit") view=KitPart::Kit ssr=SsrMode::Async />
                <ParentRoute path=path!("/w/:workspace") view=ShellView ssr=SsrMode::Async>
                    <Route path=path!("") view=page::Home ssr=SsrMode::Async />
                    <Route path=path!("runs") view=page::Runs ssr=SsrMode::Async />
                    <Route path=path!("runs/compare") view=ComparingPart::Compare ssr=SsrMode::Async />
                    <Route path=path!("runs/:run") view=page::Run ssr=SsrMode::Async />
                    <Route path=path!("runs/:run/replay") view=ComparingPart::Fork ssr=SsrMode::Async />
                    <Route path=path!("events") view=LedgerPart::Events ssr=SsrMode::Async />
                    <Route path=path!("tasks") view=LedgerPart::Tasks ssr=SsrMode::Async />
                    <Route path=path!("tasks/:task") view=LedgerPart::Task ssr=SsrMode::Async />
                    <Route path=path!("audit") view=LedgerPart::Audit ssr=SsrMode::Async />
                    <Route path=path!("audit/:seq") view=LedgerPart::AuditEntry ssr=SsrMode::Async />
                    <Route path=path!("keys") view=KeysPart::Keys ssr=SsrMode::Async />
                    <Route path=path!("keys/new") view=KeysPart::NewKey ssr=SsrMode::Async />
                    <Route path=path!("keys/:key/reveal") view=KeysPart::KeyReveal ssr=SsrMode::Async />
                    <Route path=path!("access") view=AccessPart::Access ssr=SsrMode::Async />
                    <Route path=path!("access/new") view=AccessPart::NewInvitation ssr=SsrMode::Async />
                    <Route
                        path=path!("access/invitations/:invitation/reveal")
                        view=AccessPart::InvitationReveal
                        ssr=SsrMode::Async
                    />
                    <Route path=path!("access/principals") view=AccessPart::Principals ssr=SsrMode::Async />
                    <Route path=path!("access/principals/new") view=AccessPart::NewPrincipal ssr=SsrMode::Async />
                    <Route path=path!("access/groups") view=AccessPart::Groups ssr=SsrMode::Async />
                    <Route path=path!("access/groups/new") view=AccessPart::NewGroup ssr=SsrMode::Async />
                    <Route path=path!("access/grants") view=AccessPart::Grants ssr=SsrMode::Async />
                    <Route path=path!("access/grants/new") view=AccessPart::NewGrant ssr=SsrMode::Async />
                    <Route path=path!("budgets/new") view=KeysPart::NewBudget ssr=SsrMode::Async />
                    <Route path=path!("budgets/:budget") view=KeysPart::EditBudget ssr=SsrMode::Async />
                    <Route path=path!("models") view=ModelsPart::Models ssr=SsrMode::Async />
                    <Route path=path!("models/new") view=ModelsPart::NewProvider ssr=SsrMode::Async />
                    <Route path=path!("models/:provider") view=ModelsPart::Provider ssr=SsrMode::Async />
                    <Route path=path!("settings") view=SettingsPart::SettingsRoot ssr=SsrMode::Async />
                    <Route path=path!("settings/:section") view=SettingsPart::Settings ssr=SsrMode::Async />
                    <Route path=path!("*rest") view=NotFound ssr=SsrMode::Async />
                </ParentRoute>
            </Routes>
        </Router>
    }
    .into_any()
}
