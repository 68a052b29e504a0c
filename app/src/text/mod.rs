//! Every text of the console, in every language.
//!
//! One struct for each area; a language is one constant of it, so a missing text does not compile. Plurals and texts with a
//! value in them are functions. Not here: how numbers and moments look (`format`).

mod access;
mod account;
mod audit;
mod budgets;
mod common;
mod compare;
mod egress;
mod events;
mod home;
mod keys;
mod kit;
mod models;
mod problem;
mod replay;
mod retention;
mod run;
mod runs;
mod second_factor;
mod settings;
mod shell;
mod sign_in;
mod sso;
mod subjects;
mod tasks;
mod tenant;
mod views;
mod word;

pub(crate) use access::Access;
pub(crate) use account::Account;
pub(crate) use audit::Audit;
pub(crate) use budgets::Budgets;
pub(crate) use common::Common;
pub(crate) use compare::Compare;
pub(crate) use egress::Egress;
pub(crate) use events::Events;
pub(crate) use home::Home;
pub(crate) use keys::Keys;
pub(crate) use kit::Kit;
pub(crate) use models::Models;
pub(crate) use problem::Problems;
pub(crate) use replay::Replay;
pub(crate) use retention::Retention;
pub(crate) use run::Run;
pub(crate) use runs::Runs;
pub(crate) use second_factor::SecondFactor;
pub(crate) use settings::Settings;
pub(crate) use shell::Shell;
pub(crate) use sign_in::SignIn;
pub(crate) use sso::Sso;
pub(crate) use subjects::Subjects;
pub(crate) use tasks::Tasks;
pub(crate) use tenant::Tenant;
pub(crate) use views::Views;
pub(crate) use word::Words;

use crate::prefs::Lang;
use crate::visit::visit;

/// A language.
pub(crate) struct Text {
    pub(crate) access: Access,
    pub(crate) account: Account,
    pub(crate) audit: Audit,
    pub(crate) budgets: Budgets,
    pub(crate) common: Common,
    pub(crate) compare: Compare,
    pub(crate) egress: Egress,
    pub(crate) events: Events,
    pub(crate) home: Home,
    pub(crate) keys: Keys,
    pub(crate) kit: Kit,
    pub(crate) models: Models,
    pub(crate) problem: Problems,
    pub(crate) retention: Retention,
    pub(crate) replay: Replay,
    pub(crate) run: Run,
    pub(crate) runs: Runs,
    pub(crate) second_factor: SecondFactor,
    pub(crate) settings: Settings,
    pub(crate) shell: Shell,
    pub(crate) sign_in: SignIn,
    pub(crate) sso: Sso,
    pub(crate) subjects: Subjects,
    pub(crate) tasks: Tasks,
    pub(crate) tenant: Tenant,
    pub(crate) views: Views,
    pub(crate) word: Words,
}

static EN: Text = Text {
    access: access::EN,
    account: account::EN,
    audit: audit::EN,
    budgets: budgets::EN,
    common: common::EN,
    compare: compare::EN,
    egress: egress::EN,
    events: events::EN,
    home: home::EN,
    keys: keys::EN,
    kit: kit::EN,
    models: models::EN,
    problem: problem::EN,
    retention: retention::EN,
    replay: replay::EN,
    run: run::EN,
    runs: runs::EN,
    second_factor: second_factor::EN,
    settings: settings::EN,
    shell: shell::EN,
    sign_in: sign_in::EN,
    sso: sso::EN,
    subjects: subjects::EN,
    tasks: tasks::EN,
    tenant: tenant::EN,
    views: views::EN,
    word: word::EN,
};

static ZH_CN: Text = Text {
    access: access::ZH_CN,
    account: account::ZH_CN,
    audit: audit::ZH_CN,
    budgets: budgets::ZH_CN,
    common: common::ZH_CN,
    compare: compare::ZH_CN,
    egress: egress::ZH_CN,
    events: events::ZH_CN,
    home: home::ZH_CN,
    keys: keys::ZH_CN,
    kit: kit::ZH_CN,
    models: models::ZH_CN,
    problem: problem::ZH_CN,
    retention: retention::ZH_CN,
    replay: replay::ZH_CN,
    run: run::ZH_CN,
    runs: runs::ZH_CN,
    second_factor: second_factor::ZH_CN,
    settings: settings::ZH_CN,
    shell: shell::ZH_CN,
    sign_in: sign_in::ZH_CN,
    sso: sso::ZH_CN,
    subjects: subjects::ZH_CN,
    tasks: tasks::ZH_CN,
    tenant: tenant::ZH_CN,
    views: views::ZH_CN,
    word: word::ZH_CN,
};

/// The texts of a language.
pub(crate) fn of(lang: Lang) -> &'static Text {
    match lang {
        Lang::En => &EN,
        Lang::ZhCn => &ZH_CN,
    }
}

/// The texts in the reader's language. Call it in the body of a component.
pub(crate) fn text() -> &'static Text {
    of(visit().lang)
}
