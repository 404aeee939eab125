//! Writing: the stored bytes of a session of this format.

use session::Session;

use crate::written::{WriteError, Written, native};

/// The files of a session, as they were stored.
///
/// # Errors
/// If the session belongs to another agent.
pub(super) fn write(session: &Session) -> Result<Written, WriteError> {
    if session.format == super::NAME {
        return Ok(native(session));
    }
    Err(WriteError::Foreign { from: session.format, to: super::NAME })
}
