//! Prints the prompts of a session file: `cargo run --example prompts -- FILE`.

use std::error::Error;
use std::io::Write;

use verbatim_sessions::{SessionTalk, read};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name a session file")?;
    print(&path, &mut std::io::stdout())
}

pub(crate) fn print(path: &str, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    for session in read(path, std::fs::read(path)?)? {
        writeln!(out, "{} {}", session.format, session.id)?;
        for prompt in session.prompts() {
            writeln!(out, "> {}", prompt.text.trim())?;
        }
    }
    Ok(())
}
