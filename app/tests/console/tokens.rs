//! The style sheet's tokens: every contrast of the design recomputed, and no colour or type size anywhere else.

use std::fs;
use std::path::{Path, PathBuf};

fn style() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../style")
}

fn sheets(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(sheets(&path));
        } else if path.extension().is_some_and(|extension| extension == "css") {
            found.push((path.clone(), fs::read_to_string(&path).expect("a file")));
        }
    }
    found
}

/// The two sides of a token: `--ink: light-dark(#1A1E24, #F1F0ED);`.
fn token(sheet: &str, name: &str) -> [[f64; 3]; 2] {
    let line = sheet
        .lines()
        .find_map(|line| line.trim().strip_prefix(&format!("--{name}: light-dark(")))
        .unwrap_or_else(|| panic!("no token `{name}`"));
    let mut sides = line.trim_end_matches(");").split(',').map(|side| side.trim().trim_start_matches('#'));
    let mut next = || {
        let hex = sides.next().expect("two sides");
        [0, 2, 4].map(|at| f64::from(u8::from_str_radix(&hex[at..at + 2], 16).expect("a colour")) / 255.0)
    };
    [next(), next()]
}

fn luminance(colour: [f64; 3]) -> f64 {
    let [red, green, blue] =
        colour.map(|part| if part <= 0.03928 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// Colour, ground, least contrast: text 4.5; controls, focus and marks 3.
const PAIRS: &[(&str, &str, f64)] = &[
    ("ink", "surface", 4.5),
    ("ink", "canvas", 4.5),
    ("ink", "sunken", 4.5),
    ("ink", "raised", 4.5),
    ("ink-2", "surface", 4.5),
    ("ink-2", "canvas", 4.5),
    ("ink-2", "sunken", 4.5),
    ("ink-3", "surface", 4.5),
    ("ink-3", "canvas", 4.5),
    ("ink-3", "sunken", 4.5),
    ("ink-3", "raised", 4.5),
    ("accent", "surface", 4.5),
    ("accent", "canvas", 4.5),
    ("on-accent", "accent", 4.5),
    ("on-deny", "deny", 4.5),
    ("allow", "surface", 4.5),
    ("ask", "surface", 4.5),
    ("deny", "surface", 4.5),
    ("running", "surface", 4.5),
    ("waiting", "surface", 4.5),
    ("allow", "canvas", 4.5),
    ("ask", "canvas", 4.5),
    ("deny", "canvas", 4.5),
    ("running", "canvas", 4.5),
    ("waiting", "canvas", 4.5),
    ("allow-ink", "allow-soft", 4.5),
    ("ask-ink", "ask-soft", 4.5),
    ("deny-ink", "deny-soft", 4.5),
    ("running-ink", "running-soft", 4.5),
    ("waiting-ink", "waiting-soft", 4.5),
    ("accent-ink", "accent-soft", 4.5),
    ("line-strong", "surface", 3.0),
    ("line-strong", "canvas", 3.0),
    ("series-1", "surface", 3.0),
    ("series-2", "surface", 3.0),
    ("series-3", "surface", 3.0),
    ("series-4", "surface", 3.0),
    ("series-5", "surface", 3.0),
    ("series-6", "surface", 3.0),
];

#[test]
fn every_pair_of_the_design_has_its_contrast_on_both_sides() {
    let sheet = fs::read_to_string(style().join("tokens.css")).expect("tokens.css");
    let mut weak = Vec::new();
    for (colour, ground, least) in PAIRS {
        let (colours, grounds) = (token(&sheet, colour), token(&sheet, ground));
        for (side, name) in ["light", "dark"].into_iter().enumerate() {
            let found = contrast(colours[side], grounds[side]);
            if found < *least {
                weak.push(format!("{colour} on {ground}, {name}: {found:.2} < {least}"));
            }
        }
    }
    assert!(weak.is_empty(), "{}", weak.join("\n"));
}

#[test]
fn a_grey_that_is_too_light_would_be_found() {
    let grey = [f64::from(0x88_u8) / 255.0; 3];
    let sheet = fs::read_to_string(style().join("tokens.css")).expect("tokens.css");
    assert!(contrast(grey, token(&sheet, "sunken")[0]) < 4.5);
}

#[test]
fn colours_and_type_sizes_stand_in_the_tokens_only() {
    let mut found = Vec::new();
    for (path, sheet) in sheets(&style()) {
        if path.ends_with("tokens.css") {
            continue;
        }
        for (number, line) in sheet.lines().enumerate() {
            let hex = line.match_indices('#').any(|(at, _)| {
                let digits = line[at + 1..].chars().take_while(char::is_ascii_hexdigit).count();
                matches!(digits, 3 | 4 | 6 | 8) && line[..at].contains(':')
            });
            let px_type = (line.contains("font:") || line.contains("font-size:")) && line.contains("px");
            if hex || px_type {
                found.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
