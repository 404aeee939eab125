//! Claims that can be checked: digests, schema verdicts, redaction, signatures, receipts.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod cbor;
mod read;
pub mod redact;
pub mod schema;
pub mod value;
mod verdict;

pub use verdict::Verdict;
