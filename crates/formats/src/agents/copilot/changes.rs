//! File changes of Copilot's tools. The text for people has them as a diff with line numbers;
//! without it the arguments count. A call that did not succeed changed nothing.

use meaning::Calls;
use replay::{Change, Line, Replacement, unified};
use session::value::text_at;
use session::{EventIx, EventRef, Kind, Node, Outcome, Session, Slot, Standing, value};

use super::tools;
use crate::format::WantedCalls;
use crate::tools::{Common, Means, Tool, input};

/// The changes of a session in source order: by the results of calls.
pub(super) fn of(session: &Session, wanted: WantedCalls<'_>) -> Vec<(EventIx, String, Change)> {
    let calls = Calls::of(session);
    let mut changes = Vec::new();
    let counts = |event: &EventRef<'_>| {
        event.kind == Kind::ToolResult
            && !event.standing.is_copied()
            && !matches!(event.standing, Standing::Superseded | Standing::Echo)
    };
    for result in session.top().filter(counts) {
        let Some(call) = calls.call(result.index).map(|call| session.event(call)) else { continue };
        if !wanted(call.index)
            || calls.result(call.index) != Some(result.index)
            || result.outcome().is_some_and(Outcome::is_bad)
        {
            continue;
        }
        let done = done(call, result);
        changes.extend(done.into_iter().map(|(path, change)| (call.index, path, change)));
    }
    changes
}

/// The changes of a call that went well.
fn done(call: EventRef<'_>, result: EventRef<'_>) -> Vec<(String, Change)> {
    let Some(tool) = call.text(Slot::Name).and_then(|name| tools::TOOLS.named(&name)) else {
        return Vec::new();
    };
    let common = input(call, |input| Some(tool.does(input))).unwrap_or(tool.common);
    let changes = match common {
        Common::Shell => {
            let command = input(call, |input| tool.text(Means::Command, input));
            command.map(|command| replay::command(&command))
        }
        Common::Patch => patch(call),
        Common::Read => {
            let seen = input(call, |input| path(tool, input).filter(|_| !is_part(input)));
            seen.zip(seen_text(result)).map(|(path, text)| vec![(path, text)])
        }
        Common::Write | Common::Edit => input(call, |input| {
            let change = shown(result).or_else(|| asked(tool, input));
            Some(vec![(path(tool, input)?, change?)])
        }),
        _ => None,
    };
    changes.unwrap_or_default()
}

fn path(tool: &Tool, input: Node<'_>) -> Option<String> {
    tool.text(Means::Path, input)
}

/// Arguments by which a tool shows a part of a file, and the one by which it says what it does.
mod argument {
    pub(super) const RANGE: &[&str] = &["view_range"];
    pub(super) const COMMAND: &[&str] = &["command"];
}

fn is_part(input: Node<'_>) -> bool {
    input.at(argument::RANGE).is_some_and(|range| range.elements().next().is_some())
}

/// The whole text of a file that was read. Older versions number its lines, and leave open how it
/// ends.
fn seen_text(result: EventRef<'_>) -> Option<Change> {
    let content = value::said(result.raw(Slot::Output)?).into_owned();
    let numbered = content.lines().next().is_some_and(|line| line.starts_with("1."));
    (!numbered && !content.is_empty()).then_some(Change::Seen { content })
}

/// The patch of a call, which is a text or an argument.
fn patch(call: EventRef<'_>) -> Option<Vec<(String, Change)>> {
    let raw = call.raw(Slot::Input)?;
    let text = value::text(raw).filter(|text| !text.trim_start().starts_with('{'));
    match text {
        Some(text) => replay::patch(&text),
        None => input(call, |input| {
            let tool = tools::TOOLS.named(&call.text(Slot::Name)?)?;
            replay::patch(&tool.text(Means::Patch, input)?)
        }),
    }
}

/// The change that the result shows.
fn shown(result: EventRef<'_>) -> Option<Change> {
    let diff = value::said(result.raw(Slot::Detail)?);
    let mut hunks = unified(&diff);
    // The diff counts an empty line behind the last line end of a file.
    if let Some(last) = hunks.last_mut()
        && last.lines.last().is_some_and(|line| *line == Line::Same(String::new()))
    {
        last.lines.pop();
    }
    if hunks.is_empty() {
        return None;
    }
    if diff.lines().take(4).any(|line| line.starts_with("create file mode")) {
        return None;
    }
    Some(Change::Hunks { before: None, hunks, edits: Vec::new() })
}

/// The change that the arguments ask for.
fn asked(tool: &Tool, input: Node<'_>) -> Option<Change> {
    let text = |means| tool.text(means, input);
    let command = text_at(input, argument::COMMAND);
    match (tool.common, command.as_deref()) {
        (Common::Write, _) | (_, Some("create")) => {
            Some(Change::Write { before: Some(String::new()), after: text(Means::Text)? })
        }
        (_, None | Some("str_replace" | "edit")) => {
            let (old, new) = (text(Means::Old)?, text(Means::New).unwrap_or_default());
            Some(Change::replace(Replacement { old, new, all: false, line: false }))
        }
        (_, Some("view")) => None,
        _ => Some(Change::Unclear { why: "an insertion of which the session shows no lines" }),
    }
}
