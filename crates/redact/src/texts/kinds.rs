//! Texts: what names and texts say of themselves: a picture, a piece of a stream, a word that
//! somebody was asked for, a number that is secret.

use session::{Bundle, Node, Shape, Span, Transport};

use super::clean::{self, Known};
use super::marks::Treatment;
use crate::unwrap::base64::base64_bytes;

/// The bytes of a whole piece of Base64.
pub(crate) fn decoded(piece: &[u8]) -> Option<Vec<u8>> {
    let is_whole = piece.len() >= 4 && piece.len().is_multiple_of(4);
    is_whole.then(|| base64_bytes(piece)).flatten()
}

/// The longest end of a name that is seen with its values: a list has many.
const NAME: usize = 256;

/// The end of a name.
pub(crate) fn end(name: &[u8]) -> &[u8] {
    &name[name.len().saturating_sub(NAME)..]
}

/// `"name": "value"`, and the position of the value.
pub(crate) fn paired(name: &[u8], text: &[u8], quote: &[u8]) -> (Vec<u8>, usize) {
    let head = [b"\"", name, b"\": ", quote].concat();
    let begin = head.len();
    ([&head, text, quote].concat(), begin)
}

/// The least length of a number that can be one of a card.
pub(crate) const SHORT: usize = 8;

/// Whether a name can be that of a number that is secret.
pub(crate) fn is_secret(name: &[u8]) -> bool {
    const WORDS: &[&[u8]] = &[b"pass", b"secret", b"card", b"cvv", b"cvc", b"pin", b"ssn", b"otp"];
    let name = name.to_ascii_lowercase();
    WORDS.iter().any(|word| memchr::memmem::find(&name, word).is_some())
}

/// Whether a name says nothing of its value, so that no rule goes by it.
pub(crate) fn is_plain(name: &[u8]) -> bool {
    const NAMES: &[&[u8]] =
        &[b"type", b"role", b"text", b"content", b"uuid", b"timestamp", b"stdout", b"output"];
    NAMES.contains(&name)
}

/// Whether a text is a picture in Base64, by its signature, or an address with one.
pub(crate) fn is_picture(value: &[u8]) -> bool {
    let signatures = [&b"iVBORw0KGgo"[..], b"/9j/", b"R0lGOD", b"UklGR", b"data:image/"];
    let is_start = signatures.iter().any(|signature| value.starts_with(signature));
    value.len() >= 64 && is_start && !value.iter().take(256).any(u8::is_ascii_whitespace)
}

/// The longest value that answers a question.
const ANSWER: usize = 512;
/// The length of the end of a question.
const QUESTION: usize = 80;

/// Whether a text is one word, as a value is that somebody was asked for.
pub(crate) fn is_word(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    (6..ANSWER).contains(&text.len()) && !text.iter().any(u8::is_ascii_whitespace)
}

/// The last words of a text, without the marks behind them.
pub(crate) fn question(text: &[u8]) -> Vec<u8> {
    let is_mark = |byte: &u8| byte.is_ascii_whitespace() || b"?:=.!".contains(byte);
    let marks = text.iter().rev().take_while(|byte| is_mark(byte)).count();
    let text = &text[..text.len() - marks];
    text[text.len().saturating_sub(QUESTION)..].to_vec()
}

/// Whether a word, or its wrapping, may continue in the next string of JSON: no space is between
/// them.
pub(crate) fn cuts(before: &[u8], behind: &[u8]) -> bool {
    const SPACES: [&[u8]; 3] = [b"\\n", b"\\r", b"\\t"];
    let ends = before.last().is_none_or(u8::is_ascii_whitespace)
        || SPACES.iter().any(|space| before.ends_with(space));
    let begins = behind.first().is_none_or(u8::is_ascii_whitespace)
        || SPACES.iter().any(|space| behind.starts_with(space));
    !ends && !begins
}

/// Whether a text has the beginning of a key of several lines.
pub(crate) fn has_key(text: &[u8]) -> bool {
    const KEYS: [&[u8]; 2] = [b"PRIVATE KEY", b"PuTTY-User-Key-File"];
    KEYS.iter().any(|key| memchr::memmem::find(text, key).is_some())
}

/// Names of the texts of a stream.
pub(crate) fn is_piece(name: &[u8]) -> bool {
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

/// The strings of a stream, by their positions.
#[derive(Default)]
pub(crate) struct StreamOf {
    pub(crate) line: u32,
    pub(crate) value: Span,
    pub(crate) pieces: Vec<Span>,
    /// Whether any rule can find something in each of them.
    pub(crate) is_open: bool,
    /// The strings that others are before, by their numbers and lines: what they say may begin
    /// there.
    seams: Vec<(usize, u32)>,
    last: u32,
}

impl StreamOf {
    /// Adds the string at a place, which goes on if the last one is at most `near` lines before.
    pub(crate) fn add(&mut self, (line, near): (u32, u32), value: Span, is_open: bool) {
        if self.pieces.is_empty() {
            (self.line, self.value, self.is_open) = (line, value, true);
        } else if line > self.last + near {
            self.seams.push((self.pieces.len(), line));
        }
        self.last = line;
        self.is_open &= is_open;
        self.pieces.push(Span::new(value.start + 1, value.end - 1));
    }

    /// The digest of the strings in the bytes of their member.
    pub(crate) fn known(&self, bytes: &[u8], treatment: Treatment) -> Known {
        let lengths = self.pieces.iter().map(|piece| piece.len());
        let seams = self.seams.iter().map(|(number, _)| *number);
        let head = lengths.chain(seams).flat_map(|length| (length as u64).to_le_bytes());
        let pieces = self.pieces.iter().map(|piece| piece.of(bytes));
        clean::known_pieces(&head.collect::<Vec<u8>>(), pieces, treatment)
    }

    /// Whether a string was not looked at together with the one before it.
    pub(crate) fn is_met(&self, number: usize) -> bool {
        self.seams.is_empty() || self.seams.binary_search_by_key(&number, |seam| seam.0).is_ok()
    }

    /// The parts between its seams.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Self> {
        let first = (!self.seams.is_empty()).then_some((0, self.line));
        let begins = first.into_iter().chain(self.seams.iter().copied());
        let ends = self.seams.iter().map(|seam| seam.0).chain([self.pieces.len()]);
        begins.zip(ends).map(|((begin, line), end)| {
            let pieces = self.pieces[begin..end].to_vec();
            let value = pieces.first().map_or(self.value, |of| Span::new(of.start - 1, of.end + 1));
            Self { line, value, pieces, is_open: self.is_open, ..Self::default() }
        })
    }
}

/// The values that tell the stream of a record from another; `None` if it is no piece of one.
pub(crate) fn stream_of(bundle: &Bundle, member: u32, root: Node<'_>) -> Option<Vec<u8>> {
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
