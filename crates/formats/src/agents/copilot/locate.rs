//! Copilot's data directories, and the detection of its files.

use session::{Node, Session, Slot, value};

use super::{names, schema, workspace};
use crate::claim::{Candidate, Claim, Role};
use crate::format::ReadBeside;
use crate::place::{Base, Place};
use crate::probe;
use crate::resume::{is_uuid, last_part};

const LEAVES: &[&str] = &[STATE, HISTORY];
const STATE: &str = "session-state";
const HISTORY: &str = "history-session-state";

/// The folder of the extension in the folder of an editor's workspace.
const EXTENSION: &str = "GitHub.copilot-chat";
const TRANSCRIPTS: &str = "transcripts";
const WORKSPACES: &[&str] = &["workspaceStorage/*/GitHub.copilot-chat/transcripts"];

/// The home of the command line on every system, and the user's folders of editors. Before
/// `COPILOT_HOME` other variables moved parts of it.
pub(super) static PLACES: &[Place] = &[
    Place { base: Base::Variable("COPILOT_HOME"), folder: "", leaves: LEAVES },
    Place { base: Base::Home, folder: ".copilot", leaves: LEAVES },
    Place { base: Base::State, folder: ".copilot", leaves: LEAVES },
    Place { base: Base::Config, folder: "copilot", leaves: LEAVES },
    Place { base: Base::Application, folder: "Code/User", leaves: WORKSPACES },
    Place { base: Base::Application, folder: "Code - Insiders/User", leaves: WORKSPACES },
    Place { base: Base::Application, folder: "VSCodium/User", leaves: WORKSPACES },
    Place { base: Base::Home, folder: ".vscode-server/data/User", leaves: WORKSPACES },
];

/// The log in a session's folder.
pub(super) const LOG: &str = "events.jsonl";

/// The id in the name of a flat log, of a transcript, of a document. A log in a folder has none.
pub(super) fn id_in_name(name: &str) -> Option<&str> {
    Some(stem(name)).filter(|stem| is_uuid(stem))
}

/// The name without its ending, and without what a document's name has around the id.
fn stem(name: &str) -> &str {
    let stem = name.split('.').next().unwrap_or(name);
    let id = stem.strip_prefix("session_").and_then(|rest| rest.split('_').next());
    id.unwrap_or(stem)
}

/// A document of 2025: `session_ID_TIME.json`.
pub(super) fn is_named(file: &Candidate<'_>) -> bool {
    let name = file.file();
    name.starts_with("session_") && name.ends_with(".json") && is_uuid(stem(name))
}

/// Only what is in a session's own folder has no id in its name.
pub(super) fn may_be_beside(name: &str) -> bool {
    matches!(name, LOG | workspace::FILE)
}

/// Format detection. The content decides; a log's own folder is enough if it is damaged.
pub(super) fn claim(file: &Candidate<'_>) -> Claim {
    let mut folders = file.folders();
    let (folder, above) = (folders.next().unwrap_or_default(), folders.next());
    let in_folder = above == Some(STATE);
    let whole = || Claim::Part { group: file.path.to_owned(), role: Role::Main };
    let own = || file.path.rsplit_once('/').map_or(file.path, |(folder, _)| folder).to_owned();
    match file.file() {
        workspace::FILE if in_folder || is_workspace(file.head) => {
            Claim::Part { group: own(), role: Role::Beside(None) }
        }
        LOG if is_log(file.head) || in_folder && file.length > 0 => {
            Claim::Part { group: own(), role: Role::Main }
        }
        LOG if in_folder => Claim::NoSession("an empty log"),
        _ if is_log(file.head) || is_document(file) => whole(),
        name if folder == STATE && name.ends_with(".jsonl") && file.length > 0 => whole(),
        name if folder == TRANSCRIPTS && above == Some(EXTENSION) && name.ends_with(".jsonl") => {
            whole()
        }
        name => skipped(file, name),
    }
}

