//! The format of an agent's session files: places, detection, reading, writing.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use meaning::account::LedgerRow;
use meaning::usage::Convention;
use replay::Change;
use session::edit::Edit;
use session::{Bundle, EventIx, Map, Member, Memory, Origin, Session, Span};

use crate::claim::{Candidate, Claim};
use crate::convert::Target;
use crate::place::Place;
use crate::resume::Resume;
use crate::turns::TurnRules;
use crate::typed::PromptList;
use crate::worded::WordedOf;
use crate::written::{self, Files, Options, Restored, WriteError, Written};
use crate::{database, tools};

/// Whether the changes of a call are wanted.
pub type WantedCalls<'w> = &'w dyn Fn(EventIx) -> bool;

/// The changes of files that a session's calls make: the event, the path, the change. Those of
/// calls that are not wanted may be left out: mostly it is they that cost time.
pub type ChangesOf = fn(&Session, WantedCalls<'_>) -> Vec<(EventIx, String, Change)>;

/// The bytes of a file, by its path relative to the folder of another one.
pub type ReadBeside<'r> = &'r dyn Fn(&str) -> Option<Vec<u8>>;

/// The facts of a format: what can be said of it without a file's content, and functions of names.
#[derive(Debug)]
pub struct FormatData {
    /// Its name in the registry and in every document: `claude-code`.
    pub name: &'static str,
    /// The agent's program as documents name it.
    pub program: &'static str,
    /// The agent's name in the stead schema's list of backends; `None` if the list lacks it.
    pub stead_backend: Option<&'static str>,
    /// The default places of its sessions, and the variables that name others; none for a document.
    pub places: &'static [Place],
    /// Files and folders in the agent's home that are no sessions, but that resuming or showing one
    /// needs, or that name sessions: an archive keeps them too, and nothing else of the home. `*`
    /// is any name.
    pub sidecars: &'static [&'static str],
    /// The files in the agent's home that list what was typed in all sessions: they may have
    /// prompts of sessions that are gone.
    pub typed: &'static [PromptList],
    /// After how many days the agent deletes a session that nobody has written to, by its own
    /// settings, which the argument reads: a file of the agent's home. `None` if it deletes none.
    pub retention: Option<fn(ReadBeside<'_>) -> Option<u64>>,
    /// Names of the agent's files that hold credentials, besides the usual ones. No such file is
    /// opened, wherever it is.
    pub sealed: &'static [&'static str],
    /// Folders directly below its places that contain no sessions, and are not scanned.
    pub closed: &'static [&'static str],
    /// Whether the name follows the agent's own scheme. Such formats are probed first. The content
    /// still decides: files are renamed, and other programs may use such names.
    pub is_named: fn(&Candidate<'_>) -> bool,
    /// The group that contains the group of a claimed file, if only the file names it: a turn
    /// belongs to a thread, a thread to a session.
    pub above: fn(&Candidate<'_>) -> Option<String>,
    /// The search range for the other files of a session.
    pub reach: Reach,
    /// The id of a session, or its beginning, in the name of a main file that the agent itself
    /// named. A search for another session does not open this file.
    pub id_in_name: fn(&str) -> Option<&str>,
    /// Whether a file of this name, in a folder with many sessions, may be a part of one without
    /// having its id in the name. A search for one session opens only such neighbours.
    pub may_be_beside: fn(&str) -> bool,
    /// Whether the main history of a session may be in several files of one folder. Otherwise a
    /// second file of a session is a copy.
    pub divides_sessions: bool,
    /// Whether the files of one session may be in two places of this machine: the one that this
    /// variable names, and a default one. `None` for the rule of most: rows of a database and files
    /// beside it are in different places.
    pub is_spread: Option<fn(Option<&str>) -> bool>,
    /// Whether ids are short and unique within one store only. Two answers with one id may then be
    /// two answers, unless their times are equal too.
    pub has_short_ids: bool,
    /// The meaning of its token counters.
    pub convention: Convention,
    /// Names of the tags around text that the agent puts before or behind a person's prompt.
    pub wrappers: &'static [&'static str],
    /// The names of the elements that have the person's own words of a prompt.
    pub query: &'static [&'static str],
    /// The person's own words in the text of a prompt, where the agent puts tags around them and
    /// adds nothing else. A conversion to another agent has only these.
    pub words: fn(&str) -> Cow<'_, str>,
    /// The text of an item of the conversation that no single string of its record is.
    pub worded: WordedOf,
    /// The text of a tool's answer that says what became of the call, where the agent puts other
    /// texts around it. A line about the call has only this.
    pub outcome_text: fn(&str) -> &str,
    /// The agent's tools, with the meaning of their arguments.
    pub tools: &'static tools::Tools,
    /// The records that tell how its turns ended, under which settings, and what was approved.
    pub turns: &'static TurnRules,
    /// Every table of the format, with a name for people.
    pub maps: &'static [(&'static str, &'static Map)],
    /// Its databases, if it has any.
    pub databases: &'static [database::Database],
    /// The changes of files by the session's tool calls, in source order: the event, the file's
    /// path as the agent wrote it, and the change. Unknown changes are left out. `None` if the
    /// format derives none: then each call that looks like an edit is reported as underivable.
    pub changes: Option<ChangesOf>,
    /// The folder of the session's project, if the agent wrote it into other files: by the path of
    /// a file, and a function that returns the bytes of a file by its path relative to the folder
    /// of that one (`../.project_root`). The session's own folder
    /// ([`session::Slot::WorkingDir`]) takes precedence.
    pub project: fn(&str, ReadBeside<'_>) -> Option<String>,
    /// The place of the history that the bundle of a session continues, if that is in the files of
    /// another session (a fork that copies nothing).
    pub history: fn(&Bundle) -> Option<History>,
    /// The form that the agent plans for its projects; `None` if it plans none.
    pub planned_form: Option<&'static PlannedForm>,
    /// Violations of the rules in the agent's own documents; `None` if it has no such rules.
    pub validate: Option<fn(&Session) -> Vec<Finding>>,
    /// The way to write another agent's session, so that this agent resumes it; `None` for a
    /// document, which is written by its own rules.
    pub target: Option<&'static Target>,
    /// The rules by which the agent continues a session; `None` for a document.
    pub resume: Option<&'static Resume>,
    /// Target path or command for a written session, so that its agent loads it; the path has
    /// placeholders. `None` for a document.
    pub belongs: Option<&'static str>,
    /// The entry by which the agent starts a server of the Model Context Protocol; `None` if it
    /// takes none.
    pub mcp: Option<McpEntry>,
}

