//! What CodeWhale itself holds its files to (format reference, 1.4, 2.3 and section 4): a pure
//! function of what was read.

use std::collections::HashSet;

use session::{EventIx, Kind, NO_EVENT, Session, Slot, Standing};

use super::{map, runtime, standing};
use crate::{Finding, Weight};

/// What of the session breaks a rule, in reading order.
pub(super) fn validate(session: &Session) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (mut member, mut last) = (None, 0);
    let docs = standing::docs(session);
    let live = docs.iter().filter(|doc| doc.head.standing == Standing::Live);
    let messages: HashSet<EventIx> =
        live.flat_map(|doc| &doc.messages).map(|message| message.index).collect();
    for event in session.events().filter(|event| event.parent == NO_EVENT) {
        let mut broken = |weight, rule| {
            findings.push(Finding { origin: event.origin, span: event.span, weight, rule });
        };
        if member.replace(event.origin.member) != Some(event.origin.member) {
            last = 0;
        }
        if event.kind == Kind::Opaque {
            broken(Weight::Error, "a record is one JSON object; a store with another is refused");
        } else if runtime::is_event(event) {
            // Gaps are normal: the number counts over all threads.
            match event.number(Slot::Ordinal) {
                Some(seq) if seq > last => last = seq,
                _ => broken(Weight::Error, "`seq` rises from line to line"),
            }
            if event.standing == Standing::Rewound {
                broken(
                    Weight::Advice,
                    "a line ends with a newline, or it is cut at the next start",
                );
            }
        } else if standing::is(event, &map::SAVED) && event.text(Slot::Session).is_none() {
            broken(Weight::Error, "`metadata.id` names the session");
        } else if event.standing == Standing::Superseded && messages.contains(&event.index) {
            broken(Weight::Error, "`messages` repeats the journal's active branch");
        }
    }
    findings
}
