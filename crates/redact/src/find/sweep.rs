//! Sweep: every value that was found once is looked for everywhere, also where no rule knows it:
//! as it is, with dashes as in the name of a folder, in hexadecimal digits, and in Base64 at each
//! of its three alignments. Other wrappings are those of the views.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use session::Sorting as _;

use super::text_index::Index;
use crate::rules::{Class, entropy, is_random, naming};
use crate::unwrap::wrapped_lines::is_token;

/// The least length of a value that is looked for.
const SHORT: usize = 8;
/// The least length of a value whose beginning is looked for too.
const LONG: usize = 24;
/// The length of the beginning that is looked for.
const BEGINNING: usize = 16;
/// The longest value whose encoded forms are looked for.
const WHOLE: usize = 512;
/// The least entropy of a value that is looked for, in bits a byte.
const ENTROPY: f64 = 2.5;
/// The largest number of values whose encoded forms are looked for; those of more would take more
/// memory than the session. In runs that are decoded, all values are looked for.
const ALL: u32 = 1 << 16;
/// The shortest encoded form that is looked for.
const ENCODED: usize = 10;

/// A value that is to be looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sought<'v> {
    pub(crate) value: &'v [u8],
    /// The replacement, where it is no placeholder.
    pub(crate) alias: Option<&'v Arc<str>>,
    pub(crate) class: Class,
    /// Whether it is the name of somebody, which was not made by chance.
    pub(crate) is_name: bool,
}

impl<'v> Sought<'v> {
    /// A value that was found.
    pub(crate) const fn found(class: Class, value: &'v [u8]) -> Self {
        Self { value, alias: None, class, is_name: false }
    }
}

/// A known value. There can be millions: its bytes are those of the index.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) class: Class,
    /// Whether letters or digits beside it make it another word, and words of the format are not
    /// it: it was not made by chance.
    pub(crate) is_word: bool,
    /// Its text in the index.
    text: u32,
}

/// A place of a known value in a text.
pub(crate) struct Seen<'s> {
    pub(crate) known: &'s Known,
    /// The replacement, where it is no placeholder.
    pub(crate) alias: Option<&'s Arc<str>>,
    pub(crate) value: &'s [u8],
    pub(crate) range: Range<usize>,
    /// Whether a whole run of Base64 is replaced.
    pub(crate) encoded: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Whole,
    /// With a dash for each character but letters and digits, as agents name the folder of a path.
    Dashed,
    Beginning,
    Hex,
    Base64,
}

/// The values that are looked for.
pub(crate) struct Sweep {
    index: Index<(u32, Form)>,
    known: Vec<Known>,
    /// By their numbers, the replacements of those that have one.
    aliases: HashMap<u32, Arc<str>>,
}

impl std::fmt::Debug for Sweep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sweep").field("known", &self.known.len()).finish_non_exhaustive()
    }
}

impl Sweep {
    /// The sweep for these values.
    pub(crate) fn of(mut values: Vec<Sought<'_>>) -> Self {
        // Of equal values, the first one counts.
        values.in_order_by(|a, b| a.value.cmp(b.value));
        values.dedup_by(|later, first| later.value == first.value);
        let mut index = Index::with_room(room(&values));
        let (mut known, mut aliases) = (Vec::with_capacity(values.len()), HashMap::new());
        for (number, Sought { class, value, alias, is_name }) in (0..).zip(values) {
            let text = index.add(value, (number, Form::Whole));
            if value.len() >= LONG && alias.is_none() {
                index.add(&value[..BEGINNING], (number, Form::Beginning));
            }
            if number < ALL && value.len() <= WHOLE {
                if let Some(dashed) = dashed(value) {
                    index.add(&dashed, (number, Form::Dashed));
                }
                encoded(value, |form, text| _ = index.add(text, (number, form)));
            }
            let is_word = is_name || !is_strong(value);
            known.push(Known { class, is_word, text });
            aliases.extend(alias.map(|alias| (number, Arc::clone(alias))));
        }
        index.build();
        Self { index, known, aliases }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The values that are nowhere by chance, for a judge.
    pub(crate) fn made_by_chance(&self) -> impl Iterator<Item = &[u8]> + Clone {
        let strong = self.known.iter().filter(|known| !known.is_word);
        let values = strong.map(|known| self.index.text(known.text));
        values.filter(|value| value.len() <= WHOLE)
    }

    /// The known values in a text.
    pub(crate) fn find<'s>(&'s self, text: &[u8], found: &mut Vec<Seen<'s>>) {
        // A run or a beginning that was seen is replaced to its end.
        let mut done = 0;
        self.index.find(text, &mut |&(number, form), range| {
            let known = &self.known[number as usize];
            let value = self.index.text(known.text);
            let is_done = range.start < done && form != Form::Whole;
            let seen = match form {
                _ if is_done => None,
                Form::Whole if known.is_word && !is_alone(text, &range) => None,
                Form::Dashed if !is_alone(text, &range) => None,
                Form::Whole | Form::Dashed | Form::Hex => Some((range, form == Form::Hex)),
                Form::Beginning => cut(text, &range, value).map(|range| (range, false)),
                Form::Base64 => Some((run(text, range), true)),
            };
            let Some((range, encoded)) = seen else { return false };
            if form == Form::Beginning || encoded {
                done = range.end;
            }
            let alias = self.aliases.get(&number);
            found.push(Seen { known, alias, value, range, encoded });
            true
        });
    }
}

