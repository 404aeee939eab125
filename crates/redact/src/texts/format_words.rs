//! Words of formats: names of members that agents' records use. They are data. Whether a word is
//! by itself.

use std::collections::HashSet;
use std::sync::LazyLock;

static WORDS: LazyLock<HashSet<&[u8]>> = LazyLock::new(|| {
    include_str!("../../rules/members.words").lines().map(str::as_bytes).collect()
});

/// Whether the name of a member is a word that formats use.
pub(crate) fn is_word_of_formats(name: &[u8]) -> bool {
    WORDS.contains(name)
}

/// Whether no digits of Base64 are beside a range of a text.
pub(crate) fn is_apart(text: &[u8], start: usize, end: usize) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/_-".contains(byte);
    let before = start.checked_sub(1).and_then(|before| text.get(before));
    !before.is_some_and(is_digit) && !text.get(end).is_some_and(is_digit)
}
