//! Writing a session for OpenCode.

use session::Session;

use crate::written::{WriteError, Written, native};

/// The stored bytes of OpenCode's own sessions.
///
/// # Errors
/// If the session belongs to another agent.
pub(super) fn write(session: &Session) -> Result<Written, WriteError> {
    if session.format == super::NAME {
        return Ok(native(session));
    }
    Err(WriteError::Foreign { from: session.format, to: super::NAME })
}
