//! Content of a piece: its texts and pictures, with the fields that they are made of.

use meaning::account::{Cause, TakenValue};
use session::{EventRef, Field, Hold, Node, Slot, Span, value};

use super::books::{Books, Value};
use super::inverse::Hint;
use super::media::{self, picture, plain};
use crate::injected::{REMINDER, reminder};
use crate::worded::Worded;

/// A block of content.
#[derive(Clone, Debug)]
pub(crate) enum Block<'s> {
    Text(Value<'s>),
    Picture {
        /// Its media type.
        kind: Value<'s>,
        /// Its bytes in Base64.
        data: Value<'s>,
    },
}

impl Block<'_> {
    /// The block of a text of the source's agent, for an agent whose files have no other mark of
    /// one: it is within a tag.
    pub(crate) fn reminding(self) -> Self {
        match self {
            Self::Text(text) => {
                let words = reminder(&text.text().unwrap_or_default());
                Self::Text(text.as_text(&words).hinted(Hint::Tagged(REMINDER)))
            }
            picture @ Self::Picture { .. } => picture,
        }
    }
}

/// The blocks of an event's content, or of a result's output, in order. Adjacent texts are one.
pub(crate) fn blocks<'s>(books: &mut Books<'s>, event: EventRef<'s>, slot: Slot) -> Vec<Block<'s>> {
    let Some(field) = event.field(slot) else { return Vec::new() };
    let raw = event.value(field);
    match raw.first() {
        Some(b'"') => {
            books.take(event, slot).map(|v| Block::Text(Value::carried(v))).into_iter().collect()
        }
        Some(b'[') => elements(books, event, field),
        Some(b'n') | None => Vec::new(),
        Some(_) => {
            let text = response(raw).unwrap_or_else(|| String::from_utf8_lossy(raw).into_owned());
            let of = books.take(event, slot).into_iter().collect();
            vec![Block::Text(Value::mapped(&text, of, Cause::Form))]
        }
    }
}

/// The text of an event that no single string of its record is, with the fields that it has.
pub(crate) fn worded<'s>(
    books: &mut Books<'s>,
    event: EventRef<'s>,
    worded: Worded,
) -> Vec<Block<'s>> {
    let of = worded.fields.iter().filter_map(|at| books.take_at(event, *at)).collect();
    vec![Block::Text(Value::mapped(&worded.text, of, Cause::Form))]
}

/// The pictures beside an event's text.
pub(crate) fn media<'s>(books: &mut Books<'s>, event: EventRef<'s>) -> Vec<Block<'s>> {
    let Some(field) = event.field(Slot::Media) else { return Vec::new() };
    let of = within(books, event, field.value);
    let value = |text: &str| Value::mapped(text, of.clone(), Cause::Form);
    let block = |(kind, data): (String, String)| {
        let (kind, data) = (value(&kind), value(&data));
        Block::Picture { kind, data }
    };
    media::beside(event).into_iter().map(block).collect()
}

/// The blocks without the texts that say nothing beside others: providers refuse an empty one.
pub(crate) fn full(mut blocks: Vec<Block<'_>>) -> Vec<Block<'_>> {
    let says = |block: &Block<'_>| match block {
        Block::Text(text) => text.text().is_none_or(|text| !text.trim().is_empty()),
        Block::Picture { .. } => true,
    };
    if blocks.len() > 1 {
        blocks.retain(says);
    }
    blocks
}

/// The fields of an event that have bytes of a span.
fn within<'s>(books: &mut Books<'s>, event: EventRef<'s>, span: Span) -> Vec<TakenValue<'s>> {
    let touches = |field: &Field| {
        field.hold == Hold::Own && field.value.start < span.end && span.start < field.value.end
    };
    let numbers: Vec<usize> =
        (0..event.fields().len()).filter(|at| touches(&event.fields()[*at])).collect();
    numbers.into_iter().filter_map(|at| books.take_at(event, at)).collect()
}