/// The other files of the agent's folders.
fn skipped(file: &Candidate<'_>, name: &str) -> Claim {
    let within = |wanted: &str| file.folders().any(|folder| folder == wanted);
    if !within(".copilot") && !within(EXTENSION) {
        return Claim::No;
    }
    Claim::NoSession(match name {
        _ if within("rewind-snapshots") || within("rewind-file-snapshots") => {
            "a state of files, for taking turns back"
        }
        _ if within("checkpoints") => "the summary of a compaction, which the log has too",
        "session.db" => "the to-do list of a session; the session itself is in its log",
        _ if name.starts_with("session-store.db") => {
            "an index of sessions, which Copilot builds from the logs"
        }
        "command-history-state.json" => "the list of prompts that were typed",
        _ => "in Copilot's folders, and nothing that is known as a session",
    })
}

/// Whether the first line that can be read is an event.
fn is_log(head: &[u8]) -> bool {
    if probe::is_document(head) {
        return false;
    }
    let mut lines = probe::lines(head).filter_map(|line| probe::look(line, is_event));
    lines.next().unwrap_or(false)
}

fn is_event(line: Node<'_>) -> bool {
    let has_envelope = line.at(names::DATA).is_some()
        && [names::ID, names::TIMESTAMP].iter().all(|path| line.word(path).is_some());
    let is_known = |word| {
        schema::known(word).is_some()
            || schema::is_for_clients(word)
            || OTHERS.iter().any(|start| word.starts_with(start))
    };
    has_envelope && line.word(names::TYPE).is_some_and(is_known)
}

/// Beginnings of the types that no typings have.
const OTHERS: [&[u8]; 2] = [b"session.usage_record", b"model."];

/// Whether a file is a document of 2025. What is before its messages may be longer than the head:
/// then the screen's items at its end say so.
fn is_document(file: &Candidate<'_>) -> bool {
    let text = probe::bare(file.head);
    let [id, start, messages] = names::DOCUMENT;
    // Nearly all files lack the second name, and that is found out sooner.
    if text.first() != Some(&b'{') || memchr::memmem::find(text, start[0].as_bytes()).is_none() {
        return false;
    }
    let members = probe::members(text);
    let has = |path: &[&str]| members.iter().any(|(name, _)| *name == path[0].as_bytes());
    let is_cut = file.length > file.head.len() as u64 && members.len() < 3;
    has(id) && has(start) && (has(messages) || is_cut && ends_on_screen(&file.tail.bytes()))
}

/// Whether the end of a document has items of the screen.
fn ends_on_screen(tail: &[u8]) -> bool {
    SHOWN.iter().any(|kind| memchr::memmem::find(tail, kind).is_some())
}

/// Types of the screen's items that no other agent has.
const SHOWN: [&[u8]; 2] = [b"\"tool_call_completed\"", b"\"type\": \"copilot\""];

/// Whether a text is the card of a session: it begins with the id, and says when that was made.
fn is_workspace(head: &[u8]) -> bool {
    let lines = || head.split(|byte| *byte == b'\n');
    let first = lines().next().unwrap_or_default();
    first.starts_with(b"id: ") && lines().any(|line| line.starts_with(b"created_at: "))
}

/// The session's id: in its first event, or in the card; else from its folder or its file.
pub(super) fn session_id(session: &Session) -> String {
    if let Some(id) = session.first(Slot::Session) {
        return id.into_owned();
    }
    let main = session.bundle.members.first().map_or("", |member| member.name.as_str());
    let folder = main.rsplit('/').nth(1).filter(|_| may_be_beside(last_part(main)));
    folder.unwrap_or_else(|| stem(last_part(main))).to_owned()
}

/// The folder of an editor's workspace, which a file beside the transcripts names.
pub(super) fn project(file: &str, read: ReadBeside<'_>) -> Option<String> {
    let mut folders = file.rsplit('/').skip(1);
    (folders.next() == Some(TRANSCRIPTS)).then_some(())?;
    let bytes = read("../../workspace.json")?;
    let address = probe::look(probe::bare(&bytes), |node| value::text_at(node, names::FOLDER))??;
    let path = percent_decoded(address.strip_prefix("file://")?);
    // Of a drive the address has a slash more.
    let is_drive = path.as_bytes().get(2) == Some(&b':');
    Some(if is_drive { path[1..].to_owned() } else { path })
}

/// A path without the escapes of an address.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let code = behind.get(..2).filter(|_| first == b'%');
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            None => {
                bytes.push(first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
