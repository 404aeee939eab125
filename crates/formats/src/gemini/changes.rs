//! What the tools did to files: the display beside a call holds the text before and after; without
//! it, the arguments tell what they can. A call that did not succeed did nothing.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use replay::{Change, Replacement};
use session::value::{self, text_at};
use session::{EventIx, EventRef, Kind, Node, Session, Shape, Slot, Standing};

use super::map;
use crate::json_eq::tokens;

/// The field of a call that the screen shows.
const DISPLAY: &[u8] = b"resultDisplay";

mod names {
    pub(super) const BEFORE: &[&str] = &["originalContent"];
    pub(super) const AFTER: &[&str] = &["newContent"];
    pub(super) const PATH: &[&str] = &["file_path"];
    pub(super) const CONTENT: &[&str] = &["content"];
    pub(super) const OLD: &[&str] = &["old_string"];
    pub(super) const NEW: &[&str] = &["new_string"];
    pub(super) const COUNT: &[&str] = &["expected_replacements"];
    pub(super) const ALL: &[&str] = &["allow_multiple"];
    pub(super) const DIFF: &[&str] = &["fileDiff"];
    pub(super) const COMMAND: &[&str] = &["command"];
    /// Where a read begins and ends, and where a command runs; without them: all, and here.
    pub(super) const PARTS: &[&[&str]] = &[&["offset"], &["limit"], &["start_line"], &["end_line"]];
    pub(super) const FOLDERS: &[&[&str]] = &[&["directory"], &["dir_path"]];
    /// What the model was answered.
    pub(super) const OUTPUT: &[&str] = &["output"];
    pub(super) const ERROR: &[&str] = &["error"];
    pub(super) const SAID: &[&str] = &["functionResponse", "response", "output"];
}

/// The tools whose calls are understood here.
pub(super) const TOOLS: &[&str] =
    &["read_file", "write_file", "replace", "edit", "run_shell_command"];

/// The changes of a session in source order. A call may be told several times: as the line was
/// rewritten, and again in a checkpoint that repeats the history in another shape, without what the
/// screen showed. It was made once, and the telling that says most of it counts, wherever it
/// stands: what a later line took the place of was done all the same.
pub(super) fn of(session: &Session) -> Vec<(EventIx, String, Change)> {
    let parts = parts(session);
    let mut known = Known::of(session);
    let mut tellings: Vec<Telling> = Vec::new();
    for message in session.top().filter(|event| event.standing != Standing::Copied) {
        let again = known.tells_again(message);
        for call in message.children().filter(|call| call.kind == Kind::ToolCall) {
            let changes = changes(call, &parts);
            let rank = changes.iter().map(|(.., change)| rank(change)).max().unwrap_or(0);
            match known.place(call, again, tellings.len()) {
                Some(at) if tellings[at].rank < rank => tellings[at] = Telling { rank, changes },
                Some(_) => {}
                None => tellings.push(Telling { rank, changes }),
            }
        }
    }
    tellings.into_iter().flat_map(|telling| telling.changes).collect()
}

/// What one telling of a call says of files.
struct Telling {
    rank: u8,
    changes: Vec<(EventIx, String, Change)>,
}

/// How much a change tells.
fn rank(change: &Change) -> u8 {
    match change {
        Change::Write { before: Some(_), .. } => 3,
        Change::Hunks { .. } => 2,
        _ => 1,
    }
}

/// The calls that were met.
#[derive(Default)]
struct Known<'s> {
    /// The records that hold an array of messages.
    arrays: HashSet<u32>,
    /// The record that told a message first.
    messages: HashMap<Cow<'s, str>, u32>,
    by_id: HashMap<Cow<'s, str>, usize>,
    by_words: HashMap<(Cow<'s, str>, Vec<u8>), Alike>,
}

/// Calls with the same tool and arguments.
#[derive(Default)]
struct Alike {
    places: Vec<usize>,
    /// The record that told one last, and how many of them it has told.
    record: u32,
    told: usize,
}

impl<'s> Known<'s> {
    fn of(session: &'s Session) -> Self {
        let heads = session.events().filter(|event| event.origin.part == 0 && !event.case.top);
        Self { arrays: heads.map(|event| event.origin.record).collect(), ..Self::default() }
    }

    /// True for a message that may have been told before: in an array, or under a known id.
    fn tells_again(&mut self, message: EventRef<'s>) -> bool {
        let record = message.origin.record;
        let first = message.text(Slot::Id).map(|id| *self.messages.entry(id).or_insert(record));
        self.arrays.contains(&record) || first.is_some_and(|first| first != record)
    }

    /// Which of the calls before this one is; `None` for a new one, which gets the `next` place. A
    /// shape without the call's id is told by tool and arguments: the first of such calls that the
    /// record has not told yet.
    fn place(&mut self, call: EventRef<'s>, again: bool, next: usize) -> Option<usize> {
        let id = call.text(Slot::Call);
        let by_id = id.as_ref().and_then(|id| self.by_id.get(id)).copied();
        let input = tokens(call.raw(Slot::Input).unwrap_or_default());
        let alike =
            self.by_words.entry((call.text(Slot::Name).unwrap_or_default(), input)).or_default();
        if alike.record != call.origin.record {
            (alike.record, alike.told) = (call.origin.record, 0);
        }
        if by_id.is_some() {
            alike.told += 1;
            return by_id;
        }
        let place = alike.places.get(alike.told).copied().filter(|_| again);
        if place.is_none() {
            alike.places.push(next);
            alike.told = alike.places.len();
        } else {
            alike.told += 1;
        }
        if let Some(id) = id {
            self.by_id.insert(id, place.unwrap_or(next));
        }
        place
    }
}

