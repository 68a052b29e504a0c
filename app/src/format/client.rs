//! Programs by the name they sign requests with.

/// Browsers by what their name holds, the more special ones first: nearly all of them call themselves Chrome and Safari too.
const BROWSERS: [(&str, &str); 6] = [
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("HeadlessChrome/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Version/", "Safari"),
];
/// Systems, likewise.
const SYSTEMS: [(&str, &str); 7] = [
    ("Windows", "Windows"),
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iPadOS"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
];

/// `Chrome 156 · Linux` of a browser; another program as it calls itself.
pub(crate) fn client(agent: &str) -> String {
    if !agent.starts_with("Mozilla/") {
        return agent.to_owned();
    }
    let browser = BROWSERS.iter().find_map(|(mark, name)| {
        let version = agent.split_once(mark)?.1.split(['.', ' ', ';']).next()?;
        Some(format!("{name} {version}"))
    });
    let system = SYSTEMS.iter().find(|(mark, _)| agent.contains(mark)).map(|(_, name)| *name);
    match (browser, system) {
        (Some(browser), Some(system)) => format!("{browser} · {system}"),
        (Some(browser), None) => browser,
        _ => agent.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::client;

    #[test]
    fn browsers_are_named_and_other_programs_speak_for_themselves() {
        for (agent, shown) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
                "Chrome 156 · Linux",
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.1 Safari/605.1.15",
                "Safari 26 · macOS",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0",
                "Edge 156 · Windows",
            ),
            ("Mozilla/5.0 (compatible; something)", "Mozilla/5.0 (compatible; something)"),
            ("python-httpx/0.28", "python-httpx/0.28"),
            ("", ""),
        ] {
            assert_eq!(client(agent), shown);
        }
    }
}
