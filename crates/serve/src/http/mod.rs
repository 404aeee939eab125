//! The transport: connections and their limits, who may ask, and the form of every answer. It knows
//! nothing of sessions.

pub(crate) mod access;
pub(crate) mod ask;
pub(crate) mod guard;
pub(crate) mod listen;
pub(crate) mod reply;
pub(crate) mod slow;
