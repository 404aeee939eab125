//! Values told whole, for `--all`: a call's arguments, a notice's content, a picture by its kind.

use session::{EventRef, Hold, Node, Shape, Slot, Span, value};

use crate::view::human;

/// Deeper values stand in one line, as they are written.
const DEPTH: usize = 8;

/// A value as lines: a member a line, text with its own lines below its name.
#[must_use]
pub fn lines(raw: &[u8]) -> Vec<String> {
    let mut lines = Vec::new();
    // Some agents write arguments as JSON within a string.
    let inner = value::text(raw).filter(|_| raw.first() == Some(&b'"'));
    let structured = |text: &[u8]| matches!(text.first(), Some(b'{' | b'['));
    let text = inner.as_deref().map(str::as_bytes).filter(|text| structured(text)).unwrap_or(raw);
    let told = value::look(text, |root| {
        tell(root, None, 0, &mut lines);
        Some(())
    });
    if told.is_none() {
        let text = inner.unwrap_or_else(|| String::from_utf8_lossy(raw));
        lines.extend(text.trim_end().lines().map(str::to_owned));
    }
    lines
}

/// The same under a name.
fn named(name: &str, raw: &[u8]) -> Vec<String> {
    let mut lines = Vec::new();
    let told = value::look(raw, |root| {
        tell(root, Some(name), 0, &mut lines);
        Some(())
    });
    match told {
        Some(()) => lines,
        None => vec![format!("{name}: {}", String::from_utf8_lossy(raw))],
    }
}

fn tell(node: Node<'_>, name: Option<&str>, depth: usize, out: &mut Vec<String>) {
    let room = "  ".repeat(depth);
    let label = name.map(|name| format!("{name}: ")).unwrap_or_default();
    if let Some(picture) = picture(node) {
        return out.push(format!("{room}{label}{picture}"));
    }
    let holds = matches!(node.shape(), Shape::Object | Shape::Array) && !node.is_empty_container();
    if !holds || depth >= DEPTH {
        return leaf(node, &label, &room, out);
    }
    let below = depth + usize::from(name.is_some());
    if let Some(name) = name {
        out.push(format!("{room}{name}:"));
    }
    for member in node.members() {
        tell(member.value, Some(&value::unescape(member.name)), below, out);
    }
    for element in node.elements() {
        match element.shape() {
            Shape::Object | Shape::Array => tell(element, Some("-"), below, out),
            _ => leaf(element, "- ", &"  ".repeat(below), out),
        }
    }
}

/// What holds nothing: in one line, or its lines below its name.
fn leaf(node: Node<'_>, label: &str, room: &str, out: &mut Vec<String>) {
    let Some(text) = node.text() else {
        return out.push(format!("{room}{label}{}", String::from_utf8_lossy(node.raw())));
    };
    let text = value::unescape(text);
    if label.is_empty() || !text.contains('\n') {
        return out.extend(text.split('\n').map(|line| format!("{room}{label}{line}")));
    }
    out.push(format!("{room}{}", label.trim_end()));
    out.extend(text.trim_end().split('\n').map(|line| format!("{room}  {line}")));
}

/// What a tool answered: text as text, pictures by their kind, all else by its members.
#[must_use]
pub fn content(raw: &[u8]) -> Vec<String> {
    let mut lines = Vec::new();
    let told = value::look(raw, |root| {
        if root.shape() != Shape::Array {
            return None;
        }
        for part in root.elements() {
            match (part.text(), part.at(&["text"]).and_then(Node::text)) {
                (Some(text), _) | (None, Some(text)) => {
                    lines.extend(value::unescape(text).lines().map(str::to_owned));
                }
                (None, None) => tell(part, None, 0, &mut lines),
            }
        }
        Some(())
    });
    if told.is_none() { self::lines(raw) } else { lines }
}

