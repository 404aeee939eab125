//! Outcome of a call, as its result states it.

use crate::json::value;
use crate::label::event::NO_EVENT;
use crate::label::slot::Slot;
use crate::label::status::Outcome;
use crate::label::table::Row;
use crate::session::EventRef;

impl EventRef<'_> {
    /// The outcome of the call that this result answers; `None` if unknown.
    #[must_use]
    pub fn outcome(self) -> Option<Outcome> {
        outcome(self)
    }

    /// True if a result states its outcome itself. Otherwise [`EventRef::outcome`] follows from the
    /// absence of an error.
    #[must_use]
    pub fn states_outcome(self) -> bool {
        stated(self).is_some()
    }
}

/// The outcome of the call that this result answers: by its marks, else by the agent's status
/// words, else by the text of the answer. If the format marks errors and the event has no mark, the
/// call succeeded. `None` if unknown.
fn outcome(result: EventRef<'_>) -> Option<Outcome> {
    if let Some(stated) = stated(result) {
        return stated;
    }
    let marked =
        || result.case.map.rows.iter().any(|named| matches!(named.row, Row::Is(Slot::IsError)));
    (mark(result, Slot::IsError).is_none() && marked()).then_some(Outcome::Good)
}

/// The outcome that a result states itself; `None` for a result that says nothing of it.
fn stated(result: EventRef<'_>) -> Option<Option<Outcome>> {
    let statuses = result.session().statuses;
    let word = result.text(Slot::Status).filter(|word| !word.is_empty());
    let word = word.and_then(|word| statuses.outcome(&word));
    let bad = word.flatten().filter(|outcome| outcome.is_bad());
    let marks = [(Slot::IsError, true), (Slot::Success, false)];
    let failed = marks.into_iter().find_map(|(slot, bad)| match mark(result, slot)? {
        b"true" => Some(bad),
        b"false" => Some(!bad),
        _ => None,
    });
    match failed {
        Some(true) => {
            let bad = bad.filter(|outcome| *outcome != Outcome::Failed);
            return Some(bad.or_else(|| refused(result)).or(Some(Outcome::Failed)));
        }
        Some(false) => return Some(Some(Outcome::Good)),
        None => {}
    }
    let code = result.raw(Slot::ExitCode).filter(|code| *code != b"null");
    let code = code.map(|code| if code == b"0" { Outcome::Good } else { Outcome::Failed });
    match (word, code) {
        (Some(Some(Outcome::Failed)), _) => {
            return Some(refused(result).or(Some(Outcome::Failed)));
        }
        (Some(Some(outcome)), _) if outcome.is_bad() => return Some(Some(outcome)),
        (_, Some(outcome)) => return Some(Some(outcome)),
        (Some(outcome), None) => return Some(outcome),
        (None, None) => {}
    }
    let told = result.raw(Slot::Output).and_then(|raw| (statuses.told)(&value::said(raw)));
    let told = told.or_else(|| refused(result));
    match mark(result, Slot::IsError) {
        _ if told.is_some() => Some(told),
        Some(b"null") => Some(Some(Outcome::Good)),
        _ => None,
    }
}

/// A mark as written, or the value that the format fixes.
fn mark(result: EventRef<'_>, slot: Slot) -> Option<&[u8]> {
    result.raw(slot).or_else(|| result.constant(slot).map(str::as_bytes))
}

/// [`Outcome::Incomplete`], if the result says that its call was stopped while it ran;
/// [`Outcome::Declined`], if the result is the agent's own text for a call that was not allowed, or
/// the line around it says so.
fn refused(result: EventRef<'_>) -> Option<Outcome> {
    let statuses = result.session().statuses;
    let says = |(name, text): &(&str, &str), line: EventRef<'_>| {
        line.fields().iter().filter(|field| line.name(**field) == name.as_bytes()).any(|field| {
            let value = value::text(line.value(*field)).unwrap_or_default();
            !value.is_empty() && (text.is_empty() || *text == value)
        })
    };
    let line = (result.parent != NO_EVENT).then(|| result.session().event(result.parent));
    let marked = line.is_some_and(|line| statuses.refused_by.iter().any(|mark| says(mark, line)));
    let said = result.raw(Slot::Output).map(value::said);
    let says = |what: fn(&str) -> bool| said.as_deref().is_some_and(what);
    if says(statuses.stopped) {
        return Some(Outcome::Incomplete);
    }
    (marked || says(statuses.refused)).then_some(Outcome::Declined)
}
