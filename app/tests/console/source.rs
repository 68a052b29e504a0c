//! Rules of the source: no literal words in views, no feature gates in pages and components.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push((path.clone(), fs::read_to_string(&path).expect("a file")));
            }
        }
    }
    let mut found = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(folder), &mut found);
    found
}

/// The bodies of `view! { … }`.
fn views(source: &str) -> Vec<String> {
    let mut views = Vec::new();
    for (start, _) in source.match_indices("view! {") {
        let body = &source[start + "view! {".len()..];
        let (mut depth, mut end, mut in_string, mut before) = (1, body.len(), false, ' ');
        for (index, letter) in body.char_indices() {
            match letter {
                '"' if before != '\\' => in_string = !in_string,
                '{' if !in_string => depth += 1,
                '}' if !in_string => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                end = index;
                break;
            }
            before = letter;
        }
        views.push(body[..end].to_owned());
    }
    views
}

/// Attributes whose value a reader sees or hears.
const SPOKEN: &[&str] = &["title=", "aria-label=", "placeholder=", "alt=", "label=", "hint=", "text=", "meaning="];

/// Words that are the same in every language.
const NAMES: &[&str] = &["soit", "curl", "v12", "Python", "JavaScript"];

/// The quoted texts of a view with what stands before each.
fn strings(view: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut start = None;
    let mut escaped = false;
    for (index, letter) in view.char_indices() {
        match (letter, start) {
            ('"', None) => start = Some(index),
            ('"', Some(begin)) if !escaped => {
                found.push((view[..begin].trim_end(), &view[begin + 1..index]));
                start = None;
            }
            _ => {}
        }
        escaped = letter == '\\' && !escaped;
    }
    found
}

/// Quoted words in a view that a reader would see: text between tags, and values of spoken attributes.
fn literal_words(view: &str) -> Vec<String> {
    let is_seen = |before: &str| {
        before.ends_with(['>', '}']) && !before.ends_with("=>") || SPOKEN.iter().any(|name| before.ends_with(name))
    };
    let has_words = |text: &str| text.chars().filter(|letter| letter.is_alphabetic()).count() > 1;
    let quoted =
        strings(view).into_iter().filter(|(before, text)| is_seen(before) && has_words(text) && !NAMES.contains(text));
    let mut found: Vec<String> = quoted.map(|(_, text)| text.to_owned()).collect();
    // Unquoted text right after a simple tag is text too.
    for (end, _) in view.match_indices('>') {
        let tag = view[..end].rfind('<').map(|start| &view[start..end]).unwrap_or_default();
        let is_tag = tag.starts_with('<') && !tag.contains(['(', '{', '|', ';']) && !tag.ends_with(['-', '=']);
        let text = view[end + 1..].trim_start();
        if is_tag
            && text.starts_with(char::is_alphabetic)
            && text.find('<').is_some_and(|close| text[close..].starts_with("</"))
        {
            found.push(text.chars().take_while(|letter| *letter != '<').collect());
        }
    }
    found
}

#[test]
fn no_view_holds_literal_words() {
    let mut found = Vec::new();
    for folder in ["page", "component"] {
        for (path, source) in sources(folder) {
            for words in views(&source).iter().flat_map(|view| literal_words(view)) {
                found.push(format!("{}: {words}", path.display()));
            }
        }
    }
    assert!(found.is_empty(), "these belong into `text`:\n{}", found.join("\n"));
}

#[test]
fn the_search_for_literal_words_finds_them() {
    for (view, words) in [
        ("<p>\"Hello there\"</p>", 1),
        ("<p>Hello</p>", 1),
        ("<input placeholder=\"Your name\"/>", 1),
        ("<p class=\"field hint\">{text.common.name} \" · \" {x}</p>", 0),
        ("<a href=\"/runs\">{label}</a>", 0),
    ] {
        assert_eq!(literal_words(view).len(), words, "{view}");
    }
}

#[test]
fn pages_and_components_know_no_features() {
    for folder in ["page", "component", "format", "query", "text"] {
        for (path, source) in sources(folder) {
            assert!(!source.contains("cfg(feature") && !source.contains("cfg(not(feature"), "{}", path.display());
        }
    }
}
