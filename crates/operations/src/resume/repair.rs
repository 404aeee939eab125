//! Damages of a session, because of which its own agent or a provider does not continue it, and the
//! session without them.

use std::sync::Arc;

use catalog::{Catalog, Error};
use meaning::Calls;
use meaning::conversation::{self, TalkPart};
use session::Sorting as _;
use session::{Bundle, Member, NO_EVENT, Session, Stream, Transport};

use crate::prove::said::mended;

/// A damage of a session, and how it is mended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Damage {
    /// A line that is no whole JSON value: it is left out.
    Line,
    /// A call without a result, which every provider refuses: it gets one that says so.
    Call,
    /// A result of a call that is not there: it is left out.
    Result,
    /// A half of a surrogate pair in a text of the conversation: a replacement character is there.
    Half,
    /// A line that empties the list of messages: what was before it is back.
    Emptied,
}

impl Damage {
    /// Its name in documents.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Line => "cut-line",
            Self::Call => "call-without-result",
            Self::Result => "result-without-call",
            Self::Half => "lone-surrogate",
            Self::Emptied => "emptied-list",
        }
    }

    /// Its name in a text, for one and for several.
    #[must_use]
    pub const fn names(self) -> [&'static str; 2] {
        match self {
            Self::Line => ["line that is cut", "lines that are cut"],
            Self::Call => ["call without a result", "calls without a result"],
            Self::Result => ["result without its call", "results without their calls"],
            Self::Half => ["text with half of a character", "texts with half of a character"],
            Self::Emptied => ["line that empties the conversation", "lines that empty it"],
        }
    }

    /// Its fate in the mended copy.
    #[must_use]
    pub const fn mending(self) -> &'static str {
        match self {
            Self::Line | Self::Result => "left out",
            Self::Call => "with a result that says so",
            Self::Half => "with U+FFFD in its place",
            Self::Emptied => "left out: what was before is back",
        }
    }
}

/// Damages of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mended {
    /// The kind.
    pub damage: Damage,
    /// Their lines in the session's own files, from 1.
    pub lines: Vec<u32>,
}

/// The damages of a session, by their kinds; none of a healthy one.
#[must_use]
pub fn damages(catalog: &Catalog<'_>, session: &Session) -> Vec<Mended> {
    let mut found: Vec<(Damage, u32)> = Vec::new();
    let is_main = |member: u32| {
        let member = session.bundle.members.get(member as usize);
        member.is_some_and(|member| member.stream == Stream::Main)
    };
    let notes = session.notes.iter().filter(|note| is_main(note.member));
    found.extend(notes.map(|note| (Damage::Line, note.line)));
    for at in emptied(catalog, session) {
        found.push((Damage::Emptied, session.records[at].line));
    }
    let calls = Calls::of(session);
    for event in conversation::events(session).filter(|event| conversation::is_own(*event)) {
        let item = conversation::of(event);
        if !item.live {
            continue;
        }
        let line = line(session, event.index);
        match item.part {
            TalkPart::Call if calls.result(event.index).is_none() => {
                found.push((Damage::Call, line));
            }
            TalkPart::Result if calls.call(event.index).is_none() => {
                found.push((Damage::Result, line));
            }
            _ => {}
        }
        // A container has its texts in the events within it.
        let bytes = event.bytes();
        let halves = memchr::memmem::find(bytes, b"\\u").is_some()
            && item.part.is_something()
            && mended(bytes, |_| Vec::new()).len() < bytes.len();
        if halves {
            found.push((Damage::Half, line));
        }
    }
    found.in_order();
    found.dedup_by(|one, other| one == other && one.0 == Damage::Half);
    let kinds = found.chunk_by(|one, other| one.0 == other.0);
    kinds
        .map(|all| Mended { damage: all[0].0, lines: all.iter().map(|(_, line)| *line).collect() })
        .collect()
}

/// The line on which an event's record begins.
fn line(session: &Session, index: session::EventIx) -> u32 {
    let mut event = session.event(index);
    while event.parent != NO_EVENT {
        event = session.event(event.parent);
    }
    session.records.get(event.origin.record as usize).map_or(0, |record| record.line)
}

/// The records that empty the conversation, though there was one.
fn emptied(catalog: &Catalog<'_>, session: &Session) -> Vec<usize> {
    let rules = catalog.format(session.format).ok().and_then(|format| format.data().resume);
    let mut found = rules.map(|rules| (rules.emptied)(session)).unwrap_or_default();
    let before = |at: &usize| {
        session.events().any(|event| {
            let at = *at as u32;
            event.origin.record < at
                && event.kind == session::Kind::User
                && event.injected.is_none()
        })
    };
    found.retain(before);
    found
}

/// The session without the lines that empty its conversation.
///
/// # Errors
/// [`Error::NoSession`] if nothing can be read of the rest.
pub(super) fn unemptied(
    catalog: &Catalog<'_>,
    session: &Session,
) -> Result<Option<Session>, Error> {
    let lines = emptied(catalog, session);
    if lines.is_empty() {
        return Ok(None);
    }
    let format = catalog.format(session.format)?;
    let none = || Error::NoSession { path: session.id.clone().into(), why: "it is empty".into() };
    let mut members = Vec::new();
    for (at, member) in session.bundle.members.iter().enumerate() {
        if *member.transport() == Transport::Dump {
            return Ok(None);
        }
        let bytes = member.bytes();
        let records = lines.iter().map(|line| &session.records[*line]);
        let mut spans: Vec<(usize, usize)> = records
            .filter(|record| record.member as usize == at)
            .map(|record| (record.span.start as usize, record.span.end as usize))
            .collect();
        spans.in_order();
        let (mut rest, mut from) = (Vec::with_capacity(bytes.len()), 0);
        for (start, end) in spans {
            rest.extend_from_slice(&bytes[from..start]);
            from = end + usize::from(bytes.get(end) == Some(&b'\n'));
        }
        rest.extend_from_slice(&bytes[from..]);
        let member = Member::new(member.name.clone(), member.stream.clone(), rest);
        members.push(member.ok_or_else(none)?);
    }
    let sessions = format.read(Arc::new(Bundle { members }));
    let same = sessions.into_iter().find(|one| one.id == session.id);
    same.map(Some).ok_or_else(none)
}
