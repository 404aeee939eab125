//! Words of formats: names of members that agents' records use. They are data.

use std::collections::HashSet;
use std::sync::LazyLock;

static WORDS: LazyLock<HashSet<&[u8]>> = LazyLock::new(|| {
    include_str!("../../rules/members.words").lines().map(str::as_bytes).collect()
});

/// Whether the name of a member is a word that formats use.
pub(super) fn is_word_of_formats(name: &[u8]) -> bool {
    WORDS.contains(name)
}
