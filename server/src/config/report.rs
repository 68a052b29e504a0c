//! What `soit config` prints: every setting, its value, who gave it and the rules it breaks.

use serde::Serialize;

use super::reader::{Reader, Reading};
use super::source::{Origin, Source};
use super::whole::Config;

/// One setting as it stands.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// The variable.
    pub name: String,
    /// Its value; secrets as `set`.
    pub value: Option<String>,
    /// `default`, `environment` or `file`.
    pub source: &'static str,
    /// The rules it breaks.
    pub broken: Vec<String>,
}

/// Every setting and what is wrong with them.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// One line a setting; unknown names that stop the start have a line too.
    pub settings: Vec<Line>,
    /// Names that are probably misspelled.
    pub warnings: Vec<String>,
}

impl Report {
    /// Reads all settings and keeps what was found, broken or not.
    pub fn of(source: &Source) -> Self {
        let mut reader = Reader::new(source);
        let warnings = Config::read(&mut reader, None).map(|config| config.warnings).unwrap_or_default();
        Self { settings: lines(&reader), warnings }
    }

    /// Whether soit would start.
    pub fn is_sound(&self) -> bool {
        self.settings.iter().all(|line| line.broken.is_empty())
    }
}

/// One line for each setting, and for each other name that breaks a rule.
pub(super) fn lines(reader: &Reader<'_>) -> Vec<Line> {
    let known = Config::concerns().into_iter().flat_map(|(_, settings)| settings.iter().map(|setting| setting.name));
    let mut names: Vec<&str> = known.collect();
    for rule in &reader.broken {
        if !names.contains(&rule.name.as_str()) {
            names.push(&rule.name);
        }
    }
    names.into_iter().map(|name| line(name, reader)).collect()
}

fn line(name: &str, reader: &Reader<'_>) -> Line {
    let reading = reader.readings.iter().find(|reading| reading.setting.name == name);
    let given = || reader.source.get(name).map(|(_, origin)| origin);
    let origin = reading.map(|reading: &Reading| reading.origin).or_else(given).unwrap_or(Origin::Default);
    let broken = reader.broken.iter().filter(|rule| rule.name == name);
    Line {
        name: name.to_owned(),
        value: reading.map(|reading| reading.shown.clone()).filter(|shown| !shown.is_empty()),
        source: origin.as_str(),
        broken: broken.map(|rule| format!("{}: {}", rule.rule, rule.remedy)).collect(),
    }
}
