//! The tables of all types of events: the names in `names.txt`, which a script takes from the
//! typings of the agent's SDK, with the meanings in `map.rs`. A name without a meaning is kept.
//!
//! The tables are made when the program is compiled. Each type has a table of its data, and one of
//! its line.

use session::{Map, Named, Row, Slot};

use super::map::{ENVELOPE, LABELLED, MEANT};

const TEXT: &[u8] = include_bytes!("names.txt");

/// The number of types of events that are written to a file.
pub(super) const TYPES: usize = count(b"event ", false);
/// The number of names in them: those in the text, and at most all that `map.rs` adds.
const NAMES: usize = count(b"event ", true) + meanings();

/// A line of the text: its words, each with its beginning and its end.
struct Words {
    at: usize,
    end: usize,
}

impl Words {
    /// The words of the line that begins here, and the beginning of the next line.
    const fn of(at: usize) -> (Self, usize) {
        let mut end = at;
        while end < TEXT.len() && TEXT[end] != b'\n' {
            end += 1;
        }
        (Self { at, end }, end + 1)
    }

    /// The next word, without the mark of a required member.
    const fn next(&mut self) -> Option<&'static str> {
        if self.at >= self.end {
            return None;
        }
        let mut to = self.at;
        while to < self.end && TEXT[to] != b' ' {
            to += 1;
        }
        let last = if TEXT[to - 1] == b'!' { to - 1 } else { to };
        let (_, from) = TEXT.split_at(self.at);
        let (word, _) = from.split_at(last - self.at);
        self.at = to + 1;
        match std::str::from_utf8(word) {
            Ok(word) => Some(word),
            Err(_) => None,
        }
    }
}

const fn begins(at: usize, mark: &[u8]) -> bool {
    let mut i = 0;
    while i < mark.len() && at + i < TEXT.len() && TEXT[at + i] == mark[i] {
        i += 1;
    }
    i == mark.len()
}

/// The number of lines that begin with a mark, or of the members in them.
const fn count(mark: &[u8], members: bool) -> usize {
    let (mut at, mut found) = (0, 0);
    while at < TEXT.len() {
        let (mut words, next) = Words::of(at);
        if begins(at, mark) {
            let mut here = 0;
            while words.next().is_some() {
                here += 1;
            }
            found += if members { here - 2 } else { 1 };
        }
        at = next;
    }
    found
}

const fn meanings() -> usize {
    let (mut at, mut found) = (0, 0);
    while at < MEANT.len() {
        found += MEANT[at].1.len();
        at += 1;
    }
    found
}

pub(super) const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// The meanings of a type; none for most.
const fn meant(kind: &str) -> &'static [Named] {
    let mut at = 0;
    while at < MEANT.len() {
        if same(MEANT[at].0, kind) {
            return MEANT[at].1;
        }
        at += 1;
    }
    &[]
}

const fn find(rows: &[Named], name: &str) -> Option<Row> {
    let mut at = 0;
    while at < rows.len() {
        if same(rows[at].text, name) {
            return Some(rows[at].row);
        }
        at += 1;
    }
    None
}

