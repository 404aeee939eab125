//! Gemini CLI's data directories, and the detection of its files.

use std::borrow::Cow;

use session::{Node, Scan, Session, Shape, Slot, Stream, value};

use super::map;
use crate::claim::{Candidate, Claim, Role};
use crate::place::{Base, Place};
use crate::probe;

const LEAVES: &[&str] = &["tmp"];

/// Names of files that hold credentials.
pub(crate) const SEALED: &[&str] = &["oauth_creds.json", "mcp-oauth-tokens.json"];

/// `.gemini` below `$GEMINI_CLI_HOME`, or below the home folder on every system. If there is no
/// home, below the folder for temporary files.
pub(super) static PLACES: &[Place] = &[
    Place { base: Base::Variable("GEMINI_CLI_HOME"), folder: ".gemini", leaves: LEAVES },
    Place { base: Base::Home, folder: ".gemini", leaves: LEAVES },
    Place { base: Base::Temporary, folder: ".gemini", leaves: LEAVES },
];

/// The folder of a project's sessions.
const CHATS: &str = "chats";

/// The folder of a project's states for `/restore`.
const CHECKPOINTS: &str = "checkpoints";

/// The first characters of a session's id at the end of its name: `session-TIME-ID.json`. What
/// verbatim places has a part behind them ([`placed_name`]).
pub(super) fn id_in_name(name: &str) -> Option<&str> {
    let mut parts = stem(name).strip_prefix("session-")?.rsplit('-');
    let is_one = |part: &&str| part.len() == BEGUN;
    let last = parts.next().filter(is_one)?;
    Some(parts.next().filter(is_one).unwrap_or(last))
}

/// Number of characters of an id in a name.
const BEGUN: usize = 8;

/// The name of a session that is placed: the minute at which it began, the first characters of its
/// id, and its last ones. When the agent resumes a session in another minute than that of its name,
/// it leaves an empty log named by that minute and the first characters, and at its next start it
/// deletes that log and every file whose name ends as the log's does. So the session that it has
/// resumed must end otherwise.
pub(super) fn placed_name(minute: &str, id: &str, ending: &str) -> String {
    let (minute, count) = (minute.replace(':', "-"), id.chars().count());
    let begun: String = id.chars().take(BEGUN).collect();
    let last: String = id.chars().skip(count.saturating_sub(BEGUN)).collect();
    // Ids of agents are random; one whose ends are alike keeps the agent's own form.
    let is_plain = last.len() == BEGUN && last.bytes().all(|byte| byte.is_ascii_alphanumeric());
    match is_plain && last != begun {
        true => format!("session-{minute}-{begun}-{last}{ending}"),
        false => format!("session-{minute}-{begun}{ending}"),
    }
}

/// An agent with such documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Gemini,
    Qwen,
}

/// The home of the agent that was made from Gemini CLI. In it the documents are that agent's,
/// whatever their answers are called: its first versions changed little.
const HOME_OF_QWEN: &str = ".qwen";

impl Family {
    /// The folder of its home.
    const fn home(self) -> &'static str {
        match self {
            Self::Gemini => ".gemini",
            Self::Qwen => HOME_OF_QWEN,
        }
    }

    /// Whether a file that says nothing of its agent is where this one's are.
    fn has_there(self, file: &Candidate<'_>) -> bool {
        file.folders().any(|folder| folder == HOME_OF_QWEN) == (self == Self::Qwen)
    }

    /// Whether a document with answers of this agent is of the family's one.
    fn owns(self, file: &Candidate<'_>, whose: Whose) -> bool {
        match whose {
            Whose::Another => false,
            _ if Self::Qwen.has_there(file) => self == Self::Qwen,
            Whose::Of(agent) => self == agent,
            Whose::Open => match end(file) {
                Whose::Of(agent) => self == agent,
                _ => self == Self::Gemini && (is_whole(file) || is_placed(file)),
            },
        }
    }
}

/// Whether no answer of another agent can be behind the window of detection. A log is one agent's
/// alone.
fn is_whole(file: &Candidate<'_>) -> bool {
    !probe::is_document(file.head) || Scan::new().read(probe::bare(file.head), 0).is_ok()
}

