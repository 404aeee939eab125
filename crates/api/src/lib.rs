//! Published documents: one struct for each schema `verbatim-*-1` in `schemas/`. The command line
//! prints them with `--json`; other programs that serve them use the same structs.

#![forbid(unsafe_code)]

pub mod agent_trace;
pub mod archive;
pub mod archive_custody;
pub mod archive_export;
pub mod attribution;
pub mod blame;
pub mod check;
pub mod convert;
pub mod doctor;
pub mod fidelity;

pub mod list;
pub mod migrate;
pub mod redact;
pub mod resume;
pub mod rows;
pub mod search;
pub mod show;
pub mod stats;
mod text;
pub mod turns;
pub mod usage;
pub mod validate;
pub mod values;

pub use operations::ledger;
