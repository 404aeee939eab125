//! Restoring from a document alone, verbatim's or another program's: from the vendor's lines in it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use session::{Bundle, Member, Node, Scan, Shape, Stream, Transport, value};

use super::map;
use crate::documents::shared::out::{Out, unbase64};
use crate::written::{Restored, WriteError};

/// Restores the native session that a document was made from.
///
/// # Errors
/// If it is not such a document, does not name its agent, or has no native lines.
pub fn restore(document: &[u8]) -> Result<Restored, WriteError> {
    let mut scan = Scan::new();
    let doc = scan.read(document, 0).map_err(|fault| {
        let at = format!("{} at byte {}", fault.why.words(), fault.at);
        broken("the document", at)
    })?;
    let root = doc.root();
    if root.at(map::VERSION).is_none() || root.at(map::UID).is_none() {
        return Err(broken("the document", "it is no stead session"));
    }
    let format = format(root)?;
    let members = members(root);
    let lines: Vec<Node<'_>> = root.at(map::LINES).map_or(Vec::new(), |l| l.elements().collect());
    let exact = !lines.is_empty()
        && members.iter().map(|member| member.lines).sum::<u64>() == lines.len() as u64;
    let members = match (exact, lines.is_empty()) {
        (true, _) => ours(members, &lines)?,
        (false, false) => vec![(name_of(root), Stream::Main, joined(&lines)?, Held::Lines)],
        (false, true) => from_events(root)?,
    };
    let members = members.into_iter().map(|(name, stream, bytes, held)| {
        let member = match held {
            Held::Text => session::text::stored(&name, stream, bytes),
            Held::Rows => Member::stored(name.clone(), stream, bytes, Transport::Dump),
            Held::Lines => Member::new(name.clone(), stream, bytes),
        };
        member.ok_or_else(|| broken(&name, "it is too long"))
    });
    let bundle = Bundle { members: members.collect::<Result<_, _>>()? };
    let id = text(root, map::NATIVE_ID).unwrap_or_default().into_owned();
    Ok(Restored { format, id, bundle, exact, document: None })
}

/// Whether it is another program's document from which no session can be restored: it names no
/// known agent, or has no native records.
pub(super) fn is_foreign(document: &[u8], restored: &Result<Restored, WriteError>) -> bool {
    let known = restored.as_ref().is_ok_and(|back| crate::registry::agent(&back.format).is_some());
    let ours = |root: Node<'_>| root.at(map::FORMAT).is_some();
    !known && Scan::new().read(document, 0).is_ok_and(|doc| !ours(doc.root()))
}

type Native = (String, Stream, Vec<u8>, Held);

/// Type of a member's lines.
#[derive(Clone, Copy)]
enum Held {
    /// The file's own lines.
    Lines,
    /// Blocks of plain text.
    Text,
    /// Rows of a database.
    Rows,
}

fn broken(what: &str, why: impl Into<String>) -> WriteError {
    WriteError::Incomplete { what: what.to_owned(), why: why.into() }
}

fn text<'d>(node: Node<'d>, path: &[&str]) -> Option<Cow<'d, str>> {
    node.word(path).map(value::unescape).filter(|text| !text.is_empty())
}

/// The name of the native format: from the extension object, else by the backend.
fn format(root: Node<'_>) -> Result<String, WriteError> {
    if let Some(format) = text(root, map::FORMAT) {
        return Ok(format.into_owned());
    }
    let backend = text(root, map::BACKEND).ok_or_else(|| {
        broken("source.backend", "the document does not say who wrote the session")
    })?;
    let mut formats = crate::registry::AGENTS.iter();
    let same = formats.find(|format| format.data().stead_backend == Some(&backend));
    Ok(same.map_or_else(|| backend.replace('_', "-"), |format| format.name().to_owned()))
}

/// A native file, as listed in the document.
struct Listed {
    name: String,
    stream: Stream,
    /// Number of its lines in the document.
    lines: u64,
    held: Held,
}

