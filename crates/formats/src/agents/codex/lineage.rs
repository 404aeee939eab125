//! Lineage of the rollouts of one thread: the rollout that each one continues, and its inherited
//! part.
//!
//! A paged thread gets another rollout if one is full, and if the thread is reverted. The header of
//! the new rollout names its base (`history_base.thread_id`, in fact the id of a rollout) and the
//! place in it: an ordinal, and a byte of the uncompressed file.
//!
//! Only first lines and names are read. Whatever they say, each rollout has at most one base and no
//! rollout continues itself, so the number of steps is the number of files.

use std::collections::HashMap;

use session::Sorting as _;
use session::{
    Bundle, EventIx, JsonFault, Mark, Member, NO_EVENT, Note, Scan, Session, UtcTime, value,
};

use super::{locate, names};
use crate::format::History;

#[cfg(test)]
mod tests;

/// The rollouts of a bundle, by member.
pub(super) struct Lineage {
    rollouts: Vec<Rollout>,
    /// The members, each after its base, and older ones before newer ones.
    order: Vec<usize>,
}

struct Rollout {
    began: Option<UtcTime>,
    base: Base,
    note: Option<JsonFault>,
    stands: Stands,
}

/// The base of a rollout: the history that it continues.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// No base: the rollout is a history from its beginning.
    None,
    /// A rollout outside the bundle: another thread's, or missing.
    Elsewhere,
    /// Another member, up to a place.
    Member(usize, End),
    /// A copy of another member, equal in this many bytes.
    Copy(usize, u32),
}

/// The end of the inherited history in a base.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// A byte: the records that end there or before are inherited.
    Byte(u64),
    /// The record with this ordinal, because no line ends at the byte.
    Ordinal(u64),
}

/// Relation of a rollout to the thread that Codex would resume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stands {
    /// The only rollout: no other one continues it or is continued by it.
    Alone,
    /// The newest rollout, or one of its bases.
    Leading,
    /// A rollout that was taken back: it continues a leading one, but the newest does not continue
    /// it.
    Left,
}

/// The facts in a header.
#[derive(Default)]
struct Header {
    began: Option<UtcTime>,
    thread: Vec<u8>,
    forked_from: Vec<u8>,
    base: Option<Told>,
}

struct Told {
    rollout: Vec<u8>,
    ordinal: Option<u64>,
    offset: Option<u64>,
}

impl Lineage {
    pub(super) fn of(bundle: &Bundle) -> Self {
        let alone = bundle.members.len() == 1;
        let headers: Vec<Header> =
            bundle.members.iter().map(|member| Header::of(member, alone)).collect();
        let ids: Vec<&[u8]> = bundle.members.iter().zip(&headers).map(id).collect();
        let first = firsts(bundle, &ids);
        let rollout = |at: usize| {
            let header = &headers[at];
            let longest = first.get(ids[at]).filter(|&&longest| longest != at);
            let copied = longest.and_then(|&other| Some((other, same(bundle, other, at)?)));
            let (base, note) = match (copied, &header.base) {
                (Some((other, count)), _) => (Base::Copy(other, count), None),
                (_, None) => (Base::None, None),
                (_, Some(told)) => match first.get(&*told.rollout) {
                    Some(&base) if base != at => {
                        let (end, note) = told.end(bundle.members[base].bytes());
                        (Base::Member(base, end), note)
                    }
                    _ => {
                        // The first rollout of a thread continues another thread's: a fork.
                        let fork = ids[at] == header.thread || told.rollout == header.forked_from;
                        (Base::Elsewhere, (!fork).then_some(JsonFault::NoBase))
                    }
                },
            };
            Rollout { began: header.began, base, note, stands: Stands::Alone }
        };
        let rollouts = (0..headers.len()).map(rollout).collect();
        let mut lineage = Self { rollouts, order: Vec::new() };
        lineage.arrange(bundle);
        lineage.stand();
        lineage
    }

