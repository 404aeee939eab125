//! Shared parts of documents: JSON text from slices, native paths, facts of a session. They know no
//! document and no agent.

pub(crate) mod clean;
pub(crate) mod facts;
pub(crate) mod moment;
pub(crate) mod out;
pub(crate) mod paths;
pub(crate) mod places;
pub(crate) mod pretty;
pub(crate) mod provider;

/// `uint` of RFC 8610, limited to 64 bits.
pub(crate) fn is_uint(raw: &[u8]) -> bool {
    std::str::from_utf8(raw).is_ok_and(|text| !text.starts_with('+') && text.parse::<u64>().is_ok())
}

/// The name of a document's file: the session's id, without characters that file names can't have,
/// and `ending`.
pub(crate) fn file_name(id: &str, ending: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let id: String = id.chars().take(100).map(|c| if plain(c) { c } else { '-' }).collect();
    format!("{}{ending}", if id.is_empty() { "session" } else { &id })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_harmless() {
        assert_eq!(file_name("../a\\b:c", ".json"), "---a-b-c.json");
        assert_eq!(file_name("", ".vac.json"), "session.vac.json");
    }
}
