//! What each agent writes: one folder a format, one line in the registry.
//!
//! A format is data (tables, places) and a little code (splitting, standing, writing). It sees
//! bytes and names that were given to it; it opens nothing.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods, clippy::disallowed_types))]

use std::borrow::Cow;
use std::sync::Arc;

use session::attribution::Change;
use session::usage::Convention;
use session::{Bundle, EventIx, Map, Member, Origin, Session, Span};

pub mod attribution;
pub mod budget;
mod claude_code;
mod codewhale;
mod codex;
mod cursor;
pub mod database;
mod document;
mod gemini;
mod json_eq;
mod opencode;
mod probe;
mod registry;
mod sage;
mod standings;
pub mod stead;
pub mod strangers;
#[cfg(test)]
mod testing;
pub mod tools;
pub mod vac;
mod written;

pub use registry::{ALL, Formats, by_name};
pub use written::{Carried, Content, Loss, Losses, Options, Restored, WriteError, Written, native};

/// One agent's way to keep its sessions, or one document of ours.
pub trait Format: Sync {
    /// Its name in the registry and in every document: `claude-code`.
    fn name(&self) -> &'static str;

    /// Where its sessions live by default and by environment.
    fn places(&self) -> &'static [Place];

    /// Folders directly below its places that hold no sessions, whatever is in them.
    fn closed(&self) -> &'static [&'static str] {
        &[]
    }

    /// Does the agent itself name its files so? Then it is asked first what the file is. It is the
    /// content that decides: files are renamed, and others may have the same idea of a name.
    fn is_named(&self, file: &Candidate<'_>) -> bool {
        let _ = file;
        false
    }

    /// What a file is to this format. Looks at its name (relative to the place, `/` between
    /// parts) and the first bytes of it (64 KiB, or all of a shorter file), never at more.
    fn claim(&self, file: &Candidate<'_>) -> Claim;

    /// The group that the group of a claimed file is a part of, where the file says so: a turn
    /// belongs to a thread, a thread to a session, and no other file says it.
    fn above(&self, file: &Candidate<'_>) -> Option<String> {
        let _ = file;
        None
    }

    /// Where the files of the session that one file is a part of may lie.
    fn reach(&self) -> Reach {
        Reach::Folder
    }

    /// True where a place of this machine may hold some of a session's files while others lie in
    /// another such place: the one that this variable names, or a default one. Rows of a database
    /// and files beside it are in different places as a rule.
    fn is_spread(&self, variable: Option<&str>) -> bool {
        variable.is_none() && !self.databases().is_empty()
    }

    /// True where ids are short and known within one store only: two answers with one id may be two
    /// answers, unless their times are one too.
    fn has_short_ids(&self) -> bool {
        false
    }

    /// A member as it is read. What an agent wrote without JSON becomes records of it, with the
    /// stored bytes kept ([`session::Transport::Text`]).
    fn decode(&self, member: Member) -> Member {
        member
    }

    /// Reads a bundle whose members it has claimed, each of them decoded. Never fails: what cannot
    /// be understood is kept, and noted.
    fn read(&self, bundle: Arc<Bundle>) -> Vec<Session>;

    /// How its token counters are to be read.
    fn convention(&self) -> Convention {
        Convention::PLAIN
    }

    /// What the session's tool calls did to files, in source order: the event, the file's path as
    /// the agent wrote it, and the change. What can't be known is not in it.
    fn changes(&self, _session: &Session) -> Vec<(EventIx, String, Change)> {
        Vec::new()
    }

    /// The agent's tools, with the meaning of their arguments.
    fn tools(&self) -> &'static tools::Tools {
        &tools::NONE
    }

    /// The tools of which [`Format::changes`] knows what they do to files: a call of another one
    /// that looks like an edit is told as one that can't be derived.
    fn followed(&self) -> &'static [&'static str] {
        &[]
    }

    /// Every table of the format, by a name for people.
    fn maps(&self) -> &'static [(&'static str, &'static Map)];

    /// Its databases, if it has any.
    fn databases(&self) -> &'static [database::Database] {
        &[]
    }

    /// The folder of the project that the session in `file` is about, where the agent wrote it into
    /// other files. `read` gives the bytes of a file by its path relative to the folder of `file`
    /// (`../.project_root`), `None` where there is none. What the session itself says
    /// ([`session::Slot::WorkingDir`]) comes first.
    fn project(&self, file: &str, read: &dyn Fn(&str) -> Option<Vec<u8>>) -> Option<String> {
        let _ = (file, read);
        None
    }

    /// What of a session breaks the rules that the agent's own documents state; `None` where they
    /// state none.
    fn validate(&self, session: &Session) -> Option<Vec<Finding>> {
        let _ = session;
        None
    }

    /// Writes a session in this format. The origin's own format gives the stored bytes back; for
    /// another one, the losses are named.
    ///
    /// # Errors
    /// Where this format cannot hold the session at all.
    fn write(&self, session: &Session) -> Result<Written, WriteError>;

    /// The same where there is more than one way: documents, and sessions of databases.
    ///
    /// # Errors
    /// As [`Format::write`].
    fn write_with(&self, session: &Session, options: &Options) -> Result<Written, WriteError> {
        self.write(session).map(|written| written::dumped(session, options, written))
    }

    /// What a session of this format was made from, where the format is a document that holds
    /// other agents' sessions; `None` for an agent's own, and for a document of another program
    /// that does not tell what it was made from. The result is an error where the document does
    /// not hold together.
    fn restore(&self, session: &Session) -> Option<Result<Restored, WriteError>> {
        let _ = session;
        None
    }

    /// Where a session that is written in this format belongs, so that its agent takes it up: a
    /// path with words for what varies, or a command. `None` for a document.
    fn belongs(&self) -> Option<&'static str> {
        None
    }

    /// True for a document that can be made of every agent's session: no agent keeps its own in it.
    fn is_document(&self) -> bool {
        self.places().is_empty()
    }

    /// The agent's program as documents name it, where that is not the format's name.
    fn program(&self) -> &'static str {
        self.name()
    }

    /// The word for this agent in the stead schema's list of backends; `None` where that list does
    /// not have it.
    fn stead_backend(&self) -> Option<&'static str> {
        None
    }
}

