//! Views of sessions: summaries for lists, transcripts, pages and Markdown, fidelity of
//! conversions, token usage, validation of files, and numbers for people.

pub mod agents;
pub(crate) mod copies;
pub mod export;
pub mod fidelity;
pub mod filter;
pub mod hit;
pub mod human;
pub mod pattern;
pub(crate) mod summary;
pub mod transcript;
pub mod usage;
pub mod validate;
pub mod visible;
