//! Token usage, with each answer counted once over all sessions. Repeats, forks, resumed files,
//! copies of files and sub-agents' copies count once. Every counted number is traced to its file
//! and byte, and every ignored number to the number that it repeats.
//!
//! A home directory has about one answer for every few kB, so each answer is a record of fixed
//! size. Names are stored once per session.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use session::UtcTime;
use session::usage::{Part, Tokens};

use crate::find::found::Found;
use crate::open::bundle::Unread;
use crate::open::database::Store;
use crate::open::source::Source;
use crate::parallel::parallel;

mod once;
mod record;
use record::{OfSource, Record, of_source};

/// One usage that an agent recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Spent<'u> {
    /// The format's name.
    pub format: &'static str,
    /// The session's id.
    pub session: &'u str,
    /// The file.
    pub path: &'u Path,
    /// The line, from 1.
    pub line: u32,
    /// The byte at which the event begins in the decompressed file.
    pub byte: u32,
    /// The time, if the agent records it.
    pub time: Option<UtcTime>,
    /// The model, if the agent records it.
    pub model: Option<&'u str>,
    /// The tokens, comparable across agents.
    pub tokens: Tokens,
    /// Cost in US dollars, if the agent records it.
    pub cost: Option<f64>,
    /// The part of the session that answered.
    pub part: Part,
    /// Whether it counts.
    pub counted: Counted<'u>,
}

/// Whether a usage counts, or the reason why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted<'u> {
    /// It counts.
    Yes,
    /// It repeats another usage, in this file at this line.
    Repeats(&'u Path, u32),
    /// Its standing is an echo, or a copy from another session; the name of the standing.
    Standing(&'static str),
    /// The running total is unchanged.
    NothingNew,
    /// All its counters are zero.
    Empty,
    /// The agent itself wrote the answer; no model did.
    Synthetic,
}

impl Counted<'_> {
    /// The reason why it does not count, in words that many usages share; `None` if it counts.
    #[must_use]
    pub const fn reason(&self) -> Option<&'static str> {
        Some(match self {
            Self::Yes => return None,
            Self::Repeats(..) => "repeats another number",
            Self::Standing(_) => "repeats another line or session",
            Self::NothingNew => "the running total is unchanged",
            Self::Empty => "all its counters are zero",
            Self::Synthetic => "written by the agent, not by a model",
        })
    }
}

impl std::fmt::Display for Counted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Yes => f.write_str("yes"),
            Self::Repeats(path, line) => write!(f, "no: repeats {}:{line}", path.display()),
            Self::Standing(word) => write!(f, "no: {word}"),
            other => write!(f, "no: {}", other.reason().unwrap_or_default()),
        }
    }
}

/// The key by which usages are summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The day, in UTC.
    Day,
    /// The session.
    Session,
    /// The model.
    Model,
    /// The agent.
    Agent,
}

impl By {
    /// The name of the key: `day`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Session => "session",
            Self::Model => "model",
            Self::Agent => "agent",
        }
    }

    /// The name of the group that a usage belongs to.
    #[must_use]
    pub fn of(self, spent: &Spent<'_>) -> String {
        let unknown = || "unknown".to_owned();
        match self {
            Self::Day => {
                let time = spent.time.map(UtcTime::rfc3339);
                time.as_deref().and_then(|time| time.get(..10)).map_or_else(unknown, str::to_owned)
            }
            Self::Session => format!("{}:{}", spent.format, spent.session),
            Self::Model => spent.model.map_or_else(unknown, str::to_owned),
            Self::Agent => spent.format.to_owned(),
        }
    }
}

/// Usages of all sessions in a search, with the verdict on each.
pub struct Usage {
    sources: Vec<OfSource>,
    /// Database rows that belong to no session, and files that could not be read.
    rows: Vec<Unread>,
    /// Indices of source and record, sorted by format, part, time, session and place.
    order: Vec<(u32, u32)>,
}

impl std::fmt::Debug for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Usage").finish_non_exhaustive()
    }
}

/// All usages of the found sessions, in the order of format, session and place.
#[must_use]
pub fn usage(found: &Found) -> Usage {
    let sources = parallel(&found.sources, Source::length, of_source);
    let rows = found.stores().flat_map(|(_, store)| outside(store));
    let known: HashSet<&Path> =
        sources.iter().flat_map(|source| &source.unread).map(|file| &*file.path).collect();
    let failed = found.aside.iter().filter(|aside| aside.why.is_failure());
    let failed = failed.filter(|aside| !known.contains(&*aside.path));
    let failed = failed.map(|aside| Unread {
        path: aside.path.clone(),
        why: aside.why.to_string(),
        gone: false,
    });
    let rows = rows.chain(failed).collect();
    let mut usage = Usage { sources, rows, order: Vec::new() };
    usage.order.reserve_exact(usage.sources.iter().map(|source| source.records.len()).sum());
    for (at, source) in (0..).zip(&usage.sources) {
        usage.order.extend((0..).zip(&source.records).map(|(record, _)| (at, record)));
    }
    let mut order = std::mem::take(&mut usage.order);
    order.sort_unstable_by(|&a, &b| usage.rank(a).cmp(&usage.rank(b)).then(a.cmp(&b)));
    usage.order = order;
    usage.orphans();
    usage.once(|record| record.key);
    usage.once(|record| record.twin);
    usage.wholes();
    usage.documents();
    usage
}

