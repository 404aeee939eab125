//! Standings in the conversation that OpenCode would resume: reverted from a message on, replaced
//! by a summary, stored twice.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use meaning::identity::Messages;
use session::Sorting as _;
use session::{EventIx, EventRef, Mark, NO_EVENT, Session, Slot, Standing};

use super::order::{Store, Stores};
use super::repeats;
use crate::standings::move_behind;

/// Name of the header's field with the first reverted message.
const TAKEN_BACK: &[u8] = b"messageID";

/// Sets the standing of a session's events.
pub(super) fn set(session: &mut Session) {
    let (standing, kept) = standing(session);
    for (at, standing) in (0..).zip(standing) {
        session.mark(at, Mark::Standing(standing));
    }
    if let Some((kept, summary)) = kept {
        move_behind(session, &kept, summary);
    }
}

/// Events that a compaction kept, and the last event of its summary.
type Kept = Option<(Vec<EventIx>, EventIx)>;

fn standing(session: &Session) -> (Vec<Standing>, Kept) {
    let mut marks = vec![Standing::Live; session.len()];
    let kept = Stores::of(session);
    let stores = kept.preferred(session);
    let mut tail = None;
    let messages = Messages::of(session.events().filter(|event| event.case.name == "message"));
    if let Some(&first) = stores.first() {
        // Betas of 2.x kept the header in the table of 1.x.
        let alone = |event: &EventRef<'_>| {
            event.case.name == "session" && !stores.contains(&kept.store(*event))
        };
        let holds = |event: &EventRef<'_>| kept.store(*event) == first || alone(event);
        let events = session.events().filter(holds).collect();
        tail = branches(&Thread::of(events, (first, &messages), session.placed), &mut marks);
    }
    repeats::set(session, (&kept, &messages), &mut marks);
    if stores.len() > 1 {
        copies(session, &kept, stores[0], &mut marks);
    }
    for event in session.events() {
        let at = event.index as usize;
        if event.case.name == "event" {
            marks[at] = Standing::Echo;
        }
        if event.parent != NO_EVENT {
            marks[at] = marks[event.parent as usize];
        }
    }
    (marks, tail)
}

/// The conversation in one store: its messages in their order, and the position of each.
struct Thread<'s> {
    store: Store,
    holders: &'s Messages,
    events: Vec<EventRef<'s>>,
    messages: Vec<EventRef<'s>>,
    /// Position of each message: by its id, and by its event.
    places: HashMap<Cow<'s, str>, usize>,
    numbers: HashMap<EventIx, usize>,
    /// Position of the message that contains an event's record.
    records: HashMap<u32, usize>,
}

