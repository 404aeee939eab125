//! Compact record of a usage: numbers, and indices into its source's lists of names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use catalog::SessionFact;
use catalog::open::bundle::{Unread, bundle_of};
use catalog::open::ends::Kept;
use catalog::open::source::Source;
use catalog::summary::project;
use formats::Format;
use meaning::facts;
use meaning::usage::{
    ABSENT, Count, Counting, Key, Part, Terms, Tokens, counts, is_better, unreadable,
};
use session::{Memory, Session, Standing, UtcTime};

use super::money::Money;
use super::{Counted, Spent, Usage, path_of};

mod known;
mod priced;

pub use known::packed_with_acts;

/// The usages of one source.
pub(crate) struct OfSource {
    pub format: &'static str,
    /// Whether the source is a document, made from another source.
    pub document: bool,
    pub(super) records: Vec<Record>,
    pub unread: Vec<Unread>,
    /// Number of damaged places. The answers in them are in no sum.
    pub damaged: u64,
    paths: Vec<PathBuf>,
    sessions: Vec<String>,
    /// All sessions of the source, those without usages too.
    pub ids: Vec<String>,
    /// For each session with usages, the session that it was forked from.
    parents: Vec<Option<String>>,
    models: Vec<String>,
    /// The terms of service that are not the usual ones.
    terms: Vec<Terms>,
    /// The branches of version control.
    branches: Vec<String>,
    /// For each session with usages, the folder of its project.
    folders: Vec<Option<String>>,
    /// For each model, the index of its list price.
    prices: Vec<Option<u32>>,
}

impl OfSource {
    pub(super) fn path(&self, at: u32) -> &Path {
        path_of(&self.paths, at)
    }

    /// The session from which this usage was copied; `None` for a usage of its own session.
    pub(super) fn copied_from(&self, record: &Record) -> Option<&str> {
        let copied = matches!(record.counted, Ruling::Standing(standing) if standing.is_copied());
        let parent = || self.parents.get(record.session as usize)?.as_deref();
        copied.then(parent).flatten()
    }

    pub(super) fn session(&self, record: &Record) -> &str {
        self.sessions.get(record.session as usize).map_or("", String::as_str)
    }
}

/// A usage. [`ABSENT`] means that a number is absent.
pub(super) struct Record {
    pub key: Option<Key>,
    pub twin: Option<Key>,
    /// Identity by what the answer said and counted, if it has no name and a fork may copy it.
    pub said: Option<Key>,
    pub part: Part,
    /// Whether it is a copy of another session's usage, by its standing.
    pub copied: bool,
    /// Whether it is a difference between two running totals.
    stepped: bool,
    pub path: u32,
    pub byte: u32,
    line: u32,
    session: u32,
    model: u32,
    terms: u32,
    branch: u32,
    counted: Ruling,
    time: i64,
    cost: f64,
    /// Its cost by the list price of its model, once there are prices.
    listed: Option<Money>,
    tokens: [u64; 8],
}

/// [`Counted`] without names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ruling {
    Yes,
    /// It repeats a usage of its own source: path and line.
    Within(u32, u32),
    Repeats(Place),
    Standing(Standing),
    NothingNew,
    Empty,
    Synthetic,
}

/// Place of a usage.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    source: u32,
    path: u32,
    line: u32,
}

const NO_TIME: i64 = i64::MIN;
/// The index of no name.
const NONE: u32 = u32::MAX;

impl Record {
    pub(super) const fn counts(&self) -> bool {
        matches!(self.counted, Ruling::Yes)
    }

    /// A copy counts: the session with the original is not there.
    pub(super) const fn count(&mut self) {
        self.counted = Ruling::Yes;
    }

    /// It is no copy, but an answer of its own session.
    pub(super) const fn is_own(&mut self, part: Part) {
        (self.counted, self.part, self.copied) = (Ruling::Yes, part, false);
    }

    pub(super) const fn repeats(&mut self, place: Place) {
        self.counted = Ruling::Repeats(place);
    }

    pub(super) const fn place(&self, source: u32) -> Place {
        Place { source, path: self.path, line: self.line }
    }

    /// The index of its session in the source.
    pub(super) const fn session(&self) -> u32 {
        self.session
    }

