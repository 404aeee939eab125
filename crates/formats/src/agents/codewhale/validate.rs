//! Validation by CodeWhale's own rules (format reference, 1.4, 2.3 and section 4): a pure function
//! of the session.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use session::{EventIx, EventRef, Kind, NO_EVENT, Node, Session, Slot, Standing};

use super::{map, names, runtime, standing};
use crate::format::{Finding, Weight};
use crate::probe;

const TAIL: &str = "a line ends with a newline, or it is cut at the next start";

/// The session's violations of a rule, in reading order.
pub(super) fn validate(session: &Session) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (mut member, mut last) = (None, 0);
    let docs = standing::docs(session);
    let live = docs.iter().filter(|doc| doc.head.standing == Standing::Live);
    let messages: HashSet<EventIx> =
        live.flat_map(|doc| &doc.messages).map(|message| message.index).collect();
    let items = items(session);
    for event in session.events().filter(|event| event.parent == NO_EVENT) {
        let mut broken = |weight, rule| {
            findings.push(Finding { origin: event.origin, span: event.span, weight, rule });
        };
        if member.replace(event.origin.member) != Some(event.origin.member) {
            last = 0;
        }
        if event.kind == Kind::Opaque && is_tail(event) {
            broken(Weight::Advice, TAIL);
        } else if event.kind == Kind::Opaque {
            broken(Weight::Error, "a record is one JSON object; a store with another is refused");
        } else if runtime::is_event(event) {
            // Gaps are normal: the number counts over all threads.
            match event.number(Slot::Ordinal) {
                Some(seq) if seq > last => last = seq,
                _ => broken(Weight::Error, "`seq` rises from line to line"),
            }
            if event.standing == Standing::Rewound {
                broken(Weight::Advice, TAIL);
            }
        } else if standing::is(event, &runtime::TURN) && leaves_out(event, &items) {
            broken(Weight::Advice, "`item_ids` names the items of its turn");
        } else if standing::is(event, &map::SAVED) && event.text(Slot::Session).is_none() {
            broken(Weight::Error, "`metadata.id` names the session");
        } else if event.standing == Standing::Superseded && messages.contains(&event.index) {
            broken(Weight::Error, "`messages` repeats the journal's active branch");
        }
    }
    findings
}

/// Whether it is the last line of an events file without its newline, which is not a record yet.
fn is_tail(event: EventRef<'_>) -> bool {
    let member = &event.session().bundle.members[event.origin.member as usize];
    let events = member.name.rsplit('/').nth(1) == Some("events");
    events && event.span.end as usize == member.bytes().len()
}

/// The items of each turn, by their ids.
fn items(session: &Session) -> HashMap<Cow<'_, str>, Vec<String>> {
    let mut items: HashMap<_, Vec<String>> = HashMap::new();
    for event in session.events().filter(|event| event.parent == NO_EVENT) {
        if let (Some(item), Some(turn)) = (standing::item_id(event), event.text(Slot::Turn)) {
            items.entry(turn).or_default().push(item);
        }
    }
    items
}

/// Whether a turn omits one of its items.
fn leaves_out(turn: EventRef<'_>, items: &HashMap<Cow<'_, str>, Vec<String>>) -> bool {
    let of = turn.text(Slot::Id).and_then(|id| items.get(&id));
    let listed = probe::look(turn.bytes(), |node| {
        let listed = node.at(names::ITEM_IDS).into_iter().flat_map(Node::elements);
        listed.filter_map(Node::text).map(<[u8]>::to_vec).collect::<HashSet<_>>()
    });
    let listed = listed.unwrap_or_default();
    of.is_some_and(|of| of.iter().any(|item| !listed.contains(item.as_bytes())))
}
