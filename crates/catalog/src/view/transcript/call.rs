//! A tool call's target: the argument that says best what the call is about.

use formats::tools;
use session::{EventRef, Node, Slot, value};

/// Names of fields by which a result says what was done, where its call stands elsewhere.
const RETOLD: [&str; 4] = ["command", "changes", "query", "invocation"];

/// What a call was done to: the argument that says it best. A result may say it too.
pub(super) fn target(call: EventRef<'_>) -> Option<String> {
    if let Some(path) = call.text(Slot::Path) {
        return Some(path.into_owned());
    }
    if call.field(Slot::Input).is_none() {
        let mut told = RETOLD.iter().filter_map(|name| {
            let field = call.native().find(|field| call.name(*field) == name.as_bytes())?;
            value::look(call.value(field), |node| tools::words(node).or_else(|| names(node)))
        });
        return told.next().map(|text| first_line(&text).to_owned());
    }
    tools::subject(call).map(|text| first_line(&text).to_owned())
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
