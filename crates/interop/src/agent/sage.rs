//! Sage is an Emacs library, so the user supplies a small program that runs it. The program takes
//! the prompt as its argument and saves the conversation where `sage-project` does.

use std::path::Path;

use super::*;
use crate::mock::script::Act;

pub(super) const AGENT: Agent = Agent {
    name: "sage",
    is_deep: false,
    prepare: |_| Ok(()),
    settle: |_| Ok(()),
    keep: |_| Ok(()),
    variables: |place| vec![("OLLAMA_HOST", place.url()), ("OLLAMA_MODEL", MODEL.to_owned())],
    command,
    memory: None,
    lonely: Some("it has no sub-agents"),
    drops: |_, _| None,
    bare: |text| text,
    own: &[],
    import: None,
    made: &[],
    vocabulary,
};

fn command(place: &Place, ask: &Ask<'_>) -> Result<Command, &'static str> {
    let program = place.program();
    match *ask {
        Ask::Prompt(prompt) | Ask::Resume(_, prompt) => Ok(Command::new(&[&program, prompt])),
        Ask::Image(..) => Err("it takes no images"),
        Ask::Fork(..) => Err("it has no fork"),
        Ask::Compact(_) => Err("it makes nothing shorter"),
        Ask::Told(..) => Err("it was not tried"),
    }
}

fn vocabulary(act: &Act, _: &Request, work: &Path) -> Option<Call> {
    Some(match *act {
        Act::Read(path) => call("read_file", json!({"path": at(work, path)})),
        Act::Edit { path, old, new } => {
            let path = at(work, path);
            call("edit_file", json!({"path": path, "old_text": old, "new_text": new}))
        }
        Act::Write { path, text } => {
            call("write_file", json!({"path": at(work, path), "content": text}))
        }
        Act::Run(line) => call("shell", json!({"command": line})),
        Act::Delegate(prompt) => call("agent", json!({"prompt": prompt})),
        Act::Wait => return None,
    })
}
