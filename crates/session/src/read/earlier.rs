//! Reading that goes on: what an earlier reading read of a member that has grown since is taken
//! over, and only what is behind it is read.
//!
//! A line's labels depend on its bytes alone, so they stay when lines are added. What depends on
//! the lines behind it (standings, places) is decided anew by the format's code: each event is set
//! back to what its table says, and the format decides as after any reading. So a reading that
//! goes on gives the same session as a reading of the whole.

use std::collections::HashMap;
use std::sync::Arc;

use crate::json::index::offset;
use crate::json::span::Span;
use crate::label::event::{Event, Field, NO_EVENT};
#[cfg(feature = "harm")]
use crate::label::slot::Standing;
use crate::label::table::Choose;
use crate::read::split::{Split, count_lines, start};
use crate::session::as_read::{AsRead, Extent, MemberRead};
use crate::session::bundle::{Member, Stream};
use crate::session::bytes::Known;
use crate::session::{Note, Record, Session};

/// A session that was read before, from which a later reading can go on.
///
/// ```
/// use std::sync::Arc;
/// use verbatim_session::{Bundle, Case, EarlierReading, Kind, Member, Memory, Node};
/// use verbatim_session::{Reading, Session, Split, Stream, UNKNOWN};
///
/// static SAID: Case = Case::new("said", Kind::Notice, &UNKNOWN);
/// fn line(_: Node<'_>) -> Option<&'static Case> {
///     Some(&SAID)
/// }
/// fn read(bundle: Bundle, memory: &mut Memory) -> Session {
///     let mut reading = Reading::new("example", &Arc::new(bundle), memory);
///     reading.member(0, Split::Lines, line);
///     reading.finish()
/// }
///
/// let mut memory = Memory::default();
/// let log = Member::new("log.jsonl", Stream::Main, b"{\"n\":1}\n{\"n\":2}\n".to_vec()).unwrap();
/// let session = read(Bundle::of(log), &mut memory);
/// assert_eq!((session.len(), memory.bytes_read()), (2, 16));
///
/// // The agent has written another line.
/// let mut earlier = EarlierReading::of(session).unwrap();
/// let mut log = earlier.take("log.jsonl", &Stream::Main).unwrap();
/// assert!(log.append(b"{\"n\":3}\n"));
/// memory.continue_from(earlier);
/// let session = read(Bundle::of(log), &mut memory);
/// assert_eq!((session.len(), memory.bytes_read()), (3, 16 + 8));
/// ```
#[derive(Debug)]
pub struct EarlierReading {
    format: &'static str,
    records: Vec<Record>,
    notes: Vec<Note>,
    events: Vec<Event>,
    fields: Vec<Field>,
    reads: Vec<MemberRead>,
    /// The labels before this place have become those of the session that is read now.
    moved: Extent,
    reading: Arc<()>,
    members: HashMap<(String, Stream), Member>,
}

impl EarlierReading {
    /// The reading that gave this session. `None` if no other reading can continue from it: it is
    /// one of several sessions of its bundle, or the events of it were forgotten.
    #[must_use]
    pub fn of(mut session: Session) -> Option<Self> {
        let AsRead { members: reads, labelled } = session.as_read.take()?;
        for number in labelled {
            if let Some(field) = session.fields.get_mut(number as usize) {
                field.unlabel();
            }
        }
        (0..).zip(&mut session.events).for_each(|(place, event)| event.unmark(place));
        session.notes.retain(|note| !note.why.is_dangling());
        let reading = Arc::new(());
        let bundle = Arc::try_unwrap(session.bundle).unwrap_or_else(|shared| (*shared).clone());
        let mut members = HashMap::with_capacity(bundle.members.len());
        for (number, mut member) in (0u32..).zip(bundle.members) {
            let length = member.length();
            if member.set_known(Known { reading: reading.clone(), member: number, length }) {
                members.entry((member.name.clone(), member.stream.clone())).or_insert(member);
            }
        }
        let Session { format, records, notes, events, fields, .. } = session;
        let moved = Extent::default();
        Some(Self { format, records, notes, events, fields, reads, moved, reading, members })
    }

    /// Takes out a member, to be put into the bundle that is read next: as it is, or after
    /// [`Member::append`]. `None` if no such member exists, or if it is not as it was read.
    pub fn take(&mut self, name: &str, stream: &Stream) -> Option<Member> {
        self.members.remove(&(name.to_owned(), stream.clone()))
    }

    /// Breaks it on purpose: its events get these standings, in their order.
    #[cfg(feature = "harm")]
    pub(crate) fn set_standings(&mut self, standings: Vec<Standing>) {
        let events = self.events.iter_mut().zip(standings);
        events.for_each(|(event, standing)| event.standing = standing);
    }

    /// Whether it is of this format.
    pub(crate) fn is_of(&self, format: &str) -> bool {
        self.format == format
    }

