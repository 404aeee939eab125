//! Claims that can be checked: documents in JSON and CBOR, and the verdict of a schema on them.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod cbor;
mod read;
pub mod schema;
pub mod value;
mod verdict;

pub use verdict::Verdict;
