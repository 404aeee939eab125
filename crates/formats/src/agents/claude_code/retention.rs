//! The days for which Claude Code keeps a session, `cleanupPeriodDays` of its settings, and the
//! files beside sessions that an archive keeps.

use session::value;

use crate::format::ReadBeside;
use crate::probe;

/// Files and folders of the agent's home that belong to sessions.
pub(super) const SIDECARS: &[&str] = &[
    "history.jsonl",
    "file-history",
    "image-cache",
    "paste-cache",
    "plans",
    "tasks",
    "todos",
    "projects/*/sessions-index.json",
    "projects/*/*/custom-title.json",
    "projects/*/*/tool-results",
];

/// Its settings, those that take precedence first.
const SETTINGS: &[&str] = &["settings.local.json", "settings.json"];

/// Days without the setting.
const USUAL: u64 = 30;

pub(super) fn days(read: ReadBeside<'_>) -> Option<u64> {
    let said = SETTINGS.iter().filter_map(|name| read(name)).find_map(|text| {
        probe::look(&text, |node| value::number(node.at(&["cleanupPeriodDays"])?.raw()))?
    });
    Some(said.unwrap_or(USUAL))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_counts_and_else_the_usual_number() {
        let of = |text: &str| {
            let text = text.to_owned();
            days(&move |name| (name == "settings.json").then(|| text.clone().into_bytes()))
        };
        assert_eq!(of("{\"model\":\"opus\",\"cleanupPeriodDays\":3650}"), Some(3650));
        assert_eq!(of("{\"model\":\"opus\"}"), Some(30));
        assert_eq!(of("no JSON"), Some(30));
        assert_eq!(days(&|_| None), Some(30));
    }
}
