//! Labels: the tables that give native names a meaning, and the events that carry the result.

pub(crate) mod event;
pub(crate) mod injected;
pub(crate) mod slot;
pub(crate) mod status;
pub(crate) mod table;
pub(crate) mod time;
mod word;
