//! Continuing a conversation: one that is in the command line's store (`FORMAT.md`).

use crate::resume::{Resume, StoreAccess, last_part};

pub(super) static RESUME: Resume = Resume {
    // The writer names the files as they are named below the agent's home. The rows of a database
    // are no file of the agent's.
    entry: StoreAccess::Files(|_, name| {
        let own = ["chats/", "projects/"].iter().any(|folder| name.starts_with(folder));
        (own && !name.ends_with(".dump.jsonl")).then(|| name.to_owned())
    }),
    takes: |_| true,
    // The desktop has no command, and a transcript alone is not continued.
    command: |at| {
        let stored = at.files.iter().any(|file| last_part(file) == "store.db");
        stored.then(|| vec!["cursor-agent".to_owned(), format!("--resume={}", at.id)])
    },
    ..Resume::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resume::PlacementContext;

    #[test]
    fn only_what_is_in_the_store_is_continued() {
        let files = ["/h/.cursor/chats/m/5f/store.db", "/h/.cursor/projects/x/5f.jsonl"];
        let files = files.map(str::to_owned);
        let at = |files| {
            let (main, begun, list) = (true, None, &|_: &str| vec![]);
            PlacementContext { id: "5f", folder: "/w", files, main, begun, read: &|_| None, list }
        };
        let command = |files| (RESUME.command)(&at(files));
        assert_eq!(command(&files[..]).unwrap(), ["cursor-agent", "--resume=5f"]);
        assert_eq!(command(&files[1..]), None);
        let StoreAccess::Files(place) = &RESUME.entry else { panic!("files") };
        let at = at(&[]);
        assert_eq!(place(&at, "chats/m/5f/store.db").unwrap(), "chats/m/5f/store.db");
        assert_eq!(place(&at, "chats/m/5f/store.db.dump.jsonl"), None);
        assert_eq!(place(&at, "5f.jsonl"), None);
    }
}
