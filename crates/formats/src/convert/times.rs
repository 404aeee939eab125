//! Times of events in the target: their own, those of neighbors, or moved ones where it needs them.

use std::collections::HashMap;

use meaning::account::{Cause, TakenValue};
use session::{EventRef, Slot, UtcTime};

use super::{Body, Conversion, Piece, Value};

/// The smallest difference of two times in the target, in microseconds.
const MILLISECOND: i64 = 1_000;

/// Whether two pieces may be written as equal lines: thoughts of one text, or prompts without any.
fn is_alike(one: &Piece<'_>, other: &Piece<'_>) -> bool {
    match (one.body, other.body) {
        (Body::Thought, Body::Thought) => one.event.said() == other.event.said(),
        _ => [one, other].iter().all(|piece| piece.is_from_user() && piece.event.said().is_empty()),
    }
}

impl<'s> Conversion<'s> {
    /// Begins with the first event again: one without a time has that of the event before.
    pub(crate) fn rewind(&mut self) {
        self.before = self.began.0;
    }

    /// Lets no piece be earlier than the one before, and no result earlier than its call: the
    /// target sorts by time.
    pub(crate) fn ascend(&mut self, pieces: &[Piece<'s>]) {
        self.rewind();
        let (mut times, mut latest) = (HashMap::new(), None);
        for piece in pieces {
            let time = latest.max(Some(self.moment(piece.event).0));
            times.extend(time.map(|time| (piece.event.index, time)));
            latest = time;
            if let Body::Call(Some(result)) = piece.body {
                let time = time.max(Some(self.moment(result).0));
                times.extend(time.map(|time| (result.index, time)));
            }
        }
        self.moved = times;
        self.rewind();
    }

    /// Lets no piece that is equal to the one before it have the same time: the target takes two
    /// equal lines for one that was written twice.
    pub(crate) fn tell_apart(&mut self, pieces: &[Piece<'s>]) {
        self.rewind();
        let mut before: Option<(&Piece<'s>, UtcTime, UtcTime)> = None;
        for piece in pieces {
            let own = self.moment(piece.event).0;
            let same = before.filter(|(last, told, _)| is_alike(last, piece) && own >= *told);
            let time = same.map_or(own, |(.., last)| own.max(UtcTime(last.0 + MILLISECOND)));
            if time != own {
                self.moved.insert(piece.event.index, time);
            }
            before = Some((piece, own, time));
        }
        self.rewind();
    }

    /// The time of an event: its own, that of the event around it, or that of the event before.
    fn moment(&mut self, event: EventRef<'s>) -> (UtcTime, Option<TakenValue<'s>>) {
        let around = [Some(event), self.parent(event)].into_iter().flatten();
        let told = around.filter_map(|event| Some((event, event.time()?))).next();
        let Some((teller, time)) = told else { return (self.before.unwrap_or(UtcTime(0)), None) };
        self.before = Some(time);
        (time, self.books.take(teller, Slot::Time))
    }

    /// The same, or the one that the target needs. With the cause of another form.
    fn ordered(&mut self, event: EventRef<'s>) -> (UtcTime, Option<TakenValue<'s>>, Cause) {
        let (own, of) = self.moment(event);
        match self.moved.get(&event.index) {
            Some(time) if *time != own => (*time, of, Cause::Order),
            _ => (own, of, Cause::Form),
        }
    }

    /// The time of an event in RFC 3339 with milliseconds.
    pub(crate) fn time(&mut self, event: EventRef<'s>) -> Value<'s> {
        let (time, of, form) = self.ordered(event);
        let text = time.millis();
        match of {
            Some(of) if session::value::text(of.peek()).is_some_and(|own| own == text) => {
                Value::carried(of)
            }
            Some(of) => Value::mapped(&text, vec![of], form),
            None => Value::made(&text, self.began.1),
        }
    }

    /// The time of an event as a number: milliseconds since 1970.
    pub(crate) fn epoch(&mut self, event: EventRef<'s>) -> Value<'s> {
        let (time, of, form) = self.ordered(event);
        let number = (time.0 / 1000).to_string();
        match of {
            Some(of) if of.peek() == number.as_bytes() => Value::carried(of),
            Some(of) => Value::mapped_json(number.into_bytes(), vec![of], form),
            None => Value::made_json(number.into_bytes(), self.began.1),
        }
    }
}
