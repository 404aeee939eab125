//! The tier of service of answers: a turn states it at its beginning, and a change of the settings
//! within it.

use meaning::usage::Terms;
use session::{EventRef, Field, Kind, value};

use super::case;

const TIER: &[u8] = b"service_tier";

/// The terms that a record states. A turn without a tier has the usual one.
pub(super) fn of(event: EventRef<'_>) -> Option<Terms> {
    if event.kind != Kind::Notice {
        return None;
    }
    let is_tier = |field: &&Field| event.is_named(**field, TIER);
    let stated = event.fields().iter().find(is_tier);
    let word = stated.and_then(|field| value::text(event.value(*field)));
    let begins = event.case.name == case::TURN_CONTEXT;
    (begins || stated.is_some()).then(|| Terms::of(word.as_deref(), None, 0))
}
