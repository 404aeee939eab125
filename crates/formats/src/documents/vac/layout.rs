//! Layouts: the native path of each of an entry's keys, and the values that all entries of a layout
//! have in common. Similar entries share a layout, so that a record has these only once.

use std::collections::HashMap;

use session::{Injected, Kind, Scan, Slot};

use super::entry::write_injected;
use super::keys::{KEYS, Key};
use crate::documents::shared::clean::write_fit;
use crate::documents::shared::facts::Fact;
use crate::documents::shared::out::Out;
use crate::documents::shared::paths::{PathIx, Paths, ROOT, escape};

/// Source of a canonical key's value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Bind {
    /// No entry of the layout has the key.
    #[default]
    Unset,
    /// Derived from other values: there is no native value.
    Derived,
    /// Made: the session has no such value, and the schema requires one.
    Made,
    /// A native value, unchanged.
    At(PathIx),
}

/// Position of the values of a layout's entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stand {
    /// The value is a record.
    Record,
    /// The value is in a container (`-` for its index) of the enclosing value.
    In(PathIx),
    /// An enclosing entry contains the whole value.
    Covered,
}

/// The properties of an entry that decide its layout.
pub(super) struct Shape<'p, 's> {
    pub(super) kind: Kind,
    /// The entry's event type, for the kinds that have one.
    pub(super) event_type: &'p str,
    pub(super) bind: [Bind; KEYS],
    /// Native words that decide the kind, by path.
    pub(super) words: &'p [(PathIx, &'s [u8])],
    /// Native values that the record has once for the whole session, by path.
    pub(super) facts: &'p [(PathIx, Fact)],
    pub(super) stand: Stand,
    /// Whether it is the second entry made from one value.
    pub(super) also: bool,
    /// The reason why its text is not a person's or the model's.
    pub(super) injected: Option<Injected>,
}

/// A layout: an index into [`Layouts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct LayoutIx(u32);

struct Layout<'s> {
    name: String,
    kind: Kind,
    event_type: String,
    bind: [Bind; KEYS],
    words: Vec<(PathIx, &'s [u8])>,
    facts: Vec<(PathIx, Fact)>,
    stand: Stand,
    also: bool,
    injected: Option<Injected>,
    /// The native path of each flattened key.
    flat: HashMap<String, PathIx>,
    /// The flattened keys in the order of their first use.
    order: Vec<PathIx>,
    /// Slots of native values without a canonical key, by path.
    slots: Vec<(PathIx, Slot)>,
}

/// All layouts of a record.
#[derive(Default)]
pub(super) struct Layouts<'s> {
    layouts: Vec<Layout<'s>>,
    /// The layouts of one type of entry; for system events, of one event type.
    plain: [Vec<LayoutIx>; 5],
    events: HashMap<String, Vec<LayoutIx>>,
}

/// Largest number of layouts of one type of entry. Hostile input could need one for each entry. An
/// entry without a layout has every path itself.
const LIMIT: usize = 48;

/// The name of no layout.
pub(super) const PLAIN: &str = "plain";

impl<'s> Layouts<'s> {
    /// The layout of an entry, and whether it is the first of its type; `None` for an entry that
    /// must have every path itself.
    pub(super) fn find(&mut self, shape: &Shape<'_, 's>) -> Option<(LayoutIx, bool)> {
        let alike = match shape.kind {
            Kind::User => &mut self.plain[0],
            Kind::Assistant => &mut self.plain[1],
            Kind::Reasoning => &mut self.plain[2],
            Kind::ToolCall => &mut self.plain[3],
            Kind::ToolResult => &mut self.plain[4],
            Kind::Notice | Kind::Opaque => {
                if !self.events.contains_key(shape.event_type) {
                    self.events.insert(shape.event_type.to_owned(), Vec::new());
                }
                self.events.get_mut(shape.event_type)?
            }
        };
        for (number, &index) in alike.iter().enumerate() {
            let layout = &mut self.layouts[index.0 as usize];
            if layout.fits(shape) {
                layout.adopt(&shape.bind);
                return Some((index, number == 0));
            }
        }
        if alike.len() >= LIMIT {
            return None;
        }
        let index = LayoutIx(u32::try_from(self.layouts.len()).unwrap_or(u32::MAX));
        let mut name = String::from(super::keys::type_word(shape.kind));
        if !shape.event_type.is_empty() {
            name = format!("{name}/{}", shape.event_type);
        }
        if !alike.is_empty() {
            name = format!("{}:{name}", alike.len() + 1);
        }
        alike.push(index);
        self.layouts.push(Layout::new(name, shape));
        Some((index, alike.len() == 1))
    }

    /// A layout's name.
    pub(super) fn name(&self, index: LayoutIx) -> &str {
        &self.layouts[index.0 as usize].name
    }

