//! Find: the values of the texts that must not be shared.
//!
//! `scan.rs` is the first pass: the rules, the values that tables of formats (`marked.rs`), files
//! of credentials (`assigned.rs`) and calls name, and the names of people (`names.rs`).
//! `second_pass.rs` looks for each found value everywhere else, through `sweep.rs`. `finding.rs` is
//! what is found, `places.rs` decides between findings of one place. `glance.rs` counts
//! credentials by their beginnings alone.

pub(crate) mod assigned;
pub(crate) mod finding;
pub(crate) mod glance;
pub(crate) mod marked;
pub(crate) mod names;
pub(crate) mod places;
pub(crate) mod scan;
pub(crate) mod second_pass;
pub(crate) mod sweep;
pub(crate) mod text_index;
