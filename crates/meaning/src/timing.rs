//! When a call began and ended, by the times that its agent recorded.

use session::{EventRef, NO_EVENT, Slot, UtcTime, value};

/// The times of a call. What the agent did not record is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// When it began.
    pub began: Option<UtcTime>,
    /// When its result was there.
    pub ended: Option<UtcTime>,
    /// Its duration in microseconds: as the agent says, else from its begin to its end.
    pub took: Option<i64>,
}

impl Timing {
    /// The times of a call with its result.
    ///
    /// Most agents write the call and its result as two records, each with a time. If both are one
    /// value with one time, it was written with the result: then the call began when the message
    /// that holds it was written.
    #[must_use]
    pub fn of(call: EventRef<'_>, result: Option<EventRef<'_>>) -> Self {
        let mut began = call.when();
        let mut ended = result.and_then(EventRef::when);
        let is_one = |result: EventRef<'_>| {
            (call.origin.record, call.span) == (result.origin.record, result.span)
        };
        if result.is_some_and(is_one) && began == ended {
            match message(call).filter(|_| call.time().is_some()) {
                Some(message) => began = Some(message),
                None => ended = None,
            }
        }
        let order = began.zip(ended).and_then(|(from, to)| to.0.checked_sub(from.0));
        let span = order.filter(|took| *took >= 0);
        if order.is_some() && span.is_none() {
            ended = None;
        }
        let said = [result, Some(call)].into_iter().flatten().find_map(said);
        Self { began, ended, took: said.or(span) }
    }
}

/// The time of the message that holds a call.
fn message(call: EventRef<'_>) -> Option<UtcTime> {
    let parent = (call.parent != NO_EVENT).then(|| call.session().event(call.parent))?;
    parent.time().filter(|time| call.time().is_none_or(|own| *time <= own))
}

/// The duration that a record says, in milliseconds there.
fn said(event: EventRef<'_>) -> Option<i64> {
    let milliseconds = value::number(event.raw(Slot::Duration)?)?;
    i64::try_from(milliseconds).ok()?.checked_mul(1000)
}
