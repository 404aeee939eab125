//! Receipts of turns: a supervisor audits one finished turn without reading its transcript.
//!
//! A receipt is a pure function of the source's bytes: no clock, no environment, the members in a
//! fixed order. It has no text of the conversation, no output, no thought and no path. A value that
//! the source does not tell is `unavailable`, never 0.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods, clippy::disallowed_types))]

mod account;
mod act;
mod acts;
mod available;
mod building;
mod compare;
mod counting;
mod document;
mod evidence;
mod facts;
mod first;
mod history;
mod joined;
mod place;
mod prefixes;
mod signs;
mod split;
mod standing;
mod texts;
mod turns;

pub use account::{Account, Counted, CountedRecord, RecordPlace, Within};
pub use available::Available;
pub use compare::TurnStanding;
pub use document::{
    Boundary, Custody, FIRST_SCHEMA, Lineage, MissingRange, Receipt, SESSION_SCHEMA, Thread, Tools,
    Turn, Usage, UsageTokens,
};
pub use first::store_differences;
pub use joined::{is_sub_agent_of, sub_agents_of};
pub use place::{Evidence, Kept, Source, SourceRange, Thought, Unavailable};
pub use split::SessionTurns;
pub use turns::{Fault, TurnAt};
