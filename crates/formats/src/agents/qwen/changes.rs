//! File changes of Qwen Code's tools. The `resultDisplay` of a result has the text before and
//! after, in large files only a diff, and in larger ones nothing that is whole: then the arguments
//! count. A call that did not succeed changed nothing.

use meaning::Calls;
use replay::{Change, unified};
use session::{EventIx, EventRef, Node, Session, Slot, value};

use super::{map, tools};
use crate::agents::gemini::changes::{asked, shell, shown};
use crate::format::WantedCalls;
use crate::tools::{Common, Means, Shows, Tool};

/// The changes of a session in source order.
pub(super) fn of(session: &Session, wanted: WantedCalls<'_>) -> Vec<(EventIx, String, Change)> {
    let succeeded = Calls::of(session).succeeded(session.events());
    let succeeded = succeeded.filter(|(call, _)| wanted(call.index));
    succeeded.flat_map(|(call, result)| done(call, result)).collect()
}

/// The changes of a successful call.
fn done(call: EventRef<'_>, result: EventRef<'_>) -> Vec<(EventIx, String, Change)> {
    let tool = call.text(Slot::Name).and_then(|name| tools::TOOLS.named(&name));
    let (Some(tool), Some(input)) = (tool, call.raw(Slot::Input)) else { return Vec::new() };
    let said = said(result);
    let changes = value::look(input, |input| Some(of_call(tool, input, result, &said)));
    let changes = changes.unwrap_or_default().into_iter();
    changes.map(|(path, change)| (call.index, path, change)).collect()
}

/// The output for the model, as text.
fn said(result: EventRef<'_>) -> String {
    let text =
        |parts: Node<'_>| parts.elements().find_map(|part| value::text_at(part, map::OUTPUT));
    let own = result.raw(Slot::Output).and_then(|raw| value::look(raw, text));
    own.unwrap_or_default()
}

fn of_call(
    tool: &Tool,
    input: Node<'_>,
    result: EventRef<'_>,
    said: &str,
) -> Vec<(String, Change)> {
    if tool.common == Common::Shell {
        return shell(tool, input, said);
    }
    let Some(path) = tool.text(Means::Path, input) else { return Vec::new() };
    let display = (tools::TOOLS.results.of)(result);
    let shown = display.and_then(|display| value::look(display, of_display));
    let change = shown.or_else(|| asked(tool, input, said));
    change.map(|change| (path, change)).into_iter().collect()
}

/// The change that a display has whole.
fn of_display(display: Node<'_>) -> Option<Change> {
    let cut = |name| display.at(&[name]).is_some_and(|mark: Node<'_>| mark.raw() == b"true");
    if !cut("newContentTruncated") && !cut("originalContentTruncated") {
        return shown(display);
    }
    let diff = tools::TOOLS.results.text(Shows::Diff, display);
    let hunks = unified(&diff.filter(|_| !cut("fileDiffTruncated"))?);
    (!hunks.is_empty()).then_some(Change::Hunks { before: None, hunks, edits: Vec::new() })
}
