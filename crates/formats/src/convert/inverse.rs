//! Inverses of mapped values: each gives the value of a field back from a value of the target. A
//! field is mapped only if one holds, else it is in part.

use std::borrow::Cow;
use std::sync::Arc;

use meaning::account::TakenValue;
use session::Sorting as _;
use session::{Node, Shape, Slot, UtcTime, value};

use crate::documents::shared::clean;
use crate::json_eq;
use crate::tagged::unescaped;
use crate::tools::Tools;

/// The way from a value of the target back to the value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Inverse {
    /// Texts of the field are parts of texts of the value.
    Parts(Vec<TextPart>),
    /// The same, in texts of the value without the backslashes that keep the tag around them whole.
    Tagged(&'static str, Vec<TextPart>),
    /// Both are one JSON value, which may be in a text, or the member `input` of the value.
    Json,
    /// Both are objects with equal members under other names: those of the value, of the field.
    Renamed(Arc<[(&'static str, String)]>),
    /// The tables of both agents have the names of one tool.
    Tool,
    /// Both are one instant.
    Instant,
    /// Both say that a call failed.
    Failed,
    /// The name of a block's type, which the place of the value says.
    Block,
    /// No way leads back.
    None,
}

/// A part of a text of a field in a text of a value. Texts are the strings of a JSON value in their
/// order, except for the names of types; places are bytes of the texts without escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPart {
    /// The number of the text in the field.
    pub text: u32,
    /// Its first byte.
    pub from: u32,
    /// The number of the text in the value.
    pub leaf: u32,
    /// Its first byte.
    pub at: u32,
    /// The number of bytes.
    pub length: u32,
}

/// A field, and the way back to its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// The number of the field in the session.
    pub field: usize,
    /// The way back.
    pub inverse: Inverse,
}

impl Inverse {
    /// Its name.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Parts(_) => "parts",
            Self::Tagged(..) => "tagged",
            Self::Json => "json",
            Self::Renamed(_) => "renamed",
            Self::Tool => "tool",
            Self::Instant => "time",
            Self::Failed => "failed",
            Self::Block => "block",
            Self::None => "none",
        }
    }
}

