//! What surrounds the pages of a workspace: rail, topbar, banners, foot.

use std::time::Duration;

use leptos::prelude::*;
use leptos_router::components::Outlet;
use leptos_router::hooks::use_location;
use types::tenant::WorkspaceStatus;

use super::frame::{Place, at};
use super::{
    Banner, BrandMark, Frame, HiddenParams, Icon, IconView, LiveIndicator, Palette, ToastList, Tone, UnsentGuard,
    provide_toasts, use_live,
};
use crate::backend::session::{Health, HealthState, Shell};
use crate::browser;
use crate::prefs::{Rail as RailWidth, Theme};
use crate::query::{Params, ZONE};
use crate::route::{self, At, Section};
use crate::text::text;
use crate::visit::visit;

/// The shell of a workspace, with the page inside.
#[component]
pub(crate) fn ShellView() -> impl IntoView {
    let frame = Frame::provide();
    provide_toasts();
    use_live().connect();
    // Where the connection was made anew, it may be another server, or one that feels otherwise.
    use_live().on_change(move |changes| {
        if changes.missed {
            frame.shell().refetch();
        }
    });
    let path = use_location().pathname;
    Effect::new(move |before: Option<String>| {
        let path = path.get();
        // A new page is read from its start; the first one the browser has placed itself.
        if before.is_some_and(|before| before != path) {
            browser::focus("#main");
        }
        path
    });
    stay_in_zone();
    view! {
        <a class="skip-link" href="#main" rel="external">
            {text().shell.skip}
        </a>
        <div class="shell" data-rail=visit().prefs.rail.as_str() data-testid="shell">
            <Rail frame=frame />
            <Topbar frame=frame />
            {frame.around(|place| view! { <Banners shell=place.shell at=place.at /> }.into_any())}
            <main class="main" id="main" tabindex="-1">
                <Outlet />
            </main>
        </div>
        <ShortcutList />
        <ToastList />
        <UnsentGuard />
    }
    .into_any()
}

/// How often it is looked whether the router has written an address down, and how many times.
const LOOK_EVERY: Duration = Duration::from_millis(20);
const MOST_LOOKS: u32 = 250;

/// Loads the page anew where its address asks for another zone than the one whose offsets came with it.
fn stay_in_zone() {
    let (asked, location) = (visit().asked_zone.clone(), use_location());
    Effect::new(move || {
        let params = Params::parse(&location.search.get());
        if params.get(ZONE) != asked.as_deref() {
            load_once_written(params.at(&location.pathname.get_untracked()), shown_address(), MOST_LOOKS);
        }
    });
}

/// Loads an address once the router has written it down, which it does when the page there has its part: loaded before, it would
/// be in the history twice. A part that does not come is not waited for, nor an address that was left for another.
fn load_once_written(address: String, before: String, looks: u32) {
    let look = move || {
        let shown = shown_address();
        if shown == address || looks == 0 {
            browser::load(&address);
        } else if shown == before {
            load_once_written(address, before, looks - 1);
        }
    };
    set_timeout(look, LOOK_EVERY);
}

/// What the browser shows as its address, written as ours are.
fn shown_address() -> String {
    let (path, search) = browser::address();
    Params::parse(&search).at(&path)
}

