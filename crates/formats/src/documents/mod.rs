//! The documents that any session can be written as, and what they share.

pub(crate) mod conversion;
pub(crate) mod shared;
pub mod stead;
pub mod vac;
