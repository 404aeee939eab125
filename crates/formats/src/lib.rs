//! Formats of agents' session files: one folder per format, one line in the registry.
//!
//! A format is data (tables, places) and a little code (splitting, standing, writing). It gets
//! bytes and names, and opens no file.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods, clippy::disallowed_types))]

mod all;
pub mod attribution;
pub mod budget;
pub mod calls;
mod carry;
mod claim;
mod claude_code;
mod codewhale;
mod codex;
mod conversion;
mod cursor;
pub mod database;
mod detect;
mod digest;
mod document;
pub mod effects;
mod foreign;
mod format;
mod gemini;
mod injected;
mod json_eq;
mod opencode;
mod place;
mod probe;
mod registry;
pub mod resume;
mod sage;
#[cfg(feature = "samples")]
mod sample_list;
pub mod secrets;
mod standings;
pub mod stead;
pub mod strangers;
#[cfg(test)]
mod testing;
pub mod tools;
pub mod turns;
pub mod vac;
pub mod wrapped;
mod written;

pub use all::{ALL, by_name};
pub use carry::inverse::{Inverse, Mapping, TextPart};
pub use carry::{
    ClosedBooks, FateTotals, LeafOrigin, NOT_CARRIED, TalkLoss, Target, TargetFile, TargetLeaf,
};
pub use claim::{Candidate, Claim, END_BYTES, Role, Tail};
pub use detect::{Detected, detect};
pub use document::out::TokenSink;
pub use foreign::{write_to, write_with};
pub use format::{Finding, Format, Formats, History, LinePhases, PlannedForm, Reach, Weight};
pub use place::{Base, Place};
pub use registry::receipt_schemas;
#[cfg(feature = "samples")]
pub use sample_list::samples;
pub use written::{Compose, Content, Files, Options, Restored, WriteError, Written, native};
