//! Receipts of turns: a supervisor audits one finished turn without reading its transcript.
//!
//! A receipt is a pure function of the source's bytes: no clock, no environment, the members in a
//! fixed order. It has no text of the conversation, no output, no thought and no path. A value that
//! the source does not tell is `unavailable`, never 0.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods, clippy::disallowed_types))]

mod borders;
mod building;
mod document;
mod evidence;
mod facts;
mod split;
mod turns;

pub use document::{
    Available, Boundary, Custody, Evidence, Lineage, MissingRange, Receipt, SESSION_SCHEMA, Source,
    SourceRange, Thought, Thread, Tools, Turn, Unavailable, Usage, UsageTokens,
};
pub use split::SessionTurns;
pub use turns::Fault;
