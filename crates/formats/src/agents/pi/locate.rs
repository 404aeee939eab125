//! The folders of the family, the detection of its files, and whose they are.

use session::{Node, Session, Slot, Stream};

use super::{case, map};
use crate::agents::oh_my_pi::map as oh_my_pi;
use crate::agents::openclaw::map as openclaw;
use crate::claim::{Candidate, Claim, Role};
use crate::place::{Base, Place};
use crate::probe;
use crate::resume::is_uuid;

/// `$PI_CODING_AGENT_DIR`, or `~/.pi/agent`; and a folder of sessions that a variable names. The
/// option `--session-dir` and the setting `sessionDir` name others, which a user has to name too.
/// The first variable is that of the home: sessions are placed there.
pub(super) const PLACES: &[Place] = &[
    Place { base: Base::Variable("PI_CODING_AGENT_DIR"), folder: "", leaves: LEAVES },
    Place { base: Base::Home, folder: ".pi/agent", leaves: LEAVES },
    Place { base: Base::Added("PI_CODING_AGENT_SESSION_DIR"), folder: "", leaves: &[] },
];

const LEAVES: &[&str] = &["sessions"];

/// An agent of the family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Pi,
    OpenClaw,
    OhMyPi,
}

/// Folders of one agent of the family alone.
const HOMES: &[(&str, Kind)] = &[
    (".pi", Kind::Pi),
    (".openclaw", Kind::OpenClaw),
    (".clawdbot", Kind::OpenClaw),
    (".moltbot", Kind::OpenClaw),
    (".omp", Kind::OhMyPi),
];

/// Endings of files that OpenClaw keeps of a session that was deleted, or begun anew.
const ENDED: &[&str] = &[".jsonl.deleted.", ".jsonl.reset."];

/// Files of the family that are no sessions.
const NO_SESSION: &[(&str, &str)] = &[
    ("sessions.json", "the register of sessions, with the channels and people that they are for"),
    ("auth.json", "credentials, no session"),
    ("settings.json", "the agent's settings"),
    ("models.json", "the models that the agent knows"),
];

/// Format detection.
pub(super) fn claim(file: &Candidate<'_>, kind: Kind) -> Claim {
    let name = file.file();
    if placed(file) == Some(kind) {
        let known = NO_SESSION.iter().find(|(known, _)| *known == name);
        let lock = name.ends_with(".jsonl.lock").then_some("the mark of a running session");
        if let Some(why) = known.map(|(_, why)| *why).or(lock) {
            return Claim::NoSession(why);
        }
    }
    if !matches!(probe::bare(file.head).first(), Some(b'{')) || probe::is_document(file.head) {
        return Claim::No;
    }
    let said = says(file.head);
    let whose = whose(file, &said);
    // A file that shows no agent is of the one that made the format.
    if !said.is_session || whose.unwrap_or(Kind::Pi) != kind {
        return Claim::No;
    }
    // A name that says nothing: the first entry shows of which agent a file is.
    if whose.is_none() && !is_stamped(stem(name)) && whole_lines(file) < WHOLE_LINES {
        return Claim::No;
    }
    // The transcript of a sub-agent is in the folder of the session that started it.
    let folder = file.folders().next().unwrap_or_default();
    if is_stamped(folder) && !is_stamped(stem(name)) {
        let role = Role::Sub(stem(name).to_owned());
        return Claim::Part { group: folder.to_owned(), role };
    }
    let id = said.id.filter(|_| !is_stamped(stem(name)) && !is_uuid(stem(name)));
    let named = || is_stamped(stem(name)) || is_uuid(stem(name));
    let group =
        id.unwrap_or_else(|| if named() { stem(name).to_owned() } else { file.path.to_owned() });
    Claim::Part { group, role: Role::Main }
}

/// The number of whole lines that show of which agent of the family a file is: its header, and the
/// first entry.
const WHOLE_LINES: usize = 2;

/// The number of lines in the head that are not cut.
fn whole_lines(file: &Candidate<'_>) -> usize {
    let ended = memchr::memchr_iter(b'\n', file.head).count();
    let is_whole = file.length <= file.head.len() as u64 && file.head.ends_with(b"}");
    ended + usize::from(is_whole)
}

/// The facts in the first lines of a file.
#[derive(Default)]
struct Said {
    /// It is a session of the family.
    is_session: bool,
    id: Option<String>,
    /// The agent of the family that alone writes such lines.
    kind: Option<Kind>,
    /// It has a line whose type oh-my-pi alone has in the family. Other agents have such types too,
    /// so it says nothing of a file that is not of the family.
    has_own_type: bool,
    /// It began in a folder of this agent, as a session that was carried from there does too.
    began_in: Option<Kind>,
}

fn says(head: &[u8]) -> Said {
    let mut said = Said::default();
    for line in probe::lines(head) {
        probe::look(line, |node| see(node, &mut said));
    }
    // The header may be damaged, so that only a later line shows the family.
    if said.is_session && said.has_own_type {
        said.kind.get_or_insert(Kind::OhMyPi);
    }
    said
}