/// The rows of a database that belong to no session. They may contain answers.
fn outside(store: &Store) -> Vec<Unread> {
    let unread = |why| Unread { path: store.path.clone(), why, gone: false };
    match store.unknown() {
        Ok(unknown) => {
            let some = unknown.into_iter().filter(|(_, count)| *count > 0);
            some.map(|(what, count)| unread(format!("{what} (schema drift; rows: {count})")))
                .collect()
        }
        Err(fault) => vec![unread(fault.to_string())],
    }
}

impl Usage {
    fn at(&self, (source, record): (u32, u32)) -> (&OfSource, &Record) {
        let source = &self.sources[source as usize];
        (source, &source.records[record as usize])
    }

    /// Sort key: main histories before sub-agents, earlier before later. The first of equal copies
    /// counts.
    fn rank(&self, at: (u32, u32)) -> impl Ord + '_ {
        let (source, record) = self.at(at);
        let side = matches!(record.part, Part::SubAgent | Part::Whole);
        let (time, path) = (record.time(), source.path(record.path));
        (source.format, side, record.copied, time, source.session(record), path, record.byte)
    }

    /// Each usage.
    pub fn spent(&self) -> impl Iterator<Item = Spent<'_>> {
        self.order.iter().map(|&at| {
            let (source, record) = self.at(at);
            record.told(source, &self.sources)
        })
    }

    /// Number of damaged places in the files that could be read. Their content is in no sum.
    #[must_use]
    pub fn damaged(&self) -> u64 {
        self.sources.iter().map(|source| source.damaged).sum()
    }

    /// The files and database rows that could not be read. Their content is in no sum.
    pub fn unread(&self) -> impl Iterator<Item = &Unread> {
        self.sources.iter().flat_map(|source| &source.unread).chain(&self.rows)
    }
}

/// Totals of the counted usages of a group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sum {
    /// The tokens.
    pub tokens: Tokens,
    /// Number of answers.
    pub answers: u64,
    /// Number of sessions that record a sum but no answers.
    pub wholes: u64,
    /// The cost of the usages for which the agent records one.
    pub cost: Option<f64>,
    /// Number of answers without a cost, because unknown is not zero.
    pub unpriced: u64,
}

impl Sum {
    /// Adds one usage.
    pub fn add(&mut self, spent: &Spent<'_>) {
        self.tokens = self.tokens.plus(spent.tokens);
        match spent.part {
            Part::Whole => self.wholes += 1,
            _ => self.answers += 1,
        }
        match spent.cost {
            Some(cost) => self.cost = Some(self.cost.unwrap_or(0.0) + cost),
            None => self.unpriced += 1,
        }
    }
}

/// Sums of the counted usages by the name that `group` gives each of them, sorted by name.
pub fn sums<'u>(
    spent: impl IntoIterator<Item = Spent<'u>>,
    group: impl Fn(&Spent<'u>) -> String,
) -> BTreeMap<String, Sum> {
    let mut sums = BTreeMap::<String, Sum>::new();
    for spent in spent.into_iter().filter(|spent| spent.counted == Counted::Yes) {
        sums.entry(group(&spent)).or_default().add(&spent);
    }
    sums
}

/// Sums of the counted usages by the part of the session that answered.
#[must_use]
pub fn parts(usage: &Usage) -> BTreeMap<Part, Sum> {
    let mut parts = BTreeMap::<Part, Sum>::new();
    for spent in usage.spent().filter(|spent| spent.counted == Counted::Yes) {
        parts.entry(spent.part).or_default().add(&spent);
    }
    parts
}

/// Usages that did not count, by reason: their number and their tokens.
pub fn left_out<'u>(
    spent: impl IntoIterator<Item = Spent<'u>>,
) -> BTreeMap<&'static str, (u64, u64)> {
    let mut out = BTreeMap::<&str, (u64, u64)>::new();
    for spent in spent {
        if let Some(reason) = spent.counted.reason() {
            let (numbers, tokens) = out.entry(reason).or_default();
            *numbers += 1;
            *tokens = tokens.saturating_add(spent.tokens.total());
        }
    }
    out
}

/// The path at an index in a source's list.
fn path_of(paths: &[PathBuf], at: u32) -> &Path {
    paths.get(at as usize).map_or(Path::new(""), PathBuf::as_path)
}
