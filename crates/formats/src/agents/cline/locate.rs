//! The folders of the family, the detection of its files, and whose they are.

use session::{Node, Session, value};

use super::map;
use crate::claim::{Candidate, Claim, Role};
use crate::format::ReadBeside;
use crate::place::{Base, Place};
use crate::probe;
use crate::resume::{is_uuid, last_part};

/// The folders of an extension in the users' folders of editors.
macro_rules! editors {
    ($id:literal $(, $more:expr)* $(,)?) => {
        &[
            editors!(Application, "Code", $id),
            editors!(Application, "Code - Insiders", $id),
            editors!(Application, "VSCodium", $id),
            editors!(Application, "Cursor", $id),
            editors!(Application, "Windsurf", $id),
            editors!(Application, "Antigravity", $id),
            editors!(Application, "Trae", $id),
            editors!(Home, ".vscode-server/data", $id),
            editors!(Home, ".vscode-server-insiders/data", $id),
            editors!(Home, ".cursor-server/data", $id),
            editors!(Home, ".windsurf-server/data", $id),
            $($more),*
        ]
    };
    ($base:ident, $editor:literal, $id:literal) => {
        $crate::place::Place {
            base: $crate::place::Base::$base,
            folder: concat!($editor, "/User/globalStorage/", $id),
            leaves: &["tasks"],
        }
    };
}
pub(crate) use editors;

const LEAVES: &[&str] = &[TASKS, SESSIONS];
const TASKS: &str = "tasks";
const SESSIONS: &str = "sessions";

/// The extension in each editor, and the home of the command line. A variable names another home,
/// or another folder of sessions.
pub(super) const PLACES: &[Place] = editors!(
    "saoudrizwan.claude-dev",
    Place { base: Base::Added("CLINE_SESSION_DATA_DIR"), folder: "", leaves: &[] },
    Place { base: Base::Variable("CLINE_DATA_DIR"), folder: "", leaves: LEAVES },
    Place { base: Base::Variable("CLINE_DIR"), folder: "data", leaves: LEAVES },
    Place { base: Base::Home, folder: ".cline/data", leaves: LEAVES },
);

/// An agent of the family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Cline,
    RooCode,
    KiloCode,
}

/// Beginnings of the names of folders that one agent of the family alone has.
const HOMES: &[(&str, Kind)] = &[
    ("saoudrizwan.", Kind::Cline),
    (".cline", Kind::Cline),
    ("rooveterinaryinc.", Kind::RooCode),
    ("kilocode.", Kind::KiloCode),
];

/// The messages of a task, as the model saw them.
pub(super) const SENT: &str = "api_conversation_history.json";
/// The items that the screen showed of it; the second one is the oldest name.
pub(super) const SHOWN: [&str; 2] = ["ui_messages.json", "claude_messages.json"];
/// The other files in the folder of a task.
const BESIDE: [&str; 3] = ["task_metadata.json", "context_history.json", "history_item.json"];
/// The endings of the files of a session: the conversation, and that of a compaction.
const MESSAGES: &str = ".messages.json";
const COMPACTION: &str = ".compaction.json";
/// The list of all tasks, from the folder of one.
const HISTORY: &str = "../../state/taskHistory.json";

/// The agent that the path of a file shows. The ids of the tasks of the first one are times.
fn whose(file: &Candidate<'_>) -> Kind {
    let home = |folder: &str| HOMES.iter().find(|(start, _)| folder.starts_with(start));
    let known = file.folders().find_map(home).map(|(_, kind)| *kind);
    let task = task(file.path).is_some_and(is_uuid);
    known.unwrap_or(if task { Kind::RooCode } else { Kind::Cline })
}

/// The id of the task whose folder a file is in.
fn task(path: &str) -> Option<&str> {
    let mut folders = path.rsplit('/').skip(1);
    let id = folders.next()?;
    (folders.next() == Some(TASKS)).then_some(id)
}

/// The name of a file of a session, without its ending.
fn stem(name: &str) -> &str {
    let stem = name.strip_suffix(MESSAGES).or_else(|| name.strip_suffix(COMPACTION));
    stem.or_else(|| name.strip_suffix(".json")).unwrap_or(name)
}

pub(super) fn is_named(file: &Candidate<'_>) -> bool {
    let name = file.file();
    name == SENT || SHOWN.contains(&name) || name.ends_with(MESSAGES)
}

/// The id in the name of a session's conversation. A task's files have none.
pub(super) fn id_in_name(name: &str) -> Option<&str> {
    name.ends_with(MESSAGES).then(|| stem(name))
}

pub(super) fn may_be_beside(name: &str) -> bool {
    name == SENT || SHOWN.contains(&name) || BESIDE.contains(&name)
}