    pub(super) fn time(&self) -> Option<UtcTime> {
        (self.time != NO_TIME).then_some(UtcTime(self.time))
    }

    /// Whether it is a more complete record of an answer than another copy.
    pub(super) fn is_better(&self, other: &Self) -> bool {
        is_better((self.tokens(), self.stepped), (other.tokens(), other.stepped))
    }

    pub(super) fn tokens(&self) -> Tokens {
        let known = |at: usize| Some(self.tokens[at]).filter(|number| *number != ABSENT);
        Tokens {
            input: known(0),
            cache_read: known(1),
            cache_write: known(2),
            cache_write_hour: known(3),
            output: known(4),
            reasoning: known(5),
            tool: known(6),
            unsplit: known(7),
        }
    }

    pub(super) fn told<'u>(&self, source: &'u OfSource, usage: &'u Usage) -> Spent<'u> {
        let tokens = self.tokens();
        let price = source.prices.get(self.model as usize).copied().flatten();
        let price = price.and_then(|at| usage.prices.get(at as usize));
        let terms = source.terms.get(self.terms as usize).unwrap_or(&USUAL);
        let listed = self.listed.zip(price).map(|(cost, (name, _))| (cost, &**name));
        Spent {
            format: source.format,
            session: source.session(self),
            folder: source.folders.get(self.session as usize).and_then(|it| it.as_deref()),
            path: source.path(self.path),
            line: self.line,
            byte: self.byte,
            time: self.time(),
            model: source.models.get(self.model as usize).map(String::as_str),
            terms,
            branch: source.branches.get(self.branch as usize).map(String::as_str),
            tokens,
            recorded: Money::of_dollars(self.cost),
            listed,
            is_known: price.is_some(),
            part: self.part,
            counted: match self.counted {
                Ruling::Yes => Counted::Yes,
                Ruling::Within(path, line) => Counted::Repeats(source.path(path), line),
                Ruling::Repeats(Place { source, path, line }) => {
                    let source = usage.sources.get(source as usize);
                    Counted::Repeats(source.map_or(Path::new(""), |source| source.path(path)), line)
                }
                Ruling::Standing(standing) => Counted::Standing(standing.word()),
                Ruling::NothingNew => Counted::NothingNew,
                Ruling::Empty => Counted::Empty,
                Ruling::Synthetic => Counted::Synthetic,
            },
        }
    }
}

/// The usages of a source: those that an index knows, or else those in its files.
pub(crate) fn of_source(source: &Source, kept: &Kept, memory: &mut Memory) -> OfSource {
    let packed = kept.index.as_ref().and_then(|it| it.of_source(SessionFact::Usages, source));
    let known = packed.and_then(|packed| known::unpack(source, &packed));
    let mut all = known.unwrap_or_else(|| in_files(source, kept, memory, &mut |_| {}));
    all.add_projects(source);
    all
}

/// Reads a source and collects its usages, without the folders that other files tell. `see` is
/// called with each of its sessions.
fn in_files(
    source: &Source,
    kept: &Kept,
    memory: &mut Memory,
    see: &mut dyn FnMut(&Session),
) -> OfSource {
    let (bundle, unread) = bundle_of(source, kept);
    let paths = source.paths(&bundle);
    let mut all = OfSource { unread, paths, ..OfSource::empty(source) };
    for session in source.format.read_with(Arc::new(bundle), memory) {
        all.take(source, &session);
        see(&session);
    }
    all.records.shrink_to_fit();
    all
}

impl OfSource {
    fn empty(source: &Source) -> Self {
        Self {
            format: source.format.name(),
            document: source.format.is_document(),
            records: Vec::new(),
            unread: Vec::new(),
            damaged: 0,
            paths: Vec::new(),
            sessions: Vec::new(),
            ids: Vec::new(),
            parents: Vec::new(),
            models: Vec::new(),
            terms: Vec::new(),
            branches: Vec::new(),
            folders: Vec::new(),
            prices: Vec::new(),
        }
    }

