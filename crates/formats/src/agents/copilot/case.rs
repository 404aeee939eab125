//! Case selection: the table that applies to a line, and whether a sub-agent wrote it.

use session::{Case, EventRef, Injected, Kind, Node, Shape, Slot};

use super::schema::{self, TYPES};
use super::{document, map, names, tools, workspace};
use crate::injected;

/// A sub-agent's lines are among those of its session.
const SIDE: &[(Slot, &str)] = &[(Slot::Sidechain, "true")];

/// A case: of the session's own line, and of a sub-agent's.
pub(super) struct Pair {
    own: Case,
    side: Case,
}

/// The same case for both.
macro_rules! pair {
    ($case:expr) => {
        Pair { own: $case, side: $case.with(SIDE) }
    };
}

impl Pair {
    fn of(&'static self, side: bool) -> &'static Case {
        if side { &self.side } else { &self.own }
    }

    /// Whether an event is of this case.
    pub(super) fn is(&self, event: EventRef<'_>) -> bool {
        std::ptr::eq(event.case, &self.own) || std::ptr::eq(event.case, &self.side)
    }
}

/// A prompt that was typed.
static USER: Pair = pair!(Case::new("user.message", Kind::User, schema::line("user.message")));
/// One that another agent wrote: the task of a sub-agent.
static TASK: Pair = pair!(
    Case::new("user.message", Kind::User, schema::line("user.message")).injected_as(Injected::Task)
);
/// One that the agent itself put in: a skill, instructions that it found.
static TOLD: Pair = pair!(
    Case::new("user.message", Kind::User, schema::line("user.message")).injected_as(Injected::Told)
);
/// The report of a sub-agent, which may be another agent's.
static REPORT: Pair = pair!(
    Case::new("user.message", Kind::User, schema::line("user.message"))
        .injected_as(Injected::Report)
);
static ANSWER: Pair =
    pair!(Case::new("assistant.message", Kind::Assistant, schema::line("assistant.message")));
static THOUGHT: Pair = Pair {
    own: Case::new("assistant.message", Kind::Reasoning, &map::THOUGHT).also(&ANSWER.own),
    side: Case::new("assistant.message", Kind::Reasoning, &map::THOUGHT)
        .also(&ANSWER.side)
        .with(SIDE),
};
static REASONING: Pair =
    pair!(Case::new("assistant.reasoning", Kind::Reasoning, schema::line("assistant.reasoning")));
static REQUEST: Case = Case::new("call", Kind::ToolCall, &map::REQUEST);
/// The beginning of a run: mostly the same call again.
pub(super) static STARTED: Pair =
    pair!(Case::new("tool.execution_start", Kind::ToolCall, schema::line("tool.execution_start")));
static COMPLETED: Pair = pair!(Case::new(
    "tool.execution_complete",
    Kind::ToolResult,
    schema::line("tool.execution_complete")
));
static EXITED: Pair = pair!(Case::new("tool.execution_complete", Kind::ToolResult, &map::EXITED));
static SYSTEM: Pair =
    pair!(Case::new("system.message", Kind::User, schema::line("system.message")).injected());
static NOTIFIED: Pair = pair!(
    Case::new("system.notification", Kind::User, schema::line("system.notification"))
        .injected_as(Injected::Told)
);
static SKILL: Pair = pair!(
    Case::new("skill.invoked", Kind::User, schema::line("skill.invoked"))
        .injected_as(Injected::Told)
);
/// A compaction that went well: its summary takes the place of the conversation before.
pub(super) static COMPACTED: Pair = pair!(
    Case::new(
        "session.compaction_complete",
        Kind::Notice,
        schema::line("session.compaction_complete")
    )
    .injected_as(Injected::Summary)
);
/// The bytes of a picture: of a message that refers to it, or of a tool's result.
pub(super) static ASSET: Pair =
    pair!(Case::new("session.binary_asset", Kind::User, &map::ASSET).injected_as(Injected::Told));
pub(super) static USAGE_RECORD: Pair =
    pair!(Case::new("session.usage_record", Kind::Notice, &map::USAGE_RECORD));
/// Copies of the history around a compaction, and events for clients.
static CARRIED: Pair = pair!(Case::new("line", Kind::Notice, &map::CARRIED));
static STRANGE: Pair = pair!(Case::new("unknown", Kind::Notice, &map::STRANGE));
static WORKSPACE: Case = Case::new("workspace", Kind::Notice, &map::WORKSPACE);

/// The cases of the types that are notices, in the order of the types.
static NOTICES: [Case; TYPES] = notices(&[]);
static SIDE_NOTICES: [Case; TYPES] = notices(SIDE);

const fn notices(constants: &'static [(Slot, &'static str)]) -> [Case; TYPES] {
    let mut cases = [const { Case::new("", Kind::Notice, &map::CARRIED) }; TYPES];
    let mut kind = 0;
    while kind < TYPES {
        let (name, map) = schema::numbered(kind);
        cases[kind] = Case::new(name, Kind::Notice, map).with(constants);
        kind += 1;
    }
    cases
}

