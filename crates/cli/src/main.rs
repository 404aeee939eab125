//! The `verbatim` command.
#![forbid(unsafe_code)]

fn main() {}
