//! Facts of a line about its place: its id, its parent, its session.

use session::{EventRef, Kind, Slot};

use super::map;

/// The parent that a line names. Ids are raw: with their quotes, as written.
#[derive(Clone, Copy)]
pub(super) enum Parent<'s> {
    Named(&'s [u8]),
    /// `null`: the line is a root.
    Null,
    /// No member: files of other programs have no chain.
    Absent,
}

/// The facts of one line about its place.
pub(super) struct Facts<'s> {
    pub(super) id: Option<&'s [u8]>,
    pub(super) parent: Parent<'s>,
    /// The parent across a compaction.
    pub(super) link: Option<&'s [u8]>,
    pub(super) session: Option<&'s [u8]>,
    /// The mark of the session that it was copied from.
    pub(super) forked: Option<&'s [u8]>,
    /// The ids of its answer: message and request.
    pub(super) answer: (&'s [u8], &'s [u8]),
    /// The leaf of the active path, in a line that names it.
    pub(super) leaf: Option<&'s [u8]>,
    pub(super) side: bool,
    pub(super) summary: bool,
    pub(super) boundary: bool,
    /// It replaces or retracts other lines.
    pub(super) retracts: bool,
}

/// The slots that contain facts of place, one bit each. Most fields have none of them and are
/// skipped at once.
const ASKED: u64 = {
    use Slot::{
        CompactSummary, Id, Leaf, Link, Message, Name, Parent, ParentSession, Request, Session,
        Sidechain, Target,
    };
    let slots = [
        Id,
        Parent,
        Link,
        Session,
        ParentSession,
        Message,
        Request,
        Leaf,
        Sidechain,
        CompactSummary,
        Name,
        Target,
    ];
    let (mut asked, mut at) = (0, 0);
    while at < slots.len() {
        asked |= 1 << slots[at] as u8;
        at += 1;
    }
    asked
};

impl<'s> Facts<'s> {
    pub(super) fn of(event: EventRef<'s>) -> Self {
        let mut facts = Self {
            id: None,
            parent: Parent::Absent,
            link: None,
            session: None,
            forked: None,
            answer: (b"", b""),
            leaf: None,
            side: false,
            summary: false,
            boundary: false,
            retracts: false,
        };
        let bytes = event.member_bytes();
        for field in event.fields().iter().filter(|field| ASKED >> field.slot as u8 & 1 == 1) {
            let value = || field.value.of(bytes);
            let text = || Some(value()).filter(|raw| raw.first() == Some(&b'"'));
            match field.slot {
                Slot::Id => facts.id = text(),
                Slot::Parent => facts.parent = text().map_or(Parent::Null, Parent::Named),
                Slot::Link => facts.link = text(),
                Slot::Session => facts.session = text(),
                Slot::ParentSession => facts.forked = text(),
                Slot::Message => facts.answer.0 = value(),
                Slot::Request => facts.answer.1 = value(),
                Slot::Leaf => facts.leaf = text(),
                Slot::Sidechain => facts.side = value() == b"true",
                Slot::CompactSummary => facts.summary = value() == b"true",
                Slot::Name if event.kind == Kind::Notice && field.depth == 0 => {
                    facts.boundary = value() == map::BOUNDARY;
                }
                Slot::Target => facts.retracts |= value().first() == Some(&b'['),
                _ => {}
            }
        }
        facts
    }
}