/// Whether a file is in a folder of sessions.
fn is_placed(file: &Candidate<'_>) -> bool {
    file.folders().any(|folder| folder == CHATS || folder == Family::Gemini.home())
}

/// Format detection. A session is detected by its content, whatever its folder. If the content is
/// damaged, name and folder are enough.
///
/// All files with one session id are one session: the copies in a hash and in a slug folder, the
/// document and the log that a newer version wrote beside it, and its sub-agents.
pub(crate) fn claim(file: &Candidate<'_>, family: Family) -> Claim {
    let stem = stem(file.file());
    if file.folders().next() == Some(CHATS) && file.file().contains(".tmp-") {
        let why = "a rewrite of a session that did not end: a copy under another name";
        return Claim::NoSession(why);
    }
    match content(file) {
        Content::Session(said) if !family.owns(file, said.whose) => Claim::No,
        Content::Other(_) | Content::Saved | Content::Unknown if !family.has_there(file) => {
            Claim::No
        }
        Content::Other(why) => Claim::NoSession(why),
        Content::Saved => Claim::Part { group: file.path.to_owned(), role: Role::Main },
        Content::Session(said) => {
            let below = parent_folder(file);
            let group = below.map(Cow::Borrowed).or_else(|| said.id.as_deref().map(plain));
            let sub = below.is_some() || said.sub || says_sub(&file.tail.bytes());
            let role = if sub { Role::Sub(stem.to_owned()) } else { Role::Main };
            let group = group.map_or_else(|| file.path.to_owned(), Cow::into_owned);
            Claim::Part { group, role }
        }
        Content::Unknown if is_long_state(file) => {
            Claim::Part { group: file.path.to_owned(), role: Role::Main }
        }
        Content::Unknown => named(file, stem, family),
    }
}

/// The claim by the name alone.
fn named(file: &Candidate<'_>, stem: &str, family: Family) -> Claim {
    let session = file.file().ends_with(".json") || file.file().ends_with(".jsonl");
    let below = parent_folder(file);
    let in_chats = file.folders().next() == Some(CHATS);
    if session && let Some(parent) = below {
        let (group, role) = (parent.to_owned(), Role::Sub(stem.to_owned()));
        return Claim::Part { group, role };
    }
    if session && in_chats && stem.starts_with("session-") {
        return Claim::Part { group: file.path.to_owned(), role: Role::Main };
    }
    if !file.folders().any(|folder| folder == family.home()) {
        return Claim::No;
    }
    let within = |name| file.folders().any(|folder| folder == name);
    Claim::NoSession(match file.file() {
        ".project_root" | "projects.json" => "tells which folder a project is",
        _ if within("tool-outputs") => "in the folder of tools' outputs, which sessions refer to",
        _ if within("logs") => "in the folder of activity logs; sessions are in `chats`",
        _ if file.folders().next() == Some(CHECKPOINTS) && file.file().ends_with(".json") => {
            "a saved state of a session, for `/restore`, without a history that can be read"
        }
        _ => "in the agent's home, and nothing that is known as a session",
    })
}

/// The parent session of a sub-agent's file: `chats/<session>/<sub-agent>.jsonl`, since 0.37.
fn parent_folder<'a>(file: &Candidate<'a>) -> Option<&'a str> {
    let mut folders = file.folders();
    let parent = folders.next()?;
    (folders.next() == Some(CHATS)).then_some(parent)
}

/// A session's id as written in names: other characters than these become `_`.
fn plain(id: &str) -> Cow<'_, str> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if id.chars().all(allowed) {
        return Cow::Borrowed(id);
    }
    id.chars().map(|c| if allowed(c) { c } else { '_' }).collect()
}

fn stem(file: &str) -> &str {
    file.strip_suffix(".jsonl").or_else(|| file.strip_suffix(".json")).unwrap_or(file)
}

/// Whether the tail of a document that is longer than its head has the mark of a flat sub-agent
/// (0.31 to 0.36) at the top level, which is indented by two.
fn says_sub(tail: &[u8]) -> bool {
    memchr::memmem::find(tail, b"\n  \"kind\": \"subagent\"").is_some()
}

