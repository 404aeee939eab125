//! Prints the calls of a session file, each with its turn, tool and outcome:
//! `cargo run --example calls -- FILE`.

use std::error::Error;
use std::io::Write;

use verbatim_sessions::{Calls, Kind, Slot, read, turn};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name a session file")?;
    print(&path, &mut std::io::stdout())
}

pub(crate) fn print(path: &str, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    for session in read(path, std::fs::read(path)?)? {
        let (calls, turns) = (Calls::of(&session), turn::turns(&session));
        writeln!(out, "{} {}, {} turns", session.format, session.id, turns.len())?;
        for call in session.events().filter(|event| event.kind == Kind::ToolCall) {
            let result = calls.result(call.index).map(|result| session.event(result));
            let outcome = match result.map(|result| result.outcome()) {
                None => "no result",
                Some(None) => "answered",
                Some(Some(outcome)) if outcome.is_bad() => "failed",
                Some(Some(_)) => "done",
            };
            let tool = call.text(Slot::Name).unwrap_or_default();
            writeln!(out, "- {tool}: {outcome}")?;
        }
    }
    Ok(())
}
