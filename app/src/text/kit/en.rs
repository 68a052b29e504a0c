//! English.

use super::Kit;

pub(crate) const EN: Kit = Kit {
    section: |name| match name {
        "button" => "Buttons",
        "status" => "States and verdicts",
        "money" => "Money, ids, moments",
        "notice" => "Banners and notices",
        "form" => "Forms",
        "filter" => "Filters and tabs",
        "table" => "Tables",
        "meter" => "Meters",
        "chart" => "Charts",
        "tree" => "Run tree",
        "code" => "Code and reveal",
        "empty" => "Empty, failed, denied, loading",
        "live" => "Live",
        "icon" => "Icons",
        _ => "",
    },
    text: "Every component in every state, light and dark side by side.",
    title: "Kit",
};
