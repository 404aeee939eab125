//! Continuing a session: a log in the folder of its id (`FORMAT.md`).

use session::{Node, Session, value};

use super::{locate, names, workspace};
use crate::resume::{Resume, StoreAccess, is_uuid, last_part};

pub(super) static RESUME: Resume = Resume {
    entry: StoreAccess::Files(|at, name| {
        let name = match last_part(name) {
            workspace::FILE => workspace::FILE,
            _ => locate::LOG,
        };
        Some(format!("session-state/{}/{name}", at.id))
    }),
    takes,
    command: |at| Some(vec!["copilot".to_owned(), format!("--resume={}", at.id)]),
    ..Resume::PLAIN
};

/// Whether it is a log of the command line. The agent no longer takes the documents of 2025, and a
/// transcript of the editor is a copy without the results of the turns before it.
fn takes(session: &Session) -> bool {
    let of_editor = |line: Node<'_>| Some(line.at(names::EDITOR).is_some());
    let start = session.events().find(|event| event.case.name == "session.start");
    let is_own = start.is_some_and(|start| value::look(start.bytes(), of_editor) == Some(false));
    is_uuid(&session.id) && is_own
}
