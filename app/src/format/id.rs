//! Ids, short enough for a table.

/// `run_01jz8k…4f`: prefix, start and end of an id. The whole stands in the copy button and the title.
pub(crate) fn short_id(id: &str) -> String {
    let letters: Vec<char> = id.chars().collect();
    if letters.len() <= 16 {
        return id.to_owned();
    }
    let start: String = letters.iter().take(10).collect();
    let end: String = letters.iter().skip(letters.len() - 4).collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_id_loses_its_middle() {
        assert_eq!(short_id("run_01jz8k0000000000000000004f"), "run_01jz8k…004f");
        assert_eq!(short_id("short"), "short");
        assert_eq!(short_id("文文文文文文文文文文文文文文文文文"), "文文文文文文文文文文…文文文文");
    }
}
