//! What the tools did to files, where that can be known. The stores differ in what they keep:
//! transcripts have no answers, so that nobody knows what was done; the command line's store has
//! the answers in words; the desktop has the digests of the text before and after, and what was
//! written is believed only if it has that digest.

use std::collections::HashMap;

use replay::{Change, Replacement, patch};
use session::value::{self, text_at};
use session::{EventIx, EventRef, Kind, Node, Outcome, Session, Slot, Standing};

use crate::vac::source::digest;

mod names {
    pub(super) const PATHS: &[&[&str]] = &[
        &["path"],
        &["file_path"],
        &["target_file"],
        &["targetFile"],
        &["relativeWorkspacePath"],
        &["target_notebook"],
    ];
    pub(super) const CONTENTS: &[&[&str]] = &[&["contents"], &["content"]];
    pub(super) const OLD: &[&str] = &["old_string"];
    pub(super) const NEW: &[&str] = &["new_string"];
    pub(super) const ALL: &[&str] = &["replace_all"];
    /// The whole text that the desktop wrote.
    pub(super) const WRITTEN: &[&str] = &["streamingContent"];
    pub(super) const BEFORE: &[&str] = &["beforeContentId"];
    pub(super) const AFTER: &[&str] = &["afterContentId"];
}

/// The tools that change files, as the stores name them.
pub(super) const TOOLS: &[&str] = &[
    "Write",
    "StrReplace",
    "ApplyPatch",
    "Delete",
    "EditNotebook",
    "MultiEdit",
    "Edit",
    "apply_patch",
    "delete_file",
    "edit_file",
    "edit_file_v2",
    "edit_notebook",
    "search_replace",
    "write",
];

/// Why a change can't be followed.
const NO_ANSWER: &str = "a call whose answer the session does not keep";
const UNTOLD: &str = "a change of which the session tells neither text nor lines";

/// What the person decided.
const DECISION: &[u8] = b"userDecision";

/// What stands before the SHA-256 of a text.
const CONTENT: &str = "composer.content.";

/// The changes of a session in source order.
pub(super) fn of(session: &Session) -> Vec<(EventIx, String, Change)> {
    let mut open: HashMap<&[u8], EventRef<'_>> = HashMap::new();
    // Texts by their digests: what was written is what is found there later.
    let mut texts = HashMap::from([(digest(b""), String::new())]);
    let mut changes = Vec::new();
    for event in session.top().flat_map(|top| std::iter::once(top).chain(top.children())) {
        let skipped =
            matches!(event.standing, Standing::Copied | Standing::Superseded | Standing::Echo);
        let known = || event.text(Slot::Name).is_some_and(|name| TOOLS.contains(&&*name));
        match event.kind {
            _ if skipped => {}
            Kind::ToolCall if known() => match answer(event) {
                Some(answer) => changes.extend(done(event, answer, &mut texts)),
                None => match event.raw(Slot::Call) {
                    // Ids repeat: a call that had this one goes without an answer.
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
    rest.sort_by_key(|call| call.index);
    changes.extend(rest.into_iter().flat_map(|call| unclear(call, NO_ANSWER)));
    changes
}

/// The answer that was made from the same value as the call.
fn answer(call: EventRef<'_>) -> Option<EventRef<'_>> {
    let next = call.index + 1;
    let next = ((next as usize) < call.session().len()).then(|| call.session().event(next))?;
    (next.kind == Kind::ToolResult && next.span == call.span).then_some(next)
}

/// The arguments: an object, JSON in a string, or a patch.
fn input<T>(call: EventRef<'_>, look: impl FnOnce(Node<'_>) -> Option<T>) -> Option<T> {
    match call.text(Slot::Input) {
        Some(text) => value::look(text.as_bytes(), look),
        None => value::look(call.raw(Slot::Input)?, look),
    }
}

/// What a call did that was answered.
fn done(
    call: EventRef<'_>,
    answer: EventRef<'_>,
    texts: &mut HashMap<String, String>,
) -> Vec<(EventIx, String, Change)> {
    if answer.outcome() == Some(Outcome::Bad) || refused(call) {
        return Vec::new();
    }
    let said = answer.raw(Slot::Output).map_or_else(Default::default, value::said);
    let change =
        input(call, |input| desktop(input, &said, texts).or_else(|| confirmed(input, &said)));
    match change.zip(paths(call).pop()) {
        Some((change, path)) => vec![(call.index, path, change)],
        None => unclear(call, UNTOLD),
    }
}

/// Did the person refuse it?
fn refused(call: EventRef<'_>) -> bool {
    let decision = call.native().find(|field| call.name(*field) == DECISION);
    let word = decision.and_then(|field| value::text(call.value(field)));
    word.is_some_and(|word| word.starts_with("reject"))
}

/// The desktop's: a text is believed if it has the digest that the answer names.
fn desktop(input: Node<'_>, said: &str, texts: &mut HashMap<String, String>) -> Option<Change> {
    let id = |path| {
        let id = value::look(said.as_bytes(), |said| text_at(said, path))?;
        id.strip_prefix(CONTENT).map(str::to_owned)
    };
    let id_after = id(names::AFTER)?;
    let written = text_at(input, names::WRITTEN).filter(|text| digest(text.as_bytes()) == id_after);
    if let Some(text) = written {
        texts.insert(id_after.clone(), text);
    }
    let after = texts.get(&id_after)?.clone();
    let before = id(names::BEFORE).and_then(|id| texts.get(&id).cloned());
    Some(Change::Write { before, after })
}

/// The command line's: what was asked for, where the answer says that it was done.
fn confirmed(input: Node<'_>, said: &str) -> Option<Change> {
    let said = said.trim_start();
    if said.starts_with("Wrote contents to ") {
        let after = names::CONTENTS.iter().find_map(|path| text_at(input, path))?;
        return Some(Change::Write { before: None, after });
    }
    let updated = said.starts_with("The file ") && said.contains(" has been updated");
    let (old, new) = (text_at(input, names::OLD)?, text_at(input, names::NEW)?);
    let all = input.at(names::ALL).is_some_and(|all| all.raw() == b"true");
    let replaced = Change::Replace(Replacement { old, new, all, line: false });
    updated.then_some(replaced)
}

/// The files that a call names.
fn paths(call: EventRef<'_>) -> Vec<String> {
    let named = |input: Node<'_>| names::PATHS.iter().find_map(|path| text_at(input, path));
    if let Some(path) = input(call, named) {
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
