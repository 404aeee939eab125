//! `verbatim-check-1`: the result of a check. Every file of every source is in it, so that a script
//! can account for each.

use std::collections::BTreeSet;
use std::path::PathBuf;

use catalog::find::found;
use operations::check::{Checked, CheckedFile, Damaged, Depth, Lost};
use operations::prove::drift::{Drift, Level};
use serde::Serialize;

use super::list::ListAside;
use super::text::text;

/// The name of the schema.
pub const SCHEMA: &str = "verbatim-check-1";

/// The document.
#[derive(Debug, Serialize)]
pub struct Check<'v> {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// False for a quick check, which leaves the independent parser out.
    pub independent: bool,
    /// True if the round trip of each session through its record was checked too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deep: bool,
    /// The sums over all sources.
    pub summary: Totals,
    /// The sources: the files that were read together.
    pub sources: Vec<CheckSource<'v>>,
    /// The files that are not sessions, or that could not be read.
    pub aside: Vec<ListAside>,
    /// Names, types and tables that no table of the format knows.
    pub unknown: Vec<CheckUnknown>,
}

/// Sums over sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Sessions.
    pub sessions: u64,
    /// Copies of sessions in other places: equal to them, or earlier states of them. They are
    /// checked too.
    #[serde(skip_serializing_if = "is_zero")]
    pub copies: u64,
    /// Files that were read.
    pub files: u64,
    /// Their bytes, decompressed.
    pub bytes: u64,
    /// Records.
    pub records: u64,
    /// Events.
    pub events: u64,
    /// Leaves that the independent parser found.
    pub leaves: u64,
    /// Leaves that are in no event, or in several events.
    pub missing_leaves: u64,
    /// Places where the proof failed.
    pub lost_places: u64,
    /// Bytes in the places where the proof failed.
    pub lost_bytes: u64,
    /// Damaged places, kept as they are.
    pub damaged: u64,
    /// Damaged places that could be read in spite of the damage.
    pub mended: u64,
    /// Files that are not sessions.
    pub aside: u64,
    /// Files that could not be read.
    pub failures: u64,
    /// Distinct names, types and tables that no table of the format knows.
    pub unknown: u64,
}

/// A source: the files that were read together.
#[derive(Debug, Serialize)]
pub struct CheckSource<'v> {
    /// The format's name in the registry.
    pub format: &'static str,
    /// The uids of its sessions.
    pub sessions: &'v [String],
    /// The main file of the session that it is a copy or an earlier state of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy_of: Option<String>,
    /// Its files.
    pub files: Vec<CheckFile>,
    /// Its records.
    pub records: u64,
    /// Its events.
    pub events: u64,
    /// Leaves that the independent parser found; `None` for a quick check.
    pub leaves: Option<u64>,
    /// Leaves that are in no event, or in several events.
    pub missing_leaves: u64,
    /// Places where the proof failed.
    pub lost: Vec<CheckPlace<'v>>,
    /// Damaged places, and references to files that are missing.
    pub damaged: Vec<CheckPlace<'v>>,
    /// Files that could not be read.
    pub unread: Vec<CheckUnread<'v>>,
}

/// A file that was read.
#[derive(Debug, Serialize)]
pub struct CheckFile {
    /// Its path.
    pub path: String,
    /// Its bytes as read, decompressed.
    pub bytes: u64,
    /// Its bytes as stored.
    pub stored_bytes: u64,
}

/// A place in a file: where the proof failed, or a damaged place.
#[derive(Debug, Serialize)]
pub struct CheckPlace<'v> {
    /// The file's path.
    pub path: String,
    /// The line, from 1.
    pub line: u64,
    /// The byte, from 0.
    pub byte: u64,
    /// The number of bytes, for a place where the proof failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// The reason.
    pub why: &'v str,
    /// For a damaged place: true if it could be read in spite of the damage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mended: Option<bool>,
}

/// A file that could not be read.
#[derive(Debug, Serialize)]
pub struct CheckUnread<'v> {
    /// Its path.
    pub path: String,
    /// The reason.
    pub why: &'v str,
    /// True if it was deleted after it had been found.
    pub gone: bool,
}

/// A name, type or table that no table of the format knows.
#[derive(Debug, Serialize)]
pub struct CheckUnknown {
    /// The format's name in the registry.
    pub format: &'static str,
    /// The agent's version.
    pub version: Option<String>,
    /// `table`, `record` or `field`.
    pub kind: &'static str,
    /// Its name.
    pub what: String,
    /// Number of occurrences.
    pub count: u64,
}

