//! Order and standing of a session's events. Cursor keeps one conversation in up to four stores,
//! none of them complete: the most complete is the conversation, the others repeat it.

use std::collections::{HashMap, HashSet};

use session::Sorting as _;
use session::{
    EventIx, EventRef, Kind, Mark, Member, NO_EVENT, Record, Scan, Session, Standing, Stream,
    Transport, value,
};

use super::{blob_order, case, desktop, map, owner};

/// The store of a record, the most complete first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Store {
    /// Rows of the desktop.
    Desktop,
    /// Rows of the command line's store.
    Chat,
    /// A transcript in a folder of its own, beside others, or in plain text.
    Nested,
    Flat,
    Text,
}

/// Position and standing of an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Class among the events of its store: header, conversation, other.
    pub class: Class,
    pub number: usize,
    pub standing: Standing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    Header,
    Conversation,
    /// The conversation as displayed, a duplicate.
    Shown,
    Beside,
}

impl Place {
    pub(super) const fn new(class: Class, number: usize, standing: Standing) -> Self {
        Self { class, number, standing }
    }
}

/// Sets positions and standings of a session's events.
pub(super) fn set(session: &mut Session) {
    settle(session);
    // A thought comes before the text of its message.
    let mut said = 0;
    for at in 0..u32::try_from(session.len()).unwrap_or(u32::MAX) {
        let event = session.event(at);
        if std::ptr::eq(event.case, &raw const case::SPOKEN_THINKING) {
            said = at;
        } else if std::ptr::eq(event.case, &raw const case::SPOKEN_THOUGHT) {
            let (thought, text) = (event.place, session.event(said).place);
            session.mark(said, Mark::Place(thought));
            session.mark(at, Mark::Place(text));
        }
    }
}

fn settle(session: &mut Session) {
    let stores = stores(session);
    session.placed = true;
    // A single transcript keeps its order, and nothing repeats it.
    if stores
        .first()
        .is_some_and(|first| *first >= Store::Nested && stores.iter().all(|store| store == first))
    {
        return;
    }
    let store = |event: EventRef<'_>| stores[event.origin.record as usize];
    let top: Vec<EventRef<'_>> = session.events().filter(|e| e.parent == NO_EVENT).collect();
    let main = |event: &EventRef<'_>| *event.stream() == Stream::Main;
    let said =
        |event: &&EventRef<'_>| main(event) && matches!(event.kind, Kind::User | Kind::Assistant);
    let fullest = top.iter().filter(said).map(|event| store(*event)).min();
    let within = |wanted| top.iter().copied().filter(move |event| store(*event) == wanted);
    let mut places = desk(within(Store::Desktop).collect());
    places.extend(blob_order::places(&within(Store::Chat).collect::<Vec<_>>()));
    let mut keys = Vec::new();
    let mut marks = vec![Standing::Live; session.len()];
    for event in &top {
        let plain = Place::new(Class::Conversation, 0, Standing::Live);
        let place = places.get(&event.index).copied().unwrap_or(plain);
        let other = fullest.is_some_and(|fullest| fullest != store(*event));
        let again = other && main(event) && place.class != Class::Header;
        marks[event.index as usize] = if again { Standing::Echo } else { place.standing };
        let first = (other, store(*event));
        keys.push((first, place.class, place.number, event.index));
    }
    keys.in_order();
    let order: Vec<EventIx> = keys.into_iter().map(|(.., index)| index).collect();
    for event in session.events().filter(|event| event.parent != NO_EVENT) {
        marks[event.index as usize] = marks[event.parent as usize];
    }
    for (place, index) in (0..).zip(order) {
        session.mark(index, Mark::Place(place));
    }
    for (at, standing) in (0..).zip(marks) {
        session.mark(at, Mark::Standing(standing));
    }
}

/// The store of each record.
fn stores(session: &Session) -> Vec<Store> {
    let transcript = |member: &Member| {
        let mut parts = member.name.rsplit('/').skip(1);
        match member.transport() {
            Transport::Text(_) => Store::Text,
            _ if parts.next() == Some(member.stem()) => Store::Nested,
            _ => Store::Flat,
        }
    };
    let members: Vec<Store> = session.bundle.members.iter().map(transcript).collect();
    let of = |record: &Record| members.get(record.member as usize).copied().unwrap_or(Store::Flat);
    let mut stores: Vec<Store> = session.records.iter().map(of).collect();
    for event in session.events().filter(|event| event.origin.part == 0) {
        let table = event.fields().first().filter(|field| event.is_named(**field, map::TABLE));
        match table.map(|field| event.value(*field)) {
            Some(b"\"meta\"" | b"\"blobs\"") => stores[event.origin.record as usize] = Store::Chat,
            Some(_) => stores[event.origin.record as usize] = Store::Desktop,
            None if event.case.name == "card" => {
                stores[event.origin.record as usize] = Store::Chat;
            }
            None => {}
        }
    }
    stores
}

/// The positions of the desktop's events. Bubbles have the order of their composer's list; a bubble
/// outside it was abandoned.
fn desk(events: Vec<EventRef<'_>>) -> HashMap<EventIx, Place> {
    let mut order: HashMap<String, usize> = HashMap::new();
    for event in events.iter().filter(|event| event.case.name == "composer") {
        listed(*event, &mut order);
    }
    let mut places = HashMap::new();
    let mut by_time: Vec<_> = events.iter().map(|event| (event.time(), event.index)).collect();
    if order.is_empty() {
        by_time.in_order();
    }
    let by_time = by_time.into_iter().map(|(_, index)| index).zip(0..);
    let by_time: HashMap<EventIx, usize> = by_time.collect();
    // A backup of a database comes after the database and repeats its bubbles.
    let mut said: HashSet<String> = HashSet::new();
    for (number, event) in events.iter().enumerate() {
        let place = match event.case.name {
            "composer" | "head" => Place::new(Class::Header, number, Standing::Live),
            "bubble" if owner::bubble(*event).is_some_and(|id| !said.insert(id)) => {
                Place::new(Class::Beside, number, Standing::Echo)
            }
            "bubble" if event.origin.part > 0 => {
                Place::new(Class::Conversation, number, Standing::Live)
            }
            "bubble" => match owner::bubble(*event).and_then(|id| order.get(&id)) {
                Some(&number) => Place::new(Class::Conversation, number, Standing::Live),
                None if order.is_empty() => {
                    let number = by_time.get(&event.index).copied().unwrap_or(number);
                    Place::new(Class::Conversation, number, Standing::Live)
                }
                None => Place::new(Class::Beside, number, Standing::OtherBranch),
            },
            _ => Place::new(Class::Beside, number, Standing::Live),
        };
        places.insert(event.index, place);
    }
    places
}

/// Adds the bubbles that a composer lists. The first composer with a list counts.
fn listed(composer: EventRef<'_>, order: &mut HashMap<String, usize>) {
    let list = composer.fields().iter().find(|field| composer.name(**field) == desktop::ORDER);
    let Some(list) = list.map(|field| composer.value(*field)) else { return };
    let mut scan = Scan::new();
    let Ok(doc) = scan.read(list, 0) else { return };
    if !order.is_empty() {
        return;
    }
    for bubble in doc.root().elements().filter_map(|bubble| bubble.word(desktop::BUBBLE_ID)) {
        let number = order.len();
        order.entry(value::unescape(bubble).into_owned()).or_insert(number);
    }
}
