//! The laws that a reader must meet, as functions for its tests: for those of this repository, and
//! for those of a reader elsewhere.
//!
//! A law knows no format. It gets the files of a session as a bundle, and returns what breaks it.
//! [`broken`] asks them all. Other laws need more than a reader: schemas, another parser, and a
//! list of names without a row.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use session::{Bundle, EventRef, Member, Memory, Session, proof};

use crate::format::Format;

/// A law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Law {
    /// Each byte of a file belongs to one record, and each value to one event.
    NothingIsLost,
    /// Whatever the bytes are, nothing panics, and the rest is kept.
    AnyBytes,
    /// The same files give the same sessions, whatever was read before.
    SameSessions,
}

/// A fault of a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenLaw {
    /// The law.
    pub law: Law,
    /// The fault, in words.
    pub what: String,
}

impl fmt::Display for BrokenLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.law, self.what)
    }
}

/// The number of faults that are reported of a session.
const REPORTED: usize = 3;
/// The number of ways in which the bytes of a session are harmed.
const ROUNDS: u64 = 24;

/// The faults of a reader, by all laws, with the files of a session.
#[must_use]
pub fn broken(format: &dyn Format, bundle: &Bundle) -> Vec<BrokenLaw> {
    let mut memory = Memory::default();
    let mut all = nothing_is_lost(format, bundle);
    all.extend(any_bytes(format, bundle));
    // A line that was seen twice is cached, and matched the third time.
    all.extend((0..4).flat_map(|_| same_sessions(format, bundle, &mut memory)));
    all
}

fn read(format: &dyn Format, bundle: Bundle, memory: &mut Memory) -> Vec<Session> {
    let members = bundle.members.into_iter().map(|member| format.decode(member)).collect();
    format.read_with(Arc::new(Bundle { members }), memory)
}

/// [`Law::NothingIsLost`].
#[must_use]
pub fn nothing_is_lost(format: &dyn Format, bundle: &Bundle) -> Vec<BrokenLaw> {
    let sessions = read(format, bundle.clone(), &mut Memory::default());
    proven(Law::NothingIsLost, &sessions, "")
}

fn proven(law: Law, sessions: &[Session], place: &str) -> Vec<BrokenLaw> {
    let faults = proof::check(sessions, REPORTED).into_iter();
    faults.map(|fault| BrokenLaw { law, what: format!("{place}{fault:?}") }).collect()
}

/// The content of sessions, in its order: each event by its place, its kind and its standing.
#[must_use]
pub fn told(sessions: &[Session]) -> BTreeSet<(String, Vec<String>)> {
    let tell = |event: EventRef<'_>| {
        let member = &event.session().bundle.members[event.origin.member as usize];
        let (line, part) = (event.origin.line, event.origin.part);
        format!("{}:{line}.{part} {:?} {}", member.name, event.kind, event.standing.word())
    };
    let sessions = sessions.iter();
    sessions.map(|session| (session.uid(), session.top().map(tell).collect())).collect()
}

/// [`Law::AnyBytes`]: the files are cut, and their bytes are changed.
#[must_use]
pub fn any_bytes(format: &dyn Format, bundle: &Bundle) -> Vec<BrokenLaw> {
    let harmed = |round: u64| {
        let members = bundle.members.iter().filter_map(|member| harm(member, round)).collect();
        let sessions = read(format, Bundle { members }, &mut Memory::default());
        proven(Law::AnyBytes, &sessions, &format!("round {round}: "))
    };
    (0..ROUNDS).flat_map(harmed).collect()
}

/// A member with one byte changed, or cut there. The round decides the place.
#[must_use]
pub fn harm(member: &Member, round: u64) -> Option<Member> {
    let mut bytes = member.bytes().to_vec();
    if let Some(spread) = ((round + 1).wrapping_mul(SPREAD) >> 20).checked_rem(bytes.len() as u64) {
        let at = usize::try_from(spread).unwrap_or_default();
        let chosen = |of: &[u8]| of[round as usize % of.len()];
        match round % 3 {
            0 => bytes.truncate(at),
            1 => bytes[at] = chosen(b"\"{}[]:,\\\n\0\xff0"),
            _ => bytes.insert(at, chosen(b"\n\0}\"{")),
        }
    }
    // What was unpacked is harmed behind the unpacking, and its stored bytes are kept.
    let (name, stream) = (member.name.clone(), member.stream.clone());
    Member::stored(name, stream, bytes, member.transport().clone())
}

/// A factor that spreads small numbers.
const SPREAD: u64 = 6_364_136_223_846_793_005;

/// [`Law::SameSessions`]: with the memory of what was read before, and without it.
#[must_use]
pub fn same_sessions(format: &dyn Format, bundle: &Bundle, memory: &mut Memory) -> Vec<BrokenLaw> {
    let sessions = read(format, bundle.clone(), memory);
    let plain = read(format, bundle.clone(), &mut Memory::without_templates());
    let law = Law::SameSessions;
    if told(&plain) != told(&sessions) || plain.len() != sessions.len() {
        return vec![BrokenLaw { law, what: "the sessions are others".into() }];
    }
    let pairs = plain.iter().zip(&sessions).filter(|(plain, session)| !is_alike(plain, session));
    pairs.map(|(_, session)| BrokenLaw { law, what: session.uid() }).collect()
}

fn is_alike(plain: &Session, session: &Session) -> bool {
    let of = |event: EventRef<'_>| (event.kind, event.span, event.parent, event.standing);
    (&plain.records, &plain.notes) == (&session.records, &session.notes)
        && plain.len() == session.len()
        && plain.events().zip(session.events()).all(|(plain, event)| {
            of(plain) == of(event)
                && std::ptr::eq(plain.case, event.case)
                && plain.fields() == event.fields()
        })
}
