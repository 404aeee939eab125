//! Finding: which files of a machine are sessions, and which belong together.

pub(crate) mod claim;
pub(crate) mod environment;
pub(crate) mod found;
pub(crate) mod group;
pub(crate) mod mounts;
pub(crate) mod names;
pub(crate) mod rows;
pub(crate) mod scan;
pub(crate) mod siblings;
pub(crate) mod walk;
