//! The JSON of a check: every file of every source is in it, so that a script can account for each.

use std::io::{self, Write};

use catalog::Level;
use catalog::check::Checked;
use serde::Serialize;

use super::{Totals, Verdict};
use crate::json::{path, write};
use crate::list::AsideRow;

#[derive(Serialize)]
struct Document<'v> {
    schema: &'static str,
    /// False where the independent parser was left out.
    independent: bool,
    summary: Totals,
    sources: Vec<Source<'v>>,
    aside: Vec<AsideRow>,
    unknown: Vec<Unknown<'v>>,
}

#[derive(Serialize)]
struct Source<'v> {
    format: &'static str,
    sessions: &'v [String],
    files: Vec<File>,
    records: u64,
    events: u64,
    leaves: Option<u64>,
    missing_leaves: u64,
    lost: Vec<Place<'v>>,
    damaged: Vec<Place<'v>>,
    unread: Vec<Unread<'v>>,
}

#[derive(Serialize)]
struct File {
    path: String,
    bytes: u64,
    stored_bytes: u64,
}

#[derive(Serialize)]
struct Place<'v> {
    path: String,
    line: u64,
    byte: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<u64>,
    why: &'v str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mended: Option<bool>,
}

#[derive(Serialize)]
struct Unread<'v> {
    path: String,
    why: &'v str,
    gone: bool,
}

#[derive(Serialize)]
struct Unknown<'v> {
    format: &'static str,
    version: Option<&'v str>,
    kind: &'static str,
    what: &'v str,
    count: u64,
}

/// Writes what a check found.
pub(crate) fn json(verdict: &Verdict<'_>, quick: bool, out: &mut dyn Write) -> io::Result<()> {
    let drift = verdict.drift();
    let unknown = drift.listed().map(|(strange, count)| Unknown {
        format: strange.format,
        version: strange.version.as_deref(),
        kind: match strange.level {
            Level::Table => "table",
            Level::Record => "record",
            Level::Field => "field",
        },
        what: &strange.what,
        count,
    });
    let document = Document {
        schema: "verbatim-check-1",
        independent: !quick,
        summary: verdict.totals(),
        sources: verdict.checked.iter().map(source).collect(),
        aside: verdict.aside.iter().map(AsideRow::of).collect(),
        unknown: unknown.collect(),
    };
    write(out, &document)
}

fn source(checked: &Checked) -> Source<'_> {
    let lost = checked.lost.iter().map(|lost| Place {
        path: path(&lost.path),
        line: lost.line,
        byte: lost.byte,
        length: Some(lost.length),
        why: &lost.what,
        mended: None,
    });
    let damaged = checked.damaged.iter().map(|damaged| Place {
        path: path(&damaged.path),
        line: damaged.line,
        byte: damaged.byte,
        length: None,
        why: &damaged.why,
        mended: Some(damaged.mended),
    });
    let file = |file: &catalog::check::CheckedFile| File {
        path: path(&file.path),
        bytes: file.bytes,
        stored_bytes: file.stored,
    };
    let unread = checked.unread.iter().map(|unread| Unread {
        path: path(&unread.path),
        why: &unread.why,
        gone: unread.gone,
    });
    Source {
        format: checked.format,
        sessions: &checked.sessions,
        files: checked.files.iter().map(file).collect(),
        records: checked.records,
        events: checked.events,
        leaves: checked.leaves,
        missing_leaves: checked.missing,
        lost: lost.collect(),
        damaged: damaged.collect(),
        unread: unread.collect(),
    }
}