fn members(root: Node<'_>) -> Vec<Listed> {
    let members = root.at(map::MEMBERS).into_iter().flat_map(Node::elements);
    let listed = members.map(|member| {
        let name = text(member, map::NAME).unwrap_or_default();
        // The lines are the text before compression.
        let compressed = member.word(map::TRANSPORT) == Some(b"zstd");
        let name = name.strip_suffix(".zst").filter(|_| compressed).unwrap_or(&name).to_owned();
        let lines = member.at(map::COUNT).and_then(|lines| value::number(lines.raw()));
        let held = match member.word(map::TRANSPORT) {
            Some(b"text") => Held::Text,
            Some(b"dump") => Held::Rows,
            _ => Held::Lines,
        };
        Listed { name, stream: stream(member), lines: lines.unwrap_or_default(), held }
    });
    listed.collect()
}

/// The stream of a member or an event.
fn stream(node: Node<'_>) -> Stream {
    let name = text(node, map::STREAM).or_else(|| text(node, map::STREAM_ID)).unwrap_or_default();
    name.strip_prefix("subagent:").map_or(Stream::Main, |stem| Stream::Sub(stem.to_owned()))
}

/// Members from lines that are their whole text.
fn ours(members: Vec<Listed>, lines: &[Node<'_>]) -> Result<Vec<Native>, WriteError> {
    let mut rest = lines;
    let mut native = Vec::with_capacity(members.len());
    for Listed { name, stream, lines, held } in members {
        let (own, others) =
            rest.split_at(usize::try_from(lines).unwrap_or(rest.len()).min(rest.len()));
        rest = others;
        let mut bytes = Vec::new();
        for line in own {
            append(*line, &mut bytes)?;
        }
        native.push((name, stream, bytes, held));
    }
    Ok(native)
}

/// Lines of another program's document, each with its line end.
fn joined(lines: &[Node<'_>]) -> Result<Vec<u8>, WriteError> {
    let mut bytes = Vec::new();
    for line in lines {
        append(*line, &mut bytes)?;
        if bytes.last() != Some(&b'\n') {
            bytes.push(b'\n');
        }
    }
    Ok(bytes)
}

/// Appends a line: its text, its bytes in Base64, or its JSON value.
fn append(line: Node<'_>, bytes: &mut Vec<u8>) -> Result<(), WriteError> {
    if let Some(text) = line.text() {
        bytes.extend_from_slice(value::unescape(text).as_bytes());
    } else if let Some(raw) = line.at(map::BASE64).filter(|_| line.members().count() == 1) {
        let broken = broken("raw_vendor_payload.lines", "a line is not Base64");
        bytes.extend_from_slice(&unbase64(raw.raw()).ok_or(broken)?);
    } else {
        compact(line, bytes);
    }
    Ok(())
}

fn compact(value: Node<'_>, bytes: &mut Vec<u8>) {
    let mut out = Out::default();
    out.raw(value.raw());
    bytes.append(&mut out.text);
}

/// Members from the events' records, if the document has no lines. Several events of one line have
/// the same record.
fn from_events(root: Node<'_>) -> Result<Vec<Native>, WriteError> {
    let mut streams: BTreeMap<Stream, BTreeMap<u64, Vec<u8>>> = BTreeMap::new();
    for event in root.at(map::EVENTS).into_iter().flat_map(Node::elements) {
        let Some(raw) = event.at(map::RAW).filter(|raw| raw.shape() == Shape::Object) else {
            continue;
        };
        let line = event.at(map::LINE).and_then(|line| value::number(line.raw()));
        let lines = streams.entry(stream(event)).or_default();
        let text = lines.entry(line.unwrap_or_default()).or_default();
        if text.is_empty() {
            compact(raw, text);
            text.push(b'\n');
        }
    }
    if streams.is_empty() {
        return Err(broken("raw_vendor_payload", "the document carries no native records"));
    }
    let main = name_of(root);
    let natives = streams.into_iter().map(|(stream, lines)| {
        let name = match &stream {
            Stream::Main => main.clone(),
            Stream::Sub(stem) => format!("{stem}.jsonl"),
        };
        (name, stream, lines.into_values().flatten().collect(), Held::Lines)
    });
    Ok(natives.collect())
}

/// A name for the main file: from the first source file, else from the session.
fn name_of(root: Node<'_>) -> String {
    let first = root.at(map::FILES).and_then(|files| files.elements().next());
    let first = first.and_then(Node::text).map(value::unescape);
    let file = first.as_deref().and_then(|name| name.rsplit(['/', '\\']).next());
    match file.filter(|name| !name.is_empty()) {
        Some(name) => name.to_owned(),
        None => format!("{}.jsonl", text(root, map::NATIVE_ID).unwrap_or(Cow::Borrowed("session"))),
    }
}
