//! Converts a session file to another agent's form, in memory, and prints the names and sizes of
//! the files: `cargo run --example convert -- FILE codex`.

use std::error::Error;
use std::io::Write;

use verbatim_sessions::{Options, by_name, read, write_with};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let path = words.next().ok_or("name a session file")?;
    let agent = words.next().ok_or("name the agent")?;
    print(&path, &agent, &mut std::io::stdout())
}

pub(crate) fn print(path: &str, agent: &str, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let target = by_name(agent).ok_or("no such agent")?;
    for session in read(path, std::fs::read(path)?)? {
        let written = write_with(target, &session, &Options::default())?;
        for (name, content) in &written.files {
            writeln!(out, "{name}: {} bytes", content.len())?;
        }
        writeln!(out, "{} rows of its ledger", written.rows.len())?;
    }
    Ok(())
}
