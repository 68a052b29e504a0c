//! Reads settings one by one and collects every broken rule on the way.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::choice::Environment;
use super::setting::Setting;
use super::source::{Origin, Source};
use super::value::Value;

/// One rule the settings break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenRule {
    /// The variable.
    pub name: String,
    /// What is wrong.
    pub rule: String,
    /// What to do.
    pub remedy: String,
}

impl std::fmt::Display for BrokenRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}: {}", self.name, self.rule, self.remedy)
    }
}

/// Settings soit does not start with: all broken rules at once.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct Broken(pub Vec<BrokenRule>);

/// A setting as it was read.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    pub(super) setting: &'static Setting,
    pub(super) shown: String,
    pub(super) origin: Origin,
}

/// Reads from a source; keeps what was read and what is wrong.
pub(super) struct Reader<'a> {
    pub(super) source: &'a Source,
    pub(super) environment: Environment,
    pub(super) data_dir: String,
    pub(super) readings: Vec<Reading>,
    pub(super) broken: Vec<BrokenRule>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        Self {
            source,
            environment: Environment::Development,
            data_dir: String::new(),
            readings: Vec::new(),
            broken: Vec::new(),
        }
    }

    /// Notes a broken rule of a variable.
    pub(super) fn refuse(&mut self, name: &str, rule: impl Into<String>, remedy: impl Into<String>) {
        self.broken.push(BrokenRule { name: name.to_owned(), rule: rule.into(), remedy: remedy.into() });
    }

    /// Notes a broken rule of production, unless this is another environment.
    pub(super) fn refuse_in_production(&mut self, broken: bool, name: &str, rule: &str, remedy: &str) {
        if broken && self.environment.is_production() {
            self.refuse(name, format!("{rule} in production"), remedy);
        }
    }

    /// Whether a variable, or the file that stands for it, is set.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.source.get(name).is_some() || self.source.get(&format!("{name}_FILE")).is_some()
    }

    /// Reads one setting; `None` means that a broken rule was noted.
    pub(super) fn read<T: Value>(&mut self, setting: &'static Setting) -> Option<T> {
        let (text, origin) = match self.text::<T>(setting)? {
            Some((text, origin)) => (Some(text), origin),
            None => (self.default(setting), Origin::Default),
        };
        let value = match &text {
            Some(text) => T::parse(text, setting),
            None => T::absent(),
        };
        if let Some(value) = &value {
            self.readings.push(Reading { setting, shown: value.show(), origin });
        } else {
            let rule = match text {
                Some(_) if T::SECRET => "has a wrong form".to_owned(),
                Some(text) => format!("is `{text}`"),
                None => "is not set".to_owned(),
            };
            self.refuse(setting.name, rule, format!("use {}", T::form(setting)));
        }
        value
    }

    /// The given text: outer `None` after a broken rule, inner `None` when nothing is set.
    fn text<T: Value>(&mut self, setting: &Setting) -> Option<Option<(String, Origin)>> {
        let is_aliased = !setting.alias.is_empty() && self.is_set(setting.alias);
        if is_aliased && self.is_set(setting.name) {
            self.refuse(setting.alias, format!("is set beside {}", setting.name), "set one of the two");
            return None;
        }
        let name = if is_aliased { setting.alias } else { setting.name };
        let given = self.source.get(name).map(|(text, origin)| (text.to_owned(), origin));
        let file_name = format!("{name}_FILE");
        let file = self.source.get(&file_name).filter(|_| T::SECRET);
        let Some((path, origin)) = file else { return Some(given) };
        if given.is_some() {
            self.refuse(&file_name, format!("is set beside {name}"), "set one of the two");
            return None;
        }
        match std::fs::read_to_string(path) {
            Ok(text) => Some(Some((text.trim_end_matches(['\r', '\n']).to_owned(), origin))),
            Err(error) => {
                let rule = format!("names `{path}`, which cannot be read ({})", error.kind());
                self.refuse(&file_name, rule, "name a readable file that holds the value");
                None
            }
        }
    }

    fn default(&self, setting: &Setting) -> Option<String> {
        let production = setting.production_default.filter(|_| self.environment.is_production());
        let default = production.or(setting.default)?;
        Some(default.replace("{DATA_DIR}", &self.data_dir).replace("{LISTEN_CONSOLE}", &self.console()))
    }

    /// Where a browser on this machine finds the console, by what was read of `LISTEN_CONSOLE`.
    fn console(&self) -> String {
        let reading = self.readings.iter().find(|reading| reading.setting.name == "LISTEN_CONSOLE");
        let address = reading.and_then(|reading| reading.shown.parse::<SocketAddr>().ok());
        match address {
            None => "localhost".to_owned(),
            Some(address) if is_localhost(address.ip()) => format!("localhost:{}", address.port()),
            Some(address) => address.to_string(),
        }
    }
}

/// Whether `localhost` leads to a listener of this address.
fn is_localhost(address: IpAddr) -> bool {
    address.is_unspecified()
        || [IpAddr::from(Ipv4Addr::LOCALHOST), IpAddr::from(Ipv6Addr::LOCALHOST)].contains(&address)
}
