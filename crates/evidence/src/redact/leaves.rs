//! Leaves: the texts of a bundle. Of JSON these are the strings, names and values; of other bytes,
//! the records as they are. Streams are joined.

use std::collections::BTreeMap;

use session::{Elements, Members, Node, Scan, Session, Shape, Span, Transport};

use super::marks::{Marks, Treatment};
use super::view::{self, StreamPiece, View};

/// The longest value that is also seen with its name.
const PAIR: usize = 2048;

/// A step of the way to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// A member, by the bytes of its name with the quotes.
    Key(Span),
    /// An element of an array.
    Index(u32),
}

/// A text of a bundle.
#[derive(Debug)]
pub(super) struct Leaf<'l> {
    pub(super) member: u32,
    /// The record, by its line.
    pub(super) line: u32,
    pub(super) path: &'l [PathStep],
    /// The name of the value, as written; empty for elements of an array and bytes without JSON.
    pub(super) name: &'l [u8],
    pub(super) treatment: Treatment,
    /// The whole string, with its quotes.
    pub(super) value: Span,
}

/// The receiver of texts: each leaf, with a view of it.
pub(super) type Look<'l> = dyn FnMut(&Leaf<'_>, &View<'_>) + 'l;

/// Gives each text of the sessions' bundle to `look`, in every view.
pub(super) fn each(sessions: &[&Session], marks: &Marks, look: &mut Look<'_>) {
    for session in sessions {
        let (streams, path, before) = (BTreeMap::new(), Vec::new(), Vec::new());
        let mut walk = Walk { session, marks, streams, path, before };
        let mut scan = Scan::counting(session.counts);
        for record in &session.records {
            let bytes = session.record_bytes(record);
            let at = Where { member: record.member, line: record.line };
            match scan.read(bytes, record.span.start) {
                Ok(doc) => walk.document(at, doc.root(), look),
                Err(_) => walk.other(at, record.span, bytes, look),
            }
        }
        walk.joined(look);
    }
}

#[derive(Clone, Copy)]
struct Where {
    member: u32,
    line: u32,
}

/// The strings of a stream, by their positions.
#[derive(Default)]
struct StreamOf {
    line: u32,
    value: Span,
    pieces: Vec<Span>,
}

struct Walk<'w> {
    session: &'w Session,
    marks: &'w Marks,
    /// By member, path of names and the values that tell a stream from another.
    streams: BTreeMap<(u32, Vec<u8>), StreamOf>,
    path: Vec<PathStep>,
    /// The end of the last text that somebody said: it may ask for what comes next.
    before: Vec<u8>,
}

/// A container that is being walked.
enum Frame<'a> {
    Object(Members<'a>),
    Array(Elements<'a>, u32, &'a [u8]),
}