#[component]
fn Rail(frame: Frame) -> impl IntoView {
    let shell = &text().shell;
    let path = use_location().pathname;
    let is_narrow = visit().prefs.rail == RailWidth::Narrow;
    let link = move |icon: Icon, label: &'static str, to: fn(&At) -> String, keys: &'static str| {
        let href = Memo::new(move |_| to(&frame.at()));
        // Home is current on itself alone, a list on everything in it.
        let is_home = icon == Icon::Home;
        let current = move || {
            let (href, path) = (href.get(), path.get());
            let href = href.split('?').next().unwrap_or_default();
            (path == href || !is_home && path.starts_with(&format!("{href}/"))).then_some("page")
        };
        let count =
            (icon == Icon::Runs).then(|| frame.around(|place| view! { <ActiveRuns shell=place.shell /> }.into_any()));
        view! {
            <li>
                <a class="rail-link" href=move || href.get() aria-current=current data-shortcut=keys title=is_narrow.then_some(label)>
                    <IconView icon=icon />
                    <span>{label}</span>
                    {count}
                </a>
            </li>
        }
    };
    view! {
        <nav class="rail" id="rail" popover="auto" aria-label=shell.main>
            <a class="brand" href="/">
                <BrandMark />
                <span>"soit"</span>
            </a>
            <div class="rail-scroll">
                <ul class="rail-group">{link(Icon::Home, shell.home, At::home, "g h")}</ul>
                <h2 class="rail-head">{shell.operate}</h2>
                <ul class="rail-group">{link(Icon::Tasks, text().tasks.title, At::tasks, "g t")}</ul>
                <h2 class="rail-head">{shell.observe}</h2>
                <ul class="rail-group">
                    {link(Icon::Runs, shell.runs, At::runs, "g r")} {link(Icon::Events, shell.events, At::events, "g e")}
                </ul>
                <h2 class="rail-head">{shell.govern}</h2>
                <ul class="rail-group">
                    {link(Icon::Keys, shell.keys, At::keys, "g k")} {link(Icon::Models, shell.models, At::models, "g m")}
                    {link(Icon::Access, shell.access, At::access, "g x")}
                    {link(Icon::Audit, shell.audit, At::audit, "g u")}
                </ul>
                <h2 class="rail-head">{shell.account}</h2>
                <ul class="rail-group">
                    {link(Icon::Settings, shell.settings, |at| at.settings(Section::Profile), "g s")}
                </ul>
            </div>
            <RailSwitch />
            {frame.around(|place| view! { <Foot shell=place.shell /> }.into_any())}
        </nav>
    }
    .into_any()
}

/// Makes the rail narrow or wide, for good. A form: it works without scripts.
#[component]
fn RailSwitch() -> impl IntoView {
    let shell = &text().shell;
    let (label, other) = match visit().prefs.rail {
        RailWidth::Wide => (shell.narrow, RailWidth::Narrow),
        RailWidth::Narrow => (shell.wide, RailWidth::Wide),
    };
    view! {
        <form class="rail-switch" method="post" action=route::PREFS_POST>
            <input type="hidden" name="next" value=here() />
            <button class="rail-link" name="rail" value=other.as_str() title=label>
                <IconView icon=Icon::Sidebar />
                <span>{label}</span>
            </button>
        </form>
    }
    .into_any()
}

/// The address of the page, for forms that come back to it.
fn here() -> impl Fn() -> String + Copy + Send + Sync + 'static {
    let location = use_location();
    move || Params::parse(&location.search.get()).at(&location.pathname.get())
}

#[component]
fn ActiveRuns(shell: Shell) -> impl IntoView {
    let label = text().shell.running;
    shell.active_runs.filter(|count| *count > 0).map(|count| {
        view! {
            <span class="count" title=label(count)>
                {crate::format::count(count)}
            </span>
        }
    })
}

#[component]
fn Foot(shell: Shell) -> impl IntoView {
    let (state, index) = match shell.health.state {
        HealthState::Normal => ("succeeded", 0),
        HealthState::Degraded => ("in_doubt", 1),
        HealthState::Unavailable => ("failed", 2),
    };
    let label = text().shell.health.get(index).copied();
    view! {
        <footer class="foot">
            <span class="status" data-state=state data-testid="health">
                <i class="status-mark"></i>
                {label}
            </span>
            <span class="foot-version">{shell.version}</span>
        </footer>
    }
    .into_any()
}

#[component]
fn Topbar(frame: Frame) -> impl IntoView {
    let shell = &text().shell;
    view! {
        <header class="topbar">
            <button
                class="btn btn--quiet btn--icon rail-open"
                type="button"
                popovertarget="rail"
                aria-label=shell.menu
            >
                <IconView icon=Icon::Menu size=20 />
            </button>
            {frame.around(|place| view! { <Workspaces place=place /> }.into_any())}
            <SearchRuns frame=frame />
            <div class="topbar-end">
                <LiveIndicator />
                <Palette frame=frame />
                <button
                    class="btn btn--quiet btn--icon"
                    type="button"
                    popovertarget="shortcuts"
                    data-shortcut="?"
                    aria-label=shell.shortcuts
                >
                    <IconView icon=Icon::Help size=20 />
                </button>
                <ThemeMenu />
                {frame.around(|place| view! { <Profile place=place /> }.into_any())}
            </div>
        </header>
    }
    .into_any()
}

