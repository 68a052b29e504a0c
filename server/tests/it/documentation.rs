//! Pages of the documentation that are made from the code are current. `UPDATE_DOCS=1` writes them anew.

use std::path::Path;

/// Compares a page with what the code says, or writes it.
fn check(name: &str, page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/operations").join(name);
    let update = std::env::vars_os().any(|(variable, _)| variable == "UPDATE_DOCS");
    if update {
        std::fs::write(&path, page).expect("the page is written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == page, "docs/operations/{name} is not current: run the test with UPDATE_DOCS=1");
}

#[test]
fn the_configuration_page_is_current() {
    check("configuration.md", &server::config::document());
}

#[test]
fn the_metrics_page_is_current() {
    check("metrics.md", &server::metrics::document());
}
