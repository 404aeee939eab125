//! Moment of an event: its time, and the value with it. All outputs read times here.

use crate::label::event::NO_EVENT;
use crate::label::slot::Slot;
use crate::label::time::UtcTime;
use crate::session::EventRef;

/// A point in time, with its spelling in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment<'s> {
    /// The time.
    pub instant: UtcTime,
    /// The JSON value with the time; empty if the format's code found it in text.
    pub raw: &'s [u8],
}

impl<'s> EventRef<'s> {
    /// Time of the event, if it has one.
    #[must_use]
    pub fn time(self) -> Option<UtcTime> {
        self.moment().map(|moment| moment.instant)
    }

    /// Time of the event, or, if it has none of its own, that of the record that holds it: a call
    /// in a message was made when the message was.
    #[must_use]
    pub fn when(self) -> Option<UtcTime> {
        self.time().or_else(|| match self.parent {
            NO_EVENT => None,
            parent => self.session().event(parent).time(),
        })
    }

    /// Time of the event, with its spelling.
    #[must_use]
    pub fn moment(self) -> Option<Moment<'s>> {
        moment(self)
    }
}

/// Time of an event, if it has one.
fn moment(event: EventRef<'_>) -> Option<Moment<'_>> {
    let written = event.raw(Slot::Time).and_then(|raw| Some((UtcTime::read(raw)?, raw)));
    let (instant, raw) = written.or(event.said_at.map(|at| (at, &b""[..])))?;
    Some(Moment { instant, raw })
}
