//! File changes of Cursor's tools, if they can be known. The stores differ. Transcripts have no
//! answers, so their calls prove nothing. The command line's store has answers in words. The
//! desktop has the digests of the text before and after; a written text counts only if it has that
//! digest.

use std::collections::HashMap;

use replay::{Change, Replacement, patch};
use session::Sorting as _;
use session::{EventIx, EventRef, Kind, Node, Outcome, Session, Slot, Standing, value};

use super::tools;
use crate::digest::digest;
use crate::format::WantedCalls;
use crate::tools::{Common, Means, Shows, Tool};

/// The reason why a change can't be derived.
const NO_ANSWER: &str = "a call whose answer the session does not keep";
const UNTOLD: &str = "a change of which the session tells neither text nor lines";

/// The person's decision.
const DECISION: &[u8] = b"userDecision";

/// Prefix of a text's SHA-256.
const CONTENT: &str = "composer.content.";

/// The changes of a session in source order.
pub(super) fn of(session: &Session, _: WantedCalls<'_>) -> Vec<(EventIx, String, Change)> {
    let mut open: HashMap<&[u8], EventRef<'_>> = HashMap::new();
    // Texts by their digests: a written text is found there later.
    let mut texts = HashMap::from([(digest(b""), String::new())]);
    let mut changes = Vec::new();
    for event in session.top().flat_map(|top| std::iter::once(top).chain(top.children())) {
        let skipped = event.standing.is_copied()
            || matches!(event.standing, Standing::Superseded | Standing::Echo);
        match event.kind {
            _ if skipped => {}
            Kind::ToolCall if tool(event).is_some() => match answer(event) {
                Some(answer) => changes.extend(done(event, answer, &mut texts)),
                None => match event.raw(Slot::Call) {
                    // Ids repeat: an earlier call with this id has no answer.
                    Some(id) => {
                        let before = open.insert(id, event);
                        changes.extend(before.into_iter().flat_map(|it| unclear(it, NO_ANSWER)));
                    }
                    None => changes.extend(unclear(event, NO_ANSWER)),
                },
            },
            Kind::ToolResult => {
                let call = event.raw(Slot::Call).and_then(|id| open.remove(id));
                changes.extend(call.into_iter().flat_map(|call| done(call, event, &mut texts)));
            }
            _ => {}
        }
    }
    let mut rest: Vec<EventRef<'_>> = open.into_values().collect();
    rest.in_order_by_key(|call| call.index);
    changes.extend(rest.into_iter().flat_map(|call| unclear(call, NO_ANSWER)));
    changes
}

/// The tool of a call, if it changes files.
fn tool(call: EventRef<'_>) -> Option<&'static Tool> {
    let tool = tools::TOOLS.named(&call.text(Slot::Name)?)?;
    let kinds = [Common::Write, Common::Edit, Common::Patch, Common::Delete, Common::Notebook];
    kinds.contains(&tool.common).then_some(tool)
}

/// The answer that was made from the same value as the call.
fn answer(call: EventRef<'_>) -> Option<EventRef<'_>> {
    let next = call.index + 1;
    let next = ((next as usize) < call.session().len()).then(|| call.session().event(next))?;
    (next.kind == Kind::ToolResult && next.span == call.span).then_some(next)
}

/// Parses the arguments: an object, JSON in a string, or a patch.
fn input<T>(call: EventRef<'_>, look: impl FnOnce(Node<'_>) -> Option<T>) -> Option<T> {
    match call.text(Slot::Input) {
        Some(text) => value::look(text.as_bytes(), look),
        None => value::look(call.raw(Slot::Input)?, look),
    }
}

/// The changes of an answered call.
fn done(
    call: EventRef<'_>,
    answer: EventRef<'_>,
    texts: &mut HashMap<String, String>,
) -> Vec<(EventIx, String, Change)> {
    if answer.outcome().is_some_and(Outcome::is_bad) || refused(call) {
        return Vec::new();
    }
    let said = answer.raw(Slot::Output).map_or_else(Default::default, value::said);
    let Some(tool) = tool(call) else { return Vec::new() };
    let change = input(call, |input| {
        desktop(tool, input, &said, texts).or_else(|| confirmed(tool, input, &said))
    });
    match change.zip(paths(call).pop()) {
        Some((change, path)) => vec![(call.index, path, change)],
        None => unclear(call, UNTOLD),
    }
}

/// Whether the person refused it.
fn refused(call: EventRef<'_>) -> bool {
    let decision = call.native().find(|field| call.name(*field) == DECISION);
    let word = decision.and_then(|field| value::text(call.value(field)));
    word.is_some_and(|word| word.starts_with("reject"))
}

/// The desktop's change: a text counts if it has the digest in the answer.
fn desktop(
    tool: &Tool,
    input: Node<'_>,
    said: &str,
    texts: &mut HashMap<String, String>,
) -> Option<Change> {
    let id = |shows| {
        let id = value::look(said.as_bytes(), |said| tools::RESULTS.text(shows, said))?;
        id.strip_prefix(CONTENT).map(str::to_owned)
    };
    let id_after = id(Shows::AfterDigest)?;
    let written = tool.text(Means::Text, input).filter(|text| digest(text.as_bytes()) == id_after);
    if let Some(text) = written {
        texts.insert(id_after.clone(), text);
    }
    let after = texts.get(&id_after)?.clone();
    let before = id(Shows::BeforeDigest).and_then(|id| texts.get(&id).cloned());
    Some(Change::Write { before, after })
}

/// The command line's change by the call's input, if the answer confirms it.
fn confirmed(tool: &Tool, input: Node<'_>, said: &str) -> Option<Change> {
    let said = said.trim_start();
    if said.starts_with("Wrote contents to ") {
        let after = tool.text(Means::Text, input)?;
        return Some(Change::Write { before: None, after });
    }
    let updated = said.starts_with("The file ") && said.contains(" has been updated");
    let (old, new) = (tool.text(Means::Old, input)?, tool.text(Means::New, input)?);
    let all = tool.is_true(Means::All, input);
    let replaced = Change::replace(Replacement { old, new, all, line: false });
    updated.then_some(replaced)
}

/// The files that a call names.
fn paths(call: EventRef<'_>) -> Vec<String> {
    let named = tool(call).and_then(|tool| input(call, |input| tool.text(Means::Path, input)));
    if let Some(path) = named {
        return vec![path];
    }
    let text = call.text(Slot::Input).unwrap_or_default();
    let changes = patch(&text).unwrap_or_default();
    changes.into_iter().map(|(path, _)| path).collect()
}

fn unclear(call: EventRef<'_>, why: &'static str) -> Vec<(EventIx, String, Change)> {
    let mut paths = paths(call);
    paths.dedup();
    paths.into_iter().map(|path| (call.index, path, Change::Unclear { why })).collect()
}
