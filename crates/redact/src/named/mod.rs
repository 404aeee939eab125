//! Values whose names are in the call, and which are alone in its result: the output of
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

pub(crate) use input::names_value;
pub(crate) use output::value;
