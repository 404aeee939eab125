//! Codex's data directories, and the detection of its files.

use session::{Node, Scan};

use super::names;
use crate::claim::{Candidate, Claim, Role};
use crate::place::{Base, Place};

const LEAVES: &[&str] = &["sessions", "archived_sessions"];

/// `$CODEX_HOME`, or `~/.codex` on every system.
pub(super) static PLACES: &[Place] = &[
    Place { base: Base::Variable("CODEX_HOME"), folder: "", leaves: LEAVES },
    Place { base: Base::Home, folder: ".codex", leaves: LEAVES },
];

/// Number of lines of the head that are read before the file counts as not a session.
const LINES: usize = 40;

/// The thread's id at the end of a rollout's name: `rollout-TIME-ID.jsonl`.
pub(super) fn id_in_name(name: &str) -> Option<&str> {
    let stem = plain(name).strip_prefix("rollout-")?;
    let stem = stem.strip_suffix(".jsonl").or_else(|| stem.strip_suffix(".json"))?;
    stem.get(stem.len().checked_sub(UUID)?..)
}

/// Length of an id as text.
const UUID: usize = 36;

/// Format detection. A session is detected by its content, whatever its folder. If the content is
/// damaged, a rollout's name is enough.
pub(super) fn claim(file: &Candidate<'_>) -> Claim {
    let name = plain(file.file());
    let named = is_named(file);
    if opens_document(file.head) {
        let whole = || crate::probe::look(crate::probe::bare(file.head), is_document);
        return if named || whole() == Some(true) { part(file) } else { Claim::No };
    }
    match content(file.head) {
        Content::Thread(group) => Claim::Part { group, role: Role::Main },
        Content::Session => part(file),
        Content::Other(why) => Claim::NoSession(why),
        Content::Unknown if file.length == 0 && named => Claim::NoSession("an empty rollout"),
        Content::Unknown if named => part(file),
        Content::Unknown => skipped(file, name),
    }
}

/// The claim of a rollout. A rollout that is not paged is a session by itself. A compressed one has
/// the group of the plain file beside it: both are the same history, and the plain one is newer.
fn part(file: &Candidate<'_>) -> Claim {
    Claim::Part { group: plain(file.path).to_owned(), role: Role::Main }
}

fn plain(name: &str) -> &str {
    name.strip_suffix(".zst").unwrap_or(name)
}

/// `rollout-*.jsonl`, and the first command line's `rollout-*.json`.
pub(super) fn is_named(file: &Candidate<'_>) -> bool {
    let name = plain(file.file());
    name.starts_with("rollout-") && (name.ends_with(".jsonl") || name.ends_with(".json"))
}

/// The other files of Codex's home, by name.
fn skipped(file: &Candidate<'_>, name: &str) -> Claim {
    let database = [".sqlite", ".sqlite-wal", ".sqlite-shm", ".db"];
    if !file.folders().any(|folder| folder == ".codex") {
        return Claim::No;
    }
    Claim::NoSession(match name {
        "history.jsonl" => PROMPTS,
        "session_index.jsonl" => INDEX,
        "config.toml" | "version.json" => "settings",
        _ if database.iter().any(|ending| name.ends_with(ending)) => {
            "a database in Codex's home: its sessions are read from rollouts"
        }
        _ => "in Codex's home, and nothing that is known as a session",
    })
}

const PROMPTS: &str = "the list of all prompts that were typed; the sessions are in rollouts";
const INDEX: &str = "the list of session names; the sessions are in rollouts";