    /// Orders each rollout after its base. A rollout that would continue itself gets no base.
    fn arrange(&mut self, bundle: &Bundle) {
        let mut roots: Vec<usize> = (0..self.rollouts.len()).collect();
        roots.in_order_by_key(|&at| (self.rollouts[at].began, &bundle.members[at].name));
        let mut met = vec![false; roots.len()];
        for root in roots {
            let (mut path, mut next) = (Vec::new(), Some(root));
            while let Some(at) = next.filter(|&at| !met[at]) {
                met[at] = true;
                path.push(at);
                next = self.base_of(at);
            }
            if let (Some(again), Some(&last)) = (next, path.last())
                && path.contains(&again)
            {
                self.rollouts[last].base = Base::Elsewhere;
                self.rollouts[last].note = Some(JsonFault::NoPlace);
            }
            self.order.extend(path.into_iter().rev());
        }
    }

    fn stand(&mut self) {
        let copy = |at: &usize| matches!(self.rollouts[*at].base, Base::Copy(..));
        let mut next = self.order.iter().rev().copied().find(|at| !copy(at));
        while let Some(at) = next {
            self.rollouts[at].stands = Stands::Leading;
            next = self.base_of(at);
        }
        for &at in &self.order {
            let base = self.base_of(at).map(|base| self.rollouts[base].stands);
            let rollout = &mut self.rollouts[at];
            if rollout.stands == Stands::Alone && base.is_some_and(|base| base != Stands::Alone) {
                rollout.stands = Stands::Left;
            }
        }
    }

    fn base_of(&self, at: usize) -> Option<usize> {
        match self.rollouts[at].base {
            Base::Member(base, _) | Base::Copy(base, _) => Some(base),
            Base::None | Base::Elsewhere => None,
        }
    }

    /// The members, each after its base.
    pub(super) fn order(&self) -> &[usize] {
        &self.order
    }

    /// The base of a member.
    pub(super) fn base(&self, member: usize) -> Base {
        self.rollouts.get(member).map_or(Base::None, |rollout| rollout.base)
    }

    /// The relation of a member to the thread.
    pub(super) fn stands(&self, member: usize) -> Stands {
        self.rollouts.get(member).map_or(Stands::Alone, |rollout| rollout.stands)
    }

    /// Orders the events of all rollouts, and notes missing bases.
    pub(super) fn settle(&self, session: &mut Session) {
        for (member, rollout) in (0u32..).zip(&self.rollouts) {
            let first = session.records.partition_point(|record| record.member < member);
            let header = session.records.get(first).filter(|record| record.member == member);
            if let Some((why, header)) = rollout.note.zip(header) {
                let (line, span) = (header.line, header.span);
                session.notes.push(Note { member, line, span, at: span.start, why, mended: true });
            }
        }
        session.notes.in_order_by_key(|note| (note.member, note.span.start));
        if self.order.len() < 2 {
            return;
        }
        session.placed = true;
        let mut places = vec![0; self.order.len()];
        (0..).zip(&self.order).for_each(|(place, &member)| places[member] = place);
        let mut order: Vec<EventIx> = session.events().map(|event| event.index).collect();
        order.in_order_by_key(|&at| places[session.event(at).origin.member as usize]);
        for (place, at) in (0..).zip(order) {
            session.mark(at, Mark::Place(place));
        }
    }
}

/// The rollout of another thread that a bundle's history begins in: the thread's id, and the id in
/// the name of the file. `None` if the bundle has the whole history.
pub(super) fn elsewhere(bundle: &Bundle) -> Option<History> {
    let headers: Vec<Header> =
        bundle.members.iter().map(|member| Header::of(member, false)).collect();
    let ids: Vec<&[u8]> = bundle.members.iter().zip(&headers).map(id).collect();
    let text = |id: &[u8]| String::from_utf8_lossy(id).into_owned();
    headers.iter().find_map(|header| {
        let told = header.base.as_ref().filter(|told| !ids.contains(&&*told.rollout))?;
        let thread = Some(&header.forked_from).filter(|thread| !thread.is_empty());
        let session = text(thread.unwrap_or(&told.rollout));
        Some(History { session, file: text(&told.rollout) })
    })
}

