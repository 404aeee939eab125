//! Reading of a record as a session over its own bytes. The record itself has the facts that the
//! tables lack: the standing of entries, and the meanings of native keys.

use std::borrow::Cow;
use std::collections::HashMap;

use session::{
    EventIx, EventRef, Field, Hold, Injected, JsonFault, Kind, Mark, NO_EVENT, Node, Note, Scan,
    Session, Slot, Span, Standing, value,
};

use super::children_check;
use super::keys::Key;
use super::map::{CASE, INJECTED, NATIVE, OURS, STANDING};
use crate::documents::shared::paths::escape;

/// Name of the layouts in a session's extension object.
const LAYOUTS: &[u8] = b"paths";
const KEYS: &[&str] = &["keys"];
const SLOTS: &[&str] = &["slots"];

/// A layout: properties of its entries.
#[derive(Default)]
struct Layout {
    /// The pointers of keys that are not at the top of the native value.
    keys: HashMap<String, String>,
    /// The meanings of native values by pointer.
    slots: HashMap<String, Slot>,
    injected: Option<Injected>,
}

/// The extension object of an entry.
#[derive(Default)]
struct Extension<'s> {
    standing: Option<Cow<'s, str>>,
    case: Option<Cow<'s, str>>,
    injected: Option<Injected>,
}

/// Completes the reading of one record.
pub(super) fn settle(session: &mut Session) {
    let layouts = layouts(session);
    let mut states = Vec::new();
    let mut names = Vec::new();
    for event in session.events() {
        let extension = extension(event);
        let name = extension.case.unwrap_or_else(|| Cow::Owned(layout_name(event)));
        let layout = layouts.get(&*name);
        let injected = extension.injected.or_else(|| layout?.injected);
        let standing = extension.standing.and_then(|word| Standing::of_word(&word));
        states.push((standing.unwrap_or_default(), injected));
        names.push(layout);
    }
    let mut slots = Vec::new();
    let none = Layout::default();
    for (event, layout) in session.events().zip(names) {
        label(event, layout.unwrap_or(&none), &mut slots);
    }
    for (at, (standing, injected)) in (0..).zip(states) {
        session.mark(at, Mark::Standing(standing));
        if injected.is_some() {
            session.mark(at, Mark::Injected(injected));
        }
    }
    for (event, field, slot) in slots {
        session.label(event, field, slot);
    }
    note(session);
}

/// Notes the children that differ from the content that they repeat.
fn note(session: &mut Session) {
    let mut notes = Vec::new();
    let mut scan = Scan::new();
    for record in &session.records {
        let Ok(doc) = scan.read(session.record_bytes(record), record.span.start) else { continue };
        let (mut line, mut from) = (record.line, record.span.start);
        for span in children_check::disagreements(doc.root()) {
            let between = Span::new(from, span.start).of(session.bundle.bytes(record.member));
            line += between.iter().map(|byte| u32::from(*byte == b'\n')).sum::<u32>();
            from = span.start;
            let (member, at, why) = (record.member, span.start, JsonFault::Disagrees);
            notes.push(Note { member, line, span, at, why, mended: true });
        }
    }
    session.notes.extend(notes);
}

/// The layouts of the record.
fn layouts(session: &Session) -> HashMap<String, Layout> {
    let mut layouts = HashMap::new();
    let roots = session.events().filter(|event| event.parent == NO_EVENT);
    for event in roots.filter(|event| event.kind == Kind::Notice) {
        let paths = event.fields().iter().find(|field| {
            field.depth == 2 && event.is_named(**field, LAYOUTS) && field.hold == Hold::Own
        });
        let Some(paths) = paths else { continue };
        let mut scan = Scan::new();
        let Ok(doc) = scan.read(event.value(*paths), 0) else { continue };
        for member in doc.root().members() {
            layouts.insert(value::unescape(member.name).into_owned(), Layout::of(member.value));
        }
    }
    layouts
}

impl Layout {
    fn of(node: Node<'_>) -> Self {
        let strings = |path| {
            let members = node.at(path).into_iter().flat_map(Node::members);
            members.map(|member| {
                let word = member.value.text().map(value::unescape).unwrap_or_default();
                (value::unescape(member.name).into_owned(), word.into_owned())
            })
        };
        let mark = node.members().find(|member| member.name == INJECTED);
        let injected = mark.and_then(|mark| Injected::of_mark(mark.value.raw()));
        let slots = strings(SLOTS)
            .filter_map(|(pointer, word)| Slot::of_word(&word).map(|slot| (pointer, slot)));
        Self { keys: strings(KEYS).collect(), slots: slots.collect(), injected }
    }

    /// The pointer of a flattened key.
    fn flat(&self, name: &str) -> String {
        let step = escape(name);
        self.keys.get(&*step).cloned().unwrap_or_else(|| format!("/{step}"))
    }

    /// The pointer of a native counter.
    fn counter(&self, name: &str) -> Option<String> {
        let map = self.keys.get(Key::TokenUsage.word())?;
        Some(format!("{map}/{}", escape(name)))
    }
}

/// The span of an entry's extension object.
fn ours(event: EventRef<'_>) -> Option<Span> {
    let mut top = event.fields().iter().filter(|field| field.depth == 0);
    let found = top.find(|field| event.is_named(**field, OURS.as_bytes()))?;
    Some(found.value)
}

/// The extension object of an entry.
fn extension(event: EventRef<'_>) -> Extension<'_> {
    let mut extension = Extension::default();
    let Some(ours) = ours(event) else { return extension };
    let inside = |field: &&Field| field.depth == 1 && ours.holds(field.value);
    for &field in event.fields().iter().filter(inside) {
        let text = || value::text(event.value(field));
        match event.name(field) {
            STANDING => extension.standing = text(),
            CASE => extension.case = text(),
            INJECTED => extension.injected = Injected::of_mark(event.value(field)),
            _ => {}
        }
    }
    extension
}

/// The name of the first layout of an entry's type.
fn layout_name(event: EventRef<'_>) -> String {
    let kind = event.text(Slot::Type).unwrap_or_default();
    match event.text(Slot::Name) {
        Some(name) if event.kind == Kind::Notice && !name.is_empty() => format!("{kind}/{name}"),
        _ => kind.into_owned(),
    }
}

/// The meanings of native values: flattened ones, those with pointers, and counters. The schema is
/// open, so an unknown name is not drift.
fn label(event: EventRef<'_>, layout: &Layout, found: &mut Vec<(EventIx, usize, Slot)>) {
    let (mut native, mut usage) = (Span::NONE, Span::NONE);
    for (number, &field) in event.fields().iter().enumerate() {
        match field.hold {
            Hold::Open if field.slot == Slot::Usage => usage = field.value,
            Hold::Open if field.depth == 1 && event.name(field) == NATIVE => native = field.value,
            Hold::Own if !field.known && field.key != Span::NONE => {
                let name = value::unescape(event.name(field));
                let pointer = match () {
                    () if native.holds(field.value) => Some(name.into_owned()),
                    () if usage.holds(field.value) => layout.counter(&name),
                    () if field.depth == 0 => Some(layout.flat(&name)),
                    () => None,
                };
                let slot = pointer.and_then(|pointer| layout.slots.get(&pointer));
                found.push((event.index, number, slot.copied().unwrap_or(Slot::Native)));
            }
            _ => {}
        }
    }
}
