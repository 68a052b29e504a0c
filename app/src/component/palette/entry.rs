//! What the palette offers, and what of it fits the letters.

use types::search::{Hit, HitKind};

use super::recent::Recent;
use crate::component::{Icon, Place};
use crate::format;
use crate::query::Params;
use crate::route::{self, Section};
use crate::text::text;

/// Fewest letters the search of runs takes.
const SEARCHABLE: usize = 3;

/// What a name leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Page,
    Action,
    Setting,
    Help,
    Thing,
}

/// What choosing does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Leads {
    /// To an address.
    To(String),
    /// To the control of a selector, which is pressed.
    Press(String),
}

/// A line of the palette.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    kind: Kind,
    /// What it is, in words.
    pub(super) label: &'static str,
    pub(super) icon: Icon,
    pub(super) name: String,
    pub(super) leads: Leads,
    /// How it is remembered; actions of a page are not.
    pub(super) recent: Option<Recent>,
}

impl Entry {
    fn new(kind: Kind, icon: Icon, name: String, leads: Leads) -> Self {
        let [page, action, setting, help] = text().shell.palette_kinds;
        let label = match kind {
            Kind::Page | Kind::Thing => page,
            Kind::Action => action,
            Kind::Setting => setting,
            Kind::Help => help,
        };
        let recent = match &leads {
            Leads::To(href) => Some(Recent::Page(href.clone())),
            Leads::Press(_) => None,
        };
        Self { kind, label, icon, name, leads, recent }
    }
}

/// What is typed without the sign that narrows it to one kind.
pub(super) fn wanted(typed: &str) -> (Option<Kind>, &str) {
    let typed = typed.trim();
    let kinds = [('>', Kind::Action), ('#', Kind::Setting), ('@', Kind::Thing), ('?', Kind::Help)];
    let narrowed = kinds.into_iter().find_map(|(sign, kind)| Some((Some(kind), typed.strip_prefix(sign)?.trim())));
    narrowed.unwrap_or((None, typed))
}

/// The page of a thing.
fn thing(place: &Place, hit: &Hit) -> Entry {
    let peek = |list: String| Params::default().with("peek", &hit.id).at(&list);
    let (icon, href) = match hit.kind {
        HitKind::Run => (Icon::Runs, place.at.run(&hit.id)),
        HitKind::ApiKey => (Icon::Keys, peek(place.at.keys())),
        HitKind::Budget => (Icon::Wallet, place.at.budget(&hit.id)),
        HitKind::Provider => (Icon::Server, place.at.provider(&hit.id)),
        HitKind::Model => (Icon::Models, place.at.provider(hit.parent_id.as_deref().unwrap_or_default())),
    };
    let name =
        if hit.kind == HitKind::Run { format!("{} {}", format::short_id(&hit.id), hit.name) } else { hit.name.clone() };
    Entry {
        label: (text().word.hit)(hit.kind),
        recent: Some(Recent::Thing(hit.clone())),
        ..Entry::new(Kind::Thing, icon, name, Leads::To(href))
    }
}

/// What was chosen before, newest first, as far as it is still offered.
pub(super) fn recall(place: &Place, recents: &[Recent]) -> Vec<Entry> {
    let offered = entries(place);
    let entry = |recent: &Recent| match recent {
        Recent::Thing(hit) => Some(thing(place, hit)),
        Recent::Page(href) => offered.iter().find(|entry| entry.leads == Leads::To(href.clone())).cloned(),
    };
    recents.iter().filter_map(entry).collect()
}

