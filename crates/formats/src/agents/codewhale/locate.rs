//! CodeWhale's data directories, and the detection of its files.

use std::borrow::Cow;

use session::{Case, Kind, Node, Session, Slot, Stream, value};

use super::{harness, map, names, record, runtime, subagents};
use crate::claim::{Candidate, Claim, Role};
use crate::place::{Base, Place};
use crate::probe;

const HOME: &[&str] = &["sessions", "tasks", "state"];

/// Both homes, so that sessions copied from the old one to the new are one.
const HOMES: &[&str] = &[
    ".codewhale/sessions",
    ".codewhale/tasks",
    ".codewhale/state",
    ".deepseek/sessions",
    ".deepseek/tasks",
    ".deepseek/state",
];

/// `$CODEWHALE_HOME` alone if it is set, else `~/.codewhale` and the old `~/.deepseek`. Variables
/// can move the runtime store, and the tasks around it, elsewhere. The sessions do not move.
pub(super) static PLACES: &[Place] = &[
    Place { base: Base::Expanded("CODEWHALE_HOME"), folder: "", leaves: HOME },
    Place { base: Base::Home, folder: "", leaves: HOMES },
    Place { base: Base::Expanded("CODEWHALE_RUNTIME_DIR"), folder: "", leaves: &[] },
    Place { base: Base::Expanded("DEEPSEEK_RUNTIME_DIR"), folder: "", leaves: &[] },
    Place { base: Base::Expanded("CODEWHALE_TASKS_DIR"), folder: "runtime", leaves: &[] },
    Place { base: Base::Expanded("DEEPSEEK_TASKS_DIR"), folder: "runtime", leaves: &[] },
];

/// The folders of a runtime store.
pub(super) const STORE: &[&str] = &["threads", "turns", "items", "events", "goals"];

/// The register of sub-agents.
const REGISTER: &str = "subagents.v1.json";

/// The file of a session's approvals.
const RECEIPTS: &str = "approval_receipts.jsonl";

/// Format detection. A saved session is identified by its id. Ids of threads, turns and items are
/// short, so the store's folder is part of their group's name.
pub(super) fn claim(file: &Candidate<'_>) -> Claim {
    let folder = file.folders().next().unwrap_or_default();
    if let Some(why) = skipped(file, folder) {
        return Claim::NoSession(why);
    }
    let beside = |group: String| Claim::Part { group, role: Role::Beside(None) };
    match content(file) {
        Some(Found::Session(id)) => {
            let group = id.unwrap_or_else(|| stem(file.file()).to_owned());
            Claim::Part { group, role: Role::Main }
        }
        // The file does not name their session, or each agent names its own: a session by itself.
        Some(Found::Agents) => {
            let role = Role::Sub(stem(file.file()).to_owned());
            Claim::Part { group: file.path.to_owned(), role }
        }
        Some(Found::Receipt) => beside(folder.to_owned()),
        Some(Found::Queue(session)) => beside(session),
        Some(Found::Thread { id, .. }) => {
            Claim::Part { group: in_store(file, &id), role: Role::Main }
        }
        Some(Found::Turn { id, .. }) => beside(in_store(file, &id)),
        Some(Found::Item { turn }) => beside(in_store(file, &turn)),
        Some(Found::Event { thread }) => beside(in_store(file, &thread)),
        None => named(file, folder),
    }
}

/// The group above: a turn belongs to its thread, a thread to its session.
pub(super) fn above(file: &Candidate<'_>) -> Option<String> {
    match content(file)? {
        Found::Thread { session, .. } => session,
        Found::Turn { thread, .. } => Some(in_store(file, &thread)),
        _ => None,
    }
}

