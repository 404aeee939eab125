//! Short names of sessions: the beginnings of their ids, as long as they must be to mean one
//! session each. Every command that takes an id takes them.

use std::collections::HashMap;

use catalog::Entry;

use crate::human;
use crate::resume::quote;

/// The names of some sessions, as they can be typed: unique beginnings of their ids among `all`
/// agents and ids, or whole ids, with the agent where others have the same. Where an agent has an
/// id several times, the name is the path of the file.
pub(crate) fn names(entries: &[&Entry], all: &[(&'static str, String)]) -> Vec<String> {
    // Case does not count in a name.
    let lower: Vec<String> = all.iter().map(|(_, id)| id.to_lowercase()).collect();
    let ids: Vec<&str> = lower.iter().map(String::as_str).collect();
    let lengths: HashMap<&str, usize> = ids.iter().copied().zip(human::unique(&ids)).collect();
    let mut agents: HashMap<&str, Vec<&str>> = HashMap::new();
    for (id, (agent, _)) in ids.iter().zip(all) {
        agents.entry(id).or_default().push(agent);
    }
    let name = |entry: &&Entry| {
        let id = entry.id.to_lowercase();
        let with_id = agents.get(&*id).map_or(&[][..], Vec::as_slice);
        let own = with_id.iter().filter(|agent| **agent == entry.format).count();
        let file = entry.files.first().and_then(|file| file.to_str());
        if let Some(file) = file.filter(|_| own > 1) {
            return quote::words(&[file.to_owned()]);
        }
        let length = lengths.get(&*id).copied().unwrap_or(entry.id.len());
        let begun = entry.id.get(..length).unwrap_or(&entry.id);
        match with_id.len() < 2 && is_plain(begun) && begun != "last" {
            true => begun.to_owned(),
            false => quote::words(&[format!("{}:{}", entry.format, entry.id)]),
        }
    };
    entries.iter().map(name).collect()
}

/// Whether a shell, and every command, takes a name as it is.
fn is_plain(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.@".contains(c))
        && !matches!(name.chars().next(), Some('@' | '.' | '-'))
}