/// What fits the letters: `>` asks for actions alone, `#` for settings, `@` for things, `?` for help. What the page itself
/// can do comes first.
pub(super) fn find(place: &Place, typed: &str, here: &[(String, String)], things: &[Hit]) -> Vec<Entry> {
    let (wanted, words) = wanted(typed);
    let letters = words.to_lowercase();
    let fits = |entry: &Entry| {
        wanted.is_none_or(|wanted| entry.kind == wanted) && entry.name.to_lowercase().contains(&letters)
    };
    let action = |(name, selector): &(String, String)| {
        Entry::new(Kind::Action, Icon::ChevronRight, name.clone(), Leads::Press(selector.clone()))
    };
    let known = entries(place);
    // A page that offers what is offered everywhere says it once.
    let own = here.iter().filter(|(name, _)| known.iter().all(|entry| entry.name != *name)).map(action);
    let mut found: Vec<Entry> = own.collect::<Vec<_>>().into_iter().chain(known).filter(fits).collect();
    // What begins with the letters comes first.
    found.sort_by_key(|entry| !entry.name.to_lowercase().starts_with(&letters));
    if matches!(wanted, None | Some(Kind::Thing)) {
        // What was asked before the last letter came may fit no more.
        let fits = |hit: &&Hit| hit.id == letters || hit.name.to_lowercase().contains(&letters);
        found.extend(things.iter().filter(fits).map(|hit| thing(place, hit)));
    }
    if wanted.is_none() {
        found.extend(runs(place, words));
    }
    found
}

/// The search for runs that hold the words.
fn runs(place: &Place, words: &str) -> Option<Entry> {
    let leads = Leads::To(Params::default().with("q", words).at(&place.at.runs()));
    let name = (text().shell.palette_search)(words);
    (words.chars().count() >= SEARCHABLE)
        .then(|| Entry { recent: None, ..Entry::new(Kind::Page, Icon::Runs, name, leads) })
}

/// Everything the reader may open or do.
fn entries(place: &Place) -> Vec<Entry> {
    let (text, at) = (text(), &place.at);
    let shell = &text.shell;
    let to =
        |kind: Kind, icon: Icon, name: &str, href: String| Entry::new(kind, icon, name.to_owned(), Leads::To(href));
    let press =
        |kind: Kind, icon: Icon, name: String, selector: String| Entry::new(kind, icon, name, Leads::Press(selector));
    let theme = |icon: Icon, name: &str, word: &str| {
        let selector = format!("form[action='{}'] [name=theme][value={word}]", route::PREFS_POST);
        press(Kind::Action, icon, format!("{}: {name}", shell.theme), selector)
    };
    let create = [
        ("api_key.create", Icon::Keys, text.keys.new, at.new_key()),
        ("budget.create", Icon::Wallet, text.budgets.new, at.new_budget()),
        ("provider.create", Icon::Server, text.models.new_provider, at.new_provider()),
        ("invitation.create", Icon::Access, text.access.invite, at.new_invitation()),
    ];
    let mut all = vec![
        to(Kind::Page, Icon::Home, shell.home, at.home()),
        to(Kind::Page, Icon::Runs, shell.runs, at.runs()),
        to(Kind::Page, Icon::Tasks, text.tasks.title, at.tasks()),
        to(Kind::Page, Icon::Events, shell.events, at.events()),
        to(Kind::Page, Icon::Events, text.events.tab_dead, at.dead_letters()),
        to(Kind::Page, Icon::Keys, text.keys.tab, at.keys()),
        to(Kind::Page, Icon::Wallet, text.budgets.tab, at.budgets()),
        to(Kind::Page, Icon::Models, shell.models, at.models()),
        to(Kind::Page, Icon::Costs, text.models.tab_prices, at.prices()),
        to(Kind::Page, Icon::Network, text.models.tab_egress, at.egress()),
        to(Kind::Page, Icon::Access, shell.access, at.access()),
        to(Kind::Page, Icon::Audit, shell.audit, at.audit()),
    ];
    all.extend(
        create
            .into_iter()
            .filter(|(action, ..)| place.may(action))
            .map(|(_, icon, name, href)| to(Kind::Action, icon, name, href)),
    );
    let sections = Section::ALL.into_iter().zip(text.settings.section);
    all.extend(sections.map(|(section, name)| {
        to(Kind::Setting, Icon::Settings, &format!("{}: {name}", shell.settings), at.settings(section))
    }));
    all.extend([
        theme(Icon::Monitor, shell.system, "system"),
        theme(Icon::Sun, shell.light, "light"),
        theme(Icon::Moon, shell.dark, "dark"),
        press(
            Kind::Action,
            Icon::Logout,
            shell.sign_out.to_owned(),
            format!("form[action='{}'] button", route::SIGN_OUT_POST),
        ),
        press(Kind::Help, Icon::Info, shell.shortcuts.to_owned(), "[popovertarget=shortcuts]".to_owned()),
    ]);
    all
}
