//! What a line says of its place: its id, the line it follows, the session it belongs to.

use session::{EventRef, Kind, Slot};

use super::map;

/// The line that a line follows, as it says itself. Ids are raw: with their quotes, as written.
#[derive(Clone, Copy)]
pub(super) enum Parent<'s> {
    Named(&'s [u8]),
    /// `null`: it begins a tree.
    Null,
    /// Nothing is said: files of other programs have no chain.
    Absent,
}

/// What one line says of its place.
pub(super) struct Facts<'s> {
    pub(super) id: Option<&'s [u8]>,
    pub(super) parent: Parent<'s>,
    /// What it follows across a compaction.
    pub(super) link: Option<&'s [u8]>,
    pub(super) session: Option<&'s [u8]>,
    /// A mark of the session that it was copied from.
    pub(super) forked: Option<&'s [u8]>,
    /// The message and the request that it is a line of the answer to.
    pub(super) answer: (&'s [u8], &'s [u8]),
    /// The active end of the conversation, in a line that names it.
    pub(super) leaf: Option<&'s [u8]>,
    pub(super) side: bool,
    pub(super) summary: bool,
    pub(super) boundary: bool,
    /// It replaces or retracts other lines.
    pub(super) retracts: bool,
}

/// The slots that tell a line's place, a bit each. Most fields have none of them: they are passed
/// over without asking which they have.
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
