//! Prints the prompts of a session file: `cargo run --example prompts -- FILE`.

use std::error::Error;
use std::io::Write;

use verbatim_sessions::{Kind, Standing, read};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name a session file")?;
    print(&path, &mut std::io::stdout())
}

pub(crate) fn print(path: &str, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    for session in read(path, std::fs::read(path)?)? {
        writeln!(out, "{} {}", session.format, session.id)?;
        let live = session.events().filter(|event| event.standing == Standing::Live);
        for prompt in live.filter(|event| event.kind == Kind::User) {
            writeln!(out, "> {}", prompt.said().trim())?;
        }
    }
    Ok(())
}
