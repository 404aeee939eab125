//! Schema drift: names that an agent writes and no table of its format knows. Their values are
//! kept. They show that the agent's format has changed since the tables were written.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use session::{EventRef, Field, Hold, Session, Slot, value};

/// Schema drift: names without a row in the tables, each with its number of occurrences. Each agent
/// has its own list, so that one agent's drift never fills the list of another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drift {
    agents: BTreeMap<&'static str, OfAgent>,
}

/// The drift of one agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct OfAgent {
    /// The first names in sort order, so that the list does not depend on the order in which they
    /// were found.
    listed: BTreeMap<Strange, u64>,
    /// The hashes of all names.
    seen: BTreeSet<u64>,
}

/// A name without a row. In sort order, record types come before fields of known records.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Strange {
    /// The format.
    pub format: &'static str,
    /// Level of the item in its record.
    pub level: Level,
    /// The agent's version, if the session records it.
    pub version: Option<String>,
    /// The record's type as the agent names it. For a field, also the names on the path to it.
    pub what: String,
}

/// Part of the data that no table names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// A table of a database, or keys in one, that the format does not read.
    Table,
    /// A record of an unknown type.
    Record,
    /// A field of a known record.
    Field,
}

/// Maximum number of names that are listed for one agent. Further names are only counted, because
/// hostile files may contain any number.
const KINDS: usize = 4096;

/// Maximum length of a name in bytes. Longer names are truncated.
const NAME: usize = 120;

impl Drift {
    /// Adds the drift of a session.
    pub fn add(&mut self, session: &Session) {
        let mut version = None;
        for event in session.events() {
            let strange = event.case.is_strange();
            if !strange && event.fields().iter().all(|field| field.known) {
                continue;
            }
            let version = version
                .get_or_insert_with(|| session.first(Slot::Version).map(|version| cut(&version)));
            let mut note = |level, what| {
                let format = session.format;
                self.count(Strange { format, level, version: version.clone(), what }, 1);
            };
            let word = word(event);
            if strange {
                note(Level::Record, word.unwrap_or_else(|| "(without a type)".into()));
                continue;
            }
            let word = word.unwrap_or_else(|| event.case.name.to_owned());
            let mut path: Vec<Field> = Vec::new();
            for &field in event.fields() {
                path.truncate(usize::from(field.depth));
                if !field.known && field.hold == Hold::Own {
                    note(Level::Field, name(event, &word, &path, field));
                }
                path.push(field);
            }
        }
    }

    /// Adds a database's tables that are neither read nor known to hold no session.
    pub(crate) fn tables(&mut self, format: &'static str, tables: &[(String, u64)]) {
        for (name, rows) in tables {
            let (level, what) = (Level::Table, cut(name));
            self.count(Strange { format, level, version: None, what }, *rows);
        }
    }

    /// Adds the counts of another drift.
    pub fn join(&mut self, other: &Self) {
        for (format, theirs) in &other.agents {
            let ours = self.agents.entry(format).or_default();
            ours.seen.extend(&theirs.seen);
            for (strange, count) in &theirs.listed {
                ours.list(strange.clone(), *count);
            }
        }
    }

    /// True if every name was known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.agents.is_empty()
    }

    /// Number of distinct names, listed or not.
    #[must_use]
    pub fn kinds(&self) -> u64 {
        self.agents.values().map(|agent| agent.seen.len() as u64).sum()
    }

    /// For each agent: the number of distinct names, and the listed names with their numbers of
    /// occurrences.
    pub fn agents(&self) -> impl Iterator<Item = (u64, &BTreeMap<Strange, u64>)> {
        self.agents.values().map(|agent| (agent.seen.len() as u64, &agent.listed))
    }

    /// The listed names of all agents, with their numbers of occurrences.
    pub fn listed(&self) -> impl Iterator<Item = (&Strange, u64)> {
        self.agents().flat_map(|(_, listed)| listed).map(|(strange, count)| (strange, *count))
    }

    fn count(&mut self, strange: Strange, count: u64) {
        let agent = self.agents.entry(strange.format).or_default();
        let mut hasher = DefaultHasher::new();
        strange.hash(&mut hasher);
        agent.seen.insert(hasher.finish());
        agent.list(strange, count);
    }
}

impl OfAgent {
    /// Counts a name in the list, if it is among the first in sort order.
    fn list(&mut self, strange: Strange, count: u64) {
        *self.listed.entry(strange).or_default() += count;
        if self.listed.len() > KINDS {
            self.listed.pop_last();
        }
    }
}

/// The type of a record as the agent names it, the outer name first: `event_msg/error`.
fn word(event: EventRef<'_>) -> Option<String> {
    let named = |field: &Field| matches!(event.name(*field), b"type" | b"record_type" | b"kind");
    let says = |field: &&Field| match field.slot {
        Slot::Type => true,
        Slot::Name => named(field),
        _ => false,
    };
    let text = |field: &Field| value::text(event.value(*field)).filter(|word| !word.is_empty());
    let words: Vec<_> = event.fields().iter().filter(says).filter_map(text).collect();
    if words.is_empty() {
        return event.fields().iter().find(|field| named(field)).and_then(text).map(|w| cut(&w));
    }
    Some(cut(&words.join("/")))
}

/// A field's path after its record's type: `user: message.content_kind`.
fn name(event: EventRef<'_>, word: &str, path: &[Field], field: Field) -> String {
    let names = path.iter().chain([&field]).map(|field| value::unescape(event.name(*field)));
    // Numbers are one name: they are mostly positions in a list, even as names of members.
    let is_number = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit());
    let names = names.map(|name| if is_number(&name) { NUMBER.into() } else { name });
    let names: Vec<_> = names.collect();
    cut(&format!("{word}: {}", names.join(".")))
}

/// Placeholder for each name that is a number.
const NUMBER: &str = "<number>";

fn cut(text: &str) -> String {
    match text.len() > NAME {
        true => format!("{}…", &text[..text.floor_char_boundary(NAME)]),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strange(format: &'static str, level: Level, what: &str) -> Strange {
        Strange { format, level, version: None, what: what.into() }
    }

    #[test]
    fn no_agent_hides_another_and_a_record_is_listed_whatever_came_before_it() {
        let mut drift = Drift::default();
        for number in 0..2 * KINDS {
            drift.count(strange("a", Level::Field, &format!("say: name{number}")), 1);
        }
        drift.count(strange("a", Level::Record, "zoom"), 1);
        drift.count(strange("b", Level::Field, "say: x"), 1);
        let listed: Vec<_> = drift.listed().map(|(strange, _)| strange.what.as_str()).collect();
        assert_eq!((listed[0], listed[listed.len() - 1]), ("zoom", "say: x"));
        assert_eq!((listed.len(), drift.kinds()), (KINDS + 1, 2 * KINDS as u64 + 2));
    }

    #[test]
    fn the_sum_is_that_of_kinds_however_they_are_met() {
        let part = |from: usize| {
            let mut part = Drift::default();
            for number in (from..from + KINDS).chain(from..from + KINDS) {
                part.count(strange("a", Level::Field, &format!("say: name{number}")), 1);
            }
            part
        };
        let (first, second) = (part(0), part(KINDS / 2));
        let mut one = first.clone();
        one.join(&second);
        let mut other = second;
        other.join(&first);
        assert_eq!(one, other);
        assert_eq!(one.kinds(), (KINDS + KINDS / 2) as u64);
        let shared = one.listed().find(|(strange, _)| strange.what == "say: name3000");
        assert_eq!(shared.map(|(_, count)| count), Some(4));
    }
}
