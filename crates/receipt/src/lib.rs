//! Receipts of turns: a supervisor audits one finished turn without reading its transcript.
//!
//! A receipt is a pure function of the source's bytes: no clock, no environment, the members in a
//! fixed order. It has no text of the conversation, no output, no thought and no path. A value that
//! the source does not tell is `unavailable`, never 0.
//!
//! # How a number is made
//!
//! `facts.rs` asks the one place that defines each thing: `meaning::turn` for turns, `conversation`
//! for calls and results, `Calls` for pairs, `usage` for tokens, the table of tools for commands
//! and changes. The agent's own rules (`turns.rs` in its folder) say how a turn ended, under which
//! settings it ran, and what was approved.
//!
//! The last record that says how a turn ended counts (`end`). Without one it is the first record
//! that the agent writes only when a turn is over, and that nothing follows (`closes`).
//!
//! Turns are those that happened, also those that were taken back since (`history.rs`). A note that
//! came in a rewound turn never counts in a live one.
//!
//! Acts are one list (`acts.rs`): calls by the table of tools, the typed ends of tools, which
//! decide over it, and calls within other records. `counting.rs` makes each number with the records
//! that it counts. A number is known or unavailable; 0 is known only where a type of record shows
//! it (`signs.rs`). Sub-agents with sessions of their own are added turn by turn (`joined.rs`).
//!
//! Nothing in a receipt depends on what is written behind its turn. `evidence.rs` ends with the
//! last record that the receipt is about. `standing.rs` compares a receipt with its turn as it is
//! now, `first.rs` one of version 0.

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
