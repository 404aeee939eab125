//! The format of an agent's session files: places, detection, reading, writing.

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
use crate::written::{self, Files, Options, Restored, WriteError, Written};
use crate::{database, tools};

/// The format of one agent's session files, or of one document.
pub trait Format: Sync {
    /// Its name in the registry and in every document: `claude-code`.
    fn name(&self) -> &'static str;

    /// The default places of its sessions, and the variables that name others.
    fn places(&self) -> &'static [Place];

    /// Names of the agent's files that hold credentials, besides the usual ones. No such file is
    /// opened, wherever it is.
    fn sealed(&self) -> &'static [&'static str] {
        &[]
    }

    /// Folders directly below its places that contain no sessions, and are not scanned.
    fn closed(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether the name follows the agent's own scheme. Such formats are probed first. The content
    /// still decides: files are renamed, and other programs may use such names.
    fn is_named(&self, file: &Candidate<'_>) -> bool {
        let _ = file;
        false
    }

    /// Whether the main history of a session may be in several files of one folder. Otherwise a
    /// second file of a session is a copy.
    fn divides_sessions(&self) -> bool {
        false
    }

    /// Format detection: the claim on a file, by its name (relative to the place, `/` between
    /// parts) and its first bytes (64 KiB, or all of a shorter file).
    fn claim(&self, file: &Candidate<'_>) -> Claim;

    /// The group that contains the group of a claimed file, if only the file names it: a turn
    /// belongs to a thread, a thread to a session.
    fn above(&self, file: &Candidate<'_>) -> Option<String> {
        let _ = file;
        None
    }

    /// The search range for the other files of a session.
    fn reach(&self) -> Reach {
        Reach::Folder
    }

    /// The id of a session, or its beginning, in the name of a main file that the agent itself
    /// named. A search for another session does not open this file.
    fn id_in_name<'n>(&self, name: &'n str) -> Option<&'n str> {
        let _ = name;
        None
    }

    /// Whether a file of this name, in a folder with many sessions, may be a part of one without
    /// having its id in the name. A search for one session opens only such neighbours.
    fn may_be_beside(&self, name: &str) -> bool {
        let _ = name;
        true
    }

    /// Whether the files of one session may be in two places of this machine: the one that this
    /// variable names, and a default one. Rows of a database and files beside it are mostly in
    /// different places.
    fn is_spread(&self, variable: Option<&str>) -> bool {
        variable.is_none() && !self.databases().is_empty()
    }

    /// Whether ids are short and unique within one store only. Two answers with one id may then be
    /// two answers, unless their times are equal too.
    fn has_short_ids(&self) -> bool {
        false
    }

    /// Decodes a member. A text without JSON becomes records of JSON, with the stored bytes kept
    /// ([`session::Transport::Text`]).
    fn decode(&self, member: Member) -> Member {
        member
    }

    /// Reads a bundle of claimed and decoded members. Reading never fails: bytes that can't be
    /// understood are kept, and noted.
    fn read(&self, bundle: Arc<Bundle>) -> Vec<Session> {
        self.read_with(bundle, &mut Memory::default())
    }

    /// The same, with the memory of earlier readings: faster where many short sessions are read.
    fn read_with(&self, bundle: Arc<Bundle>, memory: &mut Memory) -> Vec<Session>;

    /// The meaning of its token counters.
    fn convention(&self) -> Convention {
        Convention::PLAIN
    }

    /// The changes of files by the session's tool calls, in source order: the event, the file's
    /// path as the agent wrote it, and the change. Unknown changes are left out. `None` if the
    /// format derives none: then each call that looks like an edit is reported as underivable.
    fn changes(&self, _session: &Session) -> Option<Vec<(EventIx, String, Change)>> {
        None
    }

    /// Names of the tags around text that the agent puts before or behind a person's prompt.
    fn wrappers(&self) -> &'static [&'static str] {
        &[]
    }

    /// The agent's tools, with the meaning of their arguments.
    fn tools(&self) -> &'static tools::Tools {
        &tools::NONE
    }

    /// The records that tell how its turns ended, under which settings, and what was approved.
    fn turns(&self) -> &'static TurnRules {
        &TurnRules::NONE
    }

    /// Every table of the format, with a name for people.
    fn maps(&self) -> &'static [(&'static str, &'static Map)];

    /// Its databases, if it has any.
    fn databases(&self) -> &'static [database::Database] {
        &[]
    }

    /// The folder of the session's project, if the agent wrote it into other files. `read` returns
    /// the bytes of a file by its path relative to the folder of `file` (`../.project_root`), or
    /// `None`. The session's own folder ([`session::Slot::WorkingDir`]) takes precedence.
    fn project(&self, file: &str, read: &dyn Fn(&str) -> Option<Vec<u8>>) -> Option<String> {
        let _ = (file, read);
        None
    }

    /// The form that the agent plans for its projects; `None` if it plans none.
    fn planned_form(&self) -> Option<&'static PlannedForm> {
        None
    }

    /// Violations of the rules in the agent's own documents; `None` if it has no such rules.
    fn validate(&self, session: &Session) -> Option<Vec<Finding>> {
        let _ = session;
        None
    }

    /// Writes a session in this format. The session's own format returns the stored bytes; for
    /// another one, the ledger's rows are named.
    ///
    /// # Errors
    /// If this format can't represent the session at all.
    fn write(&self, session: &Session) -> Result<Written, WriteError>;

    /// Writes a session with options, for documents and for sessions of databases.
    ///
    /// # Errors
    /// As [`Format::write`].
    fn write_with(&self, session: &Session, options: &Options) -> Result<Written, WriteError> {
        self.write(session).map(|written| written::dumped(session, options, written))
    }

    /// The person's own words in the text of a prompt, where the agent puts tags around them and
    /// adds nothing else. A conversion to another agent has only these.
    fn words(&self) -> fn(&str) -> &str {
        |prompt| prompt
    }

    /// The way to write another agent's session, so that this agent resumes it; `None` for a
    /// document, which is written by its own rules.
    fn target(&self) -> Option<&'static Target> {
        None
    }

    /// The same, file by file as they are written: a document is never whole in memory. Gives the
    /// ledger's rows.
    ///
    /// # Errors
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

    /// The place of the history that the bundle of a session continues, if that is in the files of
    /// another session (a fork that copies nothing).
    fn history(&self, bundle: &Bundle) -> Option<History> {
        let _ = bundle;
        None
    }

    /// The rules by which the agent continues a session; `None` for a document.
    fn resume(&self) -> Option<&'static Resume> {
        None
    }

    /// Target path or command for a written session, so that its agent loads it; the path has
    /// placeholders. `None` for a document.
    fn belongs(&self) -> Option<&'static str> {
        None
    }

    /// Whether it is a document that any agent's session can be converted to. No agent stores its
    /// own sessions in it.
    fn is_document(&self) -> bool {
        self.places().is_empty()
    }

    /// The agent's program as documents name it, if that differs from the format's name.
    fn program(&self) -> &'static str {
        self.name()
    }

    /// The agent's name in the stead schema's list of backends; `None` if the list lacks it.
    fn stead_backend(&self) -> Option<&'static str> {
        None
    }
}

impl fmt::Debug for dyn Format {
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
    /// In several folders of the agent's home, each named after its group.
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