/// The reason why a file is not a session, by its name, whatever its content.
fn skipped(file: &Candidate<'_>, folder: &str) -> Option<&'static str> {
    match file.file() {
        name if folder == "sessions" && name.starts_with('.') && in_home(file) => {
            Some("a hidden file, which CodeWhale takes for no session")
        }
        "session_boot_owners.json" => Some("which process started which session"),
        "session_index.jsonl" => Some("the list of session names"),
        _ if folder == "review-receipts" => Some("the receipt of a review before a push"),
        name if folder == "artifacts" && (in_home(file) || name.starts_with("art_")) => {
            Some("in the folder of tools' outputs, which sessions refer to")
        }
        _ => None,
    }
}

/// The claim by the name alone, if the content is damaged. A store can be in any folder: there,
/// names begin with the type of their record.
fn named(file: &Candidate<'_>, folder: &str) -> Claim {
    let json = file.file().ends_with(".json");
    let lines = file.file().ends_with(".jsonl");
    let stem = stem(file.file());
    let above = file.folders().nth(1);
    let store = in_home(file) && above == Some("runtime") || is_store_id(stem.as_bytes());
    let part = |group: String, role| Claim::Part { group, role };
    match folder {
        "events" if lines && store => part(in_store(file, stem), Role::Beside(None)),
        "threads" if json && store => part(in_store(file, stem), Role::Main),
        "turns" | "goals" if json && store => part(in_store(file, stem), Role::Beside(None)),
        "subagent-transcripts" if lines && is_digest(stem) => {
            part(file.path.to_owned(), Role::Sub(stem.to_owned()))
        }
        "items" if json && store => Claim::NoSession("an item that does not say of which turn"),
        ".goals" if json && above == Some("sessions") => part(stem.to_owned(), Role::Beside(None)),
        _ if file.file() == RECEIPTS => part(folder.to_owned(), Role::Beside(None)),
        _ if !in_home(file) => Claim::No,
        "sessions" | "checkpoints" if json => part(stem.to_owned(), Role::Main),
        _ => Claim::NoSession(match file.file() {
            "state.db" | "state.db-wal" | "state.db-shm" => "an index that CodeWhale rebuilds",
            "state.json" | "owner.json" => "the state of a runtime store",
            REGISTER => "a register of sub-agents in which none is found",
            "fleet.jsonl" if !says_messages(file.head) => "what happened in runs of a fleet",
            _ => "in CodeWhale's home, and nothing that is known as a session",
        }),
    }
}

/// Whether a line of the head has a message, in any of the shapes of CodeWhale's messages.
fn says_messages(text: &[u8]) -> bool {
    let brings = [names::MESSAGE, names::MESSAGES, names::CONTENT];
    let says = |node: Node<'_>| brings.iter().any(|path| node.at(path).is_some());
    probe::lines(text).any(|line| probe::look(line, says).unwrap_or(false))
}

fn in_home(file: &Candidate<'_>) -> bool {
    file.folders().any(|folder| matches!(folder, ".codewhale" | ".deepseek"))
}

/// An id of a runtime store, with the store's folder.
fn in_store(file: &Candidate<'_>, id: &str) -> String {
    let mut parts = file.path.rsplitn(3, '/');
    let store = parts.nth(2).unwrap_or_default();
    format!("{store}/{id}")
}

fn stem(file: &str) -> &str {
    file.strip_suffix(".jsonl").or_else(|| file.strip_suffix(".json")).unwrap_or(file)
}

/// Content type, detected from the beginning of a file, with the ids that join it with others.
enum Found {
    Session(Option<String>),
    Agents,
    Receipt,
    Queue(String),
    Thread { id: String, session: Option<String> },
    Turn { id: String, thread: String },
    Item { turn: String },
    Event { thread: String },
}

fn content(file: &Candidate<'_>) -> Option<Found> {
    let (text, found) = (file.head, |node: Node<'_>| found(node, file));
    if probe::is_document(text) {
        return probe::look(probe::bare(text), found)?;
    }
    probe::lines(text).find_map(|line| probe::look(line, found)?)
}

/// Whether only CodeWhale writes such a value. Other programs write messages, metadata and prompts
/// too.
fn is_ours(node: Node<'_>, case: &'static Case, file: &Candidate<'_>) -> bool {
    let has = |path| node.at(path).is_some();
    let is = |known: &[&'static Case]| known.iter().any(|known| std::ptr::eq(*known, case));
    if in_home(file) || is(&[&harness::SESSION, &subagents::HEADER]) {
        return true;
    }
    let counted = names::COUNTED.iter().filter(|path| has(path)).count();
    if is(&[&map::SAVED]) {
        let versioned = has(names::SCHEMA_VERSION) && has(names::SYSTEM_PROMPT);
        has(names::METADATA_ID) && (counted >= 2 || versioned)
    } else if is(&[&map::CONTAINER]) {
        has(names::LEAF) || counted >= 2
    } else if is(&[&map::QUEUE]) {
        has(names::SCHEMA_VERSION) && has(names::DRAFT)
    } else if is(&[&subagents::REGISTER]) {
        file.file() == REGISTER || subagents::is_marked(node)
    } else if is(&[&map::RECEIPT]) {
        file.file() == RECEIPTS
    } else {
        // Without a store's id, or a version in one of its folders, they could be any program's.
        let stored = file.folders().next().is_some_and(|folder| STORE.contains(&folder));
        has_store_id(node) || stored && has(names::SCHEMA_VERSION)
    }
}

fn found(node: Node<'_>, file: &Candidate<'_>) -> Option<Found> {
    let id = |path| node.word(path).map(|id| value::unescape(id).into_owned());
    let case = record(node).filter(|case| is_ours(node, case, file))?;
    let is = |known: &[&'static Case]| known.iter().any(|known| std::ptr::eq(*known, case));
    if is(&[&map::SAVED, &map::CONTAINER]) {
        Some(Found::Session(id(names::METADATA_ID)))
    } else if is(&[&subagents::HEADER, &subagents::REGISTER]) {
        Some(Found::Agents)
    } else if is(&[&map::RECEIPT]) {
        Some(Found::Receipt)
    } else if is(&[&map::QUEUE]) {
        Some(Found::Queue(id(names::SESSION_ID)?))
    } else if is(&[&harness::SESSION]) {
        Some(Found::Session(id(names::ID)))
    } else if node.at(names::SCHEMA_VERSION).is_none() && !has_store_id(node) {
        // In a home too, a value without either is not part of a store.
        None
    } else if is(&[&runtime::THREAD]) {
        Some(Found::Thread { id: id(names::ID)?, session: id(names::SESSION_ID) })
    } else if is(&[&runtime::TURN]) {
        Some(Found::Turn { id: id(names::ID)?, thread: id(names::THREAD_ID)? })
    } else if node.at(names::SEQ).is_some() {
        Some(Found::Event { thread: id(names::THREAD_ID)? })
    } else {
        Some(Found::Item { turn: id(names::TURN_ID)? })
    }
}

/// Whether a stem is a transcript's: the SHA-256 of its agent's id.
fn is_digest(stem: &str) -> bool {
    stem.len() == 64 && stem.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Prefixes of the ids of threads, turns and items.
const STORE_IDS: [&[u8]; 3] = [b"thr_", b"turn_", b"item_"];

fn is_store_id(id: &[u8]) -> bool {
    STORE_IDS.iter().any(|begin| id.starts_with(begin))
}

fn has_store_id(node: Node<'_>) -> bool {
    [names::ID, names::THREAD_ID].iter().any(|path| node.word(path).is_some_and(is_store_id))
}

/// The session's id: from the saved session, or from the thread that names it. Without one, the
/// thread's own id, or the name of the first file.
pub(super) fn session_id(session: &Session) -> String {
    if let Some(id) = session.first(Slot::Session) {
        return id.into_owned();
    }
    if let Some(id) = subagents::session_id(session) {
        return id;
    }
    let thread = session.events().find(|event| std::ptr::eq(event.case, &runtime::THREAD));
    let named = || {
        let member = session.bundle.members.iter().find(|member| member.stream == Stream::Main);
        let file = member.and_then(|member| member.name.rsplit('/').next());
        stem(file.unwrap_or_default()).to_owned()
    };
    let id = thread.filter(|event| event.kind == Kind::Notice);
    id.and_then(|event| event.text(Slot::Id)).map_or_else(named, Cow::into_owned)
}
