//! A tool call's target: the argument that says best what the call is about.

use formats::{calls, tools};
use session::{EventRef, Kind, Node, Slot, value};

/// Target of a call: the argument that describes it best. A result may also name it.
pub(super) fn target(call: EventRef<'_>) -> Option<String> {
    if let Some(path) = call.text(Slot::Path) {
        return Some(path.into_owned());
    }
    // A result may repeat its call's input, or name the files that it changed.
    let named =
        |slot| value::look(call.raw(slot)?, |node| tools::words(node).or_else(|| names(node)));
    if call.kind == Kind::ToolResult {
        let text = named(Slot::Input).or_else(|| named(Slot::Changes))?;
        return Some(first_line(&text).to_owned());
    }
    calls::subject(call).map(|text| first_line(&text).to_owned())
}

/// The names in an object: files, with what was done to them.
fn names(node: Node<'_>) -> Option<String> {
    let names = node.members().map(|member| value::unescape(member.name).into_owned());
    let names: Vec<String> = names.collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// The first line of a text.
pub(super) fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default().trim_end()
}
