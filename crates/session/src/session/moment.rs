//! Moment of an event: its time, and the value that says it. All outputs read times here.

use crate::label::slot::Slot;
use crate::label::time::Instant;
use crate::session::EventRef;

/// A point in time, and how it is written in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment<'s> {
    /// When.
    pub instant: Instant,
    /// The JSON value that says it; empty where the format's code read it out of what was said.
    pub raw: &'s [u8],
}

impl<'s> EventRef<'s> {
    /// When it happened, if it says so.
    #[must_use]
    pub fn time(self) -> Option<Instant> {
        self.moment().map(|moment| moment.instant)
    }

    /// The same, with how it is written.
    #[must_use]
    pub fn moment(self) -> Option<Moment<'s>> {
        moment(self)
    }
}

/// When an event happened, if it says so.
fn moment(event: EventRef<'_>) -> Option<Moment<'_>> {
    let written = event.raw(Slot::Time).and_then(|raw| Some((Instant::read(raw)?, raw)));
    let (instant, raw) = written.or(event.said_at.map(|at| (at, &b""[..])))?;
    Some(Moment { instant, raw })
}