/// What an event says of itself beside its place in the session: each value with its name.
#[must_use]
pub fn fields(event: EventRef<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    for field in event.fields().iter().filter(|field| field.hold == Hold::Own) {
        let name = value::unescape(event.name(*field));
        match field.slot {
            Slot::Secret => lines.push(format!("{name}: (withheld: it gives access to something)")),
            Slot::Content if field.key == Span::NONE => lines.extend(content(event.value(*field))),
            slot if is_place(slot) => {}
            _ if field.key == Span::NONE => lines.extend(named("-", event.value(*field))),
            _ => lines.extend(named(&name, event.value(*field))),
        }
    }
    lines
}

/// Where an event stands, as opposed to what it says.
const fn is_place(slot: Slot) -> bool {
    matches!(
        slot,
        Slot::Time
            | Slot::Id
            | Slot::Parent
            | Slot::Session
            | Slot::WorkingDir
            | Slot::Branch
            | Slot::Version
            | Slot::Type
    )
}

/// The pictures and other media that an event brings, each by its kind and size.
#[must_use]
pub fn pictures(event: EventRef<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let hints: [&[u8]; 3] = [b"image", b"base64", b"mime"];
    if !hints.iter().any(|hint| memchr::memmem::find(event.bytes(), hint).is_some()) {
        return found;
    }
    let children: Vec<Span> = event.children().map(|child| child.span).collect();
    // Children stand in order and side by side.
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

fn search(node: Node<'_>, depth: usize, found: &mut Vec<String>) {
    if let Some(picture) = picture(node) {
        return found.push(picture);
    }
    if depth < DEPTH {
        node.members().for_each(|member| search(member.value, depth + 1, found));
        node.elements().for_each(|element| search(element, depth + 1, found));
    }
}

const KINDS: [&str; 5] = ["media_type", "mimeType", "mime", "mime_type", "mediaType"];
const BYTES: [&str; 4] = ["data", "base64", "bytes", "blob"];
const PLACES: [&str; 5] = ["image_url", "url", "uri", "path", "file_path"];

/// `▣ image png 34 kB`, where a value is a picture, a document or a sound.
fn picture(node: Node<'_>) -> Option<String> {
    if let Some(text) = node.text() {
        return of_url(text);
    }
    if node.shape() != Shape::Object {
        return None;
    }
    let text = |names: &[&str]| names.iter().find_map(|name| node.at(&[name])?.text());
    let kind = text(&KINDS);
    if let (Some(kind), Some(data)) = (kind, text(&BYTES)) {
        return Some(mark(kind, Some(data)));
    }
    let is_image = node.word(&["type"]).is_some_and(|word| word.ends_with(b"image"));
    if let Some(url) = text(&PLACES) {
        let place = || value::unescape(url);
        let by_kind = || kind.map(|kind| format!("{} {}", mark(kind, None), place()));
        let by_type = || is_image.then(|| format!("▣ image {}", place()));
        return of_url(url).or_else(by_kind).or_else(by_type);
    }
    let sources = ["source", "image_url", "inlineData", "inline_data", "file"];
    sources.iter().find_map(|name| {
        let within = node.at(&[name]).filter(|within| within.shape() == Shape::Object)?;
        picture(within)
    })
}

/// A `data:` address.
fn of_url(text: &[u8]) -> Option<String> {
    let rest = text.strip_prefix(b"data:")?;
    let at = memchr::memmem::find(rest.get(..200.min(rest.len()))?, b";base64,")?;
    Some(mark(&rest[..at], Some(&rest[at + 8..])))
}

/// Four letters of base64 are three bytes.
fn mark(kind: &[u8], data: Option<&[u8]>) -> String {
    let kind = value::unescape(kind).replace('/', " ");
    match data {
        Some(data) => {
            let length =
                data.iter().filter(|byte| byte.is_ascii_alphanumeric() || b"+/-_".contains(byte));
            format!("▣ {kind} {}", human::size(length.count() as u64 * 3 / 4))
        }
        None => format!("▣ {kind}"),
    }
}
