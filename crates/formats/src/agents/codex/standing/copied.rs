//! Copied prefix: the history of another thread at the beginning of a fork or a sub-agent.
//!
//! A new thread that inherits writes its own header and then the parent's history, each line with
//! the time of the copy. The file shows the copy as follows (format reference, trap 3):
//!
//! - `subagent_history_start_ordinal` in the header is the place where the own history begins.
//! - Otherwise headers of other threads directly after its own, turns that began before the thread
//!   did (by the time in their UUIDv7 id or by `started_at`), or `forked_from_id` show it. A parent
//!   alone proves nothing: sub-agents that inherit nothing name one too.
//!
//! The copy ends where the thread's own first turn begins. If no turn has a start time, the copy
//! ends with the burst in which it was written: at the first pause of a second.

use std::ops::Range;

use session::{EventIx, Kind, Scan, Slot, UtcTime};

use super::{Mark, Survey};
use crate::agents::codex::names;

/// Number of events after the header among which the ancestors' headers are searched.
const HEADERS: EventIx = 8;
/// A pause that ends a burst, in microseconds.
const PAUSE: i64 = 1_000_000;

/// The copied events: a range after the header.
pub(super) fn prefix(survey: &Survey<'_>) -> Range<EventIx> {
    let none = survey.range.start..survey.range.start;
    let Some(&header) = survey.headers.first().filter(|&&at| at == survey.range.start) else {
        return none;
    };
    let child = Child::of(survey, header);
    let end = match child.own_ordinal {
        Some(ordinal) => child.at_ordinal(ordinal),
        None => child.end(),
    };
    header + 1..end.max(header + 1)
}

/// The thread of the file, from its header.
struct Child<'a, 's> {
    survey: &'a Survey<'s>,
    header: EventIx,
    /// Its start, in milliseconds since 1970.
    began: Option<i64>,
    forked: bool,
    own_ordinal: Option<u64>,
}

impl<'a, 's> Child<'a, 's> {
    fn of(survey: &'a Survey<'s>, at: EventIx) -> Self {
        let header = survey.session.event(at);
        let said = header.raw(Slot::Started).and_then(UtcTime::read).map(|time| time.0 / 1000);
        let id = header.text(Slot::Session).as_deref().and_then(minted);
        let began = said.into_iter().chain(id).min();
        let bytes = header.member_bytes();
        let of = |key: &[u8]| {
            let mut fields = header.fields().iter();
            // Only members of `payload` itself: deeper ones mean something else.
            let said = fields.find(|field| field.depth == 1 && field.key.of(bytes) == key);
            said.map(|field| field.value.of(bytes))
        };
        let based = of(b"\"history_base\"").is_some_and(|raw| raw.first() == Some(&b'{'));
        let forked = of(b"\"forked_from_id\"").is_some_and(|raw| raw.first() == Some(&b'"'));
        let forked = forked && !based;
        let own_ordinal =
            of(b"\"subagent_history_start_ordinal\"").and_then(session::value::number);
        Self { survey, header: at, began, forked, own_ordinal }
    }

    /// The first event with this ordinal or a higher one.
    fn at_ordinal(&self, ordinal: u64) -> EventIx {
        let mut events = self.header + 1..self.survey.range.end;
        let own = |&at: &EventIx| {
            self.survey.session.event(at).number(Slot::Ordinal).is_some_and(|now| now >= ordinal)
        };
        events.find(own).unwrap_or(self.survey.range.end)
    }

    /// The end of the copy. If nothing was copied, it is not after the header.
    fn end(&self) -> EventIx {
        let mut copied = self.ancestors();
        for &(at, mark) in &self.survey.marks {
            if !matches!(mark, Mark::Started | Mark::Context) || at <= copied {
                continue;
            }
            match self.is_own(at, mark) {
                Some(false) => copied = at,
                Some(true) if copied == self.header => return self.header,
                Some(true) => return self.beginning(copied, at, mark),
                None => {}
            }
        }
        if self.forked || copied > self.header { self.burst(copied) } else { self.header }
    }

    /// The last of the other threads' headers that directly follow the header.
    fn ancestors(&self) -> EventIx {
        let session = self.survey.session;
        let own = session.event(self.header).raw(Slot::Session);
        let mut last = self.header;
        for &at in self.survey.headers.iter().skip(1) {
            if at > last + HEADERS {
                break;
            }
            if session.event(at).raw(Slot::Session) != own {
                last = at;
            }
        }
        last
    }

    /// Whether the turn began in this thread; `None` if unknown.
    fn is_own(&self, at: EventIx, mark: Mark) -> Option<bool> {
        let began = self.began?;
        let event = self.survey.session.event(at);
        if let Some(minted) = event.text(Slot::Turn).as_deref().and_then(minted) {
            return Some(minted >= began);
        }
        if mark != Mark::Started {
            return None;
        }
        let mut scan = Scan::new();
        let line = scan.read(event.bytes(), 0).ok()?;
        let line = line.root();
        let started = UtcTime::read(line.at(names::STARTED_AT)?.raw())?;
        // The start time has whole seconds.
        Some(started.0 / 1_000_000 >= began / 1000)
    }

    /// The beginning of the thread's own first turn. Its messages precede a `turn_context`, unless
    /// `task_started` precedes them.
    fn beginning(&self, copied: EventIx, own: EventIx, mark: Mark) -> EventIx {
        let mut begin = own;
        if mark == Mark::Started {
            return begin;
        }
        while begin - 1 > copied {
            let event = self.survey.session.event(begin - 1);
            if event.kind != Kind::User || self.pause(begin) {
                break;
            }
            begin -= 1;
        }
        begin
    }

    /// The end of the event's burst. Lines that kept a time before the thread's start belong to it.
    fn burst(&self, from: EventIx) -> EventIx {
        let early = |at| {
            let time = self.survey.session.event(at).time().map(|time| time.0 / 1000);
            time.zip(self.began).is_some_and(|(time, began)| time < began)
        };
        let mut behind = from + 1..self.survey.range.end;
        behind.find(|&at| self.pause(at) && !early(at)).unwrap_or(self.survey.range.end)
    }

    /// Whether a pause precedes the event.
    fn pause(&self, at: EventIx) -> bool {
        let session = self.survey.session;
        let times = session.event(at).time().zip(session.event(at - 1).time());
        times.is_some_and(|(now, before)| now.0.saturating_sub(before.0) >= PAUSE)
    }
}

/// Creation time of a UUIDv7, in milliseconds since 1970 (RFC 9562, section 5.7).
fn minted(id: &str) -> Option<i64> {
    let bytes = id.as_bytes();
    if bytes.len() != 36 || bytes[14] != b'7' || bytes[8] != b'-' {
        return None;
    }
    i64::from_str_radix(&format!("{}{}", id.get(..8)?, id.get(9..13)?), 16).ok()
}
