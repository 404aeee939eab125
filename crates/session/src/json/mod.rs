//! JSON reading: a text is checked against RFC 8259 in full, and the positions of all its values
//! are kept. This module knows nothing of sessions and labels.

mod blocks;
pub(crate) mod grammar;
pub(crate) mod index;
pub(crate) mod name;
pub(crate) mod node;
pub(crate) mod outline;
pub(crate) mod reader;
mod seam;
pub(crate) mod span;
pub(crate) mod template;
pub(crate) mod truncated;
pub mod value;
