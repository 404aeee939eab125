//! Prints the calls of a session file, each with its turn, tool and outcome:
//! `cargo run --example calls -- FILE`.

use std::error::Error;
use std::io::Write;

use verbatim_sessions::{SessionTalk, read};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name a session file")?;
    print(&path, &mut std::io::stdout())
}

pub(crate) fn print(path: &str, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    for session in read(path, std::fs::read(path)?)? {
        let prompts = session.prompts().count();
        writeln!(out, "{} {}, prompts: {prompts}", session.format, session.id)?;
        for call in session.calls() {
            let outcome = match &call.result {
                None => "no result",
                Some(_) => match call.outcome() {
                    None => "answered",
                    Some(outcome) if outcome.is_bad() => "failed",
                    Some(_) => "done",
                },
            };
            writeln!(out, "- {}: {outcome}", call.name)?;
        }
    }
    Ok(())
}