/// The entry of a server of the Model Context Protocol in the settings of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct McpEntry {
    /// The file of the settings, for people.
    pub file: &'static str,
    /// The entry for `verbatim mcp`, in the form of that file.
    pub text: &'static str,
}

impl McpEntry {
    /// An entry of a file of JSON that has the servers in `mcpServers`, as most agents have it.
    #[must_use]
    pub const fn of_servers(file: &'static str) -> Self {
        let text = r#"{
  "mcpServers": {
    "verbatim": {
      "command": "verbatim",
      "args": ["mcp"]
    }
  }
}"#;
        Self { file, text }
    }
}

const fn no_id(_: &str) -> Option<&str> {
    None
}

const fn all_words(prompt: &str) -> Cow<'_, str> {
    Cow::Borrowed(prompt)
}

impl FormatData {
    /// A format with this name and these tables, and nothing else.
    #[must_use]
    pub const fn of(name: &'static str, maps: &'static [(&'static str, &'static Map)]) -> Self {
        Self {
            name,
            program: name,
            stead_backend: None,
            places: &[],
            sidecars: &[],
            typed: &[],
            retention: None,
            sealed: &[],
            closed: &[],
            is_named: |_| false,
            above: |_| None,
            reach: Reach::Folder,
            id_in_name: no_id,
            may_be_beside: |_| true,
            divides_sessions: false,
            is_spread: None,
            has_short_ids: false,
            convention: Convention::PLAIN,
            wrappers: &[],
            query: &[],
            words: all_words,
            worded: |_| None,
            outcome_text: |answer| answer,
            tools: &tools::NONE,
            turns: &TurnRules::NONE,
            maps,
            databases: &[],
            changes: None,
            project: |_, _| None,
            history: |_| None,
            planned_form: None,
            validate: None,
            target: None,
            resume: None,
            belongs: None,
            mcp: None,
        }
    }
}

/// The format of one agent's session files, or of one document: its facts, and what it does with
/// content.
pub trait Format: Sync {
    /// Its facts.
    fn data(&self) -> &'static FormatData;

