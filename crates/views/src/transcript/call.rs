//! Target of a tool call: the argument that identifies its object best, such as a path or a
//! command.

use formats::{calls, scripted, tools};
use session::{EventRef, Kind, Node, Slot, value};

/// Target of a call: the argument that identifies its object best. It may also be in the result.
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
    ran(call).or_else(|| calls::subject(call).map(|text| first_line(&text).to_owned()))
}

/// The subject of a script: its first command, else its first tool, and how many calls follow.
fn ran(call: EventRef<'_>) -> Option<String> {
    let calls = scripted::of(call);
    let first = scripted::main(&calls)?;
    let said = first.command.as_deref().map_or(&*first.tool, first_line);
    Some(match calls.len() - 1 {
        0 => said.to_owned(),
        more => format!("{said} \u{b7} {more} more"),
    })
}

/// The member names of an object, which are the files of a call that changes several.
fn names(node: Node<'_>) -> Option<String> {
    let names = node.members().map(|member| value::unescape(member.name).into_owned());
    let names: Vec<String> = names.collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// The first line of a text.
pub(super) fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default().trim_end()
}