/// Content type, detected from the beginning of a file.
enum Content {
    Session(Head),
    /// A state for `/restore`, with its history.
    Saved,
    /// A file of the agent that is not a session.
    Other(&'static str),
    Unknown,
}

/// The metadata, as far as it is in the head.
struct Head {
    id: Option<String>,
    sub: bool,
    whose: Whose,
}

/// The agent of messages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Of(Family),
    /// Of an agent with similar documents.
    Another,
    /// All that are there could be anybody's: a person's, and notes.
    Open,
}

/// The types of messages that do not say whose they are.
const NEUTRAL: &[&[u8]] = &[b"user", b"info", b"error", b"warning"];

/// The types of answers: the agent's own name, or the role in the model's API.
const ANSWERS: &[(&[u8], Family)] =
    &[(b"gemini", Family::Gemini), (b"model", Family::Gemini), (b"qwen", Family::Qwen)];

/// The agent whose answers have this type.
fn answered(word: &[u8]) -> Option<Family> {
    ANSWERS.iter().find(|(known, _)| *known == word).map(|(_, agent)| *agent)
}

/// Members with the conversation in documents that begin like Gemini's.
const FOREIGN: &[&[&str]] = &[&["chatMessages"], &["timeline"]];

/// The agent of messages of these types.
fn whose<'n>(types: impl Iterator<Item = &'n [u8]>) -> Whose {
    let mut whose = Whose::Open;
    for word in types {
        match answered(word) {
            Some(agent) => return Whose::Of(agent),
            None if NEUTRAL.contains(&word) => {}
            None => whose = Whose::Another,
        }
    }
    whose
}

/// The agent of a document, by its messages.
fn whose_document(node: Node<'_>) -> Whose {
    if FOREIGN.iter().any(|path| node.at(path).is_some()) {
        return Whose::Another;
    }
    let messages = node.at(map::MESSAGES).into_iter().flat_map(Node::elements);
    whose(messages.filter_map(|message| message.word(map::TYPE)))
}

/// The agent of the answers at the end of a file that is longer than its head.
fn end(file: &Candidate<'_>) -> Whose {
    let tail = file.tail.bytes();
    let types = memchr::memmem::find_iter(&tail, b"\"type\":").filter_map(|at| {
        let value = tail[at + 7..].trim_ascii_start().strip_prefix(b"\"")?;
        value.get(..memchr::memchr(b'"', value)?)
    });
    // Calls and pictures have types too, so only the names of agents count.
    whose(types.filter(|word| answered(word).is_some()))
}

fn content(file: &Candidate<'_>) -> Content {
    if probe::is_document(file.head) {
        return probe::look(probe::bare(file.head), record).unwrap_or(Content::Unknown);
    }
    let mut lines = probe::lines(file.head);
    let found = lines.by_ref().filter_map(|line| probe::look(line, record));
    let known = |found: &Content| !matches!(found, Content::Unknown);
    let mut found = found.into_iter().find(known).unwrap_or(Content::Unknown);
    // The messages of a log are on lines of their own.
    if let Content::Session(head @ Head { whose: Whose::Open, .. }) = &mut found {
        let of_line = |node: Node<'_>| whose(node.word(map::TYPE).into_iter());
        let mut told = lines.filter_map(|line| probe::look(line, of_line));
        head.whose = told.find(|whose| *whose != Whose::Open).unwrap_or(Whose::Open);
    }
    found
}

const PROMPTS: &str = "the list of prompts that were typed; the sessions are in `chats`";
const SAVED: &str = "a history saved with `/chat save`, without ids and times: a copy, no session";