impl Walk<'_> {
    fn document(&mut self, at: Where, root: Node<'_>, look: &mut Look<'_>) {
        self.path.clear();
        let stream = self.stream_of(at.member, root);
        let mut frames = Vec::new();
        self.value(at, root, b"", stream.as_deref(), &mut frames, look);
        while let Some(frame) = frames.last_mut() {
            let next = match frame {
                Frame::Object(members) => members.next().map(|member| {
                    (PathStep::Key(member.key), member.name, member.value, Some(member.key))
                }),
                Frame::Array(elements, index, name) => elements.next().map(|element| {
                    *index += 1;
                    (PathStep::Index(*index - 1), *name, element, None)
                }),
            };
            let Some((step, name, value, key)) = next else {
                frames.pop();
                self.path.pop();
                continue;
            };
            self.path.push(step);
            if let Some(key) = key {
                self.name(at, name, key, look);
            }
            let depth = frames.len();
            self.value(at, value, name, stream.as_deref(), &mut frames, look);
            if frames.len() == depth {
                self.path.pop();
            }
        }
    }

    /// A value: a text is looked at, a container is entered.
    fn value<'a>(
        &mut self,
        at: Where,
        node: Node<'a>,
        name: &'a [u8],
        stream: Option<&[u8]>,
        frames: &mut Vec<Frame<'a>>,
        look: &mut Look<'_>,
    ) {
        match node.shape() {
            Shape::Object => frames.push(Frame::Object(node.members())),
            Shape::Array => frames.push(Frame::Array(node.elements(), 0, name)),
            Shape::String => self.string(at, node, name, stream, look),
            Shape::Number | Shape::Bool | Shape::Null => {}
        }
    }

    fn string(
        &mut self,
        at: Where,
        node: Node<'_>,
        name: &[u8],
        stream: Option<&[u8]>,
        look: &mut Look<'_>,
    ) {
        let (Some(raw), value) = (node.text(), node.span()) else { return };
        if raw.is_empty() {
            return;
        }
        let treatment = self.marks.treatment(at.member, value, name);
        let Where { member, line } = at;
        let leaf = Leaf { member, line, path: &self.path, name, treatment, value };
        let text = view::unescaped(raw);
        let string = View::string(raw, &text, value.start as usize + 1);
        let encoded = treatment != Treatment::Sealed;
        if name.is_empty() || text.len() > PAIR {
            view::unwrap(&string, encoded, &mut |view| look(&leaf, view));
        } else {
            let mut pair = Vec::with_capacity(name.len() + text.len() + 6);
            pair.extend_from_slice(b"\"");
            pair.extend_from_slice(name);
            pair.extend_from_slice(b"\": \"");
            let begin = pair.len();
            pair.extend_from_slice(&text);
            pair.push(b'"');
            look(&leaf, &View::pair(&pair, &string, begin));
            view::within(&string, encoded, &mut |view| look(&leaf, view));
        }
        if treatment == Treatment::Open && is_piece(name) {
            if is_word(&text) && !self.before.is_empty() {
                let asked = [&self.before[..], b": ", &text].concat();
                look(&leaf, &View::pair(&asked, &string, self.before.len() + 2));
            }
            self.before = question(&text);
        }
        if let Some(stream) = stream.filter(|stream| stream.is_empty() || is_piece(name)) {
            let names = self.names(member, stream);
            let stream = self.streams.entry((member, names)).or_default();
            if stream.pieces.is_empty() {
                (stream.line, stream.value) = (line, value);
            }
            stream.pieces.push(Span::new(value.start + 1, value.end - 1));
        }
    }

    /// A name of a member, which can be data too.
    fn name(&self, at: Where, name: &[u8], key: Span, look: &mut Look<'_>) {
        // A name that is shorter is no credential, and not worth the time.
        if name.len() < 8 {
            return;
        }
        let text = view::unescaped(name);
        let view = View::string(name, &text, key.start as usize + 1);
        let (Where { member, line }, treatment) = (at, Treatment::Open);
        let leaf = Leaf { member, line, path: &self.path, name: b"", treatment, value: key };
        view::unwrap(&view, true, &mut |view| look(&leaf, view));
    }

    /// Bytes that are not JSON.
    fn other(&self, at: Where, span: Span, bytes: &[u8], look: &mut Look<'_>) {
        let (Where { member, line }, treatment) = (at, Treatment::Open);
        let leaf = Leaf { member, line, path: &[], name: b"", treatment, value: span };
        let view = View::file(bytes, span.start as usize);
        view::unwrap(&view, true, &mut |view| look(&leaf, view));
    }

    /// The names on the way to a value of a member. In a plain text all values are one stream.
    fn names(&self, member: u32, stream: &[u8]) -> Vec<u8> {
        let mut names = stream.to_vec();
        for step in self.path.iter().filter(|_| !stream.is_empty()) {
            names.push(b'/');
            if let PathStep::Key(key) = step {
                names.extend_from_slice(self.session.bundle.slice(member, *key));
            }
        }
        names
    }

    /// The values that tell the stream of a record from another; `None` if it is no piece of one.
    fn stream_of(&self, member: u32, root: Node<'_>) -> Option<Vec<u8>> {
        let bundle = &self.session.bundle;
        let text = bundle.members.get(member as usize)?;
        if matches!(text.transport(), Transport::Text(_)) {
            return Some(Vec::new());
        }
        let has = |word: &[u8]| memchr::memmem::find(root.raw(), word).is_some();
        if !(has(b"elta") || has(b"hunk") || has(b"artial")) {
            return None;
        }
        let mut signs = Signs::default();
        signs.of(root, 0);
        (signs.is_stream && !signs.values.is_empty()).then_some(signs.values)
    }

    /// The streams, each as one text.
    fn joined(&self, look: &mut Look<'_>) {
        for ((member, _), stream) in &self.streams {
            if stream.pieces.len() < 2 {
                continue;
            }
            let bytes = self.session.bundle.bytes(*member);
            let mut text = Vec::new();
            let mut pieces = Vec::with_capacity(stream.pieces.len());
            for span in &stream.pieces {
                let raw = span.of(bytes);
                pieces.push(StreamPiece { at: text.len(), raw, from: span.start as usize });
                text.extend_from_slice(&view::unescaped(raw));
            }
            let (member, line, value) = (*member, stream.line, stream.value);
            let treatment = Treatment::Open;
            let leaf = Leaf { member, line, path: &[], name: b"", treatment, value };
            let view = View::stream(&text, &pieces);
            view::unwrap(&view, true, &mut |view| look(&leaf, view));
        }
    }
}

