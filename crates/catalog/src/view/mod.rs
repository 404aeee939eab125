//! Views: a session's transcript, and numbers in the form in which people read them.

pub mod human;
pub mod transcript;