/// The answers that stand as parts of messages, by the ids of their calls.
fn parts(session: &Session) -> HashMap<Cow<'_, str>, EventRef<'_>> {
    let parts = session.events().filter(|event| std::ptr::eq(event.case, &map::RESULT_PART));
    parts.filter_map(|part| Some((part.text(Slot::Call)?, part))).collect()
}

fn changes(
    call: EventRef<'_>,
    parts: &HashMap<Cow<'_, str>, EventRef<'_>>,
) -> Vec<(EventIx, String, Change)> {
    let answer = answer(call);
    let status = call.text(Slot::Status).or_else(|| answer?.text(Slot::Status));
    if status.is_some_and(|status| status != "success") {
        return Vec::new();
    }
    let (Some(name), Some(input)) = (call.text(Slot::Name), call.raw(Slot::Input)) else {
        return Vec::new();
    };
    let part = || call.text(Slot::Call).and_then(|id| parts.get(&id));
    let part = if answer.is_none() { part() } else { None };
    let response = part.and_then(|part| part.raw(Slot::Output));
    if response
        .is_some_and(|response| value::look(response, |r| r.at(names::ERROR).map(|_| ())).is_some())
    {
        return Vec::new();
    }
    let said = answer.and_then(|answer| value::look(answer.raw(Slot::Output)?, said));
    let said = said.or_else(|| value::look(response?, |response| text_at(response, names::OUTPUT)));
    let said = said.unwrap_or_default();
    let own = |(path, change)| (call.index, path, change);
    if name == "run_shell_command" {
        let done = value::look(input, |input| Some(shell(input, &said))).unwrap_or_default();
        return done.into_iter().map(own).collect();
    }
    let display = call.native().find(|field| call.name(*field) == DISPLAY);
    let shown = display.and_then(|field| value::look(call.value(field), shown));
    let path = value::look(input, |input| text_at(input, names::PATH));
    let change = shown.or_else(|| value::look(input, |input| asked(&name, input, &said)));
    path.zip(change).into_iter().map(own).collect()
}

/// What the model was answered, as text.
fn said(answer: Node<'_>) -> Option<String> {
    answer.elements().find_map(|part| text_at(part, names::SAID))
}

/// A command that ended well: the answer has a line for each thing that did not.
fn shell(input: Node<'_>, said: &str) -> Vec<(String, Change)> {
    let elsewhere = names::FOLDERS.iter().any(|path| input.at(path).is_some());
    let bad = |line: &str| {
        let code = line.strip_prefix("Exit Code: ").is_some_and(|code| code.trim() != "0");
        let error = line.strip_prefix("Error: ").is_some_and(|error| error.trim() != "(none)");
        code || error || line.starts_with("Signal: ") && line.trim() != "Signal: (none)"
    };
    let command = text_at(input, names::COMMAND).filter(|_| !elsewhere && !said.lines().any(bad));
    replay::command(&command.unwrap_or_default())
}

/// The answer that was made from the same value as the call.
fn answer(call: EventRef<'_>) -> Option<EventRef<'_>> {
    let next = (call.index as usize + 1 < call.session().len())
        .then(|| call.session().event(call.index + 1))?;
    (next.kind == Kind::ToolResult && next.span == call.span).then_some(next)
}

fn shown(display: Node<'_>) -> Option<Change> {
    let Some(after) = text_at(display, names::AFTER) else {
        let hunks = replay::unified(&text_at(display, names::DIFF)?);
        return (!hunks.is_empty()).then_some(Change::Hunks {
            before: None,
            hunks,
            edits: Vec::new(),
        });
    };
    let before = match display.at(names::BEFORE) {
        Some(before) if before.shape() == Shape::Null => Some(String::new()),
        Some(before) => text_at(before, &[]),
        None => None,
    };
    Some(Change::Write { before, after })
}

/// What is said where a file is shown in part.
const CUT: &str = "IMPORTANT: The file content has been truncated";

/// What the call asks for, and the answer confirms.
fn asked(name: &str, input: Node<'_>, said: &str) -> Option<Change> {
    match name {
        "read_file" => {
            let part = names::PARTS.iter().any(|path| input.at(path).is_some());
            let whole = !part && !said.is_empty() && !said.trim_start().starts_with(CUT);
            whole.then(|| Change::Seen { content: said.to_owned() })
        }
        "write_file" => {
            let created = said.starts_with("Successfully created and wrote to new file");
            let before = created.then(String::new);
            Some(Change::Write { before, after: text_at(input, names::CONTENT)? })
        }
        "replace" | "edit" => {
            let count = input.at(names::COUNT).and_then(|count| value::number(count.raw()));
            let all = input.at(names::ALL).is_some_and(|all| all.raw() == b"true");
            let all = all || count.is_some_and(|count| count > 1);
            let (old, new) = (text_at(input, names::OLD)?, text_at(input, names::NEW)?);
            Some(match old.is_empty() {
                true => Change::Write { before: Some(String::new()), after: new },
                false => Change::Replace(Replacement { old, new, all, line: false }),
            })
        }
        _ => None,
    }
}