/// The first event of a base that the continuation does not inherit.
pub(super) fn end(session: &Session, range: std::ops::Range<EventIx>, end: End) -> EventIx {
    let past = |&at: &EventIx| {
        let event = session.event(at);
        event.parent == NO_EVENT
            && match end {
                End::Byte(byte) => u64::from(event.span.end) > byte,
                End::Ordinal(ordinal) => {
                    event.number(session::Slot::Ordinal).is_some_and(|own| own >= ordinal)
                }
            }
    };
    range.clone().find(past).unwrap_or(range.end)
}

/// A rollout's id: from its file's name, or else the thread's. If the name has no id and the
/// rollout has a base, the id is unknown.
fn id<'b>((member, header): (&'b Member, &'b Header)) -> &'b [u8] {
    match (locate::rollout(&member.name), &header.base) {
        (Some(id), _) => id.as_bytes(),
        (None, None) => &header.thread,
        (None, Some(_)) => member.name.as_bytes(),
    }
}

/// The member that has each id. Of several, the longest; the others are its copies.
fn firsts<'b>(bundle: &Bundle, ids: &[&'b [u8]]) -> HashMap<&'b [u8], usize> {
    let mut first: HashMap<&[u8], usize> = HashMap::new();
    let length = |at: usize| bundle.members[at].bytes().len();
    for (at, &id) in ids.iter().enumerate() {
        let known = first.entry(id).or_insert(at);
        let (name, other) = (&bundle.members[at].name, &bundle.members[*known].name);
        if (length(*known), name) < (length(at), other) {
            *known = at;
        }
    }
    first
}

/// Number of equal bytes at the beginning of two members; `None` if that is not a whole line.
fn same(bundle: &Bundle, a: usize, b: usize) -> Option<u32> {
    let (a, b) = (bundle.members[a].bytes(), bundle.members[b].bytes());
    let count = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    memchr::memchr(b'\n', &a[..count])?;
    u32::try_from(count).ok()
}

impl Header {
    /// Reads a header. If the rollout is `alone`, only its base matters, and most have none.
    fn of(member: &Member, alone: bool) -> Self {
        let mut header = Self::default();
        let Some(line) = crate::probe::lines(member.bytes()).next() else { return header };
        let based = || memchr::memmem::find(line, names::BASE[1].as_bytes()).is_some();
        if alone && !based() {
            return header;
        }
        let mut scan = Scan::new();
        let Ok(doc) = scan.read(line, 0) else { return header };
        let (root, text) = (doc.root(), |path| doc.root().word(path).unwrap_or_default().to_vec());
        if root.word(names::TYPE) != Some(b"session_meta") {
            return header;
        }
        let number = |path| root.at(path).and_then(|node| value::number(node.raw()));
        header.began = root.at(names::TIMESTAMP).and_then(|time| UtcTime::read(time.raw()));
        (header.thread, header.forked_from) = (text(names::THREAD_ID), text(names::FORKED_FROM));
        header.base = root.word(names::BASE).map(|rollout| Told {
            rollout: rollout.to_vec(),
            ordinal: number(names::BASE_ORDINAL),
            offset: number(names::BASE_OFFSET),
        });
        header
    }
}

impl Told {
    /// The end of the inherited history in the bytes of the base, and the fault of the header, if
    /// any.
    fn end(&self, base: &[u8]) -> (End, Option<JsonFault>) {
        let offset = self.offset.unwrap_or(u64::MAX);
        let before = usize::try_from(offset).ok().map(|offset| (offset.checked_sub(1), offset));
        let whole = match before {
            Some((None, _)) => true,
            Some((Some(before), end)) => base.get(before) == Some(&b'\n') || end == base.len(),
            None => false,
        };
        match self.ordinal {
            Some(ordinal) if !whole => (End::Ordinal(ordinal), Some(JsonFault::NoPlace)),
            _ => (End::Byte(offset), (!whole).then_some(JsonFault::NoPlace)),
        }
    }
}
