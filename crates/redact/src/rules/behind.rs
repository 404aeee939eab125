//! Conditions on the text near a keyword: a quick look tells whether a pattern can match there.

use std::ops::Range;

/// A condition on the text behind a keyword.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Behind {
    /// One of some bytes is the last one of the keyword, or within so many behind it.
    Sign(usize, Vec<u8>),
    /// A word of at least so many bytes (the second number) begins within so many (the first).
    Word(usize, usize),
}

impl Behind {
    /// Whether it holds for a keyword that ends there in a text.
    pub(super) fn holds(&self, text: &[u8], end: usize) -> bool {
        match self {
            Self::Sign(within, signs) => {
                let near = &text[end.saturating_sub(1)..text.len().min(end + within)];
                near.iter().any(|byte| signs.contains(byte))
            }
            Self::Word(within, least) => {
                let near = &text[end..text.len().min(end + within + least)];
                next_word(near, 0, *least, is_value).is_some()
            }
        }
    }
}

/// The words of a text that have a digit and at least some length, in their order.
#[derive(Debug, Default)]
pub(super) struct Words(Vec<Range<usize>>);

impl Words {
    /// Those of a text.
    pub(super) fn of(text: &[u8], least: usize) -> Self {
        let (mut words, mut at) = (Vec::new(), 0);
        while let Some(word) = next_word(text, at, least, is_token) {
            at = word.end;
            if text[word.clone()].iter().any(u8::is_ascii_digit) {
                words.push(word);
            }
        }
        Self(words)
    }

    /// Each of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Range<usize>> {
        self.0.iter()
    }

    /// Whether a range of the text has at least so many bytes of one.
    pub(super) fn within(&self, range: &Range<usize>, least: usize) -> bool {
        let first = self.0.partition_point(|word| word.end < range.start + least);
        let mut near = self.0[first..].iter().take_while(|word| word.start + least <= range.end);
        near.any(|word| word.end.min(range.end) - word.start.max(range.start) >= least)
    }
}

/// The next word of at least this length. Only every so many bytes are looked at: of a shorter
/// word, not one.
fn next_word(
    text: &[u8],
    from: usize,
    least: usize,
    is_part: impl Fn(u8) -> bool,
) -> Option<Range<usize>> {
    let mut start = from;
    while let Some(word) = text.get(start..start + least) {
        if let Some(edge) = word.iter().rposition(|&byte| !is_part(byte)) {
            start += edge + 1;
            continue;
        }
        let rest = text[start + least..].iter().take_while(|&&byte| is_part(byte)).count();
        return Some(start..start + least + rest);
    }
    None
}

/// Whether a byte can be one of a token.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_+/=.~-".contains(&byte)
}

/// Whether a byte can be one of a value to which a name is given.
fn is_value(byte: u8) -> bool {
    is_token(byte) || b"!#%^&*:".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_a_digit_are_seen_in_ranges() {
        let text = b"a word, abcdefgh1, notadigitone, 12345678-90";
        let words = Words::of(text, 8);
        assert_eq!(words.0, [8..17, 33..44]);
        assert!(words.within(&(0..text.len()), 11) && !words.within(&(0..text.len()), 12));
        assert!(words.within(&(0..17), 9) && !words.within(&(0..16), 9));
        assert!(!words.within(&(17..33), 8) && words.within(&(20..41), 8));
    }

    #[test]
    fn a_value_is_near() {
        let sign = Behind::Sign(3, b"=:".to_vec());
        let holds = |text: &[u8]| sign.holds(text, 5);
        assert!(holds(b"tokens =x") && holds(b"word=x") && !holds(b"tokens and = x"));
        assert!(!holds(b"token"));
        let word = Behind::Word(4, 6);
        let holds = |text: &[u8]| word.holds(text, 5);
        assert!(holds(b"token = \"abcdef\"") && holds(b"tokenabcdef"));
        assert!(!holds(b"token = \"abcde\"") && !holds(b"token of a few abcdefgh"));
    }
}