/// All rows, type by type, with the name of each type and the place behind its rows.
struct Built {
    rows: [Named; NAMES],
    types: [(&'static str, usize); TYPES],
}

const fn build() -> Built {
    let mut rows = [const { Named::new("", Row::Kept) }; NAMES];
    let mut types = [("", 0); TYPES];
    let (mut at, mut kind, mut row) = (0, 0, 0);
    while at < TEXT.len() {
        let (mut words, next) = Words::of(at);
        if begins(at, b"event ") {
            let _ = words.next();
            let Some(name) = words.next() else { panic!("an event without a type") };
            let (meant, first) = (meant(name), row);
            while let Some(member) = words.next() {
                let meaning = find(meant, member);
                if !same(member, LABELLED) {
                    let known = match meaning {
                        Some(meaning) => meaning,
                        None => Row::Kept,
                    };
                    rows[row] = Named::new(member, known);
                    row += 1;
                }
            }
            let (mut more, end) = (0, row);
            while more < meant.len() {
                if !has(&rows, first, end, meant[more].text) {
                    rows[row] = Named::new(meant[more].text, meant[more].row);
                    row += 1;
                }
                more += 1;
            }
            types[kind] = (name, row);
            kind += 1;
        }
        at = next;
    }
    Built { rows, types }
}

const fn has(rows: &[Named], first: usize, end: usize, name: &str) -> bool {
    let mut at = first;
    while at < end {
        if same(rows[at].text, name) {
            return true;
        }
        at += 1;
    }
    false
}

static BUILT: Built = build();

/// The tables of the data of events, in the order of the types.
static DATA: [Map; TYPES] = {
    let mut maps = [const { Map::new(&[]) }; TYPES];
    let (mut kind, mut first) = (0, 0);
    while kind < TYPES {
        let end = BUILT.types[kind].1;
        let (_, from) = BUILT.rows.as_slice().split_at(first);
        maps[kind] = Map::new(from.split_at(end - first).0);
        first = end;
        kind += 1;
    }
    maps
};

/// The rows of a line.
const LINE_ROWS: usize = ENVELOPE.len() + 1;

const fn line_of(data: &'static Map) -> [Named; LINE_ROWS] {
    let mut rows = [const { Named::new("", Row::Kept) }; LINE_ROWS];
    let mut at = 0;
    while at < ENVELOPE.len() {
        rows[at] = Named::new(ENVELOPE[at].text, ENVELOPE[at].row);
        at += 1;
    }
    rows[at] = Named::new("data", Row::Within(Slot::Native, data));
    rows
}

static ROWS: [[Named; LINE_ROWS]; TYPES] = {
    let mut all = [const { [const { Named::new("", Row::Kept) }; LINE_ROWS] }; TYPES];
    let mut kind = 0;
    while kind < TYPES {
        all[kind] = line_of(&DATA[kind]);
        kind += 1;
    }
    all
};

static LINES: [Map; TYPES] = {
    let mut maps = [const { Map::new(&[]) }; TYPES];
    let mut kind = 0;
    while kind < TYPES {
        maps[kind] = Map::new(&ROWS[kind]);
        kind += 1;
    }
    maps
};

/// The number of a type; the program does not compile if no type has the name.
const fn number(name: &str) -> usize {
    let mut kind = 0;
    while kind < TYPES {
        if same(BUILT.types[kind].0, name) {
            return kind;
        }
        kind += 1;
    }
    panic!("no type of event has this name")
}

/// The table of the lines of a type.
pub(super) const fn line(name: &str) -> &'static Map {
    &LINES[number(name)]
}

/// The table of the data of a type.
pub(super) const fn data(name: &str) -> &'static Map {
    &DATA[number(name)]
}

/// The name and the table of the lines of the type with this number.
pub(super) const fn numbered(kind: usize) -> (&'static str, &'static Map) {
    (BUILT.types[kind].0, &LINES[kind])
}

/// The number of the type with this name in the file.
pub(super) fn known(name: &[u8]) -> Option<usize> {
    BUILT.types.binary_search_by(|(known, _)| known.as_bytes().cmp(name)).ok()
}

/// The tables of the data of all types, by their names.
pub(super) const fn tables() -> [(&'static str, &'static Map); TYPES] {
    let mut all = [("", data("abort")); TYPES];
    let mut kind = 0;
    while kind < TYPES {
        all[kind] = (BUILT.types[kind].0, &DATA[kind]);
        kind += 1;
    }
    all
}

/// Whether events of this type go to clients alone: no version is known to write one to a file.
pub(super) fn is_for_clients(name: &[u8]) -> bool {
    let lines = TEXT.split(|byte| *byte == b'\n');
    lines.filter_map(|line| line.strip_prefix(b"client ")).any(|known| known == name)
}

/// The members of an object in the typings, and whether each is required: of an `event` or a
/// `part` with this name.
#[cfg(test)]
pub(super) fn members(kind: &str, name: &str) -> Option<Vec<(&'static str, bool)>> {
    let text = std::str::from_utf8(TEXT).ok()?;
    let line = text.lines().find_map(|line| {
        let rest = line.strip_prefix(kind)?.strip_prefix(' ')?.strip_prefix(name)?;
        (rest.is_empty() || rest.starts_with(' ')).then_some(rest)
    })?;
    let member = |word: &'static str| match word.strip_suffix('!') {
        Some(word) => (word, true),
        None => (word, false),
    };
    Some(line.split_whitespace().map(member).collect())
}
