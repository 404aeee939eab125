//! Continuing a session in an agent: where the agent's own store takes its files in, and the
//! command that continues it there.

use std::fmt;

use session::{Session, UtcTime};

/// A session that is to be continued, as its agent's rules see it.
pub struct PlacementContext<'a> {
    /// The id of the session.
    pub id: &'a str,
    /// The folder in which the agent will be started: absolute, without links, `/` between parts.
    pub folder: &'a str,
    /// The session's files in the agent's store, where they are or will be; none if an import of
    /// the agent takes it in.
    pub files: &'a [String],
    /// Whether the file that is named is the session's main one. If the agent would not find it by
    /// the name that it has, it gets the one that the agent would give.
    pub main: bool,
    /// The time at which the session began.
    pub begun: Option<UtcTime>,
    /// Reads a file of the agent's home folder, by its path below it (`/` between parts).
    pub read: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    /// Names of what is in a folder of the agent's home, by its path below it.
    pub list: &'a dyn Fn(&str) -> Vec<String>,
}

impl fmt::Debug for PlacementContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, folder, .. } = self;
        f.debug_struct("PlacementContext")
            .field("id", id)
            .field("folder", folder)
            .finish_non_exhaustive()
    }
}

/// The bytes of a file of the user's settings, by its path.
pub type ReadSettings<'r> = &'r dyn Fn(&str) -> Option<Vec<u8>>;

/// The rules by which an agent continues a session.
#[derive(Debug)]
pub struct Resume {
    /// The way into the agent's store.
    pub entry: StoreAccess,
    /// Whether the agent of today continues a session of its own in the form in which it is stored:
    /// not an older generation's, and not another program's copy. Otherwise it gets the session
    /// written anew.
    pub takes: fn(&Session) -> bool,
    /// The program that continues a session in its folder, with its arguments. `None` if no command
    /// of the agent can.
    pub command: fn(&PlacementContext<'_>) -> Option<Vec<String>>,
    /// The line by which the agent lists a session with a title, if it has a file for that: by the
    /// session's id, its title and the time of its last change. The path of that file is below the
    /// agent's home.
    pub title: fn(&str, &str, &str) -> Option<(&'static str, String)>,
    /// The title by which that file lists the session with this id.
    pub listed: fn(&[u8], &str) -> Option<String>,
    /// The provider and the model that the agent's next request goes to by its user's settings, if
    /// a session has to name them. The function reads a file by its path: below `config/`, `state/`
    /// and `folder/`, the user's folders for settings and states, and the one in which the session
    /// is continued.
    pub next: fn(ReadSettings<'_>) -> Option<[String; 2]>,
    /// The records that only empty the list of messages, so that the agent has nothing to continue.
    pub emptied: fn(&Session) -> Vec<usize>,
}

impl Resume {
    /// The rules of an agent that keeps the titles of sessions with them, whose sessions name no
    /// model for the next request, and whose list of messages only grows.
    pub(crate) const PLAIN: Self = Self {
        entry: StoreAccess::Unsupported("it has no rules for that"),
        takes: |_| true,
        command: |_| None,
        title: |_, _, _| None,
        listed: |_, _| None,
        next: |_| None,
        emptied: |_| Vec::new(),
    };

    /// Whether there is a way into the agent's store.
    #[must_use]
    pub const fn takes_in(&self) -> bool {
        !matches!(self.entry, StoreAccess::Unsupported(_))
    }
}

/// The way into an agent's store.
#[derive(Debug)]
pub enum StoreAccess {
    /// Files, each at a path below the agent's home (`/` between parts), by the name that the
    /// writer gave it. `None` for a file that has no place there.
    Files(fn(&PlacementContext<'_>, &str) -> Option<String>),
    /// The agent's own import and removal: programs with their arguments.
    Import(Import),
    /// None, with the reason.
    Unsupported(&'static str),
}

/// An agent's own commands that take a session in, and out again.
#[derive(Debug)]
pub struct Import {
    /// Takes the session in this file in.
    pub import: fn(&str) -> Vec<String>,
    /// Removes the session with this id.
    pub remove: fn(&str) -> Vec<String>,
}

/// Whether a text is a UUID: `8-4-4-4-12` hexadecimal digits.
pub(crate) fn is_uuid(text: &str) -> bool {
    let fits = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    text.len() == 36 && text.bytes().enumerate().all(fits)
}

/// A command of these words.
pub(crate) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// An ending of a name, with its point: that of a compressed file has two parts.
pub(crate) fn ending<'e>(name: &str, endings: &[&'e str], default: &'e str) -> &'e str {
    endings.iter().find(|ending| name.ends_with(**ending)).unwrap_or(&default)
}

/// The last part of a name.
pub(crate) fn last_part(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// The part of a name from the file or folder that is named after the session: `ID.jsonl`,
/// `ID/subagents/…`; `None` if no part is.
pub(crate) fn from_id<'n>(name: &'n str, id: &str) -> Option<&'n str> {
    let mut at = 0;
    for part in name.split('/') {
        let rest = part.strip_prefix(id);
        if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.')) {
            return Some(&name[at..]);
        }
        at += part.len() + 1;
    }
    None
}
