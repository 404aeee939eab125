//! What a format decides of its events, before it is written into them: while it decides, it reads
//! the session.

use session::{EventIx, Session, Standing};

/// A standing for every event, `Live` at first.
pub(crate) struct Verdicts(Vec<Standing>);

impl Verdicts {
    pub(crate) fn new(session: &Session) -> Self {
        Self(vec![Standing::Live; session.len()])
    }

    pub(crate) fn set(&mut self, event: EventIx, standing: Standing) {
        self.0[event as usize] = standing;
    }

    pub(crate) fn of(&self, event: EventIx) -> Standing {
        self.0[event as usize]
    }

    /// Writes the verdicts into the events. What stands within an event that is not live stands as
    /// that does; within what was condensed, what repeats is still told.
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
