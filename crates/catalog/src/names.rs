//! Sessions by id: the one that a name means, among those that a search found.

use std::collections::HashSet;

use formats::Formats;
use session::Memory;

use crate::copies;
use crate::error::{Choice, Error};
use crate::find::found::Found;
use crate::open::ends::Kept;
use crate::open::session_index::MaybeIndex;
use crate::open::source::Source;
use crate::parallel::parallel_with;
use crate::summary::{Entry, Listed, summarize};

/// The name of a session as a user gives it: an id or its beginning, in any case, with or without
/// the agent's name, or the beginning of that, before it (`claude:0b5c`).
pub(crate) struct Query<'q> {
    /// The name as it was given.
    pub text: &'q str,
    /// The id in it.
    pub id: &'q str,
    /// The agents that it allows; empty if it names none.
    agents: Vec<&'static str>,
}

impl<'q> Query<'q> {
    /// Reads a name.
    pub(crate) fn of(text: &'q str, formats: Formats<'_>) -> Self {
        let (agent, id) = text.split_once(':').unwrap_or(("", text));
        let begun = agent.to_lowercase();
        let names = formats.iter().map(|format| format.name());
        let agents: Vec<&str> =
            names.filter(|name| !begun.is_empty() && name.starts_with(&begun)).collect();
        let id = if agents.is_empty() { text } else { id };
        Self { text, id, agents }
    }

    /// Whether it may mean a session.
    pub(crate) fn takes(&self, entry: &Entry) -> bool {
        self.names(entry.format, &entry.id, &begins)
    }

    /// Whether it names a session whose id is so related to the given one.
    fn names(&self, format: &str, id: &str, is: Relation<'_>) -> bool {
        let named = self.agents.is_empty() || self.agents.contains(&format);
        named && is(id, self.id) || !self.agents.is_empty() && is(id, self.text)
    }
}

/// A relation of an id to a given one.
type Relation<'r> = &'r dyn Fn(&str, &str) -> bool;

/// Whether a text begins with another, in any case.
fn begins(text: &str, with: &str) -> bool {
    text.get(..with.len()).is_some_and(|begun| begun.eq_ignore_ascii_case(with))
}

/// Sessions of a scan by their ids, and the files that could not be read.
pub(crate) struct Named<'s> {
    ids: Vec<(&'s Source, Entry)>,
    /// All sessions that could be read.
    pub(crate) listed: Vec<Listed>,
    unread: Vec<String>,
}

impl<'s> Named<'s> {
    /// Collects the ids of each source's sessions.
    pub(crate) fn of(found: &'s Found, index: &MaybeIndex) -> Self {
        let failed = found.skipped.iter().filter(|skipped| skipped.why.is_failure());
        let mut unread: Vec<String> =
            failed.map(|skipped| format!("{}: {}", skipped.path.display(), skipped.why)).collect();
        let (mut ids, mut all) = (Vec::new(), Vec::new());
        let kept = Kept::nothing().with_index(index);
        let look = |memory: &mut Memory, source: &Source| summarize(source, &kept, memory);
        let entries = parallel_with(&found.sources, Source::length, Memory::default, look);
        for (source, entries) in found.sources.iter().zip(entries) {
            match entries {
                Ok(entries) => all.extend(entries.into_iter().map(|entry| (source, entry))),
                Err(error) => {
                    let (format, id) = (source.format.name(), source.group.clone());
                    ids.push((source, Entry { format, id, ..Entry::default() }));
                    unread.push(error.to_string());
                }
            }
        }
        // Of several copies, the most complete one is opened.
        let folded = copies::fold(all);
        let listed = folded.iter().map(|(_, entry)| Listed {
            format: entry.format,
            id: entry.id.clone(),
            spawned_by: entry.spawned_by.as_deref().map(Into::into),
        });
        let listed = listed.collect();
        ids.extend(folded);
        Self { ids, listed, unread }
    }

