//! Texts of events.

use meaning::Calls;
use session::{EventRef, Slot};

/// The text of a slot, if it is not empty.
pub(crate) fn text(event: EventRef<'_>, slot: Slot) -> Option<String> {
    event.text(slot).filter(|text| !text.is_empty()).map(|text| text.into_owned())
}

/// The id of a call or of a result, if its agent wrote one.
pub(crate) fn call_id(event: EventRef<'_>) -> Option<String> {
    Calls::id(event).filter(|id| !id.is_empty()).map(|id| id.into_owned())
}
