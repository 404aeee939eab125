//! Seams: where two text blocks of one answer meet.

/// Whether a word goes on over the seam of two text blocks of one answer.
///
/// The interface of Anthropic's models cuts an answer where a citation begins, and the blocks are
/// one text. A line break in a word would change it, and hide a secret in which the seam is.
///
/// ```
/// use verbatim_session::value::share_a_word;
///
/// assert!(share_a_word("see RFC 84", "39"));
/// assert!(!share_a_word("I looked.", "It is there."));
/// ```
#[must_use]
pub fn share_a_word(before: &str, behind: &str) -> bool {
    let ends = |sign: char| is_of_word(sign) || matches!(sign, '-' | '/' | '+');
    before.ends_with(ends) && behind.starts_with(is_of_word)
}

/// Whether a sign may be within a word. Some of these nobody sees: a soft hyphen, a joiner without
/// a width, the NUL bytes of a text in UTF-16 that was taken for another.
fn is_of_word(sign: char) -> bool {
    let is_unseen = matches!(sign, '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
        || (sign.is_control() && !sign.is_whitespace());
    sign.is_alphanumeric() || sign == '_' || is_unseen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_goes_on_where_no_sign_ends_it() {
        let seams = [
            ("sk-live-", "4fK9"),
            ("k\0", "9"),
            ("k\u{200b}", "9"),
            ("pass", "word=x"),
            ("snake_", "case"),
        ];
        assert!(seams.into_iter().all(|(before, behind)| share_a_word(before, behind)));
        let ends =
            [("", "a"), ("a", ""), ("a\n", "b"), ("a ", "b"), ("done.", "Now"), ("a", "- b")];
        assert!(!ends.into_iter().any(|(before, behind)| share_a_word(before, behind)));
    }
}
