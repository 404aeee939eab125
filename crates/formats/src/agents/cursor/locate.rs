//! Cursor's data directories, and the detection of its files.

use session::{Node, Shape};

use super::{case, chat, desktop, map, text};
use crate::claim::{Candidate, Claim, Role};
use crate::place::{Base, Place};
use crate::probe;
use crate::resume::is_uuid;

/// Transcripts and the command line's store are in one home. The desktop's databases are in the
/// platform's folder for application data, one per kind of build. On a remote machine they are
/// below the server's home.
pub(super) static PLACES: &[Place] = &[
    // It comes first, as for the agent: a session is placed there.
    Place { base: Base::Added("CURSOR_CONFIG_DIR"), folder: "", leaves: STORES },
    Place { base: Base::Home, folder: ".cursor", leaves: HOME },
    // Before 2026, by one account.
    Place { base: Base::Home, folder: ".cursor/agent-sessions", leaves: &[] },
    Place { base: Base::Home, folder: ".cursor/conversations", leaves: &[] },
    Place { base: Base::Home, folder: ".cursor/sessions", leaves: &[] },
    Place { base: Base::Config, folder: "cursor", leaves: STORES },
    Place { base: Base::Application, folder: "Cursor/User", leaves: DESKTOP },
    Place { base: Base::Application, folder: "Cursor Nightly/User", leaves: DESKTOP },
    Place { base: Base::Application, folder: "Cursor - Insiders/User", leaves: DESKTOP },
    Place { base: Base::Home, folder: ".cursor-server/data/User", leaves: DESKTOP },
    Place { base: Base::Added("CURSOR_DATA_DIR"), folder: "", leaves: HOME },
];

const HOME: &[&str] = &["projects", "chats", GUESTS];
/// The command line's stores: its own, and those of sessions that another program controls.
const STORES: &[&str] = &["chats", GUESTS];
const GUESTS: &str = "acp-sessions";

/// The folders of all extensions beside the global database.
const DESKTOP: &[&str] =
    &["globalStorage/state.vscdb", "globalStorage/state.vscdb.backup", "workspaceStorage"];
const TRANSCRIPTS: &str = "agent-transcripts";
const SUBAGENTS: &str = "subagents";

/// The id in the name of a transcript.
pub(super) fn id_in_name(name: &str) -> Option<&str> {
    Some(stem(name)).filter(|stem| is_uuid(stem))
}

/// Format detection. The content decides; the path names the conversation.
pub(super) fn claim(file: &Candidate<'_>) -> Claim {
    let above: [&str; 3] = above(file.path);
    let text = file.file().ends_with(".txt") && text::is_transcript(file.head);
    let within = above.contains(&TRANSCRIPTS);
    // Other programs write such arrays too, so the path must be Cursor's as well.
    let spoken = within && holds_elements(file.head);
    let named = |stem| file.file().ends_with(".json") && is_uuid(stem);
    let damaged = within && (file.file().ends_with(".jsonl") || named(stem(file.file())));
    if text || spoken || holds_transcript(file.head) || damaged {
        return transcript(file);
    }
    match (file.file(), above) {
        ("meta.json", [chat, _, "chats"] | [chat, GUESTS, _]) => {
            Claim::Part { group: chat.to_owned(), role: Role::Beside(None) }
        }
        ("prompt_history.json", [_, _, "chats"]) => Claim::NoSession("the prompts that were typed"),
        ("pasted_text.json", [_, _, "chats"]) => Claim::NoSession("what was pasted into prompts"),
        ("ai-code-tracking.db", _) => Claim::NoSession("which code was whose; no conversation"),
        ("workspace.json", [_, "workspaceStorage", _]) => {
            Claim::NoSession("the folder that a workspace is")
        }
        _ if file.folders().any(|folder| matches!(folder, ".cursor" | "Cursor")) => {
            Claim::NoSession("in Cursor's folders, and nothing that is known as a conversation")
        }
        _ => Claim::No,
    }
}

/// The claim of a transcript. A sub-agent's transcript is below its parent's folder.
fn transcript(file: &Candidate<'_>) -> Claim {
    let stem = stem(file.file());
    let known = session_of(file.path).filter(|id| is_uuid(id));
    let filed = above::<1>(file.path) == [SUBAGENTS] || known.is_some();
    let group = match session_of(file.path) {
        Some(session) if filed => session,
        _ => file.path.to_owned(),
    };
    match above::<1>(file.path) {
        [SUBAGENTS] => Claim::Part { group, role: Role::Sub(stem.to_owned()) },
        _ => Claim::Part { group, role: Role::Main },
    }
}

/// The conversation in a file's path: the folder for a sub-agent, a database and the card beside
/// it, otherwise the file's name.
pub(super) fn session_of(name: &str) -> Option<String> {
    let file = name.rsplit('/').next().unwrap_or(name);
    let parent = |above: &str| (!above.is_empty()).then(|| above.to_owned());
    match above(name) {
        [SUBAGENTS, session] => parent(session),
        [folder, _] if file == "meta.json" || file.starts_with("store.db") => parent(folder),
        _ if file.starts_with("state.vscdb") => None,
        _ => Some(stem(file).to_owned()).filter(|stem| !stem.is_empty()),
    }
}

/// The folders above a file, nearest first.
fn above<const N: usize>(path: &str) -> [&str; N] {
    let mut parts = path.rsplit('/').skip(1);
    std::array::from_fn(|_| parts.next().unwrap_or_default())
}

fn stem(file: &str) -> &str {
    file.split('.').next().unwrap_or(file)
}

/// Whether the first lines, or the document, have messages as transcripts do. Other agents' lines
/// have a role or a message too, but never only both.
fn holds_transcript(head: &[u8]) -> bool {
    let seen = |text| probe::look(text, is_ours).unwrap_or(false);
    probe::is_document(head) && seen(probe::bare(head)) || probe::lines(head).take(8).any(seen)
}

/// Whether it is an array of elements with roles.
fn holds_elements(text: &[u8]) -> bool {
    let spoken = |value: Node<'_>| {
        let mut elements = value.elements().peekable();
        elements.peek().is_some() && elements.all(case::is_spoken)
    };
    probe::is_document(text) && probe::look(probe::bare(text), spoken).unwrap_or(false)
}

/// Whether a value is Cursor's; an array, however deep, if its first element is.
fn is_ours(value: Node<'_>) -> bool {
    let mut value = value;
    while value.shape() == Shape::Array {
        let Some(first) = value.elements().next() else { return false };
        value = first;
    }
    let names = |wanted: &[&[u8]]| value.members().all(|member| wanted.contains(&member.name));
    let said = value.at(map::CONTENT).is_some();
    let line = value.word(map::ROLE).is_some() && said && names(&[b"role", b"message"]);
    let collected = value.word(map::AGENT) == Some(b"cursor") && value.at(map::MESSAGE).is_some();
    line || collected || is_document(value) || is_row(value)
}

/// Whether a value is a document of messages, by what these are: another agent has a list of this
/// name beside its session's id, with other messages.
fn is_document(value: Node<'_>) -> bool {
    let first = value.at(map::MESSAGES).and_then(|messages| messages.elements().next());
    let is_own = |message: Node<'_>| {
        let names: [&[&str]; 3] = [map::TEXT, &["createdAt"], &["actions"]];
        names.iter().any(|path| message.at(path).is_some())
    };
    value.at(&["sessionId"]).is_none() && first.is_some_and(is_own)
}

/// Whether a value is a line of a dump of one of Cursor's databases, or a card.
fn is_row(value: Node<'_>) -> bool {
    desktop::case(value).is_some() || chat::is_own(value)
}
