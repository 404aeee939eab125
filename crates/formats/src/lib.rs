//! Formats of agents' session files: one folder per format, one line in the registry.
//!
//! A format is data (tables, places) and a little code (splitting, standing, writing). It gets
//! bytes and names, and opens no file.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods, clippy::disallowed_types))]

mod agents;
mod all;
pub mod attribution;
pub mod budget;
pub mod calls;
mod claim;
mod convert;
pub mod database;
mod detect;
pub mod digest;
mod documents;
pub mod effects;
mod format;
mod injected;
mod json_eq;
mod place;
mod probe;
mod registry;
pub mod resume;
#[cfg(feature = "samples")]
mod sample_list;
pub mod secrets;
mod standings;
pub mod strangers;
mod tagged;
#[cfg(test)]
mod testing;
pub mod texts;
pub mod told;
pub mod tools;
pub mod turns;
mod typed;
mod worded;
pub mod wrapped;
mod written;

pub use all::{ALL, by_name};
pub use claim::{Candidate, Claim, END_BYTES, Role, Tail};
pub use convert::foreign::{write_to, write_with};
pub use convert::inverse::{Inverse, Mapping, TextPart};
pub use convert::{
    ClosedBooks, FateTotals, LeafOrigin, NOT_CARRIED, TalkLoss, Target, TargetFile, TargetLeaf,
};
pub use detect::{Detected, detect};
pub use documents::shared::out::TokenSink;
pub use documents::{stead, vac};
pub use format::{
    ChangesOf, Finding, Format, FormatData, Formats, History, LinePhases, PlannedForm, Reach,
    ReadBeside, Weight,
};
pub use place::{Base, Place};
pub use registry::receipt_schemas;
#[cfg(feature = "samples")]
pub use sample_list::samples;
pub use typed::{PromptList, TypedPrompt};
pub use worded::{Worded, WordedOf};
pub use written::{Compose, Content, Files, Options, Restored, WriteError, Written, native};
