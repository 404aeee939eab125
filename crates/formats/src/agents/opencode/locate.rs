//! OpenCode's data directories, and the detection of its files.

use std::borrow::Cow;
use std::sync::Arc;

use memchr::memmem;
use session::{
    Bundle, EventRef, Kind, Member, Memory, Node, Reading, Session, Slot, Split, Stream, value,
};

use super::{NAME, case, map, rows};
use crate::claim::{Candidate, Claim, Role};
use crate::place::{Base, Place};
use crate::probe;

/// Names of files that hold credentials.
pub(super) const SEALED: &[&str] = &["mcp-auth.json"];

/// The data folder is the same on every system, Windows and macOS included. Only other programs use
/// `OPENCODE_DATA_DIR`. The archived product kept its database within each project, and its
/// settings in the user's home.
pub(super) static PLACES: &[Place] = &[
    Place { base: Base::Data, folder: "opencode", leaves: &[] },
    Place { base: Base::Home, folder: ".opencode", leaves: &["storage"] },
    // The archived product, if the home is the project.
    Place { base: Base::Home, folder: ".opencode/opencode.db", leaves: &[] },
    Place { base: Base::Added("OPENCODE_DATA_DIR"), folder: "", leaves: &[] },
    Place { base: Base::Beside(DATABASE), folder: "opencode", leaves: &[] },
];

/// Variable naming a database, as an absolute path or relative to the data folder. The data folder
/// is scanned as a whole anyway.
pub(super) const DATABASE: &str = "OPENCODE_DB";

/// Bare repositories, check-outs and logs of the data folder: many files, no sessions.
pub(super) const CLOSED: &[&str] =
    &["snapshot", "worktree", "repos", "bin", "log", "tool-output", "plans"];

/// Whether a member is the dump of a database: one line per row.
pub(super) fn is_dump(bytes: &[u8]) -> bool {
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    start.starts_with(b"{\"table\":")
}

/// Format detection. The content decides; in a storage tree, the path names the session.
pub(super) fn claim(file: &Candidate<'_>) -> Claim {
    let filed = Filed::of(file.path);
    let closely = is_marked(file.head) || filed.is_some();
    let seen = if closely { look(file, filed.as_ref()) } else { Seen::default() };
    if seen.values {
        let group = match &filed {
            // Parts may name only their message, which has their session.
            Some(Filed::Message(..)) => seen.message.or_else(|| filed.as_ref()?.group()),
            Some(filed) => seen.session.or(seen.of).or_else(|| filed.group()),
            None => None,
        };
        let beside = filed.is_some_and(|filed| !matches!(filed, Filed::Header(_)));
        let role = if beside { Role::Beside(None) } else { Role::Main };
        return Claim::Part { group: group.unwrap_or_else(|| file.path.to_owned()), role };
    }
    match filed {
        Some(Filed::List(session)) if file.head.trim_ascii_start().starts_with(b"[") => {
            Claim::Part { group: session.to_owned(), role: Role::Beside(None) }
        }
        Some(Filed::Project) | None if seen.project => Claim::NoSession(PROJECT),
        _ => skipped(file),
    }
}

const PROJECT: &str = "what is known of a project; its sessions are files of their own";

/// The session of a message: the group that contains the message's own group.
pub(super) fn above(file: &Candidate<'_>) -> Option<String> {
    let filed = Filed::of(file.path).filter(|filed| matches!(filed, Filed::Message(..)))?;
    look(file, Some(&filed)).session.or_else(|| filed.session().map(str::to_owned))
}

/// The other files of OpenCode's folders.
fn skipped(file: &Candidate<'_>) -> Claim {
    if !file.folders().any(|folder| matches!(folder, "opencode" | ".opencode")) {
        return Claim::No;
    }
    Claim::NoSession(match (file.file(), file.folders().next()) {
        ("migration", Some("storage")) => "which migrations of the storage were done",
        (_, Some("project" | "permission")) => "in the folder of what is known of projects",
        (_, Some("log")) => "in the folder of the program's logs",
        (_, Some("tool-output")) => "in the folder of what tools said beyond what sessions keep",
        _ => "in OpenCode's folders, and nothing that is known as a session",
    })
}

/// Names, one of which a head must have before it is parsed.
const MARKS: &[&[u8]] = &[
    b"\"sessionID\"",
    b"\"messageID\"",
    b"\"projectID\"",
    b"\"worktree\"",
    b"\"ses_",
    b"{\"table\":",
];

fn is_marked(head: &[u8]) -> bool {
    MARKS.iter().any(|mark| memmem::find(head, mark).is_some())
}

/// The values at the beginning of a file.
#[derive(Default)]
struct Seen {
    /// Messages, parts or headers of sessions.
    values: bool,
    /// The session that the first of them names.
    session: Option<String>,
    /// The id of the first of them if it is a message, or of its message if it is a part.
    message: Option<String>,
    of: Option<String>,
    /// A project's settings.
    project: bool,
}

fn look(file: &Candidate<'_>, filed: Option<&Filed<'_>>) -> Seen {
    let mut seen = Seen::default();
    let Some(read) = read(file.head) else { return seen };
    for event in read.events() {
        if event.kind == Kind::Opaque {
            seen.begun(event.bytes(), filed);
        } else {
            seen.event(event, filed);
        }
    }
    seen
}

impl Seen {
    fn event(&mut self, event: EventRef<'_>, filed: Option<&Filed<'_>>) {
        if is_ours(event) || filed.is_some_and(|filed| filed.holds(event)) {
            self.values = true;
            let text = |slot| event.text(slot).filter(|id| !id.is_empty()).map(Cow::into_owned);
            self.session = self.session.take().or_else(|| text(Slot::Session));
            self.of = self.of.take().or_else(|| text(Slot::Message));
            if event.case.name == "message" {
                self.message = self.message.take().or_else(|| text(Slot::Id));
            }
        }
        self.project |= event.case.name == "project";
    }

