//! The documentation of all metrics, made from what is registered.

use std::fmt::Write;

use super::Metrics;

const HEAD: &str = "# Metrics

<!-- Made from `server/src/metrics/`: `UPDATE_DOCS=1 cargo test -p server documentation` writes it anew. -->

`GET /metrics` on both ports, in Prometheus' text format. With `METRICS_TOKEN` set it asks for that bearer token. Labels hold
words of soit's own lists, never ids, names or text, so the number of series is bounded whatever the traffic is.

| Metric | Labels | Meaning |
|---|---|---|
";

/// The page `docs/operations/metrics.md`.
pub fn document() -> String {
    let metrics = Metrics::default();
    let mut rows: Vec<_> = metrics.rows().iter().collect();
    rows.sort_by_key(|row| row.name);
    let mut page = HEAD.to_owned();
    for row in rows {
        let labels: Vec<String> = row.labels.iter().map(|label| format!("`{label}`")).collect();
        let _ = writeln!(page, "| `{}` | {} | {} |", row.name, labels.join(" "), row.meaning);
    }
    page
}