#[component]
fn SearchRuns(frame: Frame) -> impl IntoView {
    let shell = &text().shell;
    view! {
        <form class="search" role="search" method="get" action=move || frame.at().runs()>
            <IconView icon=Icon::Search />
            <HiddenParams params=Params::default().with(ZONE, visit().chosen_zone().unwrap_or_default()) />
            <input
                class="search-input"
                type="search"
                name="q"
                minlength="3"
                maxlength="200"
                aria-label=shell.search_runs
                placeholder=shell.search_runs
                data-shortcut="/"
            />
            <kbd aria-hidden="true">"/"</kbd>
        </form>
    }
    .into_any()
}

#[component]
fn Workspaces(place: Place) -> impl IntoView {
    let current = place.shell.workspace;
    let item = |workspace: types::identity::Membership| {
        let here = workspace.id == current.id;
        view! {
            <a class="menu-item" href=at(&workspace.slug).home() aria-current=here.then_some("true")>
                {workspace.name.to_string()}
                <span class="count">{(text().word.role)(workspace.role)}</span>
            </a>
        }
    };
    let tenants = place.shell.tenants.into_iter().filter_map(|tenant| {
        let role = tenant.role.filter(|role| route::manages(*role))?;
        Some(view! {
            <a class="menu-item" href=route::tenant(&tenant.slug, "workspaces")>
                {tenant.name.to_string()}
                <span class="count">{(text().word.tenant_role)(role)}</span>
            </a>
        })
    });
    let tenants = tenants.collect_view();
    let operator = place.shell.me.user.is_operator.then(|| {
        view! {
            <a class="menu-item" href=route::operator("tenants")>
                {text().tenant.operator}
            </a>
        }
    });
    view! {
        <details class="menu" name="menu" data-testid="workspaces">
            <summary class="btn btn--quiet">
                <span class="truncate">{current.name.to_string()}</span>
                <IconView icon=Icon::ChevronsUpDown />
            </summary>
            <div class="menu-panel">
                <p class="menu-head">{text().shell.workspaces}</p>
                {place.shell.me.workspaces.into_iter().map(item).collect_view()}
                <p class="menu-head">{text().tenant.title}</p>
                {tenants} {operator}
                <a class="menu-item" href=route::CHOOSER>
                    {text().shell.places}
                </a>
            </div>
        </details>
    }
    .into_any()
}

/// The colours, from every page. A form of its own for each choice: it works without scripts.
#[component]
pub(crate) fn ThemeMenu() -> impl IntoView {
    let shell = &text().shell;
    let present = visit().prefs.theme;
    let item = |theme: &Theme| {
        let (icon, label) = match theme {
            Theme::System => (Icon::Monitor, shell.system),
            Theme::Light => (Icon::Sun, shell.light),
            Theme::Dark => (Icon::Moon, shell.dark),
        };
        view! {
            <button class="menu-item" name="theme" value=theme.as_str() aria-current=(*theme == present).then_some("true")>
                <IconView icon=icon />
                {label}
            </button>
        }
    };
    let icon = match present {
        Theme::System => Icon::Monitor,
        Theme::Light => Icon::Sun,
        Theme::Dark => Icon::Moon,
    };
    view! {
        <details class="menu menu--end" name="menu" data-testid="theme">
            <summary class="btn btn--quiet btn--icon" aria-label=shell.theme>
                <IconView icon=icon size=20 />
            </summary>
            <div class="menu-panel">
                <form method="post" action=route::PREFS_POST>
                    <input type="hidden" name="next" value=here() />
                    {Theme::ALL.iter().map(item).collect_view()}
                </form>
            </div>
        </details>
    }
    .into_any()
}

