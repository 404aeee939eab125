//! Tables that name, and the engine that walks: the only code that labels fields (`plan` repeats
//! what it did).
//!
//! A format's tables say what a name means; they cannot skip, move or copy a value, so no reader
//! can lose one. Each member of each object walked is exactly one field or one descent.

use crate::json::name::Name;
use crate::json::node::Node;
use crate::json::value;
use crate::label::slot::{Kind, Slot};

/// What a table says of one native name.
#[derive(Clone, Copy)]
pub enum Row {
    /// The value has this meaning.
    Is(Slot),
    /// Known, and without a canonical meaning.
    Kept,
    /// An object whose members another table names; they belong to the same event. Where the
    /// value is no object, it has the slot's meaning itself.
    Within(Slot, &'static Map),
    /// An array, some of whose elements are events of their own. Where the value is no array, it
    /// has the slot's meaning itself.
    Each(Slot, Choose),
    /// An object that is an event of its own, if the function says so.
    One(Slot, Choose),
    /// The value has this meaning and is the event's own, whole; where it is an object, a table
    /// reads in it too.
    View(Slot, &'static Map),
}

/// Tells which kind of event a value is; `None` where it is no event of its own.
pub type Choose = fn(Node<'_>) -> Option<&'static Case>;

/// The meaning of native names: one object's table. Made by [`crate::map!`].
pub struct Map {
    /// The rows as written.
    pub rows: &'static [Named],
    /// Hash of a name to 1 + its row, open addressing.
    slots: [u8; SLOTS],
}

/// A row with its name: a cache line each.
#[repr(align(64))]
pub struct Named {
    name: Name,
    /// The name as written in the source.
    pub text: &'static str,
    /// What the table says of it.
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

impl Map {
    /// A table of at most 200 rows, each name once.
    #[must_use]
    pub const fn new(rows: &'static [Named]) -> Self {
        assert!(rows.len() <= 200, "a table holds at most 200 rows");
        let mut slots = [0u8; SLOTS];
        let mut row = 0;
        while row < rows.len() {
            let mut at = rows[row].name.hash() as usize;
            while slots[at] != 0 {
                let other = rows[slots[at] as usize - 1].text;
                assert!(!same(other, rows[row].text), "a name stands twice");
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
        self.find_at((name, 0, u32::try_from(name.len()).ok()?))
    }

    /// The row of an object's member.
    #[inline(always)]
    pub(crate) fn find(&'static self, member: Node<'_>) -> Option<&'static Row> {
        self.find_at(member.named())
    }

    #[inline(always)]
    fn find_at(&self, place: (&[u8], u32, u32)) -> Option<&Row> {
        self.look(place).or_else(|| self.unescaped(place))
    }

    /// The row of a name that is written with escapes (`"\u0069d"`): no row is named so.
    #[cold]
    #[inline(never)]
    fn unescaped(&self, (text, start, end): (&[u8], u32, u32)) -> Option<&Row> {
        let name = text.get(start as usize..end as usize)?;
        memchr::memchr(b'\\', name)?;
        let name = value::unescape(name);
        self.look((name.as_bytes(), 0, u32::try_from(name.len()).ok()?))
    }

    #[inline(always)]
    fn look(&self, place: (&[u8], u32, u32)) -> Option<&Row> {
        let name = Name::at(place.0, place.1, place.2);
        let mut at = name.hash();
        loop {
            let row = usize::from(self.slots[usize::from(at)]);
            // Zero, for none, is no row's number either.
            let named = self.rows.get(row.wrapping_sub(1))?;
            if name.is(place, named.name, named.text.as_bytes()) {
                return Some(&named.row);
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

/// The table of an object of which nothing is known.
pub static UNKNOWN: Map = Map::new(&[]);

/// One kind of event: what it is, and the table that names its members.
pub struct Case {
    /// Its name in documents: an event type where the kind is [`Kind::Notice`] (unless a field
    /// with [`Slot::Name`] or [`Slot::Type`] says it better), else a name for people.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// The names of its members.
    pub map: &'static Map,
    /// A second event made from the same value (a fused call and result). A member that either
    /// table gives a meaning is native in none; leftovers belong to the first.
    pub also: Option<&'static Case>,
    /// True for text that no person typed.
    pub injected: bool,
    /// True for an event that stands by itself although its bytes lie within another's.
    pub top: bool,
    /// Where the value is an array: which of its elements are events of their own.
    pub elements: Option<Choose>,
    /// Meanings that the format fixes without a field for them.
    pub constants: &'static [(Slot, &'static str)],
}

impl Case {
    /// A case without any of the rarer properties.
    #[must_use]
    pub const fn new(name: &'static str, kind: Kind, map: &'static Map) -> Self {
        let (also, elements, constants): (_, _, &[_]) = (None, None, &[]);
        Self { name, kind, map, also, injected: false, top: false, elements, constants }
    }

    /// True for what no table knows. A format that looks names up in such a record all the same
    /// (so that it stays in the chain of messages) gives its case the same name.
    #[must_use]
    pub fn is_strange(&self) -> bool {
        self.name == STRANGE.name
    }

    /// The same, and never opening a turn.
    #[must_use]
    pub const fn injected(mut self) -> Self {
        self.injected = true;
        self
    }

    /// The same, standing by itself.
    #[must_use]
    pub const fn top(mut self) -> Self {
        self.top = true;
        self
    }

    /// The same, also for an array: `choose` tells which elements are events.
    #[must_use]
    pub const fn each(mut self, choose: Choose) -> Self {
        self.elements = Some(choose);
        self
    }

    /// The same, with a second event from the same value.
    #[must_use]
    pub const fn also(mut self, second: &'static Case) -> Self {
        self.also = Some(second);
        self
    }

    /// The same, with fixed meanings.
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
pub static OPAQUE: Case = Case::new("opaque", Kind::Opaque, &UNKNOWN);

/// JSON that no case knows.
pub static STRANGE: Case = Case::new("unknown", Kind::Notice, &UNKNOWN);

/// Writes a [`Map`] as a table: `map! { "uuid" => is(Id), "message" => within(Native, &MESSAGE) }`.
///
/// Rows: `is(Slot)`, `kept`, `within(Slot, &MAP)`, `each(Slot, choose)`, `one(Slot, choose)`,
/// `view(Slot, &MAP)`.
#[macro_export]
macro_rules! map {
    ($($name:literal => $row:ident $(($($arg:tt)*))?),* $(,)?) => {
        $crate::Map::new(&[$($crate::Named::new($name, $crate::row!($row $(($($arg)*))?))),*])
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