/// Whether a value is made by chance: wherever it is, it is that value.
pub(crate) fn is_strong(value: &[u8]) -> bool {
    let is_id = value.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
    let is_number = value.iter().all(u8::is_ascii_digit);
    let has_space = value.iter().any(u8::is_ascii_whitespace);
    !is_number
        && (!is_id || value.len() > 40)
        && (is_random(value) || (has_space && value.len() > 200))
}

/// Whether a value is worth looking for: it is no word of every text.
pub(crate) fn is_worth(value: &[u8]) -> bool {
    // One of letters only is a word of other texts too.
    let letters = value.iter().all(u8::is_ascii_alphabetic);
    value.len() >= SHORT
        && entropy(value) >= ENTROPY
        && !value.trim_ascii().is_empty()
        && (!letters || is_strong(value))
}

/// Whether the value of a name that says that it gives access is looked for elsewhere too: a short
/// one, a word, a number, a path or a host is also something else.
pub(crate) fn is_worth_elsewhere(value: &[u8]) -> bool {
    is_worth(value) && !naming::is_plain(value) && !value.starts_with(b"/")
}

/// The number of texts that are looked for, and of their bytes, at most.
fn room(values: &[Sought<'_>]) -> (usize, usize) {
    // The two forms of hexadecimal digits have four times the bytes, the six of Base64 eight times.
    let (mut texts, mut bytes) = (0, 0);
    for (number, Sought { value, .. }) in (0u32..).zip(values) {
        let is_long = value.len() >= LONG;
        texts += 1 + usize::from(is_long);
        bytes += value.len() + if is_long { BEGINNING } else { 0 };
        if number < ALL && value.len() <= WHOLE {
            (texts, bytes) = (texts + 9, bytes + 13 * value.len());
        }
    }
    (texts, bytes)
}

/// A value as it is in the name of a folder that an agent made of a path, if it is another text.
fn dashed(value: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(value).ok()?;
    let dashed: String = text
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
        .collect();
    let says = dashed.bytes().filter(u8::is_ascii_alphanumeric).count() >= SHORT;
    (says && dashed.as_bytes() != value).then(|| dashed.into_bytes())
}

/// Gives the encoded forms of a value to `take`.
fn encoded(value: &[u8], mut take: impl FnMut(Form, &[u8])) {
    let mut last = Vec::new();
    let mut form = |form, text: Vec<u8>| {
        if text.len() >= ENCODED && text != last {
            take(form, &text);
            last = text;
        }
    };
    for digits in [b"0123456789abcdef", b"0123456789ABCDEF"] {
        let pair = |byte: &u8| [byte >> 4, byte & 15].map(|half| digits[usize::from(half)]);
        form(Form::Hex, value.iter().flat_map(pair).collect());
    }
    for shift in 0..3 {
        for text in aligned(value, shift) {
            form(Form::Base64, text);
        }
    }
}

/// The digits of Base64 that a value has wherever it begins `shift` bytes after a group of three.
fn aligned(value: &[u8], shift: usize) -> [Vec<u8>; 2] {
    let padded = [&[0; 3][..shift], value].concat();
    // The first digits have bits of what is before, the last one may have bits of what follows.
    let first = (shift * 8).div_ceil(6);
    let last = padded.len() * 8 / 6;
    [STANDARD_NO_PAD.encode(&padded), URL_SAFE_NO_PAD.encode(&padded)]
        .map(|digits| digits.as_bytes().get(first..last).unwrap_or_default().to_vec())
}

fn is_alone(text: &[u8], range: &Range<usize>) -> bool {
    let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let before = range.start.checked_sub(1).and_then(|before| text.get(before));
    !is_letter(before) && !is_letter(text.get(range.end))
}

/// A known value whose end is cut off: half of it or much, up to where the token ends.
fn cut(text: &[u8], beginning: &Range<usize>, value: &[u8]) -> Option<Range<usize>> {
    let rest = text[beginning.end..].iter().zip(&value[BEGINNING..]).take(WHOLE);
    let end = beginning.end + rest.take_while(|(a, b)| a == b).count();
    let length = end - beginning.start;
    let ends = text.get(end).is_none_or(|&byte| !is_token(byte) || byte == b'.')
        || length >= BEGINNING + WHOLE;
    (ends && length < value.len() && (length * 2 >= value.len() || length >= 20))
        .then_some(beginning.start..end)
}

/// The whole run of Base64 around a range.
fn run(text: &[u8], range: Range<usize>) -> Range<usize> {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/-_=".contains(byte);
    let before = text[..range.start].iter().rev().take_while(|byte| is_digit(byte)).count();
    let behind = text[range.end..].iter().take_while(|byte| is_digit(byte)).count();
    range.start - before..range.end + behind
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(value: &str) -> Sought<'_> {
        Sought::found(Class::Password, value.as_bytes())
    }

    fn sweep(text: &str, value: &str) -> Vec<String> {
        let sweep = Sweep::of(vec![known(value)]);
        let mut found = Vec::new();
        sweep.find(text.as_bytes(), &mut found);
        found.iter().map(|seen| text[seen.range.clone()].to_owned()).collect()
    }

    #[test]
    fn a_value_is_found_in_each_form() {
        let value = "correct-Horse7";
        assert_eq!(sweep("echo correct-Horse7!", value), [value]);
        for shift in 0..3 {
            let digits = STANDARD_NO_PAD.encode(format!("{}{value} more", "x".repeat(shift)));
            assert_eq!(sweep(&format!("= {digits} ."), value), [&*digits], "{shift}");
        }
        assert_eq!(sweep("636f72726563742d486f72736537", value).len(), 1);
    }

    #[test]
    fn a_value_whose_end_is_cut_is_found() {
        let value = "abcdefgh12345678ijklmnop90";
        assert_eq!(sweep("key abcdefgh12345678ijklm...", value), ["abcdefgh12345678ijklm"]);
        assert!(sweep("key abcdefgh12345678zzzzzzzz", value).is_empty());
    }

    #[test]
    fn a_value_that_is_also_something_else_is_not_looked_for() {
        assert!(is_worth_elsewhere(b"Qz7wK2mRt9"));
        for value in ["4711", "garden-shop", "/srv/data/key", "db.shop.test", "hunter2"] {
            assert!(!is_worth_elsewhere(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn a_word_is_found_alone_only() {
        let word = Sought { is_name: true, ..known("alice") };
        let sweep = Sweep::of(vec![word]);
        let mut found = Vec::new();
        sweep.find(b"malice by alice, alice2", &mut found);
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn many_values_take_little_more_memory_than_themselves() {
        let count = 3 * ALL as usize;
        let value = |number: usize| format!("{number:08}-qwertz-uiop-{number:08}");
        let values: Vec<String> = (0..count).map(value).collect();
        let length = values[0].len();
        let sweep = Sweep::of(values.iter().map(|value| known(value)).collect());
        // Each value and its beginning, and all forms of some.
        let most = count * (length + BEGINNING) + ALL as usize * 10 * length;
        assert!(sweep.index.length() <= most, "{} of {most}", sweep.index.length());
        for number in [0, count / 2, count - 1] {
            let (text, mut found) = (format!("x {} y", value(number)), Vec::new());
            sweep.find(text.as_bytes(), &mut found);
            assert!(found.iter().any(|seen| seen.range == (2..2 + length)), "{number}");
        }
    }

    #[test]
    fn values_that_begin_alike_are_each_found() {
        let values = ["q7Zk-x9Lw2-12", "q7Zk-x9Lw2-1234", "q7Zk-x9Lw2-1299"].map(known);
        let sweep = Sweep::of(values.to_vec());
        let mut found = Vec::new();
        sweep.find(b"q7Zk-x9Lw2-1 q7Zk-x9Lw2-12 q7Zk-x9Lw2-1234x q7Zk-x9Lw2-1299", &mut found);
        let found: Vec<usize> = found.iter().map(|seen| seen.range.len()).collect();
        assert_eq!(found, [13, 15, 15]);
    }
}
