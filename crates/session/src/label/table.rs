//! Tables of names. The engine that walks is the only code that labels fields (`label_cache`
//! repeats its work).
//!
//! A format's tables give names their meanings. They can't skip, move or copy a value, so no reader
//! can lose one. Each member of each object walked is exactly one field or one descent.

use crate::json::name::Name;
use crate::json::node::Node;
use crate::json::value;
use crate::label::injected::Injected;
use crate::label::slot::{Kind, Slot};

/// Meaning of one native name in a table.
#[derive(Clone, Copy, Debug)]
pub enum Row {
    /// The value has this meaning.
    Is(Slot),
    /// Known, without a canonical meaning.
    Kept,
    /// An object with a table of its own; its members belong to the same event. A value that is not
    /// an object has the slot's meaning itself.
    Within(Slot, &'static Map),
    /// An array, some of whose elements are separate events. A value that is not an array has the
    /// slot's meaning itself.
    Each(Slot, Choose),
    /// An object that is a separate event, if the function returns a case.
    One(Slot, Choose),
    /// A value with this meaning that the event owns whole. If it is an object, a table reads it
    /// too.
    View(Slot, &'static Map),
}

/// Case selection: the case of a value; `None` if it is not a separate event.
pub type Choose = fn(Node<'_>) -> Option<&'static Case>;

/// Table of one object's native names. Made by [`crate::map!`].
#[derive(Debug)]
pub struct Map {
    /// The rows in their written order.
    pub rows: &'static [Named],
    /// Hash of a name to 1 + its row, open addressing.
    slots: [u8; SLOTS],
}

/// A row with its name: a cache line each.
#[repr(align(64))]
#[derive(Debug)]
pub struct Named {
    name: Name,
    /// The name as written in the source.
    pub text: &'static str,
    /// Its meaning.
    pub row: Row,
}

impl Named {
    /// A row with this name.
    #[must_use]
    pub const fn new(text: &'static str, row: Row) -> Self {
        Self { name: Name::of(text.as_bytes()), text, row }
    }
}

const SLOTS: usize = 256;

/// The number of no row.
pub(crate) const NO_ROW: usize = usize::MAX;

impl Map {
    /// A table of at most 200 rows with unique names.
    #[must_use]
    pub const fn new(rows: &'static [Named]) -> Self {
        assert!(rows.len() <= 200, "a table holds at most 200 rows");
        let mut slots = [0u8; SLOTS];
        let mut row = 0;
        while row < rows.len() {
            let mut at = rows[row].name.hash() as usize;
            while slots[at] != 0 {
                let other = rows[slots[at] as usize - 1].text;
                assert!(!same(other, rows[row].text), "a name is there twice");
                at = (at + 1) % SLOTS;
            }
            slots[at] = row as u8 + 1;
            row += 1;
        }
        Self { rows, slots }
    }

    /// The row of a name (as written in the source; its escapes are resolved).
    #[must_use]
    pub fn row(&self, name: &[u8]) -> Option<&Row> {
        self.at(self.find_at((name, 0, u32::try_from(name.len()).ok()?)))
    }

    /// The number of the row of an object's member: 0 for the first, [`NO_ROW`] for none.
    #[inline(always)]
    pub(crate) fn find(&self, member: Node<'_>) -> usize {
        self.find_at(member.named())
    }

    /// The row with this number.
    #[inline(always)]
    pub(crate) fn at(&self, number: usize) -> Option<&Row> {
        self.rows.get(number).map(|named| &named.row)
    }

    #[inline(always)]
    fn find_at(&self, place: (&[u8], u32, u32)) -> usize {
        match self.look(place) {
            NO_ROW => self.unescaped(place).unwrap_or(NO_ROW),
            number => number,
        }
    }

    /// The row of a name that is written with escapes (`"\u0069d"`): no row is named so.
    #[cold]
    #[inline(never)]
    fn unescaped(&self, (text, start, end): (&[u8], u32, u32)) -> Option<usize> {
        let name = text.get(start as usize..end as usize)?;
        memchr::memchr(b'\\', name)?;
        let name = value::unescape(name);
        Some(self.look((name.as_bytes(), 0, u32::try_from(name.len()).ok()?)))
    }

    #[inline(always)]
    fn look(&self, place: (&[u8], u32, u32)) -> usize {
        let name = Name::at(place.0, place.1, place.2);
        let mut at = name.hash();
        loop {
            // Zero is for none.
            let number = usize::from(self.slots[usize::from(at)]).wrapping_sub(1);
            let Some(named) = self.rows.get(number) else { return NO_ROW };
            if name.is(place, named.name, named.text.as_bytes()) {
                return number;
            }
            at = at.wrapping_add(1);
        }
    }
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// The table of an unknown object.
pub static UNKNOWN: Map = Map::new(&[]);

/// One type of event: its kind, and the table of its members.
pub struct Case {
    /// Its name in documents: an event type if the kind is [`Kind::Notice`] (unless a field with
    /// [`Slot::Name`] or [`Slot::Type`] is more specific), else a name for people.
    pub name: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// The table of its members.
    pub map: &'static Map,
    /// A second event made from the same value (a fused call and result). A member with a meaning
    /// in either table is native in neither; the other members belong to the first.
    pub also: Option<&'static Case>,
    /// The reason why its text is not a person's or the model's.
    pub injected: Option<Injected>,
    /// Whether it is a top-level event although its bytes are within another's.
    pub top: bool,
    /// If the value is an array: selection of the elements that are separate events.
    pub elements: Option<Choose>,
    /// Slots with a fixed value, without a field.
    pub constants: &'static [(Slot, &'static str)],
}

impl Case {
    /// A case without any of the rarer properties.
    #[must_use]
    pub const fn new(name: &'static str, kind: Kind, map: &'static Map) -> Self {
        let (also, elements, constants): (_, _, &[_]) = (None, None, &[]);
        Self { name, kind, map, also, injected: None, top: false, elements, constants }
    }

    /// Whether no table knows the record. A format that reads names of such a record all the same
    /// (so that it stays in the chain of messages) gives its case the same name.
    #[must_use]
    pub fn is_strange(&self) -> bool {
        self.name == STRANGE.name
    }

    /// The case, as the agent's own text: it never opens a turn.
    #[must_use]
    pub const fn injected(self) -> Self {
        self.injected_as(Injected::Context)
    }

    /// The case, as a text that is not a person's or the model's, for this reason.
    #[must_use]
    pub const fn injected_as(mut self, reason: Injected) -> Self {
        self.injected = Some(reason);
        self
    }

    /// The case, as a top-level event.
    #[must_use]
    pub const fn top(mut self) -> Self {
        self.top = true;
        self
    }

    /// The case, also for an array: `choose` selects the elements that are events.
    #[must_use]
    pub const fn each(mut self, choose: Choose) -> Self {
        self.elements = Some(choose);
        self
    }

    /// The case, with a second event from the same value.
    #[must_use]
    pub const fn also(mut self, second: &'static Case) -> Self {
        self.also = Some(second);
        self
    }

    /// The case, with fixed slots.
    #[must_use]
    pub const fn with(mut self, constants: &'static [(Slot, &'static str)]) -> Self {
        self.constants = constants;
        self
    }
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Bytes that are not JSON.
pub static OPAQUE: Case = Case::new("opaque", Kind::Opaque, &UNKNOWN).injected();

/// JSON without a case.
pub static STRANGE: Case = Case::new("unknown", Kind::Notice, &UNKNOWN);

/// Writes a [`Map`] as a table: `map! { "uuid" => is(Id), "message" => within(Native, &MESSAGE) }`.
///
/// Rows: `is(Slot)`, `kept`, `within(Slot, &MAP)`, `each(Slot, choose)`, `one(Slot, choose)`,
/// `view(Slot, &MAP)`; and `kept ["a", "b"]` for several names.
#[macro_export]
macro_rules! map {
    ($($rows:tt)*) => {
        $crate::Map::new($crate::rows!([] $($rows)*))
    };
}

/// The rows of a [`map!`]: those that are made, and those that follow.
#[macro_export]
macro_rules! rows {
    ([$($made:tt)*]) => {
        &[$($made)*]
    };
    ([$($made:tt)*] kept [$($name:literal),+ $(,)?] $(, $($rest:tt)*)?) => {
        $crate::rows!([
            $($made)* $($crate::Named::new($name, $crate::Row::Kept),)+
        ] $($($rest)*)?)
    };
    ([$($made:tt)*] $name:literal => $row:ident $(($($arg:tt)*))? $(, $($rest:tt)*)?) => {
        $crate::rows!([
            $($made)* $crate::Named::new($name, $crate::row!($row $(($($arg)*))?)),
        ] $($($rest)*)?)
    };
}

/// One row of a [`map!`].
#[macro_export]
macro_rules! row {
    (kept) => {
        $crate::Row::Kept
    };
    (is($slot:ident)) => {
        $crate::Row::Is($crate::Slot::$slot)
    };
    (within($slot:ident, $map:expr)) => {
        $crate::Row::Within($crate::Slot::$slot, $map)
    };
    (each($slot:ident, $choose:expr)) => {
        $crate::Row::Each($crate::Slot::$slot, $choose)
    };
    (one($slot:ident, $choose:expr)) => {
        $crate::Row::One($crate::Slot::$slot, $choose)
    };
    (view($slot:ident, $map:expr)) => {
        $crate::Row::View($crate::Slot::$slot, $map)
    };
}
