//! Texts of events.

use session::{EventRef, Slot};

/// The text of a slot, if it is not empty.
pub(crate) fn text(event: EventRef<'_>, slot: Slot) -> Option<String> {
    event.text(slot).filter(|text| !text.is_empty()).map(|text| text.into_owned())
}
