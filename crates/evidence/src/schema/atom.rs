//! Atoms: the parts of a compiled schema, sets of them, and the classes of map keys.
//!
//! A CDDL type is a set of atoms. A value matches the type if it matches one of its atoms. Sets
//! make choices free: all alternatives of an entry are checked together, each value once.

use std::ops::{BitAnd, BitOr, BitOrAssign};

use regex::Regex;

use crate::value::{Value, ValueKind};

/// Up to [`TypeSet::CAPACITY`] atoms, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct TypeSet(u128);

impl TypeSet {
    pub(super) const CAPACITY: usize = 128;
    pub(super) const EMPTY: TypeSet = TypeSet(0);
    pub(super) const ANY: TypeSet = TypeSet::of(ANY);

    pub(super) const fn of(atom: usize) -> TypeSet {
        TypeSet(1 << atom)
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the sets have an atom in common.
    pub(super) fn meets(self, other: TypeSet) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn without(self, other: TypeSet) -> TypeSet {
        TypeSet(self.0 & !other.0)
    }

    pub(super) fn atoms(self) -> impl Iterator<Item = usize> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let atom = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (atom < TypeSet::CAPACITY).then_some(atom)
        })
    }
}

impl BitOr for TypeSet {
    type Output = TypeSet;
    fn bitor(self, other: TypeSet) -> TypeSet {
        TypeSet(self.0 | other.0)
    }
}

impl BitOrAssign for TypeSet {
    fn bitor_assign(&mut self, other: TypeSet) {
        self.0 |= other.0;
    }
}

impl BitAnd for TypeSet {
    type Output = TypeSet;
    fn bitand(self, other: TypeSet) -> TypeSet {
        TypeSet(self.0 & other.0)
    }
}

pub(super) const ANY: usize = 0;
pub(super) const UINT: usize = 1;
pub(super) const NINT: usize = 2;
pub(super) const BYTES: usize = 3;
pub(super) const TEXT: usize = 4;
pub(super) const FALSE: usize = 5;
pub(super) const TRUE: usize = 6;
pub(super) const NULL: usize = 7;
pub(super) const UNDEFINED: usize = 8;
pub(super) const FLOAT16: usize = 9;
pub(super) const FLOAT32: usize = 10;
pub(super) const FLOAT64: usize = 11;
/// The atoms with lower numbers are the basic types, in this order.
pub(super) const BASIC: usize = 12;

/// One way for a value to be valid.
#[derive(Debug)]
pub(super) enum Atom {
    /// A basic type: its number is below [`BASIC`].
    Basic,
    Text(String),
    Integer(i128),
    Regexp(Regex),
    /// A byte string with one embedded CBOR item.
    Embedded(TypeSet),
    Tagged(u64, TypeSet),
    Array(Vec<Item>),
    Map(MapType),
}

/// An entry of an array.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub(super) least: u32,
    pub(super) most: u32,
    pub(super) set: TypeSet,
}

#[derive(Debug)]
pub(super) struct MapType {
    pub(super) members: Vec<Member>,
    /// For each key class the entries that may take such a member, in order, up to one that cuts
    /// (RFC 8610, section 3.5.4).
    pub(super) takers: Vec<Vec<usize>>,
    /// For each key class the types by which its values are checked.
    pub(super) wanted: Vec<TypeSet>,
}

impl MapType {
    /// Largest number of entries of a map.
    pub(super) const MEMBERS: usize = 32;
}

/// An entry of a map.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) least: u32,
    pub(super) most: u32,
    pub(super) keys: KeyPattern,
    pub(super) cut: bool,
    pub(super) set: TypeSet,
    /// Its text in the schema.
    pub(super) text: String,
}

/// The keys that an entry takes.
#[derive(Debug, Default)]
pub(super) struct KeyPattern {
    pub(super) literals: Vec<Key>,
    /// Whole types, as a set of basic atoms.
    pub(super) types: TypeSet,
}

/// A key that a schema names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    Text(String),
    Integer(i128),
}

/// Key classes: one for each key that the schema names, and one for each kind of other keys.
#[derive(Debug, Default)]
pub(super) struct KeyClasses {
    named: Vec<Key>,
    /// Named texts by their length.
    texts: Vec<Vec<(String, usize)>>,
}

impl KeyClasses {
    /// The basic types of unnamed keys; the last is for keys of any other kind.
    const OTHERS: [usize; 5] = [TEXT, UINT, NINT, BYTES, ANY];

    pub(super) fn name(&mut self, key: &Key) {
        if self.named.contains(key) {
            return;
        }
        if let Key::Text(text) = key {
            if self.texts.len() <= text.len() {
                self.texts.resize(text.len() + 1, Vec::new());
            }
            self.texts[text.len()].push((text.clone(), self.named.len()));
        }
        self.named.push(key.clone());
    }

    pub(super) fn count(&self) -> usize {
        self.named.len() + Self::OTHERS.len()
    }

    /// Whether an entry with this pattern takes keys of a class.
    pub(super) fn takes(&self, pattern: &KeyPattern, class: usize) -> bool {
        let basic = match self.named.get(class) {
            Some(key) if pattern.literals.contains(key) => return true,
            Some(Key::Text(_)) => TEXT,
            Some(Key::Integer(n)) if *n < 0 => NINT,
            Some(Key::Integer(_)) => UINT,
            None => Self::OTHERS[class - self.named.len()],
        };
        pattern.types.meets(TypeSet::of(basic) | TypeSet::ANY)
    }

    pub(super) fn class(&self, key: Value<'_>) -> usize {
        let integer = |n: i128| self.named.iter().position(|key| *key == Key::Integer(n));
        let (named, other) = match key.kind() {
            ValueKind::Text => (self.text_class(key), 0),
            ValueKind::Uint => (integer(key.argument().into()), 1),
            ValueKind::Nint => (integer(-1 - i128::from(key.argument())), 2),
            ValueKind::Bytes => (None, 3),
            _ => (None, 4),
        };
        named.unwrap_or(self.named.len() + other)
    }

    fn text_class(&self, key: Value<'_>) -> Option<usize> {
        let text = key.text()?;
        let (_, class) = self.texts.get(text.len())?.iter().find(|(named, _)| *named == text)?;
        Some(*class)
    }
}