/// Content type, detected from the beginning of a file.
#[derive(Debug, PartialEq, Eq)]
enum Content {
    Session,
    /// The header of a paged rollout: all those of one thread are one session.
    Thread(String),
    /// A file of Codex that is not a session.
    Other(&'static str),
    Unknown,
}

fn content(head: &[u8]) -> Content {
    if head.starts_with(b"version https://git-lfs") {
        return Content::Other("a Git LFS pointer: the session itself was not fetched");
    }
    // Mostly one line is read.
    let mut scan = Scan::without_templates();
    for line in crate::probe::lines(head).take(LINES) {
        let found = match scan.read(line, 0) {
            Ok(doc) => record(doc.root()),
            Err(_) => cut(line),
        };
        if found != Content::Unknown {
            return found;
        }
    }
    Content::Unknown
}

/// The types of enveloped lines, which identify a session.
const ENVELOPED: &[&[u8]] =
    &[b"session_meta", b"response_item", b"event_msg", b"turn_context", b"compacted"];

fn record(line: Node<'_>) -> Content {
    let has = |path| line.at(path).is_some();
    match line.word(names::TYPE) {
        Some(b"session_meta") if has(names::ORDINAL) && has(names::THREAD_ID) => {
            let id = line.word(names::THREAD_ID).filter(|id| !id.is_empty());
            let id = id.map(|id| session::value::unescape(id).into_owned());
            id.map_or(Content::Session, Content::Thread)
        }
        Some(word) if ENVELOPED.contains(&word) && has(names::PAYLOAD) => Content::Session,
        Some(b"thread.started") if has(names::THREAD) => {
            Content::Other("what `codex exec --json` printed; the session itself is in a rollout")
        }
        Some(_)
            if line.word(names::AGENT) == Some(b"codex") && has(names::SESSION_ID_COLLECTED) =>
        {
            Content::Session
        }
        Some(_) => Content::Unknown,
        None if has(names::RECORD_TYPE) => Content::Session,
        None if has(names::ID) && has(names::TIMESTAMP) && has(names::INSTRUCTIONS) => {
            Content::Session
        }
        None if has(names::SESSION_ID) && has(names::TYPED_AT) && has(names::TEXT) => {
            Content::Other(PROMPTS)
        }
        None if has(names::ID) && has(names::THREAD_NAME) => Content::Other(INDEX),
        None => Content::Unknown,
    }
}

/// The content type of a line that is longer than the head, or damaged, by its beginning.
fn cut(line: &[u8]) -> Content {
    let closed = session::closed(line).unwrap_or_default();
    if let Ok(doc) = Scan::new().read(&closed, 0)
        && let found = record(doc.root())
        && found != Content::Unknown
    {
        return found;
    }
    let begins = |mark: &[u8]| memchr::memmem::find(&line[..line.len().min(160)], mark).is_some();
    let enveloped = begins(b"\"payload\":") && begins(b"\"type\":\"session_meta\"");
    let header = line.starts_with(b"{\"id\":\"")
        && begins(b"\"timestamp\":\"")
        && begins(b"\"instructions\":");
    if enveloped || header { Content::Session } else { Content::Unknown }
}

/// Whether a head begins a document of the first command line: one object that begins with the
/// session.
pub(super) fn opens_document(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let within = |key: &[u8]| text.strip_prefix(b"{")?.trim_ascii_start().strip_prefix(key);
    let value = |key, open: u8| {
        let behind = within(key).map(<[u8]>::trim_ascii_start);
        let value = behind.and_then(|rest| rest.strip_prefix(b":")).map(<[u8]>::trim_ascii_start);
        value.and_then(<[u8]>::first) == Some(&open)
    };
    value(b"\"session\"".as_slice(), b'{') || value(b"\"items\"".as_slice(), b'[')
}

/// Whether it is a document of the first command line, and not another program's with a session and
/// items. The members of the session and the types of the items decide.
fn is_document(node: Node<'_>) -> bool {
    let has = |path: &&[&str]| node.at(path).is_some();
    let item = node.at(names::ITEMS).and_then(|items| items.elements().next());
    let is_item = |item: Node<'_>| {
        let word = item.word(names::TYPE);
        item.word(names::ROLE).is_some() || word.is_some_and(|word| ITEMS.contains(&word))
    };
    let session = names::DOCUMENT.iter().filter(|path| has(path)).count();
    session >= 2 && item.is_none_or(is_item)
}

/// Types of items.
const ITEMS: [&[u8]; 4] = [b"message", b"reasoning", b"function_call", b"local_shell_call"];

/// The rollout's own id from the file name. A thread's first rollout has the thread's id.
pub(super) fn rollout(name: &str) -> Option<&str> {
    let file = name.rsplit('/').next().unwrap_or(name);
    let id = thread(file);
    file.starts_with("rollout-").then(|| id.rsplit('_').next().unwrap_or(id))
}

/// The thread in a rollout's name: the part after the time. A reverted thread has
/// `<thread>_<rollout>`.
pub(super) fn thread(name: &str) -> &str {
    let file = name.rsplit('/').next().unwrap_or(name);
    let file = plain(file);
    let stem = file.strip_suffix(".jsonl").or(file.strip_suffix(".json")).unwrap_or(file);
    let Some(rest) = stem.strip_prefix("rollout-") else { return stem };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    match (rest.get(..10), rest.get(10..)) {
        (Some(day), Some(behind)) if digits(day) => match behind.strip_prefix('T') {
            Some(time) if time.get(..9).is_some_and(digits) => &time[9..],
            _ => behind.strip_prefix('-').unwrap_or(rest),
        },
        _ => rest,
    }
}
