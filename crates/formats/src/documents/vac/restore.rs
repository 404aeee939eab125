//! Restoring from a record alone: the stored bytes if they are embedded, otherwise every native
//! value, put together from the record's entries.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use session::{Bundle, Kind, Member, Node, Scan, Stream, Transport, value};

use super::keys::{Key, is_reserved};
use super::layout::PLAIN;
use super::layout_read::{Layout, array_steps, broken, key_steps, layout_name, text};
use super::source;
use super::tree::{DEPTH, Step, Tree};
use crate::budget::room;
use crate::digest::digest;
use crate::documents::shared::out::{Out, unbase64};
use crate::written::{Restored, WriteError};

/// Restores the session that a record was made from.
///
/// # Errors
/// If it is not a record, was not made by verbatim, or contradicts itself.
pub fn restore(record: &[u8]) -> Result<Restored, WriteError> {
    let mut scan = Scan::new();
    let doc = scan.read(record, 0).map_err(|fault| {
        broken("the record", format!("{} at byte {}", fault.why.words(), fault.at))
    })?;
    let root = doc.root();
    let named = root.word(&["verbatim", "source", "format"]);
    let format = named.ok_or_else(|| broken("verbatim.source", "names no format"))?;
    let format = value::unescape(format).into_owned();
    let members: Vec<Node<'_>> = root
        .at(&["verbatim", "source", "members"])
        .map(|members| members.elements().collect())
        .unwrap_or_default();
    let exact = !members.is_empty() && members.iter().all(|member| member.at(&["gzip"]).is_some());
    let bundle = match exact {
        true => members.iter().map(|member| embedded(*member)).collect::<Result<_, _>>()?,
        false => Rebuild::of(root)?.members(root, &members, room(record.len()))?,
    };
    let id = root.at(&["session"]).map(|session| text(session, "session-id")).unwrap_or_default();
    let (id, bundle) = (id.into_owned(), Bundle { members: bundle });
    let document = root.at(&["verbatim", "source", "document"]).map(document).transpose()?;
    Ok(Restored { format, id, bundle, exact, document })
}

/// The document that the session had been restored from.
fn document(node: Node<'_>) -> Result<(String, Bundle), WriteError> {
    let members = node.at(&["members"]).into_iter().flat_map(Node::elements).map(embedded);
    let members = members.collect::<Result<_, _>>()?;
    Ok((text(node, "format").into_owned(), Bundle { members }))
}

/// Whether a record has no source: it is another program's.
pub(super) fn is_foreign(record: &[u8]) -> bool {
    let named = |root: Node<'_>| root.word(&["verbatim", "source", "format"]).map(<[u8]>::len);
    Scan::new().read(record, 0).is_ok_and(|doc| named(doc.root()).is_none())
}

fn number(node: Node<'_>, key: &str) -> Option<u64> {
    value::number(node.at(&[key])?.raw())
}

/// The stored text, if a member's records are blocks of a text.
fn stored_text(node: Node<'_>, lines: &[u8]) -> Option<Vec<u8>> {
    let pieces = node.at(&["pieces"])?.elements();
    let pieces: Option<Vec<_>> = pieces.map(|piece| piece.text().map(value::unescape)).collect();
    source::joined(lines, &pieces?)
}

/// The stream that a member's word names.
fn stream(node: Node<'_>) -> Stream {
    match text(node, "stream").strip_prefix("subagent:") {
        Some(stem) => Stream::Sub(stem.to_owned()),
        None => Stream::Main,
    }
}

/// A member with these bytes; the dump of a database's rows is marked as one.
fn member(node: Node<'_>, name: &str, bytes: Vec<u8>) -> Result<Member, WriteError> {
    let transport = match node.word(&["kind"]) {
        Some(b"dump") => Transport::Dump,
        _ => Transport::Plain,
    };
    let member = Member::stored(name, stream(node), bytes, transport);
    member.ok_or_else(|| broken(name, "it is too long"))
}

/// A member with embedded bytes.
fn embedded(node: Node<'_>) -> Result<Member, WriteError> {
    let name = text(node, "name").into_owned();
    let length = number(node, "length").unwrap_or(0);
    let bytes = node
        .at(&["gzip"])
        .and_then(|raw| unbase64(raw.raw()))
        .and_then(|bytes| source::decompress(&bytes, length))
        .ok_or_else(|| broken(&name, "its bytes are damaged"))?;
    if digest(&bytes) != text(node, "sha-256") {
        return Err(broken(&name, "its bytes do not have the digest that the record states"));
    }
    member(node, &name, bytes)
}

