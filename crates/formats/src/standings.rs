//! Buffer of standings. A format applies them in one step, because computing them borrows the
//! session.

use session::{EventIx, Session, Standing};

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
        let events = session.events_mut();
        for (at, own) in self.0.into_iter().enumerate() {
            let above = events.get(events[at].parent as usize).map(|above| above.standing);
            events[at].standing = match above {
                None | Some(Standing::Live) => own,
                Some(Standing::Compacted) if own != Standing::Live => own,
                Some(above) => above,
            };
        }
    }
}
