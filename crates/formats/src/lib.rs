//! Formats of agents' session files: one folder per format, one line in the registry.
//!
//! A format is data (tables, places) and a little code (splitting, standing, writing). It gets
//! bytes and names, and opens no file.
//!
//! # The account of a conversion
//!
//! A writer gets the bytes of a field through `meaning::account` alone. A draft of an event gives a
//! value, and the bytes are written with a fate: copied, mapped with a cause, or carried whole for
//! a container. `Account::make` notes a value that the session does not record, with its place in
//! the target and its cause. `Account::close` makes the ledger, which nothing else can make: a
//! field that nobody took is dropped, whether or not the writer knew of it. This costs two bytes a
//! field. `vac` and `stead` are written so; both mark each generated value in the document
//! (`made`), and drop nothing but the secrets that they withhold.
//!
//! Documents are written as a stream (`documents/shared/out.rs`): text goes to its sink as it
//! grows, and no document is whole in memory. An encoder takes the same tokens for another
//! encoding, such as CBOR.
//!
//! # Conversion to another agent
//!
//! `convert/` decides once, for all agents, what crosses: the pieces of the conversation and their
//! order (`pieces.rs`), texts and pictures (`content.rs`, `media.rs`), ids and times (`ids.rs`,
//! `times.rs`), and calls in the target's own terms by the tables of both agents (`tool.rs`). A
//! text within a tag cannot end that tag (`tagged.rs`). Providers refuse a session with a call that
//! has no result, so a result that the session does not record is generated, says so in its text,
//! and has a cause of its own in the books (`result.rs`).
//!
//! The `write.rs` of an agent gives these pieces their native form through `Books` (`books.rs`). It
//! can put a value only as copied from a field, as mapped from fields, or as generated with a
//! cause. A mapped value has an inverse (`inverse.rs`), which the books try at once: a field that
//! no value of the target gives back is *in part* (cut, cleaned, a moved time). So the books have
//! the fate of each field of the source, and the origin of each leaf of the files. A database is
//! written as rows, in the form of a dump; the catalog makes the database of them.

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
pub mod laws;
mod place;
mod probe;
mod registry;
pub mod resume;
#[cfg(feature = "samples")]
mod sample_list;
pub mod scripted;
pub mod secrets;
mod standings;
pub mod strangers;
mod tagged;
#[cfg(test)]
mod testing;
pub mod texts;
pub mod told;
pub mod tools;
mod tree;
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
    ChangesOf, Finding, Format, FormatData, Formats, History, LinePhases, McpEntry, PlannedForm,
    Reach, ReadBeside, WantedCalls, Weight,
};
pub use place::{Base, Place};
pub use registry::receipt_schemas;
#[cfg(feature = "samples")]
pub use sample_list::samples;
pub use typed::{PromptList, TypedPrompt};
pub use worded::{Worded, WordedOf};
pub use written::{Compose, Content, Files, Options, Restored, WriteError, Written, native};
