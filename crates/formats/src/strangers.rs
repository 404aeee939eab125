//! Unsupported agents: forks of supported ones, or agents with similar files. Their files are
//! named, so that nobody takes them for sessions of a supported agent, or for unknown files.
//! `table.rs` has the folders of agents that are not read.

use session::Node;

use crate::claim::Candidate;
use crate::probe;

mod table;

pub use table::{ARCHIVED, REGISTERS, SessionFolder, Unit, all};

/// Folders of these agents alone: prefixes, mostly also suffixes, of their names in a path.
const FOLDERS: &[(&str, &str)] = &[
    ("/.iflow/", IFLOW),
    ("/share/kilo/", KILO),
    ("/.crush/", CRUSH),
    ("/.gemini/antigravity/", ANTIGRAVITY),
    ("/.gemini/antigravity-ide/", ANTIGRAVITY),
    ("/.gemini/antigravity-cli/", ANTIGRAVITY),
];

/// File names of these agents alone.
const NAMES: &[(&str, &str)] = &[("kilo.db", KILO), ("crush.db", CRUSH)];

const IFLOW: &str = "iFlow CLI";
const KILO: &str = "Kilo Code";
const CRUSH: &str = "Crush";
const ANTIGRAVITY: &str = "Antigravity";

/// The agent whose folder or file name the path has.
#[must_use]
pub fn placed(path: &str) -> Option<&'static str> {
    let (_, name) = path.rsplit_once('/').unwrap_or(("", path));
    let named = NAMES.iter().find(|(known, _)| *known == name);
    let within = || FOLDERS.iter().find(|(folder, _)| path.contains(folder));
    named.or_else(within).map(|(_, agent)| *agent)
}

/// The agent whose files begin like this one.
#[must_use]
pub fn told(file: &Candidate<'_>) -> Option<&'static str> {
    if !matches!(probe::bare(file.head).first(), Some(b'{' | b'[')) {
        return None;
    }
    if probe::is_document(file.head) {
        return probe::look(probe::bare(file.head), document)?;
    }
    probe::lines(file.head).take(8).find_map(|line| probe::look(line, document)?)
}

fn document(node: Node<'_>) -> Option<&'static str> {
    let has = |path: &[&str]| node.at(path).is_some();
    if has(&["step_index"]) && has(&["source"]) && has(&["created_at"]) {
        return Some(ANTIGRAVITY);
    }
    if has(&["uuid"]) && is_iflow(node) {
        return Some(IFLOW);
    }
    None
}

/// Whether a line of a chain of messages is another agent's, by the names of its ids.
pub(crate) fn is_iflow(line: Node<'_>) -> bool {
    line.word(&["sessionId"]).is_some_and(|id| id.starts_with(b"session-"))
}
