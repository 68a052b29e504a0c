//! The documentation of all settings, made from the structs that read them.

use std::fmt::Write;

use super::setting::Setting;
use super::whole::Config;

const HEAD: &str = "# Configuration

<!-- Made from `server/src/config/`: `UPDATE_DOCS=1 cargo test -p server documentation` writes it anew. -->

soit reads its settings once, at the start, from the environment. `soit --env-file FILE` reads a file of `NAME=value` lines
for what the environment leaves open. An empty value counts as not set.

- A broken rule stops the start; all broken rules are printed together, each with what to do.
- An unknown name that begins with `SOIT_` stops the start; any other name close to a setting's is warned about.
- Secrets may be given as a file instead: `SECRET_KEY_FILE=/run/secrets/key` for `SECRET_KEY`.
- `soit config` shows every setting, its value and who gave it; `soit config --check` only checks.
- The last column holds the rules that `ENVIRONMENT=production` adds.
";

/// The page `docs/operations/configuration.md`.
pub fn document() -> String {
    let mut page = HEAD.to_owned();
    for (title, settings) in Config::concerns() {
        let _ = write!(page, "\n## {title}\n\n| Variable | Default | Meaning | In production |\n|---|---|---|---|\n");
        for setting in settings {
            let _ = writeln!(
                page,
                "| `{}` | {} | {}{} | {} |",
                setting.name,
                default(setting),
                setting.meaning.trim(),
                alias(setting),
                setting.production
            );
        }
    }
    page
}

fn alias(setting: &Setting) -> String {
    if setting.alias.is_empty() { String::new() } else { format!(" Also taken as `{}`.", setting.alias) }
}

fn default(setting: &Setting) -> String {
    let plain = setting.default.map_or_else(|| setting.absent.to_owned(), |default| format!("`{default}`"));
    match setting.production_default {
        Some(production) => format!("{plain}; in production `{production}`"),
        None => plain,
    }
}