/// The case of a line of events, or of a whole document.
pub(super) fn record(node: Node<'_>) -> Option<&'static Case> {
    if node.shape() != Shape::Object {
        return None;
    }
    let Some(word) = node.word(names::TYPE) else { return document::case(node) };
    node.at(names::DATA)?;
    let side = names::SIDE.iter().any(|path| node.word(path).is_some());
    let pair = match word {
        b"user.message" => user(node),
        b"assistant.message" if has_thought(node) => &THOUGHT,
        b"assistant.message" => &ANSWER,
        b"assistant.reasoning" => &REASONING,
        b"tool.execution_start" => &STARTED,
        b"tool.execution_complete" => completed(node),
        b"system.message" => &SYSTEM,
        b"system.notification" => &NOTIFIED,
        b"skill.invoked" => &SKILL,
        b"session.compaction_complete" if is_true(node) => &COMPACTED,
        b"session.binary_asset" if is_picture(node) => &ASSET,
        b"session.usage_record" => &USAGE_RECORD,
        _ => match schema::known(word) {
            Some(kind) if side => return Some(&SIDE_NOTICES[kind]),
            Some(kind) => return Some(&NOTICES[kind]),
            None if word.starts_with(b"model.") || schema::is_for_clients(word) => &CARRIED,
            None => &STRANGE,
        },
    };
    Some(pair.of(side))
}

/// The case of a block of `workspace.yaml`.
pub(super) fn block(node: Node<'_>) -> Option<&'static Case> {
    workspace::BLOCK.iter().any(|path| node.at(path).is_some()).then_some(&WORKSPACE)
}

/// The case of an element of an answer's calls.
pub(super) fn requested(call: Node<'_>) -> Option<&'static Case> {
    (call.shape() == Shape::Object).then_some(&REQUEST)
}

fn user(line: Node<'_>) -> &'static Pair {
    match line.word(names::SOURCE) {
        None | Some(b"" | b"user") => match line.word(names::CONTENT) {
            Some(text) if injected::is_report(text) => &REPORT,
            _ => &USER,
        },
        Some(source) if source.starts_with(b"agent-") => &TASK,
        Some(_) => &TOLD,
    }
}

fn has_thought(line: Node<'_>) -> bool {
    names::THOUGHTS.iter().any(|path| line.word(path).is_some_and(|text| !text.is_empty()))
}

/// Whether an asset is a picture, and no other file.
fn is_picture(line: Node<'_>) -> bool {
    line.word(names::ASSET_KIND).is_some_and(|kind| kind.starts_with(b"image/"))
}

fn is_true(line: Node<'_>) -> bool {
    line.at(names::SUCCESS).is_some_and(|value| value.raw() == b"true")
}

/// A tool that ran a command well notes success, whatever the command's exit code.
fn completed(line: Node<'_>) -> &'static Pair {
    let failed = match line.at(names::EXIT) {
        Some(code) => code.raw() != b"0" && code.raw() != b"null",
        None => line.word(names::OUTPUT).is_some_and(tools::exits_badly),
    };
    if failed && is_true(line) { &EXITED } else { &COMPLETED }
}