impl<'s> Thread<'s> {
    fn of(
        events: Vec<EventRef<'s>>,
        (store, holders): (Store, &'s Messages),
        placed: bool,
    ) -> Self {
        let is = |event: &&EventRef<'_>| match event.case.name {
            "message" => true,
            "context" | "compaction" | "notice" => store == Store::Second,
            _ => false,
        };
        let mut messages: Vec<_> = events.iter().filter(is).copied().collect();
        if placed {
            messages.in_order_by_key(|event| event.place);
        } else {
            // Values of a dump: a message that was written again comes late.
            messages.in_order_by_key(|event| (event.time(), event.text(Slot::Id)));
        }
        let id = |(at, event): (usize, &EventRef<'s>)| Some((event.text(Slot::Id)?, at));
        let places = messages.iter().enumerate().filter_map(id).collect();
        let number = |(at, event): (usize, &EventRef<'_>)| (event.index, at);
        let numbers = messages.iter().enumerate().map(number).collect();
        let record = |(at, event): (usize, &EventRef<'_>)| (event.origin.record, at);
        let records = messages.iter().enumerate().map(record).collect();
        Self { store, holders, events, messages, places, numbers, records }
    }

    fn named(&self, name: &'static str) -> impl DoubleEndedIterator<Item = EventRef<'s>> {
        self.events.iter().copied().filter(move |event| event.case.name == name)
    }

    fn place(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// Position of the message of an event.
    fn of_event(&self, event: EventRef<'_>) -> Option<usize> {
        let number = self.numbers.get(&event.index).copied();
        let held = || self.numbers.get(&self.holders.holder(event)?.0).copied();
        number.or_else(held).or_else(|| match event.text(Slot::Message) {
            Some(message) => self.place(&message),
            None => self
                .place(&event.text(Slot::Id).unwrap_or_default())
                .or_else(|| self.records.get(&event.origin.record).copied()),
        })
    }
}

/// Sets the reverted events, and those that a summary replaced. Returns those that it kept.
fn branches(thread: &Thread<'_>, marks: &mut [Standing]) -> Kept {
    let taken_back = Cut::taken_back(thread);
    let Replaced { asked, summary, tail } = replaced(thread).unwrap_or_default();
    if taken_back.is_none() && asked == 0 {
        return None;
    }
    let (mut kept, mut last) = (Vec::new(), None);
    for event in thread.events.iter().filter(|event| event.case.name != "session") {
        let Some(place) = thread.of_event(*event) else { continue };
        if taken_back.as_ref().is_some_and(|cut| cut.holds(place, *event)) {
            marks[event.index as usize] = Standing::Rewound;
        } else if place < asked && tail.is_none_or(|tail| place < tail) {
            marks[event.index as usize] = Standing::Compacted;
        } else if event.parent == NO_EVENT && place < asked {
            kept.push(event.index);
        } else if event.parent == NO_EVENT && place == summary {
            last = Some(event.index);
        }
    }
    last.filter(|_| !kept.is_empty()).map(|last| (kept, last))
}

/// Beginning of the reverted part: a message, or a part of it.
struct Cut<'s> {
    message: usize,
    part: Option<Cow<'s, str>>,
}

impl<'s> Cut<'s> {
    fn taken_back(thread: &Thread<'s>) -> Option<Self> {
        let header = thread.named("session").next_back()?;
        // In the archived product the header names a summary.
        header.field(Slot::Target).filter(|field| header.name(*field) == TAKEN_BACK)?;
        let message = thread.place(&header.text(Slot::Target)?)?;
        Some(Self { message, part: header.text(Slot::Leaf).filter(|part| !part.is_empty()) })
    }

    fn holds(&self, place: usize, event: EventRef<'_>) -> bool {
        match &self.part {
            Some(part) if place == self.message => {
                event.field(Slot::Message).is_some()
                    && event.text(Slot::Id).is_some_and(|id| id >= *part)
            }
            _ => place >= self.message,
        }
    }
}

/// A compaction, by the places of its messages.
#[derive(Default)]
struct Replaced {
    /// The message before which the summary replaced everything.
    asked: usize,
    /// The summary.
    summary: usize,
    /// The first message that it kept.
    tail: Option<usize>,
}

impl Replaced {
    const fn all(summary: usize) -> Self {
        Self { asked: summary, summary, tail: None }
    }
}

/// The last compaction.
fn replaced(thread: &Thread<'_>) -> Option<Replaced> {
    if thread.store == Store::Second {
        let done = |event: &EventRef<'_>| {
            event.case.name == "compaction"
                && event.text(Slot::Status).is_none_or(|status| status == "completed")
        };
        return Some(Replaced::all(thread.messages.iter().rposition(done)?));
    }
    for header in thread.named("session") {
        if header.field(Slot::Target).is_some_and(|field| header.name(field) != TAKEN_BACK) {
            return Some(Replaced::all(thread.place(&header.text(Slot::Target)?)?));
        }
    }
    let done = |event: &EventRef<'_>| {
        event.is_true(Slot::CompactSummary) && event.field(Slot::Finish).is_some()
    };
    let summary = thread.messages.iter().rposition(done)?;
    let asked = thread.messages[summary].text(Slot::Parent).and_then(|id| thread.place(&id));
    let asked = asked.unwrap_or(summary);
    let mut compactions = thread.named("compaction");
    let part = compactions.find(|part| thread.of_event(*part) == Some(asked));
    let tail = part.and_then(|part| part.text(Slot::Target)).and_then(|id| thread.place(&id));
    Some(Replaced { asked, summary, tail })
}

/// Sets the records of the other stores: an echo if the preferred store has them too, otherwise the
/// preferred store has dropped them.
fn copies(session: &Session, kept: &Stores, preferred: Store, marks: &mut [Standing]) {
    let mut ids = HashSet::new();
    let mut times = HashSet::new();
    for event in session.events().filter(|event| kept.store(*event) == preferred) {
        ids.extend(event.text(Slot::Id));
        if event.case.name == "message" {
            times.extend(event.time());
        }
    }
    let holds = |event: EventRef<'_>| {
        event.text(Slot::Id).is_some_and(|id| ids.contains(&id))
            || event.time().is_some_and(|time| times.contains(&time))
    };
    let messages: HashSet<_> = session
        .events()
        .filter(|event| event.case.name == "message" && holds(*event))
        .filter_map(|event| event.text(Slot::Id))
        .collect();
    let second = preferred == Store::Second;
    for event in session.events().filter(|event| kept.store(*event) != preferred) {
        let copied = match (event.case.name, event.text(Slot::Message)) {
            ("message", _) => holds(event),
            // Tables of 2.x have parts within their message, without ids.
            (_, Some(message)) if second => messages.contains(&message),
            (_, Some(_)) => event.text(Slot::Id).is_none_or(|id| ids.contains(&id)),
            _ => true,
        };
        let mark = if copied { Standing::Echo } else { Standing::Superseded };
        marks[event.index as usize] = mark;
    }
}
