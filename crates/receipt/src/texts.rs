//! Texts of events.

use session::{EventRef, Slot};

/// The text of a slot, if it is not empty.
pub(crate) fn text(event: EventRef<'_>, slot: Slot) -> Option<String> {
    // A mark of the format by which calls and results without ids find each other is no id.
    if slot == Slot::Call && event.raw(slot).is_none() {
        return None;
    }
    event.text(slot).filter(|text| !text.is_empty()).map(|text| text.into_owned())
}