    /// The source and the id of the session with this name: of the only one that has this id, or
    /// else the only one whose id begins so.
    pub(crate) fn pick(&self, query: &Query<'_>) -> Result<(&'s Source, String), Error> {
        let same = |a: &str, b: &str| a == b;
        let steps: [Relation<'_>; 3] = [&same, &str::eq_ignore_ascii_case, &begins];
        let of = |is: &Relation<'_>| -> Vec<&(&Source, Entry)> {
            let named = |(_, entry): &&(&Source, Entry)| query.names(entry.format, &entry.id, is);
            self.ids.iter().filter(named).collect()
        };
        let all = steps.iter().map(of).find(|found| !found.is_empty()).unwrap_or_default();
        match &*all {
            [(source, entry)] => Ok((source, entry.id.clone())),
            [] => Err(Error::NoSuch {
                query: query.text.into(),
                near: self.near(query),
                unread: self.unread.clone(),
            }),
            several => {
                let mut seen = HashSet::new();
                let copies = !several.iter().all(|(_, e)| seen.insert((e.format, &*e.id)));
                let found = several.iter().map(|(_, entry)| choice(entry)).collect();
                Err(Error::Ambiguous { query: query.text.into(), found, copies })
            }
        }
    }

    /// The uid that resembles a name most, if one resembles it.
    fn near(&self, query: &Query<'_>) -> Option<String> {
        let wanted = query.id.to_lowercase();
        let length = wanted.chars().count();
        if length < NEAR {
            return None;
        }
        let distance = |(_, entry): &(&Source, Entry)| {
            let begun: String = entry.id.to_lowercase().chars().take(length).collect();
            (distance(&begun, &wanted), format!("{}:{}", entry.format, entry.id))
        };
        let near = self.ids.iter().map(distance).min()?;
        if near.0 <= FAULTS {
            return Some(near.1);
        }
        let shared = |(_, entry): &(&Source, Entry)| {
            let pairs = entry.id.bytes().zip(query.id.bytes());
            pairs.take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count()
        };
        // Of several, the newest one: an id that begins with a time begins like those around it.
        let rank = |of: &(&Source, Entry)| (shared(of), of.1.updated);
        let begun = self.ids.iter().max_by_key(|of| rank(of))?;
        let uid = |(_, entry): &(&Source, Entry)| format!("{}:{}", entry.format, entry.id);
        (shared(begun) >= ALIKE).then(|| uid(begun))
    }
}

/// A session among those that a name may mean.
pub(crate) fn choice(entry: &Entry) -> Choice {
    let title = entry.title.clone().or_else(|| entry.prompt.clone());
    Choice {
        uid: format!("{}:{}", entry.format, entry.id),
        title: title.unwrap_or_default().into(),
        updated: entry.updated,
        file: entry.files.first().map(|file| file.to_path_buf()),
    }
}

/// Number of characters from which on a name has a nearest id.
const NEAR: usize = 4;
/// Greatest number of faults of typing in a name.
const FAULTS: usize = 2;

/// Number of equal first characters from which on an id resembles a name.
const ALIKE: usize = 6;

/// Number of characters to be put in, taken out or replaced, to make one text of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (at, c) in a.chars().enumerate() {
        let mut before = row[0];
        row[0] = at + 1;
        for (to, d) in b.iter().enumerate() {
            let replaced = before + usize::from(c != *d);
            before = row[to + 1];
            row[to + 1] = replaced.min(before + 1).min(row[to] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_an_agent_or_none() {
        let name = |text| {
            let query = Query::of(text, formats::ALL);
            (query.id, query.agents)
        };
        assert_eq!(name("0b5c"), ("0b5c", vec![]));
        assert_eq!(name("Claude:0B"), ("0B", vec!["claude-code"]));
        assert_eq!(name("co:0"), ("0", vec!["copilot", "codex", "codewhale"]));
        assert_eq!(name("urn:x"), ("urn:x", vec![]));
        assert_eq!(name(":x"), (":x", vec![]));
        // No name is the beginning of every uid.
        let query = Query::of("c", formats::ALL);
        assert!(!query.names("codex", "0b5c", &begins));
        assert!(Query::of("codex:0B", formats::ALL).names("codex", "0b5c", &begins));
        assert!(!Query::of("gemini:0b", formats::ALL).names("codex", "0b5c", &begins));
    }

    #[test]
    fn faults_of_typing_are_counted() {
        assert_eq!(distance("0b5c", "0b5c"), 0);
        assert_eq!(distance("0b5c", "05bc"), 2);
        assert_eq!(distance("0b5c", "0bc"), 1);
        assert_eq!(distance("", "ab"), 2);
    }
}
