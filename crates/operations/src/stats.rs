//! Sums of sessions beside their tokens: turns, tools, and the lines that they wrote, by language.
//! A copy of a turn or a call, as a fork has it, counts once. So does what `resume` wrote for
//! another agent, if the session that it was made from is there too.

use std::collections::{BTreeMap, HashSet};

use catalog::find::found::Found;
use catalog::open::bundle::bundle;
use catalog::open::source::Source;
use catalog::{Error, Job};
use formats::attribution::attribution;
use meaning::{Calls, turn};
use session::Sorting as _;
use session::{EventRef, Kind, Session, Slot, Standing, UtcTime};

use crate::placing::PlacedCopy;

mod languages;

/// The sums over all sessions of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Sessions with a turn, by their agents.
    pub sessions: BTreeMap<&'static str, u64>,
    /// The times of turns that have one.
    pub turns: Vec<UtcTime>,
    /// Turns without a time.
    pub undated: u64,
    /// Calls, by the names of the tools.
    pub tools: BTreeMap<String, u64>,
    /// Lines that sessions wrote and that were left at their ends, by language.
    pub languages: BTreeMap<String, u64>,
}

/// The part of one session.
#[derive(Default)]
struct OfSession {
    format: &'static str,
    id: String,
    /// The id and the time of each turn, and whether it is in the part that was placed.
    turns: Vec<(Option<String>, Option<UtcTime>, bool)>,
    calls: Vec<(Option<String>, String, bool)>,
    languages: Vec<(String, u64, bool)>,
}

/// The sums over what a search found, of turns and calls in a span of time.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn stats(
    job: &Job,
    (found, placed): (&Found, &[PlacedCopy]),
    (since, until): (Option<UtcTime>, Option<UtcTime>),
    done: &(dyn Fn(u64) + Sync),
) -> Result<Stats, Error> {
    let takes = |time: Option<UtcTime>| {
        since.is_none_or(|since| time.is_some_and(|time| time >= since))
            && until.is_none_or(|until| time.is_some_and(|time| time < until))
    };
    let all = job.parallel(&found.sources, Source::length, |source| {
        let (bundle, _) = bundle(source);
        let sessions = source.format.read(std::sync::Arc::new(bundle));
        let named = sessions.iter().filter(|session| !session.remainder);
        let of: Vec<OfSession> = named.map(|session| of_session(session, placed, &takes)).collect();
        done(source.length());
        of
    })?;
    let mut stats = Stats::default();
    let (mut sessions, mut seen) = (HashSet::new(), HashSet::new());
    let mut all: Vec<OfSession> = all.into_iter().flatten().collect();
    let there: HashSet<String> = all.iter().map(|of| format!("{}:{}", of.format, of.id)).collect();
    for of in &mut all {
        if copy_of(placed, of.format, &of.id).is_some_and(|copy| there.contains(&copy.source)) {
            of.turns.retain(|(.., is_copy)| !is_copy);
            of.calls.retain(|(.., is_copy)| !is_copy);
            of.languages.retain(|(.., is_copy)| !is_copy);
        }
    }
    for of in all {
        let is_new =
            |seen: &mut HashSet<(&'static str, Kind, String)>, kind, id: Option<String>| {
                id.is_none_or(|id| seen.insert((of.format, kind, id)))
            };
        let is_first = sessions.insert((of.format, of.id.clone()));
        if is_first && !of.turns.is_empty() {
            *stats.sessions.entry(of.format).or_default() += 1;
        }
        for (id, time, _) in of.turns {
            if is_new(&mut seen, Kind::User, id) {
                match time {
                    Some(time) => stats.turns.push(time),
                    None => stats.undated += 1,
                }
            }
        }
        for (id, tool, _) in of.calls {
            if is_new(&mut seen, Kind::ToolCall, id) {
                *stats.tools.entry(tool).or_default() += 1;
            }
        }
        for (language, lines, _) in of.languages.into_iter().filter(|_| is_first) {
            *stats.languages.entry(language).or_default() += lines;
        }
    }
    stats.turns.in_order();
    Ok(stats)
}

/// The placement that made a session.
fn copy_of<'p>(placed: &'p [PlacedCopy], format: &str, id: &str) -> Option<&'p PlacedCopy> {
    // One that was placed again is a copy up to the later time.
    let same = placed.iter().filter(|copy| copy.agent == format && copy.id == id);
    same.max_by_key(|copy| copy.at)
}

fn of_session(
    session: &Session,
    placed: &[PlacedCopy],
    takes: &dyn Fn(Option<UtcTime>) -> bool,
) -> OfSession {
    let (format, id) = (session.format, session.id.clone());
    let copied = copy_of(placed, format, &id).map(|copy| copy.at);
    // What was placed has the times of the other session, or none.
    let is_copy = |time: Option<UtcTime>| copied.is_some_and(|at| time.is_none_or(|it| it <= at));
    let mut of = OfSession { format, id, ..OfSession::default() };
    let text = |event: EventRef<'_>, slot| {
        event.text(slot).filter(|text| !text.is_empty()).map(|text| text.into_owned())
    };
    let mut time = None;
    for event in session.events() {
        time = event.time().or(time);
        if !takes(time) {
            continue;
        }
        if turn::opens(event) && !event.standing.is_copied() {
            of.turns.push((text(event, Slot::Id), time, is_copy(time)));
        }
        if event.kind == Kind::ToolCall && event.standing != Standing::Echo {
            let name = text(event, Slot::Name).unwrap_or_else(|| "unknown".into());
            let id = Calls::id(event).map(|id| id.into_owned());
            of.calls.push((id, name, is_copy(time)));
        }
    }
    // A replay costs as much as reading: only of sessions that can have written something.
    if !of.calls.is_empty() {
        for file in attribution(session).files {
            let Some(language) = languages::of(&file.path) else { continue };
            for range in &file.ranges {
                let lines = (range.end + 1 - range.start) as u64;
                let is_copy = is_copy(session.event(range.event).when());
                of.languages.push((language.into(), lines, is_copy));
            }
        }
    }
    of
}
