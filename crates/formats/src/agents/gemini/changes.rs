//! File changes of Gemini CLI's tools. The `resultDisplay` of a call has the text before and after.
//! Without it the arguments are used. A call that did not succeed changed nothing.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use replay::{Change, Replacement};
use session::value::{self, text_at};
use session::{EventIx, EventRef, Kind, Node, Session, Shape, Slot};

use super::{map, tools};
use crate::format::WantedCalls;
use crate::json_eq::tokens;
use crate::tools::{Common, Means, Shows, Tool};

/// The arguments of a call that reads only a part of a file.
const PARTS: &[Means] = &[Means::SkippedLines, Means::Lines, Means::FirstLine, Means::LastLine];

/// The changes of a session in source order. A call may be recorded several times: when its line is
/// rewritten, and in a checkpoint that repeats the history in another shape, without the UI's
/// result. It was made once, so its most detailed record counts, wherever it is. A superseded
/// record counts too, because the call was made.
pub(super) fn of(session: &Session, _: WantedCalls<'_>) -> Vec<(EventIx, String, Change)> {
    let parts = parts(session);
    let mut known = Known::of(session);
    let mut tellings: Vec<Telling> = Vec::new();
    for message in session.top().filter(|event| !event.standing.is_copied()) {
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

/// One record of a call, with its changes.
struct Telling {
    rank: u8,
    changes: Vec<(EventIx, String, Change)>,
}

/// Rank of a change by its detail.
fn rank(change: &Change) -> u8 {
    match change {
        Change::Write { before: Some(_), .. } => 3,
        Change::Hunks { .. } => 2,
        _ => 1,
    }
}

/// The calls so far.
#[derive(Default)]
struct Known<'s> {
    /// The records that hold an array of messages.
    arrays: HashSet<u32>,
    /// The record that had a message first.
    messages: HashMap<Cow<'s, str>, u32>,
    by_id: HashMap<Cow<'s, str>, usize>,
    by_words: HashMap<(Cow<'s, str>, Vec<u8>), Alike>,
}

/// Calls with the same tool and arguments.
#[derive(Default)]
struct Alike {
    places: Vec<usize>,
    /// The last record with one of them, and the number of them in it.
    record: u32,
    told: usize,
}

impl<'s> Known<'s> {
    fn of(session: &'s Session) -> Self {
        let heads = session.events().filter(|event| event.origin.part == 0 && !event.case.top);
        Self { arrays: heads.map(|event| event.origin.record).collect(), ..Self::default() }
    }

    /// Whether a message may be a repetition: it is in an array, or has a known id.
    fn tells_again(&mut self, message: EventRef<'s>) -> bool {
        let record = message.origin.record;
        let first = message.text(Slot::Id).map(|id| *self.messages.entry(id).or_insert(record));
        self.arrays.contains(&record) || first.is_some_and(|first| first != record)
    }

    /// The earlier call that this one repeats; `None` for a new call, which gets the `next` place.
    /// In a shape without call ids, calls are matched by tool and arguments, each of them once per
    /// record.
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

/// The answers among the parts of messages, by the ids of their calls.
fn parts(session: &Session) -> HashMap<Cow<'_, str>, EventRef<'_>> {
    let parts = session.events().filter(|event| map::is_answer_part(*event));
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
    if response.is_some_and(|response| {
        value::look(response, |r| tools::RESULTS.value(Shows::Failure, r).map(|_| ())).is_some()
    }) {
        return Vec::new();
    }
    let said = answer.and_then(|answer| value::look(answer.raw(Slot::Output)?, said));
    let said = said.or_else(|| {
        value::look(response?, |response| tools::RESULTS.text(Shows::Output, response))
    });
    let said = said.unwrap_or_default();
    let own = |(path, change)| (call.index, path, change);
    let Some(tool) = tools::TOOLS.named(&name) else { return Vec::new() };
    if tool.common == Common::Shell {
        let done = value::look(input, |input| Some(shell(tool, input, &said))).unwrap_or_default();
        return done.into_iter().map(own).collect();
    }
    let shown = (tools::RESULTS.of)(call).and_then(|display| value::look(display, shown));
    let path = value::look(input, |input| tool.text(Means::Path, input));
    let change = shown.or_else(|| value::look(input, |input| asked(tool, input, &said)));
    path.zip(change).into_iter().map(own).collect()
}

/// The output for the model, as text.
fn said(answer: Node<'_>) -> Option<String> {
    answer.elements().find_map(|part| text_at(part, map::SAID))
}

/// The changes of a successful command: the answer has a line for each failure.
pub(crate) fn shell(tool: &Tool, input: Node<'_>, said: &str) -> Vec<(String, Change)> {
    let elsewhere = tool.has(Means::Folder, input);
    let well = !elsewhere && !said.lines().any(tools::is_failure);
    let command = tool.text(Means::Command, input).filter(|_| well);
    replay::command(&command.unwrap_or_default())
}

/// The answer that was made from the same value as the call.
fn answer(call: EventRef<'_>) -> Option<EventRef<'_>> {
    let next = (call.index as usize + 1 < call.session().len())
        .then(|| call.session().event(call.index + 1))?;
    (next.kind == Kind::ToolResult && next.span == call.span).then_some(next)
}

pub(crate) fn shown(display: Node<'_>) -> Option<Change> {
    let Some(after) = tools::RESULTS.text(Shows::After, display) else {
        let hunks = replay::unified(&tools::RESULTS.text(Shows::Diff, display)?);
        return (!hunks.is_empty()).then_some(Change::Hunks {
            before: None,
            hunks,
            edits: Vec::new(),
        });
    };
    let before = match tools::RESULTS.value(Shows::Before, display) {
        Some(before) if before.shape() == Shape::Null => Some(String::new()),
        Some(before) => text_at(before, &[]),
        None => None,
    };
    Some(Change::Write { before, after })
}

/// The text in the answer if a file is shown in part.
const CUT: &str = "IMPORTANT: The file content has been truncated";

/// The change by the call's input, if the answer confirms it.
pub(crate) fn asked(tool: &Tool, input: Node<'_>, said: &str) -> Option<Change> {
    match tool.common {
        Common::Read => {
            let part = PARTS.iter().any(|part| tool.has(*part, input));
            let whole = !part && !said.is_empty() && !said.trim_start().starts_with(CUT);
            whole.then(|| Change::Seen { content: said.to_owned() })
        }
        Common::Write => {
            let created = said.starts_with("Successfully created and wrote to new file");
            let before = created.then(String::new);
            Some(Change::Write { before, after: tool.text(Means::Text, input)? })
        }
        Common::Edit => {
            let count =
                tool.value(Means::Occurrences, input).and_then(|count| value::number(count.raw()));
            let all = tool.is_true(Means::All, input);
            let all = all || count.is_some_and(|count| count > 1);
            let (old, new) = (tool.text(Means::Old, input)?, tool.text(Means::New, input)?);
            Some(match old.is_empty() {
                true => Change::Write { before: Some(String::new()), after: new },
                false => Change::replace(Replacement { old, new, all, line: false }),
            })
        }
        _ => None,
    }
}