#[component]
fn Profile(place: Place) -> impl IntoView {
    let shell = &text().shell;
    let user = place.shell.me.user;
    let initials: String = user
        .name
        .as_str()
        .split_whitespace()
        .filter_map(|word| word.chars().next())
        .take(2)
        .flat_map(char::to_uppercase)
        .collect();
    view! {
        <details class="menu menu--end" name="menu" data-testid="profile">
            <summary class="btn btn--quiet btn--icon" aria-label=format!("{}: {}", shell.account, user.name)>
                // Drawn, not written: they are no part of the name.
                <span class="avatar" data-initials=initials aria-hidden="true"></span>
            </summary>
            <div class="menu-panel">
                <p class="menu-head">{user.name.to_string()} <br /> {user.email}</p>
                <a class="menu-item" href=place.at.settings(Section::Profile)>
                    <IconView icon=Icon::Settings />
                    {shell.settings}
                </a>
                <hr />
                <form method="post" action=route::SIGN_OUT_POST>
                    <button class="menu-item">
                        <IconView icon=Icon::Logout />
                        {shell.sign_out}
                    </button>
                </form>
            </div>
        </details>
    }
    .into_any()
}

#[component]
fn Banners(shell: Shell, at: At) -> impl IntoView {
    let texts = &text().shell;
    let Health { state, failing } = shell.health;
    let default_password = shell.me.user.default_password.then(|| {
        view! {
            <Banner tone=Tone::Ask>
                {texts.default_password} " " <a class="link" href=at.settings(Section::Profile)>
                    {texts.change_it}
                </a>
            </Banner>
        }
    });
    let viewing = shell.me.view_as.map(|role| {
        view! {
            <div class="banner" data-tone=Tone::Running.as_str() data-testid="viewing">
                <IconView icon=Icon::Info />
                <p>{(texts.viewing_as)((text().word.role)(role))}</p>
                <form method="post" action=route::VIEW_AS_STOP_POST>
                    <input type="hidden" name="next" value=here() />
                    <button class="btn btn--small">{texts.stop_viewing}</button>
                </form>
            </div>
        }
    });
    let health = match state {
        HealthState::Normal => None,
        HealthState::Degraded => Some((Tone::Ask, (texts.degraded)(&failing.join(", ")))),
        HealthState::Unavailable => Some((Tone::Deny, (texts.unavailable)(&failing.join(", ")))),
    };
    let health = health.map(|(tone, sentence)| view! { <Banner tone=tone>{sentence}</Banner> });
    // What the page was made of, and what the server is made of by now.
    let newer = (shell.build != visit().build).then(|| {
        view! {
            <Banner tone=Tone::Neutral>
                {texts.newer} " " <a class="link" href="" rel="external" data-testid="newer">
                    {texts.newer_reload}
                </a>
            </Banner>
        }
    });
    let archived = (shell.workspace.status == WorkspaceStatus::Archived)
        .then(|| view! { <Banner tone=Tone::Neutral>{text().tenant.archived_banner}</Banner> });
    let any = viewing.is_some() || default_password.is_some() || health.is_some() || newer.is_some();
    (any || archived.is_some())
        .then(|| view! { <div class="banners">{viewing} {archived} {default_password} {health} {newer}</div> })
}

/// The list of shortcuts, opened by `?` or its button.
#[component]
fn ShortcutList() -> impl IntoView {
    let shell = &text().shell;
    let row = |(keys, label): &(&'static [&'static str], &'static str)| {
        view! {
            <dt>{keys.iter().map(|key| view! { <kbd>{*key}</kbd> " " }).collect_view()}</dt>
            <dd>{*label}</dd>
        }
    };
    view! {
        <div class="dialog" id="shortcuts" popover="auto" role="dialog" aria-labelledby="shortcuts-title">
            <h2 id="shortcuts-title">{shell.shortcuts_title}</h2>
            <dl class="dl">{shell.shortcut_list.iter().map(row).collect_view()}</dl>
        </div>
    }
    .into_any()
}