    /// Format detection: the claim on a file, by its name (relative to the place, `/` between
    /// parts) and its first bytes (64 KiB, or all of a shorter file).
    fn claim(&self, file: &Candidate<'_>) -> Claim;

    /// Decodes a member. A text without JSON becomes records of JSON, with the stored bytes kept
    /// ([`session::Transport::Text`]).
    fn decode(&self, member: Member) -> Member {
        member
    }

    /// Reads a bundle of claimed and decoded members, with the memory of earlier readings: faster
    /// where many short sessions are read. Reading never fails: bytes that can't be understood are
    /// kept, and noted.
    fn read_with(&self, bundle: Arc<Bundle>, memory: &mut Memory) -> Vec<Session>;

    /// The same, without such a memory.
    fn read(&self, bundle: Arc<Bundle>) -> Vec<Session> {
        self.read_with(bundle, &mut Memory::default())
    }

    /// Writes a session in this format. The session's own format returns the stored bytes; a
    /// document names the ledger's rows. Other agents' sessions are written by
    /// [`crate::write_with`].
    ///
    /// # Errors
    ///
    /// If this format can't represent the session at all.
    fn write(&self, session: &Session) -> Result<Written, WriteError> {
        let to = self.data().name;
        match session.format == to {
            true => Ok(written::native(session)),
            false => Err(WriteError::Foreign { from: session.format, to }),
        }
    }

    /// Writes a session with options, for documents and for sessions of databases.
    ///
    /// # Errors
    ///
    /// As [`Format::write`].
    fn write_with(&self, session: &Session, options: &Options) -> Result<Written, WriteError> {
        self.write(session).map(|written| written::dumped(session, options, written))
    }

    /// The same, file by file as they are written: a document is never whole in memory. Gives the
    /// ledger's rows.
    ///
    /// # Errors
    ///
    /// As [`Format::write`]; those of `files`.
    fn write_to(
        &self,
        session: &Session,
        options: &Options,
        files: &mut dyn Files,
    ) -> Result<Vec<LedgerRow>, WriteError> {
        Ok(self.write_with(session, options)?.hand_on(session, files)?)
    }

    /// The native session that a document was made from, if this format is a document. `None` for
    /// an agent's own session, and for another program's document without a source. The result is
    /// an error if the document contradicts itself.
    fn restore(&self, session: &Session) -> Option<Result<Restored, WriteError>> {
        let _ = session;
        None
    }
}

impl dyn Format + '_ {
    /// Its name in the registry and in every document: `claude-code`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.data().name
    }

    /// Whether the files of one session may be in two places of this machine: the one that this
    /// variable names, and a default one.
    #[must_use]
    pub fn is_spread(&self, variable: Option<&str>) -> bool {
        let data = self.data();
        match data.is_spread {
            Some(rule) => rule(variable),
            None => variable.is_none() && !data.databases.is_empty(),
        }
    }

    /// Whether it is a document that any agent's session can be converted to. No agent stores its
    /// own sessions in it.
    #[must_use]
    pub fn is_document(&self) -> bool {
        self.data().places.is_empty()
    }
}

impl fmt::Debug for dyn Format + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Format").field(&self.name()).finish()
    }
}

/// The place of a history that a session continues, in the files of another session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// The id of the other session.
    pub session: String,
    /// A part of the name of its file.
    pub file: String,
}

/// The form that an agent plans for its projects.
#[derive(Debug)]
pub struct PlannedForm {
    /// Name of the folder of a project, from the project's path or the folder's present name;
    /// `None` if no name is left.
    pub folder: fn(&str) -> Option<String>,
    /// The byte edits that bring a session to this form: members are added, and every byte stays.
    /// The names identify the file, before and after a migration alike. The same session gives the
    /// same edits, and an edited session none.
    pub lines: fn(&Session, &[&str], LinePhases) -> Vec<Edit>,
    /// The consequence of renamed folders, for the user.
    pub renamed: &'static str,
}

/// Phases of a migration that add members to lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinePhases {
    /// Ids of message and session, derived.
    pub ids: bool,
    /// Estimates of tokens, apart from counted usage.
    pub estimates: bool,
}

/// The search range for the other files of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// In one folder, and in its subfolder that is named after the session's group.
    Folder,
    /// In several folders of the agent's home: each file, or its folder, is named after its group.
    Named,
    /// Anywhere in the agent's home. Outside of a home, in folders with these names side by side.
    Whole(&'static [&'static str]),
}

/// A violation of an agent's own rules, and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The event that violates the rule.
    pub origin: Origin,
    /// The bytes of the event's value.
    pub span: Span,
    /// Rule or recommendation.
    pub weight: Weight,
    /// The rule, in words.
    pub rule: &'static str,
}

/// Weight of a [`Finding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// A recommendation is not followed: the session is valid.
    Advice,
    /// A rule is violated: the session is not valid.
    Error,
}

/// The formats that a function may use: the registry, or a test's own list.
pub type Formats<'f> = &'f [&'static dyn Format];
