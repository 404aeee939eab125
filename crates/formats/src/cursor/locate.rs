//! Where Cursor keeps its conversations, and what a file is to it.

use session::{Node, Shape};

use super::{case, chat, desktop, map, text};
use crate::{Base, Candidate, Claim, Place, Role, probe};

/// Transcripts and the command line's store live in one home; the desktop's databases in the
/// platform's folder for application data, in one of them for each kind of build; on a machine that
/// is worked on from afar, below the server's home.
pub(super) static PLACES: &[Place] = &[
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
    Place { base: Base::Added("CURSOR_CONFIG_DIR"), folder: "", leaves: STORES },
    Place { base: Base::Added("CURSOR_DATA_DIR"), folder: "", leaves: HOME },
];

const HOME: &[&str] = &["projects", "chats", GUESTS];
/// The command line's stores: its own, and those of sessions that another program holds.
const STORES: &[&str] = &["chats", GUESTS];
const GUESTS: &str = "acp-sessions";

/// Beside the global database lie folders of all extensions.
const DESKTOP: &[&str] =
    &["globalStorage/state.vscdb", "globalStorage/state.vscdb.backup", "workspaceStorage"];
const TRANSCRIPTS: &str = "agent-transcripts";
const SUBAGENTS: &str = "subagents";

/// What a file is: told by its content; its place says of which conversation.
pub(super) fn claim(file: &Candidate<'_>) -> Claim {
    let above: [&str; 3] = above(file.path);
    let text = file.file().ends_with(".txt") && text::is_transcript(file.head);
    let within = above.contains(&TRANSCRIPTS);
    // An array's elements are few names that other programs have too: its place tells it as well.
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

/// A transcript is its conversation's; a sub-agent's lies below its parent's folder.
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

/// The conversation that a file is filed under: its folder for a sub-agent, for a database and for
/// the card beside it, else what the file is called.
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

/// The folders above a file, the nearest first.
fn above<const N: usize>(path: &str) -> [&str; N] {
    let mut parts = path.rsplit('/').skip(1);
    std::array::from_fn(|_| parts.next().unwrap_or_default())
}

fn stem(file: &str) -> &str {
    file.split('.').next().unwrap_or(file)
}

fn is_uuid(text: &str) -> bool {
    let dashes = [8, 13, 18, 23];
    let fits = |(at, byte): (usize, u8)| match dashes.contains(&at) {
        true => byte == b'-',
        false => byte.is_ascii_hexdigit(),
    };
    text.len() == 36 && text.bytes().enumerate().all(fits)
}

/// Do the first lines, or the document, hold messages as transcripts do? Other agents' lines have
/// a role, or a message, too, but never only both.
fn holds_transcript(head: &[u8]) -> bool {
    let seen = |text| probe::look(text, is_ours).unwrap_or(false);
    probe::is_document(head) && seen(probe::bare(head)) || probe::lines(head).take(8).any(seen)
}

/// Is it an array of elements that speak?
fn holds_elements(text: &[u8]) -> bool {
    let spoken = |value: Node<'_>| {
        let mut elements = value.elements().peekable();
        elements.peek().is_some() && elements.all(case::is_spoken)
    };
    probe::is_document(text) && probe::look(probe::bare(text), spoken).unwrap_or(false)
}

fn is_ours(value: Node<'_>) -> bool {
    if value.shape() == Shape::Array {
        return value.elements().next().is_some_and(is_ours);
    }
    let names = |wanted: &[&[u8]]| value.members().all(|member| wanted.contains(&member.name));
    let said = value.at(map::CONTENT).is_some();
    let line = value.word(map::ROLE).is_some() && said && names(&[b"role", b"message"]);
    let collected = value.word(map::AGENT) == Some(b"cursor") && value.at(map::MESSAGE).is_some();
    line || collected || value.at(map::MESSAGES).is_some() || is_row(value)
}

/// A line of a dump of one of Cursor's databases, or a card.
fn is_row(value: Node<'_>) -> bool {
    desktop::case(value).is_some() || chat::is_own(value)
}