/// The longest value that answers a question.
const ANSWER: usize = 512;
/// The length of the end of a question.
const QUESTION: usize = 80;

/// Whether a text is one word, as a value is that somebody was asked for.
fn is_word(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    (6..ANSWER).contains(&text.len()) && !text.iter().any(u8::is_ascii_whitespace)
}

/// The last words of a text, without the marks behind them.
fn question(text: &[u8]) -> Vec<u8> {
    let is_mark = |byte: &u8| byte.is_ascii_whitespace() || b"?:=.!".contains(byte);
    let marks = text.iter().rev().take_while(|byte| is_mark(byte)).count();
    let text = &text[..text.len() - marks];
    text[text.len().saturating_sub(QUESTION)..].to_vec()
}

/// Names of the texts of a stream.
fn is_piece(name: &[u8]) -> bool {
    const NAMES: &[&[u8]] = &[
        b"delta",
        b"text",
        b"partial_json",
        b"content",
        b"thinking",
        b"chunk",
        b"arguments",
        b"output",
        b"data",
        b"stdout",
        b"head",
        b"tail",
        b"summary",
        b"value",
    ];
    NAMES.iter().any(|piece| name.eq_ignore_ascii_case(piece))
}

/// The signs of a stream in a record.
#[derive(Default)]
struct Signs {
    is_stream: bool,
    values: Vec<u8>,
}

impl Signs {
    fn of(&mut self, node: Node<'_>, depth: usize) {
        for member in node.members().take(64) {
            let name = member.name.to_ascii_lowercase();
            let has = |part: &[u8]| memchr::memmem::find(&name, part).is_some();
            self.is_stream |= has(b"delta") || has(b"chunk") || has(b"partial");
            let scalar = match member.value.shape() {
                Shape::Object | Shape::Array => {
                    if depth < 4 {
                        self.of(member.value, depth + 1);
                        member.value.elements().take(4).for_each(|item| self.of(item, depth + 1));
                    }
                    continue;
                }
                _ => member.value.raw(),
            };
            let names_part = [&b"index"[..], b"item", b"call", b"block", b"message", b"part"];
            if name == b"type" || names_part.iter().any(|part| has(part)) {
                let word = memchr::memmem::find(scalar, b"delta").is_some()
                    || memchr::memmem::find(scalar, b"chunk").is_some();
                self.is_stream |= name == b"type" && word;
                if scalar.len() <= 80 {
                    self.values.extend_from_slice(scalar);
                    self.values.push(0);
                }
            }
        }
    }
}
