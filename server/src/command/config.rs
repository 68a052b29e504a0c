//! `soit config`: the settings as soit would read them.

use std::process::ExitCode;

use super::output::{print, print_json, say};
use crate::config::{Report, Source};

/// Prints every setting, or only the rules they break.
pub(super) fn show(source: &Source, check: bool, json: bool) -> anyhow::Result<ExitCode> {
    let report = Report::of(source);
    if json {
        print_json(&report)?;
    } else {
        if !check {
            for line in &report.settings {
                print(format!("{}={}  ({})", line.name, line.value.as_deref().unwrap_or_default(), line.source));
            }
        }
        report.warnings.iter().for_each(|warning| say(format!("warning: {warning}")));
        for line in &report.settings {
            line.broken.iter().for_each(|broken| say(format!("error: {} {broken}", line.name)));
        }
        if check && report.is_sound() {
            print("the settings are sound");
        }
    }
    Ok(if report.is_sound() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
