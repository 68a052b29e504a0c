//! Where settings come from: the process's environment, and the file of `--env-file` for what it leaves open.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Why a settings file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// It cannot be read.
    #[error("{}: cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A line has a wrong form.
    #[error("{}:{line}: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
}

/// Who gave a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Nobody: it is the default.
    Default,
    /// The environment of the process.
    Environment,
    /// The settings file.
    File,
}

impl Origin {
    /// The word `soit config` prints.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Environment => "environment",
            Self::File => "file",
        }
    }
}

/// Names and values, the environment before the file. An empty value counts as not set.
#[derive(Clone, Debug, Default)]
pub struct Source {
    values: BTreeMap<String, (String, Origin)>,
}

impl Source {
    /// The environment of this process and, if given, a settings file.
    pub fn of_process(file: Option<&Path>) -> Result<Self, SourceError> {
        let mut source = Self::default();
        if let Some(path) = file {
            let text = std::fs::read_to_string(path)
                .map_err(|error| SourceError::Unreadable { path: path.to_owned(), source: error })?;
            source.values = parse(&text, path)?;
        }
        let environment = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.to_string_lossy().into_owned())));
        source.extend(environment);
        Ok(source)
    }

    /// The given values as if they were the whole environment.
    pub fn of_values<N: Into<String>, V: Into<String>>(values: impl IntoIterator<Item = (N, V)>) -> Self {
        let mut source = Self::default();
        source.extend(values.into_iter().map(|(name, value)| (name.into(), value.into())));
        source
    }

    fn extend(&mut self, values: impl Iterator<Item = (String, String)>) {
        let set = values.filter(|(_, value)| !value.is_empty());
        self.values.extend(set.map(|(name, value)| (name, (value, Origin::Environment))));
    }

    pub(super) fn get(&self, name: &str) -> Option<(&str, Origin)> {
        self.values.get(name).map(|(value, origin)| (value.as_str(), *origin))
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }
}

/// Lines `NAME=value`, blank lines and `#` comments; a value may stand in single or double quotes.
fn parse(text: &str, path: &Path) -> Result<BTreeMap<String, (String, Origin)>, SourceError> {
    let mut values = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let malformed = |reason| SourceError::Malformed { path: path.to_owned(), line: index + 1, reason };
        let line = line.strip_prefix("export ").unwrap_or(line);
        let (name, value) = line.split_once('=').ok_or_else(|| malformed("want `NAME=value`"))?;
        let name = name.trim();
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return Err(malformed("want a name of letters, digits and `_` before `=`"));
        }
        let value = unquote(value.trim()).ok_or_else(|| malformed("the quote is not closed"))?;
        if !value.is_empty() {
            values.insert(name.to_owned(), (value.to_owned(), Origin::File));
        }
    }
    Ok(values)
}

fn unquote(value: &str) -> Option<&str> {
    for quote in ['"', '\''] {
        if let Some(rest) = value.strip_prefix(quote) {
            return rest.strip_suffix(quote);
        }
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Vec<(String, String)>, String> {
        parse(text, Path::new("soit.env"))
            .map(|values| values.into_iter().map(|(name, (value, _))| (name, value)).collect())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_file_holds_names_values_quotes_and_comments() {
        let text = "# soit\nA=1\n\nexport B = \"two words\"\nC='x=y'\nEMPTY=\n";
        let pairs = [("A", "1"), ("B", "two words"), ("C", "x=y")];
        assert_eq!(parsed(text), Ok(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()));
    }

    #[test]
    fn a_malformed_line_is_named() {
        assert_eq!(parsed("A=1\nB\n"), Err("soit.env:2: want `NAME=value`".to_owned()));
        assert_eq!(parsed("A-B=1"), Err("soit.env:1: want a name of letters, digits and `_` before `=`".to_owned()));
        assert_eq!(parsed("A=\"x"), Err("soit.env:1: the quote is not closed".to_owned()));
    }

    #[test]
    fn the_environment_wins_over_the_file() {
        let mut source = Source { values: parse("A=file\nB=file", Path::new("soit.env")).unwrap() };
        source.extend([("A".to_owned(), "environment".to_owned()), ("B".to_owned(), String::new())].into_iter());
        assert_eq!(source.get("A"), Some(("environment", Origin::Environment)));
        assert_eq!(source.get("B"), Some(("file", Origin::File)));
    }
}
