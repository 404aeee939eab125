//! Order of a session's events. Files of a tree and rows of a database have no order of their own:
//! messages are ordered by time and id, with their parts after them, and rows of 2.x by their
//! number. Values of a dump keep their order.

use std::borrow::Cow;
use std::collections::HashMap;

use session::Sorting as _;
use session::{EventIx, EventRef, Field, Hold, Mark, NO_EVENT, Session, Slot, UtcTime};

use super::{locate, map};

/// The agent's store of a record, the oldest kind first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Store {
    /// JSON files, or an export.
    Files,
    /// Tables of 1.x, or of the archived product.
    First,
    /// Tables of 2.x.
    Second,
}

/// The store of each record of a session.
pub(super) struct Stores(Vec<Store>);

impl Stores {
    pub(super) fn of(session: &Session) -> Self {
        let mut stores = vec![Store::Files; session.records.len()];
        for event in session.events().filter(|event| event.origin.part == 0) {
            stores[event.origin.record as usize] = table(event);
        }
        Self(stores)
    }

    /// The store of an event.
    pub(super) fn store(&self, event: EventRef<'_>) -> Store {
        self.0.get(event.origin.record as usize).copied().unwrap_or(Store::Files)
    }

    /// The stores in which a session has messages, the preferred one first: the most recently
    /// updated by its own metadata. If times are equal, the newest kind is first.
    pub(super) fn preferred(&self, session: &Session) -> Vec<Store> {
        let mut stores = Vec::new();
        for kind in [Store::Second, Store::First, Store::Files] {
            let of = |name| session.events().filter(move |event| event.case.name == name);
            if of("message").any(|event| self.store(event) == kind) {
                let headers = of("session").filter(|event| self.store(*event) == kind);
                let times = headers.filter_map(|event| event.raw(Slot::Updated));
                stores.push((times.filter_map(UtcTime::read).max(), kind));
            }
        }
        stores.in_order_by_key(|(updated, _)| std::cmp::Reverse(*updated));
        stores.into_iter().map(|(_, kind)| kind).collect()
    }
}

/// The store of a record, by the table that its first event names.
fn table(event: EventRef<'_>) -> Store {
    // A row that was restored from a record may have its members in another order.
    let fields = event.fields();
    let holds = |outer: &Field, inner: &Field| {
        outer.hold == Hold::Open && outer.value != inner.value && outer.value.holds(inner.value)
    };
    let is_table = |field: &&Field| {
        event.is_named(**field, map::TABLE[0].as_bytes())
            && !fields.iter().any(|outer| holds(outer, field))
    };
    match fields.iter().find(is_table).map(|field| event.value(*field)) {
        Some(b"\"session_message\"" | b"\"session_v2\"") => Store::Second,
        Some(_) => Store::First,
        None => Store::Files,
    }
}

/// Sets the positions of a session's events.
pub(super) fn set(session: &mut Session) {
    if keeps_order(session) {
        return;
    }
    let mut keys = keys(session);
    keys.in_order();
    let order: Vec<EventIx> = keys.iter().map(|key| key.index).collect();
    session.placed = true;
    for (place, index) in (0..).zip(order) {
        session.mark(index, Mark::Place(place));
    }
}

/// Whether the records are values of one file. False if each is a file, or a row, of its own.
fn keeps_order(session: &Session) -> bool {
    let Stores(stores) = Stores::of(session);
    let mut pairs = session.records.windows(2).zip(&stores);
    let is_value = |(pair, store): (&[session::Record], &Store)| {
        pair[0].member == pair[1].member && *store == Store::Files
    };
    session.records.len() < 2 || pairs.any(is_value)
}

/// Sort key of a top-level event, compared field by field.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key<'s> {
    store: usize,
    class: Class,
    of: Message<'s>,
    /// A part comes after its message.
    part: Option<Cow<'s, str>>,
    index: EventIx,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Header,
    Conversation,
    Beside,
}

/// Sort key of a message.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Message<'s> {
    number: Option<u64>,
    time: Option<UtcTime>,
    id: Cow<'s, str>,
}

impl<'s> Message<'s> {
    fn of(event: EventRef<'s>) -> Self {
        let number = event.number(Slot::Ordinal);
        let time = event.time();
        // OpenCode's own ids ascend; others have no order.
        let id = event.text(Slot::Id).filter(|id| id.starts_with("msg_")).unwrap_or_default();
        Self { number, time, id }
    }
}

/// Whether the id of a part tells its place. Files of a tree whose parts have other ids than
/// OpenCode's own are in the order of their names.
fn ascends(id: &str, store: Store) -> bool {
    store != Store::Files || id.starts_with("prt_")
}

/// The id of an event's message, which the oldest files of a tree have in their path alone.
fn message_id(event: EventRef<'_>) -> Option<Cow<'_, str>> {
    let by_path = || {
        let member = event.session().bundle.members.get(event.origin.member as usize)?;
        locate::message_of(&member.name).map(Cow::Borrowed)
    };
    event.text(Slot::Message).or_else(by_path)
}

fn keys(session: &Session) -> Vec<Key<'_>> {
    let kept = Stores::of(session);
    let stores = kept.preferred(session);
    let messages: HashMap<_, _> = session
        .events()
        .filter(|event| event.case.name == "message")
        .filter_map(|event| Some(((kept.store(event), event.text(Slot::Id)?), Message::of(event))))
        .collect();
    // The last message and part of the current record: for parts that name none, and for the result
    // that shares a value with its call.
    let mut last = None;
    let mut call = None;
    let mut keys = Vec::new();
    for event in session.events().filter(|event| event.parent == NO_EVENT) {
        let kind = kept.store(event);
        let record = event.origin.record;
        let named = message_id(event).and_then(|id| messages.get(&(kind, id)));
        let enclosing = last.as_ref().filter(|(at, _)| *at == record).map(|(_, message)| message);
        let (class, of, part) = match (event.case.name, named.or(enclosing)) {
            ("session", _) => (Class::Header, Message::default(), None),
            (_, Some(message)) => {
                let part = event.text(Slot::Id).filter(|id| named.is_some() && ascends(id, kind));
                let fused = || call.take_if(|(at, _)| *at == record).map(|(_, part)| part);
                let part = part.or_else(fused).unwrap_or_default();
                call = Some((record, part.clone()));
                (Class::Conversation, message.clone(), Some(part))
            }
            ("message", None) => (Class::Conversation, Message::of(event), None),
            _ if kind == Store::Second => (Class::Conversation, Message::of(event), None),
            _ => (Class::Beside, Message::of(event), None),
        };
        if event.case.name == "message" {
            last = Some((record, of.clone()));
        }
        // Betas of 2.x kept the header in the table of 1.x.
        let beyond = if class == Class::Header { 0 } else { stores.len() };
        let rank = stores.iter().position(|known| *known == kind).unwrap_or(beyond);
        keys.push(Key { store: rank, class, of, part, index: event.index });
    }
    keys
}
