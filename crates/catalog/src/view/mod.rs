//! Views: summaries for lists, a session's transcript, token usage, the verdict on a file, and
//! numbers in the form in which people read them.

pub mod agents;
pub(crate) mod copies;
pub mod human;
pub(crate) mod summary;
pub mod transcript;
pub mod usage;
pub mod validate;
