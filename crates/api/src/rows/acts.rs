//! Rows of calls, and of the files that they changed.

use serde::Serialize;
use session::Session;
use views::transcript::{Answered, Body, Call, Detail, FileDiff, FileFate, Item, Transcript};

use super::{Lines, RowTable, place, time};

#[derive(Debug, Serialize)]
struct CallRow<'s> {
    call: u32,
    turn: u64,
    stream: String,
    tool: Option<&'s str>,
    kind: &'static str,
    target: Option<&'s str>,
    is_answered: bool,
    outcome: Option<&'static str>,
    started: Option<String>,
    ended: Option<String>,
    took_ms: Option<i64>,
    changed_files: usize,
    file: String,
    line: u32,
}

#[derive(Debug, Serialize)]
struct FileRow<'s> {
    call: u32,
    change: usize,
    turn: u64,
    path: &'s str,
    fate: &'static str,
    moved_to: Option<&'s str>,
    unclear: Option<&'static str>,
    inserted_lines: usize,
    deleted_lines: usize,
    is_asked: bool,
    outcome: Option<&'static str>,
    time: Option<String>,
}

/// Adds the calls of a session and their changes: those that its turns count.
pub(super) fn add(lines: &mut Lines<'_>, session: &Session, uid: &str) {
    let mut items = Transcript::of(session, Detail::Brief);
    if lines.wants(&[RowTable::Calls, RowTable::Files]) {
        items = items.with_changes();
    }
    for item in items {
        let (outcome, files) = match &item.body {
            Body::Call(call) => {
                let outcome = call.answered.as_ref().and_then(outcome);
                lines.add(RowTable::Calls, Some(uid), call_row(&item, call, outcome));
                (outcome, &call.files)
            }
            Body::Result { answered, files, .. } => (outcome(answered), files),
            _ => continue,
        };
        for (number, file) in files.iter().enumerate() {
            let row = file_row(&item, (number + 1, file), outcome);
            lines.add(RowTable::Files, Some(uid), row);
        }
    }
}

fn outcome(answered: &Answered<'_>) -> Option<&'static str> {
    Some(if answered.outcome?.is_bad() { "bad" } else { "good" })
}

fn call_row<'i>(item: &Item<'_>, call: &'i Call<'_>, outcome: Option<&'static str>) -> CallRow<'i> {
    let (file, line) = place(item.event);
    CallRow {
        call: item.event.index,
        turn: item.turn,
        stream: item.event.stream().to_string(),
        tool: call.name.as_deref(),
        kind: call.kind.word(),
        target: call.target.as_deref(),
        is_answered: call.answered.is_some(),
        outcome,
        started: time(call.timing.began),
        ended: time(call.timing.ended),
        took_ms: call.timing.took.map(|micros| micros / 1000),
        changed_files: call.files.len(),
        file,
        line,
    }
}

fn file_row<'i>(
    item: &Item<'_>,
    (change, file): (usize, &'i FileDiff),
    outcome: Option<&'static str>,
) -> FileRow<'i> {
    let (mut moved_to, mut unclear) = (None, None);
    let fate = match &file.fate {
        FileFate::Changed => "changed",
        FileFate::Written => "written",
        FileFate::New => "new",
        FileFate::Deleted => "deleted",
        FileFate::Moved(to) => {
            moved_to = Some(&**to);
            "moved"
        }
        FileFate::Unclear(why) => {
            unclear = Some(*why);
            "unclear"
        }
        // One that this version of the tables does not name.
        _ => "changed",
    };
    FileRow {
        call: item.event.index,
        change,
        turn: item.turn,
        path: &file.path,
        fate,
        moved_to,
        unclear,
        inserted_lines: file.inserted,
        deleted_lines: file.deleted,
        is_asked: file.asked,
        outcome,
        time: time(item.event.when()),
    }
}