    fn take(&mut self, source: &Source, session: &Session) {
        self.unread.extend(unread_counters(session, &self.paths));
        let damaged = session.notes.iter().filter(|note| !note.mended && !note.why.is_dangling());
        self.damaged += damaged.count() as u64;
        self.ids.push(session.id.clone());
        let counts = counts(session, source.format.data().convention);
        if counts.is_empty() {
            return;
        }
        let own = small(self.sessions.len());
        self.sessions.push(session.id.clone());
        self.parents.push(facts::forked_from(session).map(std::borrow::Cow::into_owned));
        self.folders.push(facts::folder(session).map(std::borrow::Cow::into_owned));
        self.records.reserve_exact(counts.len());
        for count in counts {
            let names = Names {
                session: own,
                model: place(&mut self.models, count.model.as_ref()),
                terms: place(&mut self.terms, Some(&count.terms).filter(|it| !it.is_usual())),
                branch: place(&mut self.branches, count.branch.as_ref()),
            };
            self.records.push(record(source, session, names, &count));
        }
    }

    /// Adds the folder of the project where the agent wrote it into other files.
    fn add_projects(&mut self, source: &Source) {
        for folder in self.folders.iter_mut().filter(|folder| folder.is_none()) {
            *folder = project(source, &Kept::nothing());
        }
    }
}

/// The usual terms of service.
static USUAL: Terms = Terms { tier: None, region: None, searches: 0 };

/// The indices of a record's names in the lists of its source.
struct Names {
    session: u32,
    model: u32,
    terms: u32,
    branch: u32,
}

/// The index of a value in a list, to which it is added if it is new.
fn place<T: Clone + PartialEq>(list: &mut Vec<T>, value: Option<&T>) -> u32 {
    let Some(value) = value else { return NONE };
    // Neighbours mostly have the same.
    let known = list.iter().rposition(|known| known == value);
    small(known.unwrap_or_else(|| {
        list.push(value.clone());
        list.len() - 1
    }))
}

/// Counters that can't be read as numbers and so are in no sum: the first of each name and file,
/// with their number.
fn unread_counters(session: &Session, paths: &[PathBuf]) -> Vec<Unread> {
    let mut first: BTreeMap<(u32, &[u8]), (u32, u32)> = BTreeMap::new();
    for (event, field) in unreadable(session) {
        let place = (event.origin.member, event.name(field));
        first.entry(place).or_insert((event.origin.line, 0)).1 += 1;
    }
    let told = first.into_iter().map(|((member, name), (line, count))| Unread {
        path: path_of(paths, member).to_owned(),
        why: format!(
            "line {line}: `{}` is not a number of tokens (in {count} places)",
            String::from_utf8_lossy(name)
        ),
        gone: false,
    });
    told.collect()
}

fn small(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// The identity of an answer over all sessions of an agent. Ids that are short are the same ones
/// for other answers too, at other times.
#[must_use]
pub fn answer_key(format: &dyn Format, count: &Count) -> Option<Key> {
    count.key.map(|key| match count.time {
        Some(time) if format.data().has_short_ids && count.part != Part::Whole => {
            Key::of((key, time.0))
        }
        _ => key,
    })
}

fn record(source: &Source, session: &Session, names: Names, count: &Count) -> Record {
    let event = session.event(count.event);
    let (member, time) = (event.origin.member, count.time);
    let counted = match count.verdict {
        Counting::Counted => Ruling::Yes,
        Counting::Repeats(other) => {
            let origin = session.event(other).origin;
            Ruling::Within(origin.member, origin.line)
        }
        Counting::Standing(standing) => Ruling::Standing(standing),
        Counting::NothingNew => Ruling::NothingNew,
        Counting::Empty => Ruling::Empty,
        Counting::Synthetic => Ruling::Synthetic,
    };
    let key = answer_key(source.format, count);
    let of = count.tokens;
    Record {
        key,
        twin: count.twin,
        said: count.said,
        part: count.part,
        copied: event.standing.is_copied(),
        stepped: count.stepped,
        path: member,
        byte: event.span.start,
        line: event.origin.line,
        session: names.session,
        model: names.model,
        terms: names.terms,
        branch: names.branch,
        counted,
        time: time.map_or(NO_TIME, |time| time.0),
        cost: count.cost.unwrap_or(f64::NAN),
        listed: None,
        tokens: [
            of.input,
            of.cache_read,
            of.cache_write,
            of.cache_write_hour,
            of.output,
            of.reasoning,
            of.tool,
            of.unsplit,
        ]
        .map(|number| number.unwrap_or(ABSENT)),
    }
}