    /// Moves the labels of a member to the session: those of the whole member if it has not grown,
    /// otherwise those of all its lines but the last, which may not have ended. Returns the place
    /// behind them and its line; `None` if the member has to be read from its beginning.
    pub(crate) fn hand_over(
        &mut self,
        session: &mut Session,
        number: u32,
        split: Split,
        choose: Choose,
    ) -> Option<(usize, u32)> {
        let bundle = Arc::clone(&session.bundle);
        let member = bundle.members.get(number as usize)?;
        let known = member.known().filter(|known| Arc::ptr_eq(&known.reading, &self.reading))?;
        let at = self.reads.iter().position(|read| read.is_as(known.member, split, choose))?;
        let (bytes, length) = (member.bytes(), known.length);
        let (first, behind) = (self.reads[at].first, self.behind(at));
        // Labels that were moved already are gone: members were read in another order then.
        let moved = self.moved;
        if first.records < moved.records
            || first.events < moved.events
            || first.fields < moved.fields
            || first.notes < moved.notes
        {
            return None;
        }
        if bytes.len() == length {
            self.move_labels(session, number, first, behind);
            return Some((length, 1));
        }
        if split != Split::Lines {
            return None;
        }
        let end = memchr::memrchr(b'\n', bytes.get(..length)?)? + 1;
        let cut = self.before(first, behind, end);
        let last = cut.records.checked_sub(1).filter(|last| *last >= first.records);
        let line = match last.map(|last| self.records[last - self.moved.records]) {
            Some(last) => last.line + count_lines(&bytes[last.span.start as usize..end]),
            None => 1 + count_lines(&bytes[start(bytes)..end]),
        };
        self.move_labels(session, number, first, cut);
        Some((end, line))
    }

    /// The end of the labels that the member at this place of the list had.
    fn behind(&self, at: usize) -> Extent {
        let end = || Extent {
            records: self.moved.records + self.records.len(),
            events: self.moved.events + self.events.len(),
            fields: self.moved.fields + self.fields.len(),
            notes: self.moved.notes + self.notes.len(),
        };
        self.reads.get(at + 1).map_or_else(end, |next| next.first)
    }

    /// The end of those of a member's labels that are of lines before a byte.
    fn before(&self, first: Extent, behind: Extent, end: usize) -> Extent {
        let moved = self.moved;
        let is_before = |span: Span| (span.start as usize) < end;
        let own = &self.records[first.records - moved.records..behind.records - moved.records];
        let records = first.records + own.partition_point(|record| is_before(record.span));
        let own = &self.events[first.events - moved.events..behind.events - moved.events];
        let count = own.partition_point(|event| (event.origin.record as usize) < records);
        let fields = own.get(count).map_or(behind.fields, |event| event.first as usize);
        let events = first.events + count;
        let own = &self.notes[first.notes - moved.notes..behind.notes - moved.notes];
        let notes = first.notes + own.partition_point(|note| is_before(note.span));
        Extent { records, events, fields, notes }
    }

    /// Moves the labels between two places to the end of the session, as those of its member with
    /// this number.
    fn move_labels(&mut self, session: &mut Session, number: u32, first: Extent, end: Extent) {
        let had = session.extent();
        let from = self.moved;
        if had == Extent::default() && first == from {
            // Nothing is copied but what follows, which is mostly nothing.
            self.moved = end;
            session.records = split(&mut self.records, end.records - from.records);
            session.events = split(&mut self.events, end.events - from.events);
            session.fields = split(&mut self.fields, end.fields - from.fields);
            session.notes = split(&mut self.notes, end.notes - from.notes);
        } else {
            let records = &self.records[first.records - from.records..end.records - from.records];
            session.records.extend_from_slice(records);
            let events = &self.events[first.events - from.events..end.events - from.events];
            session.events.extend_from_slice(events);
            let fields = &self.fields[first.fields - from.fields..end.fields - from.fields];
            session.fields.extend_from_slice(fields);
            let notes = &self.notes[first.notes - from.notes..end.notes - from.notes];
            session.notes.extend_from_slice(notes);
        }
        let is_same = session.events.get(had.events).is_none_or(|one| one.origin.member == number);
        if had == first && is_same {
            return;
        }
        session.records[had.records..].iter_mut().for_each(|record| record.member = number);
        session.notes[had.notes..].iter_mut().for_each(|note| note.member = number);
        let moved =
            |at: &mut u32, first: usize, had: usize| *at = *at - offset(first) + offset(had);
        for event in &mut session.events[had.events..] {
            event.origin.member = number;
            moved(&mut event.origin.record, first.records, had.records);
            moved(&mut event.place, first.events, had.events);
            moved(&mut event.first, first.fields, had.fields);
            moved(&mut event.last, first.fields, had.fields);
            if event.parent != NO_EVENT {
                moved(&mut event.parent, first.events, had.events);
            }
        }
    }
}

/// Takes the first values out of a vector, with its room.
fn split<T>(all: &mut Vec<T>, count: usize) -> Vec<T> {
    let behind = all.split_off(count);
    std::mem::replace(all, behind)
}