const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Totals {
    /// The sums over all sources, and over the files that are in no source.
    #[must_use]
    pub fn of(checked: &[Checked], aside: &[found::Skipped]) -> Self {
        let mut totals = Self::default();
        checked.iter().for_each(|checked| totals.add(checked));
        let failures = aside.iter().filter(|aside| aside.why.is_failure());
        totals.aside = (aside.len() - failures.clone().count()) as u64;
        // A file of several sessions may be in several sources, but counts once.
        let unread = checked.iter().flat_map(|checked| &checked.unread);
        let unread = unread.filter(|unread| !unread.gone).map(|unread| &unread.path);
        let unread: BTreeSet<&PathBuf> = unread.chain(failures.map(|aside| &aside.path)).collect();
        totals.failures = unread.len() as u64;
        totals.unknown = drift(checked).kinds();
        totals
    }

    /// Adds a source.
    pub fn add(&mut self, checked: &Checked) {
        match checked.copy_of {
            Some(_) => self.copies += 1,
            None => self.sessions += checked.sessions.len() as u64,
        }
        self.files += checked.files.len() as u64;
        self.bytes += checked.bytes();
        self.records += checked.records;
        self.events += checked.events;
        self.leaves += checked.leaves.unwrap_or_default();
        self.missing_leaves += checked.missing;
        self.lost_places += checked.lost.len() as u64;
        self.lost_bytes += checked.lost.iter().map(|lost| lost.length).sum::<u64>();
        let damaged = checked.damaged.iter().filter(|damaged| !damaged.dangling);
        let mended = damaged.clone().filter(|damaged| damaged.mended).count() as u64;
        self.damaged += damaged.count() as u64 - mended;
        self.mended += mended;
        self.failures += checked.unread.iter().filter(|unread| !unread.gone).count() as u64;
    }
}

/// The drift of all sources, added up.
#[must_use]
pub fn drift(checked: &[Checked]) -> Drift {
    let mut drift = Drift::default();
    checked.iter().for_each(|checked| drift.join(&checked.drift));
    drift
}

impl<'v> Check<'v> {
    /// The document of a check.
    #[must_use]
    pub fn of(checked: &'v [Checked], aside: &[found::Skipped], depth: Depth) -> Self {
        Self {
            schema: SCHEMA,
            independent: depth >= Depth::Full,
            deep: depth >= Depth::Deep,
            summary: Totals::of(checked, aside),
            sources: checked.iter().map(CheckSource::of).collect(),
            aside: aside.iter().map(ListAside::of).collect(),
            unknown: unknown(&drift(checked)),
        }
    }
}

fn unknown(drift: &Drift) -> Vec<CheckUnknown> {
    let row = |(strange, count): (&operations::prove::drift::Strange, u64)| CheckUnknown {
        format: strange.format,
        version: strange.version.clone(),
        kind: match strange.level {
            Level::Table => "table",
            Level::Record => "record",
            Level::Field => "field",
        },
        what: strange.what.clone(),
        count,
    };
    drift.listed().map(row).collect()
}

impl<'v> CheckSource<'v> {
    fn of(checked: &'v Checked) -> Self {
        let file = |file: &CheckedFile| CheckFile {
            path: text(&file.path),
            bytes: file.bytes,
            stored_bytes: file.stored,
        };
        let unread = checked.unread.iter().map(|unread| CheckUnread {
            path: text(&unread.path),
            why: &unread.why,
            gone: unread.gone,
        });
        Self {
            format: checked.format,
            sessions: &checked.sessions,
            copy_of: checked.copy_of.as_deref().map(text),
            files: checked.files.iter().map(file).collect(),
            records: checked.records,
            events: checked.events,
            leaves: checked.leaves,
            missing_leaves: checked.missing,
            lost: checked.lost.iter().map(CheckPlace::lost).collect(),
            damaged: checked.damaged.iter().map(CheckPlace::damaged).collect(),
            unread: unread.collect(),
        }
    }
}

impl<'v> CheckPlace<'v> {
    fn lost(lost: &'v Lost) -> Self {
        Self {
            path: text(&lost.path),
            line: lost.line,
            byte: lost.byte,
            length: Some(lost.length),
            why: &lost.what,
            mended: None,
        }
    }

    fn damaged(damaged: &'v Damaged) -> Self {
        Self {
            path: text(&damaged.path),
            line: damaged.line,
            byte: damaged.byte,
            length: None,
            why: &damaged.why,
            mended: Some(damaged.mended),
        }
    }
}
