//! A session that holds nothing but copies: a fork in which nobody has said anything yet. The
//! session that it was forked from may be gone, so what the file holds is shown as its own.

use crate::label::slot::{Kind, Standing};
use crate::session::{EventRef, Session};

impl Session {
    /// Whether its whole conversation was copied from another session.
    #[must_use]
    pub fn holds_only_copies(&self) -> bool {
        *self.only_copies.get_or_init(|| {
            let is_said = |event: &EventRef<'_>| {
                !matches!(event.kind, Kind::Notice | Kind::Opaque) && event.injected.is_none()
            };
            let mut said = self.top().filter(is_said).peekable();
            said.peek().is_some() && said.all(|event| event.standing.is_copied())
        })
    }
}

impl EventRef<'_> {
    /// Its standing in what the session holds: that of the original, if there are only copies.
    #[must_use]
    pub fn held_standing(self) -> Standing {
        match self.standing() {
            standing if standing.is_copied() && self.session().holds_only_copies() => {
                standing.original()
            }
            standing => standing,
        }
    }
}
