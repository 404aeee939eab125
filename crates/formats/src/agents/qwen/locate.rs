//! Qwen Code's folders, and the detection of its files.

use memchr::memmem;
use session::{Node, Session, Slot, Stream, value};

use super::map;
use crate::agents::gemini::locate::{Family, claim as claim_document};
use crate::claim::{Candidate, Claim, Role};
use crate::place::{Base, Place};
use crate::{probe, strangers};

const LEAVES: &[&str] = &["projects", "tmp"];

/// `$QWEN_RUNTIME_DIR`, else `$QWEN_HOME`, else `~/.qwen`; without a home, the folder for temporary
/// files. The setting `advanced.runtimeOutputDir` names others, which a user has to name too.
pub(super) const PLACES: &[Place] = &[
    Place { base: Base::Variable("QWEN_RUNTIME_DIR"), folder: "", leaves: LEAVES },
    Place { base: Base::Variable("QWEN_HOME"), folder: "", leaves: LEAVES },
    Place { base: Base::Home, folder: HOME, leaves: LEAVES },
    Place { base: Base::Temporary, folder: HOME, leaves: LEAVES },
];

/// The agent's home.
const HOME: &str = ".qwen";
/// The folders of a project's sessions, and of their sub-agents.
const CHATS: &str = "chats";
pub(super) const SUBAGENTS: &str = "subagents";

/// The ending of a log, and of the file about a sub-agent.
const LOG: &str = ".jsonl";
const ABOUT: &str = ".meta.json";

/// Files in the agent's home that are no sessions.
const NO_SESSION: &[(&str, &str)] = &[
    ("usage_record.jsonl", "the sums of each process; the sessions are in `projects`"),
    ("extract-cursor.json", "tells how far a session was read for the memory"),
    ("meta.json", "tells when the memory of a project was made"),
    ("settings.json", "the agent's settings"),
];
/// The ending of the mark of a running session.
const RUNNING: &str = ".runtime.json";

/// Format detection.
pub(super) fn claim(file: &Candidate<'_>) -> Claim {
    let at_home = is_named(file);
    if at_home {
        let known = NO_SESSION.iter().find(|(known, _)| *known == file.file());
        let running = file.file().ends_with(RUNNING).then_some("the mark of a running session");
        if let Some(why) = known.map(|(_, why)| *why).or(running) {
            return Claim::NoSession(why);
        }
    }
    if probe::is_document(file.head) {
        if let Some(Some(group)) = probe::look(probe::bare(file.head), of_agent) {
            let stem = file.file().strip_suffix(ABOUT).unwrap_or(stem(file.file()));
            return Claim::Part { group, role: Role::Beside(Some(stem.to_owned())) };
        }
        return document(file, at_home);
    }
    let said = probe::lines(file.head).find_map(|line| probe::look(line, of_record).flatten());
    match said {
        Some((group, side)) => {
            let is_sub = side || file.folders().nth(1) == Some(SUBAGENTS);
            let stem = stem(file.file()).to_owned();
            Claim::Part { group, role: if is_sub { Role::Sub(stem) } else { Role::Main } }
        }
        None if at_home && file.file().ends_with(LOG) => named(file),
        None => document(file, at_home),
    }
}

/// The claim on a document. Other files are not parsed for it.
fn document(file: &Candidate<'_>, at_home: bool) -> Claim {
    let may_be = || MARKS.iter().any(|mark| memmem::find(file.head, mark).is_some());
    if at_home || may_be() { claim_document(file, Family::Qwen) } else { Claim::No }
}

/// Marks of a document of the agent, in its beginning or beside an answer.
const MARKS: &[&[u8]] = &[b"\"projectHash\"", b"\"qwen\""];

/// The session of a file about a sub-agent.
fn of_agent(node: Node<'_>) -> Option<String> {
    node.word(map::AGENT_ID)?;
    value::text_at(node, map::PARENT_SESSION)
}

/// The session of a record, and whether the record is of a sub-agent.
fn of_record(line: Node<'_>) -> Option<(String, bool)> {
    line.word(map::UUID)?;
    line.word(map::TYPE)?;
    let id = value::text_at(line, map::SESSION)?;
    let side = line.at(map::SIDECHAIN).is_some_and(|mark| mark.raw() == b"true");
    // A line that is cut has no message yet. Another agent's ids begin with a word.
    let is_cut = || probe::begins_with_id(line) && !strangers::is_iflow(line);
    let is_own = probe::is_in_parts(line) || is_cut();
    (line.at(map::PARENT).is_some() && is_own).then_some((id, side))
}

/// The claim on a damaged log, by its name.
fn named(file: &Candidate<'_>) -> Claim {
    let mut folders = file.folders();
    let [folder, above] = [(); 2].map(|()| folders.next().unwrap_or_default());
    let stem = stem(file.file());
    if above == SUBAGENTS {
        return Claim::Part { group: folder.to_owned(), role: Role::Sub(stem.to_owned()) };
    }
    if folder != CHATS && above != CHATS {
        return Claim::NoSession("in the agent's home, and nothing that is known as a session");
    }
    let group = id_in_name(file.file()).unwrap_or(file.path).to_owned();
    Claim::Part { group, role: Role::Main }
}

/// A file's name without its ending.
fn stem(name: &str) -> &str {
    name.strip_suffix(LOG).or_else(|| name.strip_suffix(".json")).unwrap_or(name)
}

/// Whether a file is in the agent's home.
pub(super) fn is_named(file: &Candidate<'_>) -> bool {
    file.folders().any(|folder| folder == HOME)
}

/// The id in the name of a log, which the agent lists only if it is named so.
pub(super) fn id_in_name(name: &str) -> Option<&str> {
    let stem = name.strip_suffix(LOG)?;
    let is_id = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
    ((32..=36).contains(&stem.len()) && stem.bytes().all(is_id)).then_some(stem)
}

/// Whether a file beside a session's may be of one of its sub-agents.
pub(super) fn may_be_beside(name: &str) -> bool {
    name.starts_with("agent-")
}

/// The id of a session: that of its records, else that in the name of its file.
pub(super) fn session_id(session: &Session) -> String {
    let mains = session.events().filter(|event| *event.stream() == Stream::Main);
    let own = mains.into_iter().find_map(|event| event.text(Slot::Session));
    let name = session.bundle.members.first().map_or("", |member| member.name.as_str());
    let name = name.rsplit('/').next().unwrap_or(name);
    let named = || stem(name).to_owned();
    own.or_else(|| session.first(Slot::Session)).map_or_else(named, |id| id.into_owned())
}
