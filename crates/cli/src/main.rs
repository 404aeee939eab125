//! The `verbatim` command.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    verbatim_cli::main()
}
