//! Claims that can be checked: documents in JSON and CBOR, and the verdict of a schema on them.
//!
//! # How a document is validated
//!
//! `schema/` applies the CDDL texts of `schemas/` to JSON and CBOR. `syntax.rs` parses a text, and
//! `compile.rs` turns each type into a set of atoms: a basic type, a literal, a pattern, a map.
//! `check.rs` walks the flat nodes twice. Forward, each value gets the set that it may have to
//! match; backward, it is decided which of these it does match. So a choice is a set like any
//! other, nothing is checked twice, nothing recurses, and values of any type are not entered.
//! `explain.rs` runs only on failure and follows the branch that was meant.
//!
//! `cbor/` knows nothing of sessions, and `formats` knows nothing of CBOR: `catalog` joins them. A
//! record in CBOR is detected by its first bytes, decoded to JSON, and read like any other.
//!
//! `witness/` is another parser of JSON: `check` and the proof of a conversion compare what was
//! read with what it reads. It runs over each byte, so it is in a crate that is built for speed.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod cbor;
mod read;
pub mod schema;
pub mod value;
mod verdict;
pub mod witness;

pub use verdict::Verdict;
