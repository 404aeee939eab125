//! Media in a session's values: pictures, documents and sounds, by type and size.

use std::fmt;

use session::{EventRef, Hold, Node, Shape, Slot, Span, value};

use super::picture::Picture;
use crate::human;

/// A picture, a document or a sound in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Media {
    /// Its type, usually a media type (RFC 2046): `image/png`.
    pub kind: String,
    /// Its size in bytes, if the session contains its data.
    pub bytes: Option<u64>,
    /// Its URL, if the session only refers to it. URLs may be hostile and are never opened.
    pub place: Option<String>,
    /// Its data in base64, as written in the session.
    data: Option<Box<[u8]>>,
}

/// Maximum depth at which media are searched for.
const DEPTH: usize = 8;

/// The media of an event, in byte order.
pub(super) fn all(event: EventRef<'_>) -> Vec<Media> {
    let mut found = Vec::new();
    let hints: [&[u8]; 3] = [b"image", b"base64", b"mime"];
    if !hints.iter().any(|hint| memchr::memmem::find(event.bytes(), hint).is_some()) {
        return found;
    }
    let children: Vec<Span> = event.children().map(|child| child.span).collect();
    // Whether no child event is inside a value, so that the value is searched whole. Children are
    // sorted by position.
    let whole = |span: Span| {
        let behind = children.partition_point(|child| child.end <= span.start);
        children.get(behind).is_none_or(|child| span.end <= child.start)
    };
    for field in event.fields() {
        let said = matches!(field.slot, Slot::Content | Slot::Output) || field.key == Span::NONE;
        let looked = (said || children.is_empty()) && field.hold == Hold::Own;
        if looked && whole(field.value) {
            value::look(event.value(*field), |root| {
                search(root, 0, &mut found);
                Some(())
            });
        }
    }
    found
}

fn search(node: Node<'_>, depth: usize, found: &mut Vec<Media>) {
    if let Some(media) = media(node) {
        return found.push(media);
    }
    if depth < DEPTH {
        node.members().for_each(|member| search(member.value, depth + 1, found));
        node.elements().for_each(|element| search(element, depth + 1, found));
    }
}

const KINDS: [&str; 5] = ["media_type", "mimeType", "mime", "mime_type", "mediaType"];
const BYTES: [&str; 4] = ["data", "base64", "bytes", "blob"];
const PLACES: [&str; 5] = ["image_url", "url", "uri", "path", "file_path"];

/// The picture, document or sound that a value holds.
pub(super) fn media(node: Node<'_>) -> Option<Media> {
    if let Some(text) = node.text() {
        return of_url(text);
    }
    if node.shape() != Shape::Object {
        return None;
    }
    let text = |names: &[&str]| names.iter().find_map(|name| node.at(&[name])?.text());
    let kind = text(&KINDS);
    if let (Some(kind), Some(data)) = (kind, text(&BYTES)) {
        return Some(Media::of(kind, Some(data)));
    }
    let is_image = node.word(&["type"]).is_some_and(|word| word.ends_with(b"image"));
    if let Some(url) = text(&PLACES) {
        let place = || Some(value::unescape(url).into_owned());
        let by_kind = || kind.map(|kind| Media { place: place(), ..Media::of(kind, None) });
        let by_type = || is_image.then(|| Media { place: place(), ..Media::of(b"image", None) });
        return of_url(url).or_else(by_kind).or_else(by_type);
    }
    let sources = ["source", "image_url", "inlineData", "inline_data", "file"];
    sources.iter().find_map(|name| {
        let within = node.at(&[name]).filter(|within| within.shape() == Shape::Object)?;
        media(within)
    })
}

/// The content of a `data:` URL.
fn of_url(text: &[u8]) -> Option<Media> {
    let rest = text.strip_prefix(b"data:")?;
    let at = memchr::memmem::find(rest.get(..200.min(rest.len()))?, b";base64,")?;
    Some(Media::of(&rest[..at], Some(&rest[at + 8..])))
}

impl Media {
    /// The picture, if it is one of a type that a page shows, by its own bytes.
    #[must_use]
    pub fn picture(&self) -> Option<Picture> {
        let data = self.data.as_deref()?;
        match data.contains(&b'\\') {
            true => Picture::of(value::unescape(data).as_bytes()),
            false => Picture::of(data),
        }
    }

    /// Size from the length of the base64 text: four characters encode three bytes.
    fn of(kind: &[u8], data: Option<&[u8]>) -> Self {
        let letter = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(byte);
        let length = |data: &[u8]| data.iter().filter(letter).count() as u64 * 3 / 4;
        let kind = value::unescape(kind).into_owned();
        let (bytes, data) = (data.map(length), data.map(Box::from));
        Self { kind, bytes, place: None, data }
    }
}

/// `▣ image png 34 kB`: the type and size.
impl fmt::Display for Media {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "▣ {}", self.kind.replace('/', " "))?;
        match (self.bytes, &self.place) {
            (Some(bytes), _) => write!(f, " {}", human::size(bytes)),
            (None, Some(place)) => write!(f, " {place}"),
            (None, None) => Ok(()),
        }
    }
}