fn see(node: Node<'_>, said: &mut Said) {
    let Some(word) = node.word(map::TYPE) else { return };
    let text = |path| session::value::text_at(node, path);
    if word == b"session" && node.word(map::ID).is_some() && is_header(node) {
        said.is_session = true;
        said.id = said.id.take().or_else(|| text(map::ID));
        if map::TITLE_SOURCE.iter().any(|path| node.at(path).is_some()) {
            said.kind.get_or_insert(Kind::OhMyPi);
        }
        let folder = node.word(map::CWD).unwrap_or_default();
        let is_own = |own: &&[u8]| memchr::memmem::find(folder, own).is_some();
        if openclaw::FOLDERS.iter().any(is_own) {
            said.began_in.get_or_insert(Kind::OpenClaw);
        }
    } else if is_entry(node, word) {
        said.is_session = true;
    }
    let custom = node.word(map::CUSTOM_TYPE).filter(|_| word == b"custom").unwrap_or_default();
    if openclaw::CUSTOM.iter().any(|own| custom.starts_with(own)) {
        said.kind.get_or_insert(Kind::OpenClaw);
    }
    said.has_own_type |= oh_my_pi::TYPES.contains(&word);
    if is_title(node, word) {
        said.kind.get_or_insert(Kind::OhMyPi);
    }
}

/// Whether a line with a type and an id is a header: another agent has lines of these names.
fn is_header(node: Node<'_>) -> bool {
    let has = |path| node.at(path).is_some();
    node.word(map::TIMESTAMP).is_some() && (has(map::CWD) || has(map::VERSION))
}

/// Whether a line is an entry of the tree. A file may lack its header.
fn is_entry(node: Node<'_>, word: &[u8]) -> bool {
    let has = |path| node.at(path).is_some();
    let message = word == b"message" && node.word(map::ROLE).is_some();
    let known = message || case::ENTRIES.iter().any(|(name, _)| *name == word);
    known && has(map::ID) && has(map::PARENT) && has(map::TIMESTAMP)
}

/// Whether a line is the place of a title in front of a header.
fn is_title(node: Node<'_>, word: &[u8]) -> bool {
    word == b"title" && node.at(map::PAD).is_some()
}

/// The agent of the family that a file is of, where the file shows it.
fn whose(file: &Candidate<'_>, said: &Said) -> Option<Kind> {
    let ended = || ENDED.iter().any(|ending| file.file().contains(ending));
    let is_named = || is_stamped(stem(file.file()));
    said.kind
        .or_else(|| placed(file))
        .or_else(|| ended().then_some(Kind::OpenClaw))
        // A gateway gives its files no such names.
        .or_else(|| said.began_in.filter(|_| !is_named()))
}

/// The agent of the family in whose folders a file is.
fn placed(file: &Candidate<'_>) -> Option<Kind> {
    let mut folders = file.folders();
    let [sessions, _, agents] = [(); 3].map(|()| folders.next().unwrap_or_default());
    // A gateway keeps the sessions of each of its agents.
    let is_gateways = (sessions, agents) == ("sessions", "agents");
    home(file).or_else(|| is_gateways.then_some(Kind::OpenClaw))
}

/// The agent whose home the path has.
fn home(file: &Candidate<'_>) -> Option<Kind> {
    let of = |folder: &str| HOMES.iter().find(|(name, _)| *name == folder).map(|(_, kind)| *kind);
    file.folders().find_map(of)
}

/// A file's name without its ending.
fn stem(name: &str) -> &str {
    name.find(".jsonl").map_or(name, |at| &name[..at])
}

/// Whether a name is the time of a session with its id: `2026-11-26T20-36-18-840Z_01a21992-…`.
fn is_stamped(name: &str) -> bool {
    name.split_once('_').is_some_and(|(stamp, id)| {
        stamp.len() == STAMP.len() && stamp.ends_with('Z') && !id.is_empty() && {
            let digit = |(byte, form): (u8, u8)| match form {
                b'0' => byte.is_ascii_digit(),
                form => byte == form,
            };
            stamp.bytes().zip(STAMP.bytes()).all(digit)
        }
    })
}

/// The form of the time in a name.
const STAMP: &str = "0000-00-00T00-00-00-000Z";

/// Whether the name is the family's own.
pub(super) fn is_named(file: &Candidate<'_>) -> bool {
    is_stamped(stem(file.file())) || ENDED.iter().any(|ending| file.file().contains(ending))
}

/// The id in the name of a session's file.
pub(super) fn id_in_name(name: &str) -> Option<&str> {
    let stem = stem(name);
    match is_stamped(stem) {
        true => stem.split_once('_').map(|(_, id)| id),
        false => Some(stem).filter(|stem| is_uuid(stem)),
    }
}

/// The id of a session: that of its header, else that in the name of its file.
pub(super) fn session_id(session: &Session) -> String {
    let mains = session.events().filter(|event| *event.stream() == Stream::Main);
    let own = mains.into_iter().find_map(|event| event.text(Slot::Session));
    let name = session.bundle.members.first().map_or("", |member| member.name.as_str());
    let name = name.rsplit('/').next().unwrap_or(name);
    let named = || id_in_name(name).unwrap_or_else(|| stem(name)).to_owned();
    own.or_else(|| session.first(Slot::Session)).map_or_else(named, |id| id.into_owned())
}

/// The name of the file of a session, by the time at which it began (RFC 3339) and its id.
pub(super) fn name(began: &str, id: &str) -> String {
    format!("{}_{id}.jsonl", began.replace([':', '.'], "-"))
}
