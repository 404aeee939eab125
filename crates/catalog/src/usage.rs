//! Tokens spent, each answer counted once over all sessions read: repeats, forks, resumed files and
//! sub-agents' copies included. Every counted number can be traced to its file and byte, every
//! ignored one to what it repeats.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use session::usage::{Tokens, Verdict, counts};
use session::{Session, Slot, Standing};

use crate::open::bundle;
use crate::scan::Source;
use crate::work::parallel;

/// One usage that an agent wrote down.
#[derive(Clone, Debug, PartialEq)]
pub struct Spent {
    /// The format's name.
    pub format: &'static str,
    /// The session's id.
    pub session: String,
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: u32,
    /// The byte at which the event begins in the file (as read, decompressed).
    pub byte: u32,
    /// When, in RFC 3339 (UTC), where the agent says so.
    pub time: Option<String>,
    /// The model, where the agent names it.
    pub model: Option<String>,
    /// The tokens, comparable across agents.
    pub tokens: Tokens,
    /// What it cost in US dollars, where the agent says so.
    pub cost: Option<f64>,
    /// Does it count?
    pub counted: Counted,
}

/// Whether a usage counts, and why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counted {
    /// It does.
    Yes,
    /// It repeats another one: the file and line of that.
    Repeats(PathBuf, u32),
    /// It stands as an echo, or as a copy from another session.
    Standing(&'static str),
    /// The running total did not move.
    NothingNew,
    /// The agent wrote it itself; no model answered.
    Synthetic,
}

/// A usage with what decides between copies of one answer.
struct Found {
    spent: Spent,
    key: Option<String>,
    side: bool,
}

/// All usages of the sessions in `sources`, in the order of format, session and place.
#[must_use]
pub fn usage(sources: &[Source]) -> Vec<Spent> {
    let mut found: Vec<Found> =
        parallel(sources, Source::length, of_source).into_iter().flatten().collect();
    found.sort_by(|a, b| rank(a).cmp(&rank(b)));
    once(&mut found);
    found.into_iter().map(|found| found.spent).collect()
}

/// Main histories before side chains, earlier before later: the first copy of an answer counts.
fn rank(found: &Found) -> (&str, bool, Option<&str>, &str, &PathBuf, u32) {
    let spent = &found.spent;
    let time = spent.time.as_deref();
    (spent.format, found.side, time, &spent.session, &spent.path, spent.byte)
}

fn of_source(source: &Source) -> Vec<Found> {
    let (bundle, _) = bundle(source);
    let paths: Vec<PathBuf> = bundle
        .members
        .iter()
        .map(|member| {
            let file = source.files.iter().find(|file| file.name == member.name);
            file.map_or_else(|| PathBuf::from(&member.name), |file| file.path.clone())
        })
        .collect();
    let sessions = source.format.read(Arc::new(bundle));
    sessions.iter().flat_map(|session| of_session(source, session, &paths)).collect()
}

fn of_session(source: &Source, session: &Session, paths: &[PathBuf]) -> Vec<Found> {
    let path = |member: u32| paths.get(member as usize).cloned().unwrap_or_default();
    let place = |index| {
        let origin = session.event(index).origin;
        (path(origin.member), origin.line)
    };
    let mut found = Vec::new();
    for count in counts(session, source.format.convention()) {
        let event = session.event(count.event);
        let counted = match count.verdict {
            Verdict::Counted => Counted::Yes,
            Verdict::Repeats(other) => {
                let (path, line) = place(other);
                Counted::Repeats(path, line)
            }
            Verdict::Standing(standing) => Counted::Standing(Standing::word(standing)),
            Verdict::NothingNew => Counted::NothingNew,
            Verdict::Synthetic => Counted::Synthetic,
        };
        let (path, line) = place(count.event);
        found.push(Found {
            spent: Spent {
                format: session.format,
                session: session.id.clone(),
                path,
                line,
                byte: event.span.start,
                time: event.time().map(session::Instant::rfc3339),
                model: count.model,
                tokens: count.tokens,
                cost: count.cost,
                counted,
            },
            key: count.key.map(|key| match (source.format.has_short_ids(), event.time()) {
                (true, Some(time)) => format!("{key} {}", time.rfc3339()),
                _ => key,
            }),
            side: event.is_true(Slot::Sidechain) || *event.stream() != session::Stream::Main,
        });
    }
    found
}

/// Lets each answer count once: the first that has its name.
fn once(found: &mut [Found]) {
    let mut first: HashMap<(&'static str, String), (PathBuf, u32)> = HashMap::new();
    for Found { spent, key, .. } in found {
        let Some(key) = key.clone().filter(|_| spent.counted == Counted::Yes) else { continue };
        let place = (spent.path.clone(), spent.line);
        match first.entry((spent.format, key)) {
            Entry::Vacant(entry) => {
                entry.insert(place);
            }
            Entry::Occupied(entry) => {
                let (path, line) = entry.get().clone();
                spent.counted = Counted::Repeats(path, line);
            }
        }
    }
}

/// What the counted usages of a group come to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sum {
    /// The tokens.
    pub tokens: Tokens,
    /// How many answers.
    pub answers: u64,
    /// The cost of those whose agent says it.
    pub cost: Option<f64>,
    /// How many answers come without a cost: unknown is not zero.
    pub unpriced: u64,
}

/// Adds up what counts, by the name that `group` gives each; in the order of those names.
pub fn sums<'s>(
    spent: impl IntoIterator<Item = &'s Spent>,
    group: impl Fn(&Spent) -> String,
) -> BTreeMap<String, Sum> {
    let mut sums = BTreeMap::<String, Sum>::new();
    for spent in spent {
        if spent.counted == Counted::Yes {
            let sum = sums.entry(group(spent)).or_default();
            sum.tokens = sum.tokens.plus(spent.tokens);
            sum.answers += 1;
            match spent.cost {
                Some(cost) => sum.cost = Some(sum.cost.unwrap_or(0.0) + cost),
                None => sum.unpriced += 1,
            }
        }
    }
    sums
}