/// How far the files of one session may lie apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// In one folder, and one within it that has the name of the session's group.
    Folder,
    /// In several folders of the agent's home, each with the name of the group in its own.
    Named,
    /// Anywhere in the agent's home; outside of one, in folders with these names side by side.
    Whole(&'static [&'static str]),
}

/// A place where a session does not meet its agent's own rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The event that it is about.
    pub origin: Origin,
    /// The bytes of its value.
    pub span: Span,
    /// Rule or recommendation.
    pub weight: Weight,
    /// The rule, in words.
    pub rule: &'static str,
}

/// How much a [`Finding`] weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// A recommendation is not followed: the session is valid.
    Advice,
    /// A rule is broken: the session is not valid.
    Error,
}

/// A place where sessions live: a folder below a base.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// What the folder is relative to.
    pub base: Base,
    /// The folder below the base, `/` between parts.
    pub folder: &'static str,
    /// Folders below the place that hold sessions, for a user who names the agent's home or one
    /// of them: `~/.codex` and `~/.codex/sessions` are the same place.
    pub leaves: &'static [&'static str],
}

/// What a [`Place`] is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// An environment variable, if set and not empty; it replaces the default places of its format
    /// that come behind it.
    Variable(&'static str),
    /// The same where commas may stand between several folders.
    List(&'static str),
    /// The same where the agent takes white space around the value off and `~` for the user's home,
    /// and refuses what is not absolute then.
    Expanded(&'static str),
    /// An environment variable that names a folder, or a file, absolutely; it comes beside the
    /// default places.
    Added(&'static str),
    /// The same where a relative name is one in the place's folder of the user's data: what leaves
    /// that folder counts, since the folder itself is another place.
    Beside(&'static str),
    /// The user's home.
    Home,
    /// The home of programs that came from Unix: `$HOME`, and on Windows also `%APPDATA%`.
    UnixHome,
    /// The folder for temporary files, where the user has no home or `$HOME` is empty.
    Temporary,
    /// `$XDG_CONFIG_HOME` or `~/.config`.
    Config,
    /// `$XDG_DATA_HOME` or `~/.local/share`.
    Data,
    /// The platform's folder for application data: `~/.config`, `~/Library/Application Support`,
    /// `%APPDATA%`.
    Application,
}

/// A file that may be a session or a part of one.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Its path, `/` between parts, as far as it is known (at least the file's name).
    pub path: &'a str,
    /// Its first bytes, decompressed: 64 KiB, or all of a shorter file.
    pub head: &'a [u8],
    /// Its last bytes (64 KiB at most; empty where `head` is the whole file).
    pub tail: Tail<'a>,
    /// Its whole length in bytes as stored.
    pub length: u64,
}

/// The last bytes of a file: few formats ask for them, and seldom.
#[derive(Clone, Copy)]
pub enum Tail<'a> {
    /// They are these.
    Is(&'a [u8]),
    /// They are read when they are asked for; none where they can't be read.
    Later(&'a dyn Fn() -> Vec<u8>),
}

impl<'a> Tail<'a> {
    /// The bytes.
    #[must_use]
    pub fn bytes(self) -> Cow<'a, [u8]> {
        match self {
            Self::Is(bytes) => Cow::Borrowed(bytes),
            Self::Later(read) => Cow::Owned(read()),
        }
    }
}

impl std::fmt::Debug for Tail<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tail")
    }
}

impl<'a> Candidate<'a> {
    /// The file's name.
    #[must_use]
    pub fn file(&self) -> &'a str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }

    /// The folders above the file, the nearest first.
    pub fn folders(&self) -> impl Iterator<Item = &'a str> {
        self.path.rsplit('/').skip(1)
    }
}

/// What a file is to a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// A part of the session (or sessions) that `group` names; files with one group are one
    /// bundle. `id` is the session's id as far as name and head tell.
    Part {
        /// Files of one session have the same group: the session's id, as a rule.
        group: String,
        /// How the file belongs to it.
        role: Role,
    },
    /// Written by this agent, but no session: why, in words for people.
    NoSession(&'static str),
    /// Not this format's.
    No,
}

/// How a file belongs to its session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// The session itself.
    Main,
    /// A sub-agent's history; the stem of its file.
    Sub(String),
    /// Something beside it that belongs to the stream with this stem (`None`: the main one).
    Beside(Option<String>),
}
