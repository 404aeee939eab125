//! Continuing a conversation: the one of its project (`FORMAT.md`).

use crate::resume::{Resume, StoreAccess, last_part, words};

pub(super) static RESUME: Resume = Resume {
    entry: StoreAccess::Files(|at, name| {
        // The agent reads one conversation of a project.
        let name = if at.main { "conversation.jsonl" } else { last_part(name) };
        // A project's root ends with `/`, so its folder ends with `-`.
        let folder = format!("{}/", at.folder.trim_end_matches('/')).replace(['/', '.'], "-");
        Some(format!("projects/{folder}/{name}"))
    }),
    takes: |_| true,
    command: |_| {
        Some(words(&["emacs", "--eval", "(progn (require 'sage-project) (sage-project-load))"]))
    },
    ..Resume::PLAIN
};
