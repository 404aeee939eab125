//! Kinds of calls, as people count them: what was read, run, edited.

use std::collections::BTreeMap;

use formats::tools::Common;
use formats::{calls, scripted};
use session::EventRef;

use crate::human::counted;

/// The kind of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallKind {
    /// It reads a file.
    Read,
    /// It finds files, or text in them.
    Search,
    /// It runs a command.
    Run,
    /// It changes files.
    Edit,
    /// It asks the web.
    Web,
    /// It gives work to another agent.
    Agent,
    /// Anything else.
    Other,
}

impl CallKind {
    /// The kind of a call. A script is one call, of the kind of the call in it that names it.
    #[must_use]
    pub fn of(call: EventRef<'_>) -> Self {
        match scripted::common(call).or_else(|| calls::common(call)) {
            Some(Common::Read) => Self::Read,
            Some(Common::Glob | Common::Grep | Common::List) => Self::Search,
            Some(Common::Shell) => Self::Run,
            Some(
                Common::Edit | Common::Patch | Common::Write | Common::Notebook | Common::Delete,
            ) => Self::Edit,
            Some(Common::Fetch | Common::Search) => Self::Web,
            Some(Common::Task) => Self::Agent,
            _ => Self::Other,
        }
    }

    /// Its name in documents.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Search => "search",
            Self::Run => "run",
            Self::Edit => "edit",
            Self::Web => "web",
            Self::Agent => "agent",
            Self::Other => "other",
        }
    }

    /// So many calls of it, in words: `read 5`.
    fn did(self, calls: u64) -> String {
        let verb = match self {
            Self::Read => "read",
            Self::Search => "searched",
            Self::Run => "ran",
            Self::Edit => "edited",
            Self::Web => "web",
            Self::Agent => "delegated",
            Self::Other => "other",
        };
        format!("{verb} {calls}")
    }

    /// So many calls of it alone, as a heading: `Read 5 files`.
    fn alone(self, calls: u64) -> String {
        match self {
            Self::Read => format!("Read {}", counted(calls, "file", "files")),
            Self::Search => format!("Searched {}", counted(calls, "time", "times")),
            Self::Run => format!("Ran {}", counted(calls, "command", "commands")),
            Self::Edit => counted(calls, "edit", "edits"),
            Self::Web => counted(calls, "web request", "web requests"),
            Self::Agent => counted(calls, "sub-agent", "sub-agents"),
            Self::Other => counted(calls, "call", "calls"),
        }
    }
}

/// Numbers of calls by kind, in words: `read 9, ran 6, edited 3`.
#[must_use]
pub fn did(kinds: &BTreeMap<CallKind, u64>) -> String {
    let words: Vec<String> = kinds.iter().map(|(kind, calls)| kind.did(*calls)).collect();
    words.join(", ")
}

/// The name of a group of calls: `Read 5 files`, `read 2, ran 1`.
pub(super) fn named(kinds: &BTreeMap<CallKind, u64>) -> String {
    match kinds.iter().next() {
        Some((kind, calls)) if kinds.len() == 1 => kind.alone(*calls),
        _ => did(kinds),
    }
}
