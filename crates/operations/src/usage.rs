//! Token usage, with each answer counted once over all sessions. Repeats, forks, resumed files,
//! copies of files and sub-agents' copies count once. Every counted number is traced to its file
//! and byte, and every ignored number to the number that it repeats.
//!
//! A home directory has about one answer for every few kB, so each answer is a record of fixed
//! size. Names are stored once per session.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use catalog::find::found::Found;
use catalog::open::bundle::Unread;
use catalog::open::database::Store;
use catalog::open::ends::Kept;
use catalog::open::source::Source;
use catalog::{Error, Job, MaybeIndex};
use meaning::usage::{Part, Terms, Tokens};
use money::Money;
use price::{Price, Prices};
use session::Sorting as _;
use session::{Memory, UtcTime};

mod compare;
mod costs;
mod grouping;
mod once;
mod peer;
pub mod price;
mod record;
mod rules;
pub mod spending;
mod sum;

pub use views::money;

pub use compare::{Comparison, CostDifference, Difference, compare};
pub use grouping::{BLOCK, By, Grouping, Offset, UNKNOWN, blocks};
pub use peer::{Kinds, PeerCell, PeerReport};
pub(crate) use record::of_source;
use record::{OfSource, Record};
pub use record::{answer_key, packed_with_acts};
pub use spending::of_sessions;
pub use sum::{Sum, Totals, Unpriced, sums};

/// One usage that an agent recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Spent<'u> {
    /// The format's name.
    pub format: &'static str,
    /// The session's id.
    pub session: &'u str,
    /// The folder of its project, if known.
    pub folder: Option<&'u str>,
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
    /// The terms on which it was served.
    pub terms: &'u Terms,
    /// The branch of version control, if the agent records it.
    pub branch: Option<&'u str>,
    /// The tokens, comparable across agents.
    pub tokens: Tokens,
    /// Its cost, if the agent records it.
    pub recorded: Option<Money>,
    /// Its cost by list prices, with the name of the price; `None` if its model has no list price,
    /// or none for its terms, or no prices were given.
    pub listed: Option<(Money, &'u str)>,
    /// Whether its model has a list price, for usual terms at least.
    pub is_known: bool,
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

/// Usages of all sessions in a search, with the verdict on each.
pub struct Usage {
    sources: Vec<OfSource>,
    /// Database rows that belong to no session, and files that could not be read.
    rows: Vec<Unread>,
    /// Indices of source and record, sorted by format, part, time, session and place.
    order: Vec<(u32, u32)>,
    /// The list prices of the models that occur, each with its name in the table.
    prices: Vec<(String, Price)>,
    /// The source of the list prices, and their day.
    priced_by: Option<(String, Option<String>)>,
    /// The sources of the prices of newer models, by the names of the prices.
    newer: BTreeMap<String, String>,
}

impl std::fmt::Debug for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Usage").finish_non_exhaustive()
    }
}

/// All usages of the found sessions, in the order of format, session and place.
#[must_use]
pub fn usage(found: &Found) -> Usage {
    // Nobody else has this job, so nobody cancels it.
    usage_with(&Job::default(), found, &None).unwrap_or_else(|_| Usage::of(found, Vec::new()))
}

/// The same. What the index knows is not read.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn usage_with(job: &Job, found: &Found, index: &MaybeIndex) -> Result<Usage, Error> {
    let kept = Kept::nothing().with_index(index);
    let look = |memory: &mut Memory, source: &Source| of_source(source, &kept, memory);
    let sources = job.parallel_with(&found.sources, Source::length, Memory::default, look)?;
    Ok(Usage::of(found, sources))
}

