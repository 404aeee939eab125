//! Prints a session file as a viewer shows it, with the facts of the session and the address of
//! each item: `cargo run --example transcript -- FILE`.

use std::error::Error;
use std::io::Write;

use verbatim_sessions::transcript::{Body, Detail, Item};
use verbatim_sessions::{Transcript, facts, read};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name a session file")?;
    print(&path, &mut std::io::stdout())
}

pub(crate) fn print(path: &str, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    for session in read(path, std::fs::read(path)?)? {
        let folder = facts::folder(&session).unwrap_or_default();
        let models = facts::models(&session).join(", ");
        writeln!(out, "{} {} in {folder}, by {models}", session.format, session.id)?;
        for item in Transcript::of(&session, Detail::Brief).with_changes() {
            writeln!(out, "{}", line(&item))?;
            // The address finds the same event in a later reading, also of a longer file.
            let address = item.event.address();
            assert_eq!(session.find(&address).map(|event| event.index), Some(item.event.index));
        }
    }
    Ok(())
}

/// An item as one line. `{:?}` keeps control characters of the session out of the terminal.
fn line(item: &Item<'_>) -> String {
    let (what, text) = match &item.body {
        Body::Prompt(said) => ("prompt", said.text.as_ref()),
        Body::Answer(said) => ("answer", said.text.as_ref()),
        Body::Injected(said) => ("inserted", said.text.as_ref()),
        Body::Thought(thought) => ("thought", thought.text.as_ref()),
        Body::Call(call) => match call.answered {
            Some(_) => ("call, answered", call.name.as_deref().unwrap_or_default()),
            None => ("call, open", call.name.as_deref().unwrap_or_default()),
        },
        Body::Result { .. } => ("result", ""),
        Body::Notice(notice) => ("notice", notice.name.as_ref()),
    };
    format!("{} {what}: {text:?}", item.turn)
}
