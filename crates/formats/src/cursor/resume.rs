//! Continuing a conversation: only one that Cursor's command line stored itself (`FORMAT.md`).

use crate::resume::{Resume, StoreEntry, last_part};

pub(super) static RESUME: Resume = Resume {
    entry: StoreEntry::Closed(
        "its program continues only conversations of its own store, and takes none in",
    ),
    // The program continues what it stored itself; the desktop has no command.
    command: |at| {
        let stored = at.files.iter().any(|file| last_part(file) == "store.db");
        stored.then(|| vec!["cursor-agent".to_owned(), format!("--resume={}", at.id)])
    },
};
