//! Buffer of standings. A format applies them in one step, because computing them borrows the
//! session.

use std::collections::HashSet;

use session::Sorting as _;
use session::{EventIx, EventRef, Mark, NO_EVENT, Session, Standing};

/// A standing for each event, initially `Live`.
pub(crate) struct Standings(Vec<Standing>);

impl Standings {
    pub(crate) fn new(session: &Session) -> Self {
        Self(vec![Standing::Live; session.len()])
    }

    pub(crate) fn set(&mut self, event: EventIx, standing: Standing) {
        self.0[event as usize] = standing;
    }

    pub(crate) fn of(&self, event: EventIx) -> Standing {
        self.0[event as usize]
    }

    /// Writes the standings into the events. An event within one that is not live gets its
    /// standing. Within a compacted one, an echo stays an echo.
    pub(crate) fn apply(self, session: &mut Session) {
        for (at, own) in (0..).zip(self.0) {
            let parent = session.event(at).parent;
            let above = (parent != NO_EVENT).then(|| session.event(parent).standing);
            let standing = match above {
                None | Some(Standing::Live) => own,
                Some(Standing::Compacted) if own != Standing::Live => own,
                Some(above) => above,
            };
            session.mark(at, Mark::Standing(standing));
        }
    }
}

/// Moves top-level events behind another one of their stream: what a compaction kept follows its
/// summary in the agent's next request, and precedes it in the file.
pub(crate) fn move_behind(session: &mut Session, kept: &[EventIx], summary: EventIx) {
    let placed = session.placed;
    let at = session.event(summary);
    let is_beside = |event: &EventRef<'_>| match placed {
        true => event.stream() == at.stream(),
        false => event.origin.member == at.origin.member,
    };
    let mut order: Vec<EventIx> =
        session.top().filter(is_beside).map(|event| event.index).collect();
    let mut places: Vec<u32> = order.iter().map(|&at| session.event(at).place).collect();
    places.in_order();
    let is_kept: HashSet<EventIx> = kept.iter().copied().collect();
    let moved: Vec<EventIx> = order.iter().copied().filter(|at| is_kept.contains(at)).collect();
    order.retain(|at| !is_kept.contains(at));
    let Some(behind) = order.iter().position(|at| *at == summary) else { return };
    order.splice(behind + 1..behind + 1, moved);
    for (at, place) in order.into_iter().zip(places) {
        session.mark(at, Mark::Place(place));
    }
}
