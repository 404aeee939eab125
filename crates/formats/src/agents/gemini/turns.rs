//! Facts of turns: the status of a call says whether it was allowed.

use session::{EventRef, Slot};

use super::map;
use crate::turns::{Rewind, TurnRules};

pub(super) static TURNS: TurnRules = TurnRules { rewinds, refusals: true, ..TurnRules::NONE };

fn rewinds(event: EventRef<'_>) -> Option<Rewind> {
    let is_it = std::ptr::eq(event.case, &raw const map::REWIND);
    is_it.then(|| Rewind::To(event.text(Slot::Target).unwrap_or_default().into_owned()))
}
