//! Buffer of standings. A format applies them in one step, because computing them borrows the
//! session.

use session::{EventIx, Mark, NO_EVENT, Session, Standing};

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