/// The knowledge of how a value was made, from which its inverse follows.
#[derive(Clone, Debug)]
pub(crate) enum Hint {
    /// The name of a tool, by the tables of the source and of the target.
    Tool(&'static Tools, &'static Tools),
    /// Arguments under other names.
    Renamed(Arc<[(&'static str, String)]>),
    /// A text within a tag of this name.
    Tagged(&'static str),
}

/// Names of types that content blocks have in the providers' interfaces.
const BLOCKS: [&[u8]; 7] = [
    b"\"text\"",
    b"\"input_text\"",
    b"\"output_text\"",
    b"\"image\"",
    b"\"input_image\"",
    b"\"image_url\"",
    b"\"base64\"",
];

/// The inverse of a value (`leaf`, with its texts) that was made of a field.
pub(crate) fn inverse(
    of: &TakenValue<'_>,
    (leaf, texts): (&[u8], &Texts<'_>),
    hint: Option<&Hint>,
) -> Inverse {
    let raw = of.peek();
    // Its text has no exact form, so the value has replacements.
    if raw.first() == Some(&b'"') && clean::is_inexact(raw) {
        return Inverse::None;
    }
    match hint {
        Some(Hint::Tool(from, to)) if is_same_tool(raw, leaf, from, to) => return Inverse::Tool,
        Some(Hint::Renamed(names)) if is_renamed(raw, leaf, names) => {
            return Inverse::Renamed(Arc::clone(names));
        }
        _ => {}
    }
    match raw.first() {
        _ if of.slot() == Slot::Time => {
            let time = UtcTime::read(raw);
            let same = time.is_some() && time == UtcTime::read(leaf);
            return if same { Inverse::Instant } else { Inverse::None };
        }
        Some(b't' | b'f') => {
            let polar = (of.slot(), raw);
            let told = polar == (Slot::IsError, b"true") || polar == (Slot::Success, b"false");
            let says = [&b"true"[..], b"false", b"\"error\"", b"\"failed\""].contains(&leaf);
            return if told && says { Inverse::Failed } else { Inverse::None };
        }
        _ if of.name() == b"type" && BLOCKS.contains(&raw) => return Inverse::Block,
        _ if is_same_json(raw, leaf) => return Inverse::Json,
        _ => {}
    }
    let own = Texts::of(raw);
    if let Some(Hint::Tagged(name)) = hint
        && let Some(plain) = texts.without_backslashes(name)
    {
        return match parts(&own, &plain) {
            parts if parts.is_empty() => Inverse::None,
            parts => Inverse::Tagged(name, parts),
        };
    }
    match parts(&own, texts) {
        parts if parts.is_empty() => Inverse::None,
        parts => Inverse::Parts(parts),
    }
}

/// Whether the name of the target's tool leads back to the name in the source.
fn is_same_tool(raw: &[u8], leaf: &[u8], from: &Tools, to: &Tools) -> bool {
    let (Some(own), Some(name)) = (value::text(raw), value::text(leaf)) else { return false };
    to.same_in(from, &name).is_some_and(|back| back == own)
}

/// Calls `look` with an object that is the JSON value, or that the text is.
fn opened<T>(json: &[u8], look: impl FnOnce(Node<'_>) -> Option<T>) -> Option<T> {
    match json.first() {
        Some(b'"') => value::look(value::text(json)?.as_bytes(), look),
        _ => value::look(json, look),
    }
}

/// Whether two objects have equal members under these names.
fn is_renamed(raw: &[u8], leaf: &[u8], names: &[(&'static str, String)]) -> bool {
    let members = |node: Node<'_>| -> Option<Vec<(String, Vec<u8>)>> {
        let member = |member: session::JsonMember<'_>| {
            (value::unescape(member.name).into_owned(), json_eq::tokens(member.value.raw()))
        };
        (node.shape() == Shape::Object).then(|| node.members().map(member).collect())
    };
    let (Some(own), Some(there)) = (opened(raw, members), opened(leaf, members)) else {
        return false;
    };
    own.len() == there.len()
        && there.iter().zip(&own).zip(names).all(|((there, own), (name, old))| {
            there.0 == *name && own.0 == *old && there.1 == own.1
        })
}

/// Whether a value of the target has a JSON value, whole or as its member `input`, or in a text.
fn is_same_json(raw: &[u8], leaf: &[u8]) -> bool {
    let text = if raw.first() == Some(&b'"') { value::text(raw) } else { None };
    let is_text = leaf.first() == Some(&b'"');
    let there = match is_text {
        true => value::text(leaf)
            .map_or(Cow::Borrowed(leaf), |text| Cow::Owned(text.into_owned().into_bytes())),
        false => Cow::Borrowed(leaf),
    };
    let same = match &text {
        Some(text) => !is_text && text.as_bytes() == &*there,
        None => json_eq::equal(raw, &there),
    };
    let input = |root: Node<'_>| {
        let only = root.members().count() == 1;
        let value = root.at(&["input"]).filter(|_| only && root.shape() == Shape::Object)?;
        let inner = value::text(value.raw()).filter(|_| value.shape() == Shape::String);
        Some(match &text {
            Some(text) => inner.is_some_and(|inner| inner == **text),
            None => {
                json_eq::equal(raw, value.raw())
                    || inner.is_some_and(|inner| json_eq::equal(raw, inner.as_bytes()))
            }
        })
    };
    same || there.starts_with(b"{\"input\":") && value::look(&there, input) == Some(true)
}

/// The texts of a JSON value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts<'t> {
    texts: Vec<Cow<'t, str>>,
    /// Whether there is anything else that says something: a number, `true`, `false`.
    others: bool,
    /// Whether a text has no exact form: half of a surrogate pair, or bytes that are not UTF-8.
    damaged: bool,
}

impl<'t> Texts<'t> {
    pub(crate) fn of(json: &'t [u8]) -> Self {
        let mut texts = Self { damaged: clean::is_inexact(json), ..Self::default() };
        match json.first() {
            Some(b'"') => texts.texts.extend(value::text(json)),
            Some(b'[' | b'{') => {
                value::look(json, |root| {
                    texts.gather(root);
                    Some(())
                });
            }
            _ => texts.others = true,
        }
        texts
    }

    /// The texts without the backslashes that keep a tag around them whole; `None` if they have
    /// none.
    fn without_backslashes(&self, name: &str) -> Option<Texts<'_>> {
        let texts: Vec<_> = self.texts.iter().map(|text| unescaped(name, text)).collect();
        let is_same = texts.iter().zip(&self.texts).all(|(plain, text)| plain == text);
        (!is_same).then_some(Texts { texts, others: self.others, damaged: self.damaged })
    }

    /// Whether a text has no exact form.
    pub(crate) const fn is_damaged(&self) -> bool {
        self.damaged
    }

    fn gather(&mut self, root: Node<'_>) {
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            let from = waiting.len();
            match node.shape() {
                Shape::String => self.texts.extend(value::text(node.raw()).map(owned)),
                Shape::Array => waiting.extend(node.elements()),
                Shape::Object => {
                    let named = |member: &session::JsonMember<'_>| {
                        member.name != b"type" || !BLOCKS.contains(&member.value.raw())
                    };
                    waiting.extend(node.members().filter(named).map(|member| member.value));
                }
                _ => self.others |= node.raw() != b"null",
            }
            waiting[from..].reverse();
        }
    }

    /// Whether parts have all texts, and there is nothing else. The words around the parts of an
    /// address that holds a picture (RFC 2397) say nothing.
    pub(crate) fn is_covered(&self, parts: &[TextPart]) -> bool {
        let mut parts = parts.to_vec();
        parts.in_order_by_key(|part| (part.text, part.from));
        let covered = |(number, text): (u32, &Cow<'_, str>)| {
            let first = parts.partition_point(|part| part.text < number);
            let mut end = 0;
            for part in parts[first..].iter().take_while(|part| part.text == number) {
                let from = part.from as usize;
                if from > end && !is_frame(text, end, from) {
                    return false;
                }
                end = end.max(from + part.length as usize);
            }
            end >= text.len() || is_frame(text, end, text.len())
        };
        !self.others && !self.damaged && (0..).zip(&self.texts).all(covered)
    }
}

fn owned<'o>(text: Cow<'_, str>) -> Cow<'o, str> {
    Cow::Owned(text.into_owned())
}

