//! Pictures in a content value, in the forms of the providers' interfaces.

use session::{EventRef, Node, Shape, Slot, value};

/// A picture whose bytes are in the session.
pub(crate) struct Picture<'n> {
    /// Its media type (RFC 2046), as written: without quotes, escapes unresolved.
    pub(crate) kind: &'n [u8],
    /// Its bytes in Base64.
    pub(crate) data: &'n [u8],
}

/// The picture that an element of a content array is.
pub(crate) fn picture(element: Node<'_>) -> Option<Picture<'_>> {
    if element.shape() != Shape::Object {
        return None;
    }
    // {"type":"image","source":{"type":"base64","media_type":…,"data":…}}, and the same without
    // `source`; {"inlineData":{"mimeType":…,"data":…}}.
    for holder in [&["source"][..], &["inlineData"], &["inline_data"], &[]] {
        let at = |name| element.at(&[holder, &[name]].concat()).and_then(Node::text);
        let kind = ["media_type", "mimeType", "mime_type", "mime"].iter().find_map(|name| at(name));
        if let (Some(kind), Some(data)) = (kind, at("data")) {
            return kind.starts_with(b"image/").then_some(Picture { kind, data });
        }
    }
    // {"type":"image/png","base64":…}.
    let at = |name: &str| element.at(&[name]).and_then(Node::text);
    if let (Some(kind), Some(data)) = (at("type"), at("base64")) {
        return kind.starts_with(b"image/").then_some(Picture { kind, data });
    }
    // {"type":"input_image","image_url":"data:…"}, {"image_url":{"url":"data:…"}}, {"url":…},
    // {"uri":…}, {"image":…}.
    let places: [&[&str]; 5] =
        [&["image_url"], &["image_url", "url"], &["url"], &["uri"], &["image"]];
    places.iter().find_map(|path| data_url(element.at(path)?.text()?))
}

/// The parts of an address `data:image/png;base64,…` (RFC 2397).
fn data_url(url: &[u8]) -> Option<Picture<'_>> {
    let rest = url.strip_prefix(b"data:")?;
    let comma = rest.iter().position(|byte| *byte == b',')?;
    let kind = rest[..comma].strip_suffix(b";base64")?;
    kind.starts_with(b"image/").then_some(Picture { kind, data: &rest[comma + 1..] })
}

/// A text without JSON's escapes.
pub(crate) fn plain(raw: &[u8]) -> String {
    value::unescape(raw).into_owned()
}

/// The pictures beside an event's text: the media type and the bytes of each.
pub(crate) fn beside(event: EventRef<'_>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    value::look(event.raw(Slot::Media).unwrap_or_default(), |root| {
        let one = (root.shape() == Shape::String).then(|| root.text().and_then(data_url));
        let object = (root.shape() == Shape::Object).then(|| picture(root));
        let all = one.into_iter().chain(object).chain(root.elements().map(picture)).flatten();
        found.extend(all.map(|picture| (plain(picture.kind), plain(picture.data))));
        Some(())
    });
    found
}

/// Whether an event has a picture beside its text.
pub(crate) fn has_picture(event: EventRef<'_>) -> bool {
    !beside(event).is_empty()
}
