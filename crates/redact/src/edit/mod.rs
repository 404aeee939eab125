//! Edit: placeholders in place of findings.
//!
//! `edits.rs` makes the edits, `placeholder.rs` the texts that are put in place of values,
//! `draft.rs` holds the edited bundle for the verifier, `report.rs` and `values.rs` say what was
//! replaced and where, without any value.

pub(crate) mod draft;
pub(crate) mod edits;
pub(crate) mod placeholder;
pub(crate) mod report;
pub mod values;
