//! Sage's data directories, and the detection of its files.

use session::{Node, Session, Shape, Slot, value};

use super::map;
use crate::claim::{Candidate, Claim, Role};
use crate::place::{Base, Place};
use crate::probe;

const EMACS: &[&str] = &["projects", "sessions"];
const PROJECTS: &[&str] = &["projects"];

/// The storage presets. No environment variable is read. A folder of the user's own choice
/// (`sage-project-directory`, `--init-directory`) has to be named.
pub(super) static PLACES: &[Place] = &[
    // `emacs-native`: below Emacs' own folder.
    Place { base: Base::Home, folder: ".emacs.d/sage", leaves: EMACS },
    Place { base: Base::UnixHome, folder: ".emacs.d/sage", leaves: EMACS },
    Place { base: Base::Config, folder: "emacs/sage", leaves: EMACS },
    Place { base: Base::UnixHome, folder: ".config/emacs/sage", leaves: EMACS },
    // `standalone`
    Place { base: Base::Home, folder: ".sage", leaves: PROJECTS },
    Place { base: Base::UnixHome, folder: ".sage", leaves: PROJECTS },
    // `claude-shared`: in another agent's tree, distinguished from its files by name and content.
    Place { base: Base::Home, folder: ".claude", leaves: PROJECTS },
    Place { base: Base::UnixHome, folder: ".claude", leaves: PROJECTS },
];

const CONVERSATION: &str = "conversation.jsonl";
const METADATA: &str = "metadata.json";
const HISTORY: &str = "history";

/// Format detection. Sage assigns no ids: a conversation is identified by its folder, an archive
/// and a named session by their files.
pub(super) fn claim(file: &Candidate<'_>) -> Claim {
    let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let archived = file.folders().next() == Some(HISTORY) && file.file().ends_with(".jsonl");
    let project = file.folders().nth(usize::from(archived)).unwrap_or_default();
    // The name of a project's folder is a whole path, so it begins as one.
    let placed = in_own(file) || project.starts_with('-');
    // Of a first line that is longer than the head only the role may be known.
    let is_cut = file.length > file.head.len() as u64 && !file.head.contains(&b'\n');
    let lines = file.file().ends_with(".jsonl") && is_cut && in_own(file);
    let named = lines || placed && (archived || file.file() == CONVERSATION);
    let said = match content(file.head, named) {
        Content::Other if is_long_session(file) => Content::Session,
        said => said,
    };
    // An export and a log have no name that only Sage writes: their folder decides.
    let said = if said.is_anyones() && !in_own(file) { Content::Other } else { said };
    match (file.file(), said) {
        (CONVERSATION, Content::Lines) => conversation(folder),
        // Damaged: the folder decides.
        (CONVERSATION, Content::Damaged) if placed => conversation(folder),
        (METADATA, Content::Metadata) => {
            Claim::Part { group: folder.to_owned(), role: Role::Beside(None) }
        }
        (_, Content::Lines) if archived => archive(file),
        (_, Content::Lines | Content::Log | Content::Session | Content::Export) => {
            Claim::Part { group: file.path.to_owned(), role: Role::Main }
        }
        (_, Content::Damaged) if archived && placed => archive(file),
        (_, _) if in_own(file) => Claim::NoSession(match file.file() {
            "facts.json" => "what Sage remembers over all sessions",
            _ => "in Sage's folders, and nothing that is known as a session",
        }),
        _ => Claim::No,
    }
}

fn conversation(folder: &str) -> Claim {
    Claim::Part { group: folder.to_owned(), role: Role::Main }
}

/// The claim of an archive, an older session of its project. The group ends with the project's
/// folder, so the archive's name in its bundle is the rest of its path. That name is its only id.
fn archive(file: &Candidate<'_>) -> Claim {
    let project = file.folders().nth(1).unwrap_or_default();
    Claim::Part { group: format!("{}/{project}", file.path), role: Role::Main }
}

fn in_own(file: &Candidate<'_>) -> bool {
    file.folders().any(|folder| matches!(folder, "sage" | ".sage"))
}

/// Content type, detected from the beginning of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// Lines of a conversation, or of a log.
    Lines,
    /// Lines of a log, or of a scenario run of a tool.
    Log,
    /// A named session.
    Session,
    /// A list of messages with roles.
    Export,
    Metadata,
    /// Any other JSON.
    Other,
    /// Not JSON.
    Damaged,
}

impl Content {
    fn is_anyones(self) -> bool {
        matches!(self, Self::Log | Self::Export)
    }
}

/// The content type. If the file's name is Sage's (`named`), callers may have added any member to a
/// message, or left out the time.
fn content(text: &[u8], named: bool) -> Content {
    if probe::is_document(text) {
        return probe::look(probe::bare(text), document).unwrap_or(Content::Damaged);
    }
    let line = |node: Node<'_>| match line_of(node) {
        Content::Other if named && is_said(node) => Content::Lines,
        found => found,
    };
    let mut other = Content::Damaged;
    for found in probe::lines(text).filter_map(|text| probe::look(text, line)) {
        match found {
            Content::Other => other = Content::Other,
            found => return found,
        }
    }
    other
}

