//! The `verbatim` command.
#![forbid(unsafe_code)]

use std::process::ExitCode;

/// Allocator: many small sessions make many small blocks of memory on all cores. It takes a sixth
/// less time than the system's allocator, which also returns large blocks only to request them
/// again.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    verbatim_cli::main()
}
