//! The `verbatim` command.
#![forbid(unsafe_code)]

use std::process::ExitCode;

/// Many small sessions are many small blocks of memory, made and let go on all cores: a sixth less
/// time than with the allocator of a common system, which also gives large blocks back only to ask
/// for them again.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    verbatim_cli::main()
}
