//! Writing a session for Cursor.

use session::Session;

use crate::{WriteError, Written, native};

/// The stored bytes of Cursor's own sessions; of a database, its dump.
///
/// # Errors
/// Where the session is another agent's.
pub(super) fn write(session: &Session) -> Result<Written, WriteError> {
    if session.format == super::NAME {
        return Ok(native(session));
    }
    Err(WriteError::Foreign { from: session.format, to: super::NAME })
}
