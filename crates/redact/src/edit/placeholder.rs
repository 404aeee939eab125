//! Placeholders: what is written in place of a value, such as `[REDACTED:password:K3J5QZ7RMA]`.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use hmac::{Hmac, Mac};
use sha2::{Digest as _, Sha256};

use crate::rules::Class;

/// The key of the tags of placeholders. A fresh one for each share means that the tags of two
/// shares can't be compared.
#[derive(Clone)]
pub struct TagKey(Making);

/// The way in which tags are made.
#[derive(Clone)]
enum Making {
    /// Of the value, by a key.
    Keyed([u8; 32]),
    /// All are [`Tag::NONE`].
    None,
    /// Each new value gets the next number.
    Numbered(Arc<Mutex<Numbers>>),
}

/// The numbers of values.
type Numbers = BTreeMap<(Class, Box<[u8]>), u64>;

impl std::fmt::Debug for TagKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TagKey")
    }
}

/// The digits of a tag (RFC 4648, section 6).
const DIGITS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/// The number of digits of a tag: 50 bits.
const TAG: usize = 10;
const HEAD: &[u8] = b"[REDACTED:";

/// The tag of a placeholder, such as `K3J5QZ7RMA`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag([u8; TAG]);

impl Tag {
    /// The tag of a placeholder that was made without a key: it tells nothing of the value.
    pub const NONE: Self = Self([DIGITS[0]; TAG]);

    /// The tag of the first 50 of these bits.
    fn of_bits(bits: u64) -> Self {
        Self(std::array::from_fn(|at| DIGITS[(bits >> (59 - 5 * at)) as usize & 31]))
    }

    /// Its digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // Each is one of `DIGITS`.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl std::fmt::Display for Tag {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

impl TagKey {
    /// A key of these bytes, which must be random.
    #[must_use]
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(Making::Keyed(bytes))
    }

    /// No key: what is redacted then depends on nothing else, and no two values can be compared.
    #[must_use]
    pub const fn none() -> Self {
        Self(Making::None)
    }

    /// No key, for one session alone: its values get numbers as tags, in the order in which they
    /// are found. A file may link two records by a value, and these stay linked.
    #[must_use]
    pub fn numbered() -> Self {
        Self(Making::Numbered(Arc::default()))
    }

    /// Whether tags are made by a key, so that those of several sessions can be compared.
    #[must_use]
    pub const fn is_keyed(&self) -> bool {
        matches!(self.0, Making::Keyed(_))
    }

    /// A key made of the bytes of a file; `None` if they are too few to be one.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Self> {
        (bytes.len() >= 16).then(|| Self::new(Sha256::digest(bytes).into()))
    }

    /// The tag of a value: the same for the same class, value and key.
    #[must_use]
    pub fn tag(&self, class: Class, value: &[u8]) -> Tag {
        let key = match &self.0 {
            Making::Keyed(key) => key,
            Making::None => return Tag::NONE,
            Making::Numbered(numbers) => {
                let mut numbers = numbers.lock().unwrap_or_else(PoisonError::into_inner);
                let next = numbers.len() as u64 + 1;
                let number = *numbers.entry((class, value.into())).or_insert(next);
                return Tag::of_bits(number << 14);
            }
        };
        // Any length of key is one of HMAC (RFC 2104).
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return Tag::NONE };
        mac.update(class.name().as_bytes());
        mac.update(&[0]);
        mac.update(value);
        let digest = mac.finalize().into_bytes();
        let bits = digest.iter().take(8).fold(0u64, |bits, &byte| bits << 8 | u64::from(byte));
        Tag::of_bits(bits)
    }

    /// The placeholder of a value. Its characters are the same in JSON at any depth.
    #[must_use]
    pub fn placeholder(&self, class: Class, value: &[u8]) -> String {
        format!("[REDACTED:{}:{}]", class.name(), self.tag(class, value))
    }
}

/// The least number of bytes beside a placeholder that can be a value.
const REST: usize = 8;

/// Whether a range of a text is a placeholder, or too little beside it to be a value.
pub(crate) fn is_replaced(text: &[u8], start: usize, end: usize) -> bool {
    // A placeholder is at most this long.
    let from = start.saturating_sub(64);
    // Of one, a range may have the first letters alone.
    let Some(near) = text.get(from..text.len().min(end + HEAD.len())) else { return false };
    let (mut covered, mut any) = (0, false);
    for at in memchr::memmem::find_iter(near, HEAD) {
        let begin = from + at;
        let Some(length) = length(&text[begin..]) else { continue };
        let common = (begin + length).min(end).saturating_sub(begin.max(start));
        any |= common > 0;
        covered += common;
    }
    any && end - start < covered + REST
}

