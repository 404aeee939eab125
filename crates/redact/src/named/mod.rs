//! Values whose names stand in the call, and which stand alone in its result: the output of
//! `printenv DB_PASSWORD` is the value.
//!
//! `shell.rs` reads a command as its pipelines, `table.rs` says which programs print the value of a
//! name, `input.rs` looks through the input of a call, and `output.rs` finds the one value in what
//! it printed.

mod input;
mod output;
mod shell;
mod table;

#[cfg(test)]
mod tests;

pub(super) use input::names_value;
pub(super) use output::value;

use super::{naming, sweep};

/// Whether the value of a name that says that it gives access is looked for elsewhere too: a short
/// one, a word, a number, a path or a host is also something else.
pub(super) fn is_found_elsewhere(value: &[u8]) -> bool {
    sweep::is_worth(value) && !naming::is_plain(value) && !value.starts_with(b"/")
}
