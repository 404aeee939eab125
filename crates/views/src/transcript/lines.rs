//! Values as lines of text, for a full transcript: the arguments of a call, the answer of a tool,
//! the fields of a notice.

use session::{EventRef, Hold, Node, Shape, Slot, Span, value};

use super::media::media;

/// Depth from which a value is written on one line, as it is in the source.
const DEPTH: usize = 8;

/// A value as lines: one for each member. Text of several lines is below its name.
pub(super) fn lines(raw: &[u8]) -> Vec<String> {
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

/// The members of an object as lines, without those that are this text.
pub(super) fn without(raw: &[u8], text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let inner = value::text(raw).filter(|_| raw.first() == Some(&b'"'));
    value::look(inner.as_deref().map_or(raw, str::as_bytes), |root| {
        let is_text =
            |node: Node<'_>| node.text().is_some_and(|known| value::unescape(known).trim() == text);
        for member in root.members().filter(|member| !is_text(member.value)) {
            tell(member.value, Some(&value::unescape(member.name)), 0, &mut lines);
        }
        Some(())
    });
    lines
}

/// A named value as lines.
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
    if let Some(media) = media(node) {
        return out.push(format!("{room}{label}{media}"));
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

/// A leaf: on the line of its name, or below it if it has several lines.
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

/// The answer of a tool as lines: text as text, media by type, other values by their members.
pub(super) fn content(raw: &[u8]) -> Vec<String> {
    let mut lines = Vec::new();
    let told = value::look(raw, |root| {
        if root.shape() != Shape::Array {
            return None;
        }
        for part in root.elements() {
            match value::part_text(part) {
                Some(text) => lines.extend(text.lines().map(str::to_owned)),
                None => tell(part, None, 0, &mut lines),
            }
        }
        Some(())
    });
    if told.is_none() { self::lines(raw) } else { lines }
}

/// The fields of an event with their names, without its time, identity and place.
pub(super) fn fields(event: EventRef<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    for field in event.fields().iter().filter(|field| field.hold == Hold::Own) {
        let name = value::unescape(event.name(*field));
        match field.slot {
            Slot::Secret => lines.push(format!("{name}: (withheld: a credential)")),
            Slot::Content if field.key == Span::NONE => lines.extend(content(event.value(*field))),
            slot if is_place(slot) => {}
            _ if field.key == Span::NONE => lines.extend(named("-", event.value(*field))),
            _ => lines.extend(named(&name, event.value(*field))),
        }
    }
    lines
}

/// Whether a slot holds an event's time, identity or place, which are not its content.
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