/// Whether a value is a message: it has a role, and none of the members of other agents' lines.
fn is_said(node: Node<'_>) -> bool {
    let foreign = map::FOREIGN.iter().any(|path| node.at(path).is_some());
    node.word(map::ROLE).is_some() && !foreign
}

fn line_of(node: Node<'_>) -> Content {
    let has = |path| node.at(path).is_some();
    let log = has(map::EVENT) && has(map::LEVEL) && has(map::TIMESTAMP);
    let trial = has(map::TOOL) && has(map::ARGS) && has(map::PREVIEW);
    let session = node.word(map::NAME).is_some() && is_named(node);
    if session {
        Content::Session
    } else if is_metadata(node) {
        Content::Metadata
    } else if is_message(node) {
        Content::Lines
    } else if log || trial {
        Content::Log
    } else {
        Content::Other
    }
}

/// Whether a value is a message of a conversation: role and content as text, a time, and only the
/// members that Sage writes.
fn is_message(node: Node<'_>) -> bool {
    let known = |name: &[u8]| map::MESSAGE.row(name).is_some();
    node.word(map::ROLE).is_some()
        && node.at(map::CONTENT).is_some()
        && (node.word(map::TIMESTAMP).is_some() || node.word(map::UUID).is_some())
        && node.members().all(|member| known(member.name))
}

/// Whether a value is a named session. Other programs write `messages` with a `provider` too, so
/// there must be a third mark, or a message that has Sage's members.
fn is_named(node: Node<'_>) -> bool {
    let marks = [map::MESSAGES, map::PROVIDER, map::WORKSPACE, map::TOTAL_TOKENS];
    let first = || node.at(map::MESSAGES).and_then(|all| all.elements().next());
    match marks.iter().filter(|path| node.at(path).is_some()).count() {
        0 | 1 => false,
        2 => first().is_some_and(is_message),
        _ => true,
    }
}

/// Whether a file is a named session with messages that are longer than the head: two more marks
/// are before the messages, or at the end.
fn is_long_session(file: &Candidate<'_>) -> bool {
    let marks = [map::PROVIDER, map::WORKSPACE, map::TOTAL_TOKENS];
    let begins = |node: Node<'_>| {
        let named = node.word(map::NAME).is_some() && node.at(map::MESSAGES).is_some();
        named.then(|| marks.map(|path| node.at(path).is_some()))
    };
    if file.length <= file.head.len() as u64 {
        return false;
    }
    let Some(before) = probe::look(probe::bare(file.head), begins).flatten() else { return false };
    let tail = file.tail.bytes();
    let ends = |path: &[&str]| {
        let name = format!("\"{}\":", path.concat());
        memchr::memmem::find(&tail, name.as_bytes()).is_some()
    };
    marks.iter().zip(before).filter(|(path, before)| *before || ends(path)).count() > 1
}

fn is_metadata(node: Node<'_>) -> bool {
    node.word(map::PROJECT_DIR).is_some() && node.at(map::ROLE).is_none()
}

fn document(node: Node<'_>) -> Content {
    if node.shape() != Shape::Array {
        return line_of(node);
    }
    // An export: role and content, no time, no id. The content of the last may be beyond the head.
    let exported = |node: &Node<'_>| {
        let known = |name: &[u8]| [map::ROLE, map::CONTENT].iter().any(|p| p[0].as_bytes() == name);
        node.word(map::ROLE).is_some() && node.members().all(|member| known(member.name))
    };
    let messages: Vec<Node<'_>> = node.elements().collect();
    let Some((_, before)) = messages.split_last() else { return Content::Other };
    let complete = before.iter().all(|node| node.at(map::CONTENT).is_some());
    if complete && messages.iter().all(exported) { Content::Export } else { Content::Other }
}

/// The session's id: from its messages (a proposed field), a named session's name, or else the
/// project's folder. For an archive the archive's name is added.
pub(super) fn session_id(session: &Session) -> String {
    if let Some(id) = session.first(Slot::Session) {
        return id.into_owned();
    }
    if let Some(title) = session.first(Slot::Title) {
        return title.into_owned();
    }
    let main = session.bundle.members.first().map_or("", |member| member.name.as_str());
    let main = main.strip_suffix(".jsonl").or_else(|| main.strip_suffix(".json")).unwrap_or(main);
    let parts: Vec<&str> = main.split('/').collect();
    match parts[..] {
        [.., folder, "conversation" | "metadata"] => folder.to_owned(),
        [.., folder, HISTORY, archive] => format!("{folder}/{archive}"),
        [.., file] => file.to_owned(),
        [] => String::new(),
    }
}

/// The project's folder, from the metadata beside the conversation. An archive has the metadata in
/// the folder above.
pub(super) fn project(file: &str, read: &dyn Fn(&str) -> Option<Vec<u8>>) -> Option<String> {
    let archived = file.rsplit('/').nth(1) == Some(HISTORY);
    let bytes = read(if archived { "../metadata.json" } else { METADATA })?;
    probe::look(probe::bare(&bytes), |node| {
        node.word(map::PROJECT_DIR).map(|path| value::unescape(path).into_owned())
    })?
}