/// A native record under construction.
#[derive(Default)]
struct Grown<'r> {
    tree: Tree<'r>,
    /// The record's bytes, if it is not JSON or if JSON can't represent it.
    bytes: Option<Vec<u8>>,
}

struct Rebuild<'r> {
    layouts: HashMap<Cow<'r, str>, Layout<'r>>,
    records: BTreeMap<u64, Grown<'r>>,
}

/// Position of the last entry of a level.
#[derive(Clone, Default)]
struct Last<'r> {
    record: Option<u64>,
    at: Vec<Step<'r>>,
    container: Option<Vec<Step<'r>>>,
    index: u64,
}

/// Largest nesting of entries.
const NESTING: usize = 64;

impl<'r> Rebuild<'r> {
    fn of(root: Node<'r>) -> Result<Self, WriteError> {
        let paths = root.at(&["session", "verbatim", "paths"]);
        let paths = paths.ok_or_else(|| {
            broken("session.verbatim.paths", "the record does not say where its values come from")
        })?;
        let mut layouts = HashMap::new();
        for member in paths.members() {
            layouts.insert(value::unescape(member.name), Layout::of(member.value, root)?);
        }
        let mut rebuild = Self { layouts, records: BTreeMap::new() };
        let mut last = Last::default();
        let entries = root.at(&["session", "entries"]);
        for entry in entries.into_iter().flat_map(Node::elements) {
            rebuild.entry(entry, &mut last, None, 0)?;
        }
        Ok(rebuild)
    }

