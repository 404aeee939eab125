//! Dividing a bundle's records among the sessions that it holds.

use std::collections::HashMap;
use std::ops::Range;

use crate::event::{Event, NO_EVENT};
use crate::index::offset;
use crate::session::{EventRef, Note, Session};

/// See [`Session::partition`].
pub(crate) fn partition(
    mut session: Session,
    key: impl Fn(EventRef<'_>) -> Option<String>,
) -> Vec<Session> {
    let ranges = by_record(&session.events);
    let name = |range: &Range<usize>| range.clone().find_map(|at| key(session.event(offset(at))));
    let names: Vec<Option<String>> = ranges.iter().map(name).collect();
    // Mostly there is nothing to divide.
    if let Some(first) = names.first()
        && names.iter().all(|name| name == first)
    {
        session.remainder = first.is_none();
        session.id = first.clone().unwrap_or_default();
        return vec![session];
    }
    let mut places: HashMap<Option<String>, usize> = HashMap::new();
    let mut parts: Vec<(Option<String>, Vec<Range<usize>>)> = Vec::new();
    for (range, name) in ranges.into_iter().zip(names) {
        let place = *places.entry(name.clone()).or_insert(parts.len());
        if place == parts.len() {
            parts.push((name, Vec::new()));
        }
        parts[place].1.push(range);
    }
    parts.sort_by_key(|(name, _)| name.is_none());
    let shared = session.shared || parts.len() > 1;
    let parts = parts.into_iter().map(|(name, ranges)| {
        let mut part = part(&session, name, &ranges);
        part.shared = shared;
        part
    });
    parts.collect()
}

/// The events of each record: they stand together.
fn by_record(events: &[Event]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (at, event) in events.iter().enumerate() {
        match ranges.last_mut() {
            Some(last) if events[last.start].origin.record == event.origin.record => {
                last.end = at + 1;
            }
            _ => ranges.push(at..at + 1),
        }
    }
    ranges
}

fn part(whole: &Session, name: Option<String>, ranges: &[Range<usize>]) -> Session {
    let mut part = Session::new(whole.format, whole.bundle.clone());
    part.remainder = name.is_none();
    part.id = name.unwrap_or_default();
    for range in ranges {
        let shift = offset(part.events.len());
        let record = whole.records[whole.events[range.start].origin.record as usize];
        for event in &whole.events[range.clone()] {
            let mut event = event.clone();
            let first = offset(part.fields.len());
            let fields = event.first as usize..event.last as usize;
            part.fields.extend_from_slice(&whole.fields[fields]);
            (event.first, event.last) = (first, offset(part.fields.len()));
            event.origin.record = offset(part.records.len());
            if event.parent != NO_EVENT {
                event.parent = event.parent - offset(range.start) + shift;
            }
            event.place = offset(part.events.len());
            part.events.push(event);
        }
        part.records.push(record);
        let from = whole.notes.partition_point(|note| {
            (note.member, note.span.start) < (record.member, record.span.start)
        });
        let inside = |note: &&Note| note.member == record.member && record.span.holds(note.span);
        part.notes.extend(whole.notes[from..].iter().take_while(inside));
    }
    part
}