    /// A value that is longer than the head: its complete part is read like any other value. If
    /// that is no value of OpenCode's, the outermost names decide.
    fn begun(&mut self, text: &[u8], filed: Option<&Filed<'_>>) {
        let begun = session::closed(text);
        let whole = begun.as_deref().and_then(read);
        // An export may have its header last, beyond the head.
        let first = |node: Node<'_>| {
            let first = node.at(map::MESSAGES)?.elements().next()?;
            read(first.raw())
        };
        let listed = || begun.as_deref().and_then(|begun| probe::look(begun, first).flatten());
        for begun in [whole, listed()].iter().flatten() {
            begun.events().for_each(|event| self.event(event, filed));
        }
        if !self.values {
            let begins = cut(text);
            self.values = begins.is_some();
            self.session = self.session.take().or(begins.flatten());
        }
    }
}

fn read(head: &[u8]) -> Option<Session> {
    let member = Member::new("", Stream::Main, head.to_vec())?;
    let mut memory = Memory::default();
    let mut reading = Reading::new(NAME, &Arc::new(Bundle::of(member)), &mut memory);
    let split = if is_dump(head) { Split::Lines } else { Split::Concatenated };
    reading.member(0, split, case::record);
    Some(reading.finish())
}

/// Whether only OpenCode writes such a value. Other agents write roles, types and titles too.
fn is_ours(event: EventRef<'_>) -> bool {
    let named = |slot, names: &[&[u8]]| {
        let fields = event.fields().iter().filter(|field| field.slot == slot);
        fields.copied().any(|field| names.contains(&event.name(field)))
    };
    match event.case.name {
        "session" => {
            event.text(Slot::Session).is_some_and(|id| id.starts_with("ses_"))
                || named(Slot::Native, &[b"projectID", b"table"])
        }
        "unknown" => false,
        _ => {
            named(Slot::Session, &[b"sessionID"])
                || named(Slot::Message, &[b"messageID"])
                || (named(Slot::Native, &[b"table"]) && rows::is_named(event.bytes()))
        }
    }
}

/// The session of a truncated value, if the value is OpenCode's. Nested names are ignored: they
/// belong to its contents.
fn cut(text: &[u8]) -> Option<Option<String>> {
    let (mut named, mut session, mut header) = (false, None, None);
    for (name, value) in probe::members(text) {
        let id = || Some(value::unescape(value?).into_owned());
        match name {
            b"sessionID" => (named, session) = (true, id()),
            b"messageID" => named = true,
            b"id" => header = id().filter(|id| id.starts_with("ses_")),
            _ => {}
        }
    }
    if named { Some(session) } else { header.map(Some) }
}

/// Position of a file in a storage tree.
enum Filed<'p> {
    /// A session's header.
    Header(&'p str),
    /// A message: its session and its id.
    Message(&'p str, &'p str),
    /// A part, with its message, and in the first builds its session.
    Part(&'p str, Option<&'p str>),
    /// A list about a session.
    List(&'p str),
    /// A project's file.
    Project,
}

impl<'p> Filed<'p> {
    fn of(path: &'p str) -> Option<Self> {
        let mut parts = path.rsplit('/');
        let stem = parts.next()?.strip_suffix(".json")?;
        let above: [&str; 4] = std::array::from_fn(|_| parts.next().unwrap_or_default());
        Some(match above {
            ["info", "session", ..] => Self::Header(stem),
            [session, "message", ..] => Self::Message(session, stem),
            [message, session, "part", "session"] => Self::Part(message, Some(session)),
            [message, "part", ..] => Self::Part(message, None),
            ["share", "session", ..] => Self::List(stem),
            [_, "session", ..] => Self::Header(stem),
            ["session_diff" | "todo" | "session_share" | "share", ..] => Self::List(stem),
            ["project" | "permission", ..] => Self::Project,
            _ => return None,
        })
    }

    fn session(&self) -> Option<&'p str> {
        match *self {
            Self::Header(id) | Self::Message(id, _) | Self::List(id) => Some(id),
            Self::Part(_, session) => session,
            Self::Project => None,
        }
    }

    /// The group of the file: the session. For a message and its parts it is the message, which has
    /// the session.
    fn group(&self) -> Option<String> {
        let id = match *self {
            Self::Message(_, message) => Some(message),
            Self::Part(message, session) => session.or(Some(message)),
            _ => self.session(),
        };
        id.map(str::to_owned)
    }

    /// Whether the event belongs to the folder's session or message. Some parts name neither, and
    /// shares name no session.
    fn holds(&self, event: EventRef<'_>) -> bool {
        match self {
            Self::Part(..) => {
                event.field(Slot::Type).is_some()
                    && !matches!(event.case.name, "message" | "session")
            }
            Self::List(_) => event.case.name == "share",
            // A message of the first builds names its session behind its parts.
            Self::Message(_, id) => {
                event.case.name == "message" && event.text(Slot::Id).as_deref() == Some(*id)
            }
            _ => false,
        }
    }
}

/// The session in the path of a storage tree's file. Outside the tree's folders, a file whose name
/// is a session's id is about that session.
pub(super) fn session_of(name: &str) -> Option<String> {
    let alone = || name.strip_suffix(".json").filter(|id| id.starts_with("ses_"));
    let filed = Filed::of(name);
    filed.map_or_else(alone, |filed| filed.session()).map(str::to_owned)
}

/// The message in a part's path.
pub(super) fn message_of(name: &str) -> Option<&str> {
    match Filed::of(name)? {
        Filed::Part(message, _) => Some(message),
        _ => None,
    }
}