    /// Restores the values of an entry. `parent` is the record and the position of the enclosing
    /// value.
    fn entry(
        &mut self,
        entry: Node<'r>,
        last: &mut Last<'r>,
        parent: Option<(u64, &[Step<'r>])>,
        depth: usize,
    ) -> Result<(), WriteError> {
        if depth > NESTING {
            return Err(broken("session.entries", "children lie too deep in each other"));
        }
        let ours = entry.at(&["verbatim"]);
        let flag = |key: &str| ours.and_then(|ours| ours.at(&[key])).is_some();
        let name = layout_name(entry, ours);
        let layout = self.layouts.get(&name);
        if layout.is_none() && name != PLAIN {
            return Err(broken("session.verbatim.paths", format!("has no `{name}`")));
        }
        let covered = layout.map_or_else(|| flag("covered"), |layout| layout.covered);
        let place = locate(ours, layout, last, parent)?;
        let (record, at) = (place.record.unwrap_or(0), place.at.clone());
        *last = place;
        let grown = self.records.entry(record).or_default();
        if let Some(raw) = ours.and_then(|ours| ours.at(&["bytes"])) {
            let bytes = unbase64(raw.raw());
            grown.bytes = Some(bytes.ok_or_else(|| broken("verbatim.bytes", "not Base64"))?);
        }
        if covered {
            return Ok(());
        }
        if grown.bytes.is_none() {
            put(grown.tree.at(at.iter().cloned()), entry, ours, layout)?;
        }
        let mut within = Last::default();
        for child in entry.at(&["children"]).into_iter().flat_map(Node::elements) {
            self.entry(child, &mut within, Some((record, &at)), depth + 1)?;
        }
        Ok(())
    }

    /// The members, with one record per line. Their total length is at most `room` bytes, because
    /// one value may be repeated in all of them.
    fn members(
        self,
        root: Node<'_>,
        members: &[Node<'_>],
        room: usize,
    ) -> Result<Vec<Member>, WriteError> {
        let mut texts = vec![Vec::new(); members.len()];
        let mut records = self.records.into_iter().peekable();
        let (mut end, mut left) = (0, room);
        let runs = root.at(&["session", "verbatim", "streams"]);
        for run in runs.into_iter().flat_map(Node::elements) {
            let member = number(run, "member").and_then(|member| usize::try_from(member).ok());
            let text = member.and_then(|member| texts.get_mut(member));
            let text = text.ok_or_else(|| broken("verbatim.streams", "names no member"))?;
            let begun = text.len();
            end += number(run, "records").unwrap_or(0);
            while let Some((_, grown)) = records.next_if(|(record, _)| *record < end) {
                match grown.bytes {
                    Some(bytes) => text.extend_from_slice(&bytes),
                    None => {
                        let mut out = Out::default();
                        grown.tree.write(&mut out);
                        text.extend_from_slice(&out.text);
                    }
                }
                text.push(b'\n');
                if text.len() - begun > left {
                    return Err(broken("the record", "what it gives back is too long"));
                }
            }
            left -= text.len() - begun;
        }
        let members = members.iter().zip(texts).map(|(node, lines)| {
            let name = text(*node, "name").into_owned();
            let bytes = stored_text(*node, &lines).unwrap_or(lines);
            member(*node, &name, bytes)
        });
        members.collect()
    }
}

/// Position of an entry's value: as written, or following from the previous entry.
fn locate<'r>(
    ours: Option<Node<'r>>,
    layout: Option<&Layout<'r>>,
    last: &Last<'r>,
    parent: Option<(u64, &[Step<'r>])>,
) -> Result<Last<'r>, WriteError> {
    let from = ours.and_then(|ours| number(ours, "from"));
    let at = match ours.and_then(|ours| ours.at(&["at"])) {
        None => None,
        Some(steps) => Some(array_steps(steps)?),
    };
    if let (None, true) = (from, layout.is_some_and(|layout| layout.also)) {
        return Ok(last.clone());
    }
    let within = layout.and_then(|layout| layout.within.as_ref());
    let covered = layout.is_none_or(|layout| layout.covered);
    // A record of its own, unless the entry says that it is part of one.
    let follows = last.record.map_or(0, |record| record + 1);
    let part = at.is_some() || within.is_some() || covered;
    let record = from.or_else(|| parent.map(|(record, _)| record)).unwrap_or(match part {
        true => last.record.unwrap_or(0),
        false => follows,
    });
    // If the entry names its record, its position is relative to that.
    let base = parent.filter(|_| from.is_none()).map_or(&[][..], |(_, base)| base);
    let mut place = Last { record: Some(record), at: base.to_vec(), container: None, index: 0 };
    if let Some((container, true)) = within {
        let same = last.record == Some(record) && last.container.as_ref() == Some(container);
        place.container = Some(container.clone());
        place.index = if same { last.index + 1 } else { 0 };
    }
    match (at, within) {
        (Some(at), _) => {
            if let Some(Step::Index(index)) = at.last() {
                place.index = *index;
            }
            place.at.extend(at);
        }
        (None, Some((container, array))) => {
            place.at.extend(container.iter().cloned());
            place.at.extend(array.then_some(Step::Index(place.index)));
        }
        (None, None) => {}
    }
    if place.at.len() > DEPTH {
        return Err(broken("verbatim.at", "too deep"));
    }
    Ok(place)
}

/// Inserts the values of an entry into the value that it was made from.
pub(super) fn put<'r>(
    tree: &mut Tree<'r>,
    entry: Node<'r>,
    ours: Option<Node<'r>>,
    layout: Option<&Layout<'r>>,
) -> Result<(), WriteError> {
    let Some(layout) = layout else { return put_native(tree, ours) };
    for (path, raw) in &layout.fixed {
        tree.at(path.iter().cloned()).set(raw);
    }
    let kind = kind(entry);
    for member in entry.members() {
        let name = value::unescape(member.name);
        if name == Key::TokenUsage.word() {
            put_counters(tree, member.value, layout);
        } else if let Some(path) = layout.keys.get(&name) {
            tree.at(path.iter().cloned()).set(member.value.raw());
        } else if !is_reserved(&name, member.value.raw(), kind) {
            tree.at([Step::Key(name)]).set(member.value.raw());
        }
    }
    put_native(tree, ours)
}

/// Counters with a canonical name are native if the layout says so, all others always.
fn put_counters<'r>(tree: &mut Tree<'r>, usage: Node<'r>, layout: &Layout<'r>) {
    let Some(path) = layout.keys.get(Key::TokenUsage.word()) else { return };
    let map = tree.at(path.iter().cloned());
    for member in usage.members() {
        let name = value::unescape(member.name);
        let canonical = Key::COUNTERS.iter().find(|(key, _)| key.word() == name);
        if canonical.is_none_or(|(key, _)| layout.keys.contains_key(key.place())) {
            map.at([Step::Key(name)]).set(member.value.raw());
        }
    }
}

fn put_native<'r>(tree: &mut Tree<'r>, ours: Option<Node<'r>>) -> Result<(), WriteError> {
    let native = ours.and_then(|ours| ours.at(&["native"]));
    for member in native.into_iter().flat_map(Node::members) {
        let path = key_steps(value::unescape(member.name))?;
        tree.at(path).set(member.value.raw());
    }
    Ok(())
}

/// A kind for an entry's type, sufficient for its keys.
fn kind(entry: Node<'_>) -> Kind {
    match entry.word(&["type"]) {
        Some(b"user") => Kind::User,
        Some(b"assistant") => Kind::Assistant,
        Some(b"reasoning") => Kind::Reasoning,
        Some(b"tool-call") => Kind::ToolCall,
        Some(b"tool-result") => Kind::ToolResult,
        _ => Kind::Notice,
    }
}
