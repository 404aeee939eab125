//! Answers that a session has twice. The program reports each answer to the screen, and writes that
//! down too; the record of the answer has the same counters. A report counts where there is no such
//! record: of titles and summaries, and of sub-agents whose histories are gone.

use std::collections::HashMap;

use session::{EventRef, Kind, Session, Slot, Standing, value};

use super::map;
use crate::standings::Standings;

/// The counters by which a report and a record are the same answer.
type Counters = [u64; 4];

const COUNTERS: [Slot; 4] =
    [Slot::TokensIn, Slot::TokensOut, Slot::CacheRead, Slot::TokensReasoning];

/// Marks the reports whose answers have records.
pub(super) fn echoes(session: &Session, standings: &mut Standings) {
    let mut records: HashMap<Counters, usize> = HashMap::new();
    let is_counted = |event: &EventRef<'_>| {
        event.kind == Kind::Assistant && event.field(Slot::TokensOut).is_some()
    };
    for answer in session.events().filter(is_counted) {
        *records.entry(counters(answer)).or_default() += 1;
    }
    for report in session.events().filter(|event| is_report(*event)) {
        if let Some(left) = records.get_mut(&counters(report)).filter(|left| **left > 0) {
            *left -= 1;
            standings.set(report.index, Standing::Echo);
        }
    }
}

fn is_report(event: EventRef<'_>) -> bool {
    [&map::REPORTED, &map::REPORTED_SUB].iter().any(|case| std::ptr::eq(event.case, *case))
}

fn counters(event: EventRef<'_>) -> Counters {
    COUNTERS.map(|slot| event.raw(slot).and_then(value::number).unwrap_or(0))
}
