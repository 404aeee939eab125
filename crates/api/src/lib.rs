//! Published documents: one struct for each schema `verbatim-*-1` in `schemas/`. The command line
//! prints them with `--json`; other programs that serve them use the same structs.

use std::path::Path;

pub mod agent_trace;
pub mod attribution;
pub mod check;
pub mod convert;
pub mod fidelity;

pub mod list;
pub mod migrate;
pub mod redact;
pub mod resume;
pub mod search;
pub mod show;
pub mod usage;
pub mod validate;
pub mod values;

pub use operations::ledger;

/// A path as text. JSON strings hold Unicode only, so bytes that are not UTF-8 are replaced.
#[must_use]
pub(crate) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
