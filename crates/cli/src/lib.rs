//! Command line: each command parses its arguments, calls the catalog, and prints the result.
//!
//! [`Environment`] has the streams, the clock and the machine, so that tests can replace them. Text
//! from sessions is printed on a terminal only as [`terminal::Plain`].

#![forbid(unsafe_code)]

mod archive_command;
mod args;
mod attribution;
mod blame;
mod check;
mod check_result;
mod completions;
mod convert;
mod demo;
mod doctor;
mod environment;
mod examples;
mod exit;
mod expiry;
mod export;
mod fidelity;
mod human;
mod indexing;
mod input;
mod interrupt;
mod json;
mod keeping;
mod key;
mod left;
mod list;
mod log;
mod man;
mod mcp;
mod migrate;
mod notes;
mod options;
mod pager;
mod picker;
mod present;
mod progress;
mod query;
mod receipt;
mod redact;
mod redaction;
mod resume;
mod rows;
mod scan;
mod scope;
mod screen;
mod search;
mod select;
mod serve;
mod short;
mod show;
mod sign;
mod signed;
mod stats;
mod sync;
mod teach;
pub mod terminal;
mod title;
mod totals;
mod transcript;
mod usage;
mod validate;
mod verify;
mod view;
mod watch;
mod what;
mod when;
mod zone;

use std::io::IsTerminal;
use std::process::ExitCode;

pub use args::help;
pub use environment::Environment;
pub use exit::{Exit, Failure};
use pager::Pager;

/// Runs the command line with this process's arguments, environment and streams.
#[must_use]
pub fn main() -> ExitCode {
    let (mut stdin, mut stdout) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut stderr = std::io::stderr();
    let terminal = stdout.is_terminal();
    let width = terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0));
    let err_terminal = stderr.is_terminal();
    let args: Vec<_> = std::env::args_os().collect();
    let machine = catalog::Machine::here();
    let command = pager::command(&machine).filter(|_| terminal && pager::wants(&args));
    let links = terminal && command.as_deref().is_none_or(Pager::draws_links);
    let mut pager = command.as_deref().map(Pager::new);
    if pager.is_none() {
        interrupt::allow();
    }
    let out: &mut dyn std::io::Write = match &mut pager {
        Some(pager) => pager,
        None => &mut stdout,
    };
    let mut buffered = std::io::BufWriter::with_capacity(1 << 16, out);
    let mut env = Environment {
        formats: formats::ALL,
        machine,
        now: environment::now(),
        input: &mut stdin,
        out: &mut buffered,
        err: &mut stderr,
        width: terminal.then_some(width),
        links,
        err_terminal,
    };
    let code = run(args.into_iter(), &mut env);
    drop(buffered);
    if let Some(pager) = pager {
        pager.end();
    }
    if code == Exit::Cancelled as u8 {
        interrupt::end_now();
    }
    ExitCode::from(code)
}

/// Runs one command and returns its exit code.
pub fn run(args: impl Iterator<Item = std::ffi::OsString>, env: &mut Environment<'_>) -> u8 {
    let code = args::run(args, env);
    // The reader of a pipe may close it early, which is not a failure.
    match env.out.flush() {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            let _ = writeln!(env.err, "error: cannot write: {error}");
            Exit::Failed as u8
        }
        _ => code,
    }
}
