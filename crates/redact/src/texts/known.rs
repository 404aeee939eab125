//! Memory of names and values that were looked at: most of a session's repeat. Agents write
//! the output of a tool two to four times.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use session::{Bundle, Span};

use super::kinds;
use super::marks::Treatment;

/// The longest text that is kept.
const LONG: usize = 64;
/// The largest number of texts that are kept.
const MOST: usize = 1 << 14;

/// The meaning of a name for its value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NameOf {
    /// Nothing, so that no rule goes by it.
    pub(crate) is_plain: bool,
    /// That it can be a piece of a stream.
    pub(crate) is_piece: bool,
    /// That it can be a secret number.
    pub(crate) is_secret: bool,
}

/// The names and values of a bundle that were looked at.
#[derive(Debug, Default)]
pub(crate) struct Looked {
    names: HashMap<Vec<u8>, NameOf, BuildHasherDefault<Mixed>>,
    /// Those in which nothing was found, with their names and treatments.
    clean: HashSet<Vec<u8>, BuildHasherDefault<Mixed>>,
    key: Vec<u8>,
    /// The places of longer values in which nothing was found, by their lengths and some bytes.
    long: HashMap<u64, (u32, Span, Treatment), BuildHasherDefault<Mixed>>,
}

/// A longer value.
#[derive(Clone, Copy)]
pub(crate) struct LongValue<'l> {
    pub(crate) bundle: &'l Bundle,
    pub(crate) member: u32,
    pub(crate) span: Span,
    pub(crate) treatment: Treatment,
}

impl LongValue<'_> {
    /// A digest of its length, its beginning and its end.
    fn digest(&self) -> u64 {
        let value = self.bundle.slice(self.member, self.span);
        let mut hasher = Mixed(value.len() as u64);
        let edge = value.len().min(LONG);
        hasher.write(&value[..edge]);
        hasher.write(&value[value.len() - edge..]);
        hasher.write(&[self.treatment as u8]);
        hasher.finish()
    }
}

impl Looked {
    /// The meaning of a name for its value.
    pub(crate) fn name(&mut self, name: &[u8]) -> NameOf {
        if let Some(known) = self.names.get(name) {
            return *known;
        }
        let facts = NameOf {
            is_plain: kinds::is_plain(name),
            is_piece: kinds::is_piece(name),
            is_secret: kinds::is_secret(name),
        };
        if name.len() <= LONG && self.names.len() < MOST {
            self.names.insert(name.to_vec(), facts);
        }
        facts
    }

    /// Whether a value was looked at before, and nothing was found in it. A name of a member is a
    /// value without a name.
    pub(crate) fn is_clean(&mut self, name: &[u8], value: &[u8], treatment: Treatment) -> bool {
        self.set_key(name, value, treatment) && self.clean.contains(&self.key)
    }

    /// Keeps that nothing was found in a value.
    pub(crate) fn keep(&mut self, name: &[u8], value: &[u8], treatment: Treatment) {
        if self.clean.len() < MOST && self.set_key(name, value, treatment) {
            self.clean.insert(self.key.clone());
        }
    }

    /// Whether a longer value is equal to one in which nothing was found.
    pub(crate) fn is_clean_again(&self, value: LongValue<'_>) -> bool {
        let LongValue { bundle, member, span, treatment } = value;
        let is_long = span.len() > LONG;
        is_long
            && self.long.get(&value.digest()).is_some_and(|&(other, place, of)| {
                of == treatment && bundle.slice(other, place) == bundle.slice(member, span)
            })
    }

    /// Keeps that nothing was found in a longer value.
    pub(crate) fn keep_long(&mut self, value: LongValue<'_>) {
        if value.span.len() > LONG && self.long.len() < MOST {
            let place = (value.member, value.span, value.treatment);
            self.long.entry(value.digest()).or_insert(place);
        }
    }

    fn set_key(&mut self, name: &[u8], value: &[u8], treatment: Treatment) -> bool {
        self.key.clear();
        if name.len() > LONG || value.len() > LONG {
            return false;
        }
        self.key.extend_from_slice(&[treatment as u8, name.len() as u8]);
        self.key.extend_from_slice(name);
        self.key.extend_from_slice(value);
        true
    }
}

/// A hash of short texts, eight bytes at a time. The number of texts that are kept is bounded, so
/// that nothing grows if somebody makes many that are alike.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            let mixed = (self.0.rotate_left(5) ^ u64::from_le_bytes(word))
                .wrapping_mul(0x9e37_79b9_7f4a_7c15);
            self.0 = mixed ^ (mixed >> 29);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_known_with_its_name_and_treatment_only() {
        let mut looked = Looked::default();
        assert!(!looked.is_clean(b"id", b"x", Treatment::Open));
        looked.keep(b"id", b"x", Treatment::Open);
        assert!(looked.is_clean(b"id", b"x", Treatment::Open));
        assert!(!looked.is_clean(b"i", b"dx", Treatment::Open));
        assert!(!looked.is_clean(b"id", b"x", Treatment::Protected));
        let long = [b'x'; LONG + 1];
        looked.keep(b"id", &long, Treatment::Open);
        assert!(!looked.is_clean(b"id", &long, Treatment::Open));
    }

    #[test]
    fn no_more_is_kept_than_the_bound() {
        let mut looked = Looked::default();
        for number in 0..MOST as u32 + 9 {
            looked.keep(b"n", &number.to_le_bytes(), Treatment::Open);
            looked.name(&number.to_le_bytes());
        }
        assert_eq!((looked.clean.len(), looked.names.len()), (MOST, MOST));
        assert!(looked.name(b"my_PASSWORD").is_secret && looked.name(b"delta").is_piece);
    }
}