fn record(node: Node<'_>) -> Content {
    let has = |path| node.at(path).is_some();
    if node.shape() == Shape::Array {
        return match node.elements().next() {
            Some(first) if is_prompt(first) => Content::Other(PROMPTS),
            Some(first) if first.at(map::PARTS).is_some() => Content::Other(SAVED),
            _ => Content::Unknown,
        };
    }
    let said = node.word(map::TYPE);
    if is_prompt(node) {
        Content::Other(PROMPTS)
    } else if has(map::SESSION_ID)
        && (has(map::PROJECT_HASH) || is_begun(node) || is_collected(node))
    {
        let whose =
            if is_collected(node) { Whose::Of(Family::Gemini) } else { whose_document(node) };
        let id = node.word(map::SESSION_ID).map(value::unescape);
        let start = node.word(map::START_TIME).map(value::unescape);
        let id = id.map(|id| match start.filter(|_| id == SERVER) {
            Some(start) => began(&id, &start),
            None => id.into_owned(),
        });
        let sub = node.word(map::KIND) == Some(b"subagent");
        Content::Session(Head { id, sub, whose })
    } else if has(map::REWIND_TO) || has(map::SET_TO) || (said == Some(b"gemini") && has(map::ID)) {
        Content::Session(Head { id: None, sub: false, whose: Whose::Of(Family::Gemini) })
    } else if is_saved(node) {
        Content::Saved
    } else if node.at(map::HISTORY).is_some_and(|node| node.shape() == Shape::Array) {
        let parts = |node: Node<'_>| node.at(map::PARTS).is_some();
        let saved =
            node.at(map::HISTORY).is_some_and(|all| all.elements().next().is_some_and(parts));
        if saved { Content::Other(SAVED) } else { Content::Unknown }
    } else {
        Content::Unknown
    }
}

/// The id of all sessions of the A2A server. Their start times distinguish them.
pub(super) const SERVER: &str = "a2a-server";

/// The name of one of several conversations with one id.
pub(super) fn began(id: &str, start: &str) -> String {
    format!("{id}@{start}")
}

/// Whether it is a saved state with a history in the form of the model's API.
pub(super) fn is_saved(node: Node<'_>) -> bool {
    let history = node.at(map::CLIENT_HISTORY).filter(|all| all.shape() == Shape::Array);
    let first = history.and_then(|all| all.elements().next());
    first.is_some_and(|first| first.word(map::ROLE).is_some() && first.at(map::PARTS).is_some())
}

/// Whether it is a saved state in which the UI's history extends beyond the head. Its tool call is
/// at its end.
fn is_long_state(file: &Candidate<'_>) -> bool {
    file.folders().next() == Some(CHECKPOINTS)
        && file.length > file.head.len() as u64
        && probe::look(probe::bare(file.head), |node| node.at(map::HISTORY).is_some()) == Some(true)
        && memchr::memmem::find(&file.tail.bytes(), b"\"toolCall\"").is_some()
}

fn is_prompt(node: Node<'_>) -> bool {
    [map::SESSION_ID, map::MESSAGE_ID, map::TIMESTAMP].iter().all(|path| node.at(path).is_some())
}

/// Whether it is the beginning of a session without the project's digest. Other agents' documents
/// begin with an id and a time too, so a further member has to say whose it is.
fn is_begun(node: Node<'_>) -> bool {
    let says = [map::MESSAGES, map::KIND, map::LAST_UPDATED];
    node.at(map::START_TIME).is_some() && says.iter().any(|path| node.at(path).is_some())
}

fn is_collected(node: Node<'_>) -> bool {
    node.word(map::AGENT) == Some(b"gemini") && node.at(map::TYPE).is_some()
}

/// The session's id: from the main history, or else from its sub-agents' folder or metadata, or
/// from the file name.
pub(super) fn session_id(session: &Session) -> String {
    let main = || session.events().filter(|event| *event.stream() == Stream::Main);
    if let Some(id) = main().find_map(|event| event.text(Slot::Session)) {
        let start = main().find_map(|event| event.text(Slot::Started));
        return match start.filter(|_| id == SERVER) {
            Some(start) => began(&id, &start),
            None => id.into_owned(),
        };
    }
    let Some(member) = session.bundle.members.first() else { return String::new() };
    let folder = member.name.rsplit('/').nth(1).filter(|folder| *folder != CHATS);
    match (&member.stream, folder) {
        (Stream::Sub(_), Some(parent)) => Some(parent.to_owned()),
        (Stream::Sub(_), None) => session.first(Slot::Session).map(Cow::into_owned),
        _ => None,
    }
    .unwrap_or_else(|| stem(member.name.rsplit('/').next().unwrap_or_default()).to_owned())
}