/// Format detection.
pub(super) fn claim(file: &Candidate<'_>, kind: Kind) -> Claim {
    if whose(file) != kind {
        return Claim::No;
    }
    let name = file.file();
    let own = || file.path.rsplit_once('/').map_or(file.path, |(folder, _)| folder).to_owned();
    let part = |role| Claim::Part { group: own(), role };
    let is_list = probe::bare(file.head).first() == Some(&b'[');
    let in_task = task(file.path).is_some();
    match name {
        SENT if is_list || in_task && file.length > 0 => part(Role::Main),
        _ if SHOWN.contains(&name) && (is_list || in_task && file.length > 0) => {
            part(Role::Beside(None))
        }
        _ if BESIDE.contains(&name) && in_task => part(Role::Beside(None)),
        _ => session(file, name).map(part).unwrap_or_else(|| {
            if is_list && shows(file.head) {
                let (group, role) = (file.path.to_owned(), Role::Main);
                return Claim::Part { group, role };
            }
            skipped(file, name)
        }),
    }
}

/// The role of a file of a session.
fn session(file: &Candidate<'_>, name: &str) -> Option<Role> {
    let folder = file.folders().next().unwrap_or_default();
    let is_own = stem(name) == folder;
    if is_own && name.ends_with(COMPACTION) {
        return Some(Role::Beside(None));
    }
    let text = probe::bare(file.head);
    if text.first() != Some(&b'{') {
        return None;
    }
    let members = probe::members(text);
    let has = |path: &[&str]| members.iter().any(|(name, _)| *name == path[0].as_bytes());
    let says = |path: &[&str]| {
        members.iter().find(|(name, _)| *name == path[0].as_bytes()).and_then(|(_, value)| *value)
    };
    if is_own && has(map::SESSION_ID) && has(map::STARTED_AT) {
        return Some(Role::Beside(None));
    }
    let is_messages = has(map::UPDATED_AT)
        && (has(map::AGENT) && has(map::SESSION)
            || name.ends_with(MESSAGES) && has(map::MESSAGES) && has(map::VERSION));
    let sub = says(map::AGENT).is_some_and(|agent| agent != b"lead");
    match is_messages {
        true if sub && !is_own => Some(Role::Sub(stem(name).to_owned())),
        true => Some(Role::Main),
        false => (is_own && name.ends_with(MESSAGES)).then_some(Role::Main),
    }
}

/// Whether a list is what a screen showed.
fn shows(head: &[u8]) -> bool {
    let is_shown = |item: Node<'_>| {
        item.at(map::TS).is_some() && matches!(item.word(map::TYPE), Some(b"say" | b"ask"))
    };
    let first = |list: Node<'_>| list.elements().next().is_some_and(is_shown);
    probe::look(probe::bare(head), first) == Some(true)
}

/// The other files of the agents' folders.
fn skipped(file: &Candidate<'_>, name: &str) -> Claim {
    let within = |wanted: &str| file.folders().any(|folder| folder == wanted);
    let in_home =
        file.folders().any(|folder| HOMES.iter().any(|(start, _)| folder.starts_with(start)));
    if !in_home && name != "taskHistory.json" {
        return Claim::No;
    }
    Claim::NoSession(match name {
        "taskHistory.json" | "_index.json" => {
            "the list of tasks, which are in folders of their own"
        }
        _ if name.starts_with("sessions.db") => {
            "an index of sessions; their conversations are in folders of their own"
        }
        _ if within("checkpoints") => "a state of files, for going back",
        _ => "in the agent's home, and nothing that is known as a session",
    })
}

/// The session's id: the folder of its files, or the name of a file that was taken out of it.
pub(super) fn session_id(session: &Session) -> String {
    let members = || session.bundle.members.iter();
    let main = members().find(|member| member.stream == session::Stream::Main);
    let name = main.or_else(|| members().next()).map_or("", |member| member.name.as_str());
    let file = last_part(name);
    let folder = name.rsplit('/').nth(1);
    match folder {
        Some(folder) if may_be_beside(file) || stem(file) == folder => folder.to_owned(),
        _ => stem(file).to_owned(),
    }
}

/// The folder of a task's project: by the list of tasks, or by the surroundings that the agent
/// described in the first request.
pub(super) fn project(file: &str, read: ReadBeside<'_>) -> Option<String> {
    let id = task(file)?;
    let listed = read(HISTORY).and_then(|bytes| {
        probe::look(probe::bare(&bytes), |list| {
            let own = list.elements().find(|item| item.word(map::ID) == Some(id.as_bytes()))?;
            map::FOLDERS.iter().find_map(|path| value::text_at(own, path))
        })?
    });
    listed.or_else(|| {
        let bytes = read(SENT)?;
        let head = bytes.get(..bytes.len().min(FIRST))?;
        described(&String::from_utf8_lossy(head))
    })
}

/// The length of the beginning of a history that has the first request, in bytes.
const FIRST: usize = 1 << 18;

/// The folder in the description of the surroundings, in a text as written.
fn described(text: &str) -> Option<String> {
    const BEGIN: [&str; 2] = ["# Current Working Directory (", "# Current Workspace Directory ("];
    let behind = BEGIN.iter().find_map(|begin| Some(text.split_once(begin)?.1))?;
    let folder = behind.split_once(") Files")?.0;
    let folder = value::unescape(folder.as_bytes()).into_owned();
    (!folder.is_empty() && !folder.contains('\n')).then_some(folder)
}