/// The blocks of an array.
fn elements<'s>(books: &mut Books<'s>, event: EventRef<'s>, field: Field) -> Vec<Block<'s>> {
    let children: Vec<Span> = event.children().map(|child| child.span).collect();
    let raw = event.value(field);
    let (mut found, mut whole) = (Vec::new(), true);
    value::look(raw, |root| {
        for (number, element) in root.elements().enumerate() {
            let at = element.span();
            let start = field.value.start;
            let span = Span::new(start + at.start, start + at.end);
            if children.iter().any(|child| child.start == span.start) {
                continue;
            }
            match part(element) {
                Some(part) => found.push((number, part, span)),
                None => whole = false,
            }
            found.extend(shown(element).map(|part| (number, part, span)));
        }
        Some(())
    });
    // A list of something else: the output of a tool.
    if found.is_empty() && (!whole || field.slot == Slot::Output) && field.hold == Hold::Own {
        let of = within(books, event, field.value);
        return vec![Block::Text(Value::mapped(&String::from_utf8_lossy(raw), of, Cause::Form))];
    }
    let mut joined = JoinedBlocks::default();
    let mut before = None;
    for (number, part, span) in found {
        let of = within(books, event, span);
        match part {
            Part::Text(text) => {
                // A thought, for example, may be between two texts.
                let is_beside = before.is_some_and(|before| before + 1 == number);
                joined.text(&text, of, event.is_cut_answer() && is_beside);
                before = Some(number);
            }
            Part::Picture { kind, data } => joined.picture(&kind, &data, of),
        }
    }
    joined.end()
}

/// Blocks, of which adjacent texts become one.
#[derive(Default)]
struct JoinedBlocks<'s> {
    blocks: Vec<Block<'s>>,
    text: Option<(String, Vec<TakenValue<'s>>)>,
}

impl<'s> JoinedBlocks<'s> {
    /// Adds a text: on lines of its own, unless the seam may be within a word and is.
    fn text(&mut self, more: &str, of: Vec<TakenValue<'s>>, is_seam: bool) {
        let Some((text, known)) = &mut self.text else {
            self.text = Some((more.to_owned(), of));
            return;
        };
        if !(is_seam && value::share_a_word(text, more)) {
            text.push('\n');
        }
        text.push_str(more);
        for of in of {
            if !known.iter().any(|known| known.field() == of.field()) {
                known.push(of);
            }
        }
    }

    fn picture(&mut self, kind: &str, data: &str, of: Vec<TakenValue<'s>>) {
        self.end_text();
        let kind = Value::mapped(kind, of.clone(), Cause::Form);
        self.blocks.push(Block::Picture { kind, data: Value::mapped(data, of, Cause::Form) });
    }

    fn end_text(&mut self) {
        if let Some((text, of)) = self.text.take() {
            self.blocks.push(Block::Text(Value::mapped(&text, of, Cause::Joined)));
        }
    }

    fn end(mut self) -> Vec<Block<'s>> {
        self.end_text();
        self.blocks
    }
}

enum Part {
    Text(String),
    Picture { kind: String, data: String },
}

/// The text of an output that is the response of a function, in the form of Gemini's interface: an
/// object with an output or an error, and nothing else.
fn response(raw: &[u8]) -> Option<String> {
    value::look(raw, |root| {
        let mut members = root.members();
        let only = members.next().filter(|_| members.next().is_none())?;
        let text = ["output", "error"].iter().find_map(|name| root.at(&[name])?.text())?;
        (only.value.text() == Some(text)).then(|| plain(text))
    })
}

/// An element of a content array, if it is a text or a picture.
fn part(element: Node<'_>) -> Option<Part> {
    if let Some(picture) = picture(element) {
        return Some(Part::Picture { kind: plain(picture.kind), data: plain(picture.data) });
    }
    value::part_text(element).map(|text| Part::Text(text.into_owned()))
}

/// The pictures within an element that is the response of a function.
fn shown(element: Node<'_>) -> impl Iterator<Item = Part> {
    let parts = element.at(&["functionResponse", "parts"]).into_iter().flat_map(Node::elements);
    let pictures: Vec<_> = parts.filter_map(part).collect();
    pictures.into_iter().filter(|part| matches!(part, Part::Picture { .. }))
}

/// The texts of blocks as one; the pictures are left out.
pub(crate) fn text(blocks: Vec<Block<'_>>) -> Option<Value<'_>> {
    let texts = blocks.into_iter().filter_map(|block| match block {
        Block::Text(text) => Some(text),
        Block::Picture { .. } => None,
    });
    texts.reduce(Value::join)
}

/// A picture as an address that holds it (RFC 2397).
pub(crate) fn data_url<'s>(kind: &Value<'s>, data: &Value<'s>) -> Value<'s> {
    let (kind, bytes) = (kind.text().unwrap_or_default(), data.text().unwrap_or_default());
    data.as_text(&format!("data:{kind};base64,{bytes}"))
}