/// Whether a piece of a text says nothing: it is of an address that holds a picture, or it is tags
/// that an agent puts around a text.
fn is_frame(text: &str, from: usize, to: usize) -> bool {
    match text.get(from..to) {
        Some("data:") => from == 0,
        Some(";base64,") => text.starts_with("data:"),
        Some(gap) => are_tags(gap),
        None => false,
    }
}

/// The elements in which agents put the parts of a command's line, and what they tell the model.
const FRAMES: [&str; 5] =
    ["command-name", "command-message", "command-args", "command-contents", "system-reminder"];

/// Whether a piece of a text is nothing but tags of such elements.
fn are_tags(gap: &str) -> bool {
    let mut rest = gap.trim();
    let is_any = !rest.is_empty();
    while let Some((tag, behind)) = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        if !FRAMES.contains(&tag.strip_prefix('/').unwrap_or(tag)) {
            return false;
        }
        rest = behind.trim_start();
    }
    is_any && rest.is_empty()
}

/// The parts of a field's texts in the texts of a value.
fn parts(own: &Texts<'_>, there: &Texts<'_>) -> Vec<TextPart> {
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let mut parts = Vec::new();
    // A text is searched behind the one before it, then everywhere.
    let mut behind = (0, 0);
    for (text, words) in own.texts.iter().enumerate().filter(|(_, words)| !words.is_empty()) {
        if own.damaged {
            continue;
        }
        let find = |(leaf, at): (usize, usize)| {
            there.texts.iter().enumerate().skip(leaf).find_map(|(number, text)| {
                let from = if number == leaf { at } else { 0 };
                let found = memchr::memmem::find(&text.as_bytes()[from..], words.as_bytes())?;
                Some((number, from + found))
            })
        };
        let within = find(behind).or_else(|| find((0, 0)));
        if let Some((leaf, at)) = within {
            behind = (leaf, at + words.len());
            let (length, leaf, at) = (place(words.len()), place(leaf), place(at));
            parts.push(TextPart { text: place(text), from: 0, leaf, at, length });
        } else if let [only] = &*there.texts
            && !only.is_empty()
            && let Some(from) = memchr::memmem::find(words.as_bytes(), only.as_bytes())
        {
            let (from, length) = (place(from), place(only.len()));
            parts.push(TextPart { text: place(text), from, leaf: 0, at: 0, length });
        } else {
            for (from, inner) in elements(words) {
                let mut leaves = there.texts.iter().enumerate();
                let found = leaves.find_map(|(leaf, text)| {
                    Some((leaf, memchr::memmem::find(text.as_bytes(), inner.as_bytes())?))
                });
                let Some((leaf, at)) = found else { continue };
                let (from, length) = (place(from), place(inner.len()));
                parts.push(TextPart {
                    text: place(text),
                    from,
                    leaf: place(leaf),
                    at: place(at),
                    length,
                });
            }
        }
    }
    parts
}

/// The texts of the elements that a text begins with, each with its place: of a command's line its
/// name and its arguments.
fn elements(text: &str) -> Vec<(usize, &str)> {
    let (mut found, mut rest) = (Vec::new(), text.trim_start());
    while let Some((name, inside)) = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        let Some((inner, behind)) = inside.split_once(&format!("</{name}>")) else { break };
        let place = text.len() - inside.len() + (inner.len() - inner.trim_start().len());
        if !inner.trim().is_empty() {
            found.push((place, inner.trim()));
        }
        rest = behind.trim_start();
    }
    found
}