/// The rows of a database that belong to no session. They may contain answers.
pub(crate) fn outside(store: &Store) -> Vec<Unread> {
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
    /// The verdict on each usage of the sources of a search.
    pub(crate) fn of(found: &Found, sources: Vec<OfSource>) -> Self {
        let rows = found.stores().flat_map(|(_, store)| outside(store));
        let known: HashSet<&Path> =
            sources.iter().flat_map(|source| &source.unread).map(|file| &*file.path).collect();
        let failed = found.skipped.iter().filter(|skipped| skipped.why.is_failure());
        let failed = failed.filter(|skipped| !known.contains(&*skipped.path));
        let failed = failed.map(|skipped| Unread {
            path: skipped.path.clone(),
            why: skipped.why.to_string(),
            gone: false,
        });
        let rows = rows.chain(failed).collect();
        let mut usage = Self {
            sources,
            rows,
            order: Vec::new(),
            prices: Vec::new(),
            priced_by: None,
            newer: BTreeMap::new(),
        };
        usage.order.reserve_exact(usage.sources.iter().map(|source| source.records.len()).sum());
        for (at, source) in (0..).zip(&usage.sources) {
            usage.order.extend((0..).zip(&source.records).map(|(record, _)| (at, record)));
        }
        usage.sort();
        usage.orphans();
        usage.own_ends();
        usage.once(|record| record.key);
        usage.once(|record| record.twin);
        usage.wholes();
        usage.documents();
        usage
    }

    fn at(&self, (source, record): (u32, u32)) -> (&OfSource, &Record) {
        let source = &self.sources[source as usize];
        (source, &source.records[record as usize])
    }

    /// Sorts the usages: main histories before sub-agents, earlier before later. The first of equal
    /// copies counts.
    fn sort(&mut self) {
        let begins = |at: &(u32, u32)| {
            let (source, record) = self.at(*at);
            let side = matches!(record.part, Part::SubAgent | Part::Copied | Part::Whole);
            ((source.format, side, record.copied, record.time()), *at)
        };
        let ends = |at: (u32, u32)| {
            let (source, record) = self.at(at);
            (source.session(record), source.path(record.path), record.byte, at)
        };
        // Few usages have the same time.
        let mut order: Vec<_> = self.order.iter().map(begins).collect();
        order.in_order_by(|(begin, a), (other, b)| {
            begin.cmp(other).then_with(|| ends(*a).cmp(&ends(*b)))
        });
        self.order = order.into_iter().map(|(_, at)| at).collect();
    }

    /// Each usage.
    pub fn spent(&self) -> impl Iterator<Item = Spent<'_>> {
        self.order.iter().map(|&at| {
            let (source, record) = self.at(at);
            record.told(source, self)
        })
    }

    /// Prices each usage whose model is in the table.
    pub fn price(&mut self, prices: &Prices) {
        self.prices.clear();
        self.newer.clear();
        self.priced_by = Some((prices.source.clone(), prices.date.clone()));
        let mut known: HashMap<String, Option<u32>> = HashMap::new();
        for source in &mut self.sources {
            let price = |model: &String| {
                *known.entry(model.clone()).or_insert_with(|| {
                    let (name, price) = prices.find(model)?;
                    if let Some(source) = prices.source_of_newer(name) {
                        self.newer.insert(name.to_owned(), source.to_owned());
                    }
                    self.prices.push((name.to_owned(), price));
                    u32::try_from(self.prices.len() - 1).ok()
                })
            };
            source.price_each_model(price);
        }
        let prices = &self.prices;
        self.sources.iter_mut().for_each(|source| source.price_each_usage(prices));
    }

    /// The list prices of a model, in US dollars per million tokens: input, cache reads, cache
    /// writes, output.
    #[must_use]
    pub fn per_million(&self, model: &str) -> Option<[Option<f64>; 4]> {
        let priced = |source: &OfSource| source.price_of(model);
        let at = self.sources.iter().find_map(priced)?;
        self.prices.get(at as usize).map(|(_, price)| price.per_million())
    }

    /// The source of the list prices and their day, for people; `None` if no usage was priced.
    #[must_use]
    pub fn priced_by(&self) -> Option<String> {
        let (source, date) = self.priced_by.as_ref()?;
        let dated = |date: &String| format!("{source} of {date}");
        Some(date.as_ref().map_or_else(|| source.clone(), dated))
    }

    /// The source of the price of a model, by the name of its price, if that is not in the table of
    /// the others: the model is newer.
    #[must_use]
    pub fn newer_price(&self, name: &str) -> Option<&str> {
        self.newer.get(name).map(String::as_str)
    }

    /// The sources of the list prices that these usages have, for people: the table with its day,
    /// and that of newer models behind it. `between` is put behind the table's.
    #[must_use]
    pub fn prices_used(&self, totals: &Totals<'_>, between: &str) -> Option<String> {
        let table = self.priced_by()?;
        Some(match totals.newer {
            Some(newer) => format!("{table}{between}, and {newer} for newer models"),
            None => format!("{table}{between}"),
        })
    }

    /// The day of the list prices (`2026-08-01`), if their table has one.
    #[must_use]
    pub fn prices_of(&self) -> Option<&str> {
        self.priced_by.as_ref()?.1.as_deref()
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

/// The path at an index in a source's list.
fn path_of(paths: &[PathBuf], at: u32) -> &Path {
    paths.get(at as usize).map_or(Path::new(""), PathBuf::as_path)
}
