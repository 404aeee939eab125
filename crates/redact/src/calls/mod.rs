//! Values whose names are in the call, and which are alone in its result: the output of
//! `printenv DB_PASSWORD` is the value.
//!
//! `shell.rs` reads a command as its pipelines, `table.rs` says which programs print the value of a
//! name, `command.rs` and `echoed.rs` which lines a command prints, `input.rs` looks through the
//! input of a call, and `output.rs` and `printed.rs` find the values in what it printed.
//! `by_hand.rs` has the texts with commands that a person ran, `program.rs` programs that call
//! tools and scripts that a call writes, and `running.rs` commands that run on when their call has
//! ended. `frames.rs` takes off the elements around an output.

pub(crate) mod by_hand;
mod command;
mod echoed;
mod frames;
mod input;
mod output;
mod printed;
mod program;
mod running;
mod shell;
mod table;

#[cfg(test)]
mod tests;

pub(crate) use input::{command_names_value, names_value};
pub(crate) use output::values;
pub(crate) use printed::Printed;
pub(crate) use program::Scripts;
pub(crate) use running::{ids, reads_output, types_command};