/// A text in which each placeholder has the tag of those that were made without a key.
#[must_use]
pub fn without_tags(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for range in ranges(text.as_bytes()) {
        bytes[range.end - 1 - TAG..range.end - 1].copy_from_slice(&Tag::NONE.0);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The placeholders of a text.
pub(crate) fn ranges(text: &[u8]) -> Vec<Range<usize>> {
    let all = memchr::memmem::find_iter(text, HEAD);
    all.filter_map(|at| Some(at..at + length(&text[at..])?)).collect()
}

/// Whether all bytes of a range are those of one placeholder.
pub(crate) fn is_part(text: &[u8], start: usize, end: usize) -> bool {
    let near = text.get(start.saturating_sub(64)..text.len().min(start + HEAD.len()));
    let Some(near) = near else { return false };
    memchr::memmem::rfind(near, HEAD).is_some_and(|at| {
        let begin = start.saturating_sub(64) + at;
        length(&text[begin..]).is_some_and(|length| end <= begin + length)
    })
}

/// Whether a text is a placeholder and nothing else.
pub(crate) fn is_whole(text: &[u8]) -> bool {
    length(text) == Some(text.len())
}

/// Whether a text is what edits write and nothing else: placeholders, their quotes, and words for
/// names, such as `user1`.
pub(crate) fn is_written(text: &[u8]) -> bool {
    let mut rest = text;
    loop {
        let is_quote = rest.first() == Some(&b'"');
        let word = rest.strip_prefix(b"user").or_else(|| rest.strip_prefix(b"host"));
        let digits =
            word.map_or(0, |word| word.iter().take_while(|it| it.is_ascii_digit()).count());
        rest = match (length(rest), word) {
            (Some(length), _) => &rest[length..],
            (None, Some(word)) if digits > 0 => &word[digits..],
            _ if is_quote => &rest[1..],
            _ => return rest.is_empty(),
        };
    }
}

/// The length of the placeholder at the beginning of a text. Its class is one that exists: of
/// another word, nobody knows what it is.
fn length(text: &[u8]) -> Option<usize> {
    let rest = text.strip_prefix(HEAD)?;
    let class = rest.iter().take(32).position(|&byte| byte == b':')?;
    let is_class = std::str::from_utf8(&rest[..class]).is_ok_and(|of| Class::named(of).is_some());
    let tag = rest.get(class + 1..class + 1 + TAG)?;
    let is_tag = tag.iter().all(|byte| DIGITS.contains(byte));
    let closed = rest.get(class + 1 + TAG) == Some(&b']');
    (is_class && is_tag && closed).then_some(HEAD.len() + class + TAG + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_of_its_key_class_and_value() {
        let key = TagKey::new([7; 32]);
        let one = key.placeholder(Class::Password, b"abc");
        assert_eq!(one, key.placeholder(Class::Password, b"abc"));
        let others = [
            key.tag(Class::Password, b"abd"),
            key.tag(Class::Header, b"abc"),
            TagKey::new([8; 32]).tag(Class::Password, b"abc"),
        ];
        assert!(others.iter().all(|other| !one.contains(other.as_str())));
        assert_eq!(length(one.as_bytes()), Some(one.len()));
    }

    #[test]
    fn without_a_key_all_placeholders_are_equal_and_are_recognised() {
        let key = TagKey::none();
        let one = key.placeholder(Class::Password, b"abc");
        assert_eq!(one, key.placeholder(Class::Password, b"abd"));
        assert_eq!(key.tag(Class::Header, b"abc"), Tag::NONE);
        assert_eq!(length(one.as_bytes()), Some(one.len()));
        let numbered = TagKey::numbered();
        let of = |value: &[u8]| numbered.placeholder(Class::Password, value);
        let (first, second, again) = (of(b"abd"), of(b"abc"), of(b"abd"));
        assert!(first == again && first != second && first != one && second != one);
        assert_eq!(first, TagKey::numbered().placeholder(Class::Password, b"another"));
        let text = format!("a {first}{second} b {}", &first[..20]);
        assert_eq!(without_tags(&text), format!("a {one}{one} b {}", &first[..20]));
    }

    #[test]
    fn a_placeholder_is_recognised_wherever_it_is_touched() {
        let key = TagKey::new([7; 32]);
        let text = format!("password={} and more", key.placeholder(Class::Password, b"abc"));
        let text = text.as_bytes();
        let end = text.len() - " and more".len();
        assert!(is_replaced(text, 9, end) && is_replaced(text, 20, 25));
        assert!(is_replaced(text, 4, end + 2));
        assert!(!is_replaced(text, 0, 9) && !is_replaced(text, end, text.len()));
        assert!(!is_replaced(text, 9, text.len()), "eight bytes more");
        assert!(!is_replaced(b"[REDACTED:x:short]", 0, 18));
        assert!(is_replaced(text, 9, 17), "its first letters");
        let other = b"[REDACTED:kd8wqz5rt1xm:K3J5QZ7RMA]";
        assert!(!is_replaced(other, 0, other.len()), "its class is none");
        assert_eq!(ranges(text).first(), Some(&(9..end)));
        assert!(ranges(other).is_empty());
        let written = |text: &str| is_written(text.as_bytes());
        let one = TagKey::none().placeholder(Class::Email, b"abc");
        assert!(written("") && written(&one) && written(&format!("\"{one}\"{one}user12host1")));
        assert!(!written("user") && !written("user1 ") && !written(&format!("{one}abc")));
        assert!(!written(&one[1..]));
    }

    #[test]
    fn a_part_of_a_placeholder_is_no_byte_more() {
        let one = TagKey::new([7; 32]).placeholder(Class::Password, b"abc");
        let (text, length) = (format!("a {one}{one} b"), one.len());
        let is_part = |start, end| is_part(text.as_bytes(), start, end);
        assert!(is_part(2, 2 + length) && is_part(3, 9) && is_part(20, 2 + length));
        assert!(is_part(2 + length, 2 + 2 * length) && is_part(1 + 2 * length, 2 + 2 * length));
        assert!(!is_part(1, 9) && !is_part(20, 3 + length) && !is_part(0, 1));
        assert!(!is_part(2 + 2 * length, 4 + 2 * length));
    }
}