    /// Whether the value at `path` can be flattened in entries of the layout: no other path has its
    /// key.
    pub(super) fn flat(&mut self, index: LayoutIx, path: PathIx, paths: &Paths<'s>) -> bool {
        let layout = &mut self.layouts[index.0 as usize];
        // Mostly few enough for a linear search.
        if layout.order.iter().take(LIMIT).any(|known| *known == path) {
            return true;
        }
        let key = paths.key(path);
        match layout.flat.get(key) {
            Some(&taken) => taken == path,
            None => {
                layout.flat.insert(key.to_owned(), path);
                layout.order.push(path);
                true
            }
        }
    }

    /// Records the slot of the value at `path`.
    pub(super) fn slot(&mut self, index: LayoutIx, path: PathIx, slot: Slot) {
        let slots = &mut self.layouts[index.0 as usize].slots;
        if !slots.contains(&(path, slot)) && slots.len() < usize::from(u8::MAX) {
            slots.push((path, slot));
        }
    }

    /// Writes all layouts as an object.
    pub(super) fn write(&self, paths: &Paths<'s>, out: &mut Out<'_>) {
        out.open();
        for layout in &self.layouts {
            out.key(&layout.name);
            layout.write(paths, out);
        }
        out.close();
    }
}

impl<'s> Layout<'s> {
    fn new(name: String, shape: &Shape<'_, 's>) -> Self {
        Self {
            name,
            kind: shape.kind,
            event_type: shape.event_type.to_owned(),
            bind: shape.bind,
            words: shape.words.to_vec(),
            facts: shape.facts.to_vec(),
            stand: shape.stand,
            also: shape.also,
            injected: shape.injected,
            flat: HashMap::new(),
            order: Vec::new(),
            slots: Vec::new(),
        }
    }

    fn fits(&self, shape: &Shape<'_, 's>) -> bool {
        (self.kind, self.stand, self.also) == (shape.kind, shape.stand, shape.also)
            && self.injected == shape.injected
            && self.event_type == shape.event_type
            && self.words == shape.words
            && self.facts == shape.facts
            && self.bind.iter().zip(&shape.bind).all(|(mine, theirs)| {
                mine == theirs || *mine == Bind::Unset || *theirs == Bind::Unset
            })
    }

    fn adopt(&mut self, bind: &[Bind; KEYS]) {
        for (mine, theirs) in self.bind.iter_mut().zip(bind) {
            if *mine == Bind::Unset {
                *mine = *theirs;
            }
        }
    }

    fn write(&self, paths: &Paths<'s>, out: &mut Out<'_>) {
        out.open();
        match self.stand {
            Stand::Record => {}
            Stand::In(container) => out.member("in", &paths.pointer(container)),
            Stand::Covered => out.flag("covered"),
        }
        if self.also {
            out.flag("also");
        }
        if let Some(reason) = self.injected {
            write_injected(reason, out);
        }
        self.write_keys(paths, out);
        write_made(&self.bind, out);
        if !self.words.is_empty() {
            let mut scan = Scan::new();
            out.key("words");
            out.open();
            for &(path, word) in &self.words {
                out.key(&paths.pointer(path));
                write_fit(word, out, &mut scan);
            }
            out.close();
        }
        let facts = self.facts.iter().map(|&(path, fact)| (path, fact.word()));
        table("session", facts, paths, out);
        let slots = self.slots.iter().map(|&(path, slot)| (path, slot.word()));
        table("slots", slots, paths, out);
        out.close();
    }

    /// Canonical keys, and the flattened keys that are not at the top of the value.
    fn write_keys(&self, paths: &Paths<'s>, out: &mut Out<'_>) {
        let counters = Key::COUNTERS.iter().map(|(key, _)| *key);
        let canonical = Key::ENTRY.into_iter().chain(counters).filter_map(|key| {
            match self.bind[key as usize] {
                Bind::At(path) => Some((key.place().to_owned(), path)),
                Bind::Unset | Bind::Derived | Bind::Made => None,
            }
        });
        let deep = self.order.iter().filter(|path| !paths.is_top(**path));
        let flat = deep.map(|&path| (escape(paths.key(path)).into_owned(), path));
        let mut keys = canonical.chain(flat).peekable();
        if keys.peek().is_some() {
            out.key("keys");
            out.open();
            for (key, path) in keys {
                out.member(&key, &paths.pointer(path));
            }
            out.close();
        }
    }
}

/// Writes which canonical keys have a value that the session does not tell.
pub(super) fn write_made(bind: &[Bind; KEYS], out: &mut Out<'_>) {
    let made = || Key::ENTRY.into_iter().filter(|key| bind[*key as usize] == Bind::Made);
    if made().next().is_some() {
        out.key("made");
        out.open_array();
        made().for_each(|key| out.string(key.word()));
        out.close_array();
    }
}

fn table<'a>(
    name: &str,
    rows: impl Iterator<Item = (PathIx, &'a str)>,
    paths: &Paths<'_>,
    out: &mut Out<'_>,
) {
    let mut rows = rows.filter(|(path, _)| *path != ROOT).peekable();
    if rows.peek().is_some() {
        out.key(name);
        out.open();
        for (path, word) in rows {
            out.member(&paths.pointer(path), word);
        }
        out.close();
    }
}
