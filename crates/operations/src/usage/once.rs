//! Selection of the usages that count, over all sessions: each answer once.

use std::collections::{BTreeMap, HashMap, HashSet};

use meaning::usage::{Key, Part, Tokens};

use super::Usage;
use super::record::Record;

/// The usages that each fork of a session copied.
type Forks<'u> = BTreeMap<&'u str, Vec<(u32, u32)>>;

impl Usage {
    /// Counts the usages that a fork copied from a session that is not there. Of several forks of
    /// such a session, the one that copied most of it counts them.
    pub(super) fn orphans(&mut self) {
        let ids: HashSet<(&str, &str)> = self
            .sources
            .iter()
            .flat_map(|source| source.ids.iter().map(|id| (source.format, id.as_str())))
            .collect();
        let mut forks: BTreeMap<(&str, &str), Forks<'_>> = BTreeMap::new();
        for &at in &self.order {
            let (source, record) = self.at(at);
            let Some(parent) = source.copied_from(record) else { continue };
            if !ids.contains(&(source.format, parent)) && record.tokens() != Tokens::default() {
                let forks = forks.entry((source.format, parent)).or_default();
                forks.entry(source.session(record)).or_default().push(at);
            }
        }
        let most = forks.into_values().filter_map(|forks| forks.into_values().max_by_key(Vec::len));
        for (source, record) in most.flatten().collect::<Vec<_>>() {
            self.sources[source as usize].records[record as usize].count();
        }
    }

    /// Counts the answers at the end of what a fork is taken to have copied, if the session that it
    /// was forked from does not have them. Some forks do not say where their own turns begin, and a
    /// first turn that ends within a second looks like the end of the copy; its texts and counters
    /// tell it. Where nothing of the copy is in the other session, nothing is known.
    pub(super) fn own_ends(&mut self) {
        let mut said: HashMap<(&str, &str), HashSet<Key>> = HashMap::new();
        let mut copies: BTreeMap<(u32, u32, u32), Vec<(u32, Key)>> = BTreeMap::new();
        for (at, source) in (0..).zip(&self.sources) {
            for (number, record) in (0..).zip(&source.records) {
                let Some(key) = record.said else { continue };
                let session = (source.format, source.session(record));
                said.entry(session).or_default().insert(key);
                if source.copied_from(record).is_some() {
                    let file = (at, record.path, record.session());
                    copies.entry(file).or_default().push((number, key));
                }
            }
        }
        let mut own: Vec<(u32, u32)> = Vec::new();
        let mut known: HashSet<Key> = HashSet::new();
        for ((at, _, _), copied) in copies {
            let source = &self.sources[at as usize];
            let parent = copied
                .first()
                .and_then(|(first, _)| source.copied_from(&source.records[*first as usize]))
                .and_then(|parent| said.get(&(source.format, parent)));
            let Some(parent) = parent else { continue };
            let Some(last) = copied.iter().rposition(|(_, key)| parent.contains(key)) else {
                continue;
            };
            let ends = &copied[last + 1..];
            own.extend(
                ends.iter().filter(|(_, key)| known.insert(*key)).map(|(number, _)| (at, *number)),
            );
        }
        for (source, record) in own {
            let records = &mut self.sources[source as usize].records;
            let session = records[record as usize].session();
            let others = records.iter().filter(|other| other.session() == session);
            let part = others.map(|other| other.part).find(|part| *part != Part::Copied);
            records[record as usize].is_own(part.unwrap_or(Part::Main));
        }
    }

    /// Counts each answer once. Of all records with its key, the most complete counts; if several
    /// are, the first of them.
    pub(super) fn once(&mut self, key: impl Fn(&Record) -> Option<Key>) {
        let mut winners: HashMap<(&'static str, Key), (u32, u32)> = HashMap::new();
        for place in 0..self.order.len() {
            let at = self.order[place];
            let (source, record) = self.at(at);
            let Some(key) = key(record).filter(|_| record.counts()) else { continue };
            let winner = winners.entry((source.format, key)).or_insert(at);
            if *winner == at {
                continue;
            }
            let (_, best) = self.at(*winner);
            let loser = if record.is_better(best) { std::mem::replace(winner, at) } else { at };
            let winner = *winner;
            let place = self.at(winner).1.place(winner.0);
            self.sources[loser.0 as usize].records[loser.1 as usize].repeats(place);
        }
    }

    /// Excludes a session's sum if its answers are recorded too.
    pub(super) fn wholes(&mut self) {
        let whole = |record: &Record| record.part == Part::Whole && record.counts();
        let all = || self.order.iter().map(|&at| (at, self.at(at)));
        let mut answers: HashMap<(&str, &str), Option<(u32, u32)>> = all()
            .filter(|(_, (_, record))| whole(record))
            .map(|(_, (source, record))| ((source.format, source.session(record)), None))
            .collect();
        for (at, (source, record)) in all() {
            if record.part != Part::Whole
                && record.counts()
                && let Some(first) = answers.get_mut(&(source.format, source.session(record)))
            {
                first.get_or_insert(at);
            }
        }
        let repeats: Vec<_> = all()
            .filter(|(_, (_, record))| whole(record))
            .filter_map(|(at, (source, record))| {
                let answer = answers.get(&(source.format, source.session(record)))?.as_ref()?;
                Some((at, self.at(*answer).1.place(answer.0)))
            })
            .collect();
        for (at, place) in repeats {
            self.sources[at.0 as usize].records[at.1 as usize].repeats(place);
        }
    }

    /// Counts either a document or the session from which it was made: the one with more tokens.
    pub(super) fn documents(&mut self) {
        #[derive(Default)]
        struct Told {
            /// Tokens in the agent's own files, and in documents.
            total: [u64; 2],
            first: [Option<(u32, u32)>; 2],
        }
        if self.sources.iter().all(|source| source.document)
            || self.sources.iter().all(|source| !source.document)
        {
            return;
        }
        let all = || self.order.iter().map(|&at| (at, self.at(at)));
        let counted = || all().filter(|(_, (_, record))| record.counts());
        let mut sessions: HashMap<&str, Told> = HashMap::new();
        for (at, (source, record)) in counted() {
            let told = sessions.entry(source.session(record)).or_default();
            let side = usize::from(source.document);
            told.total[side] = told.total[side].saturating_add(record.tokens().total());
            told.first[side].get_or_insert(at);
        }
        let repeats: Vec<_> = counted()
            .filter_map(|(at, (source, record))| {
                let told = sessions.get(source.session(record))?;
                let other = told.first[usize::from(!source.document)]?;
                let winner = usize::from(told.total[1] > told.total[0]);
                let loses = usize::from(source.document) != winner;
                loses.then(|| (at, self.at(other).1.place(other.0)))
            })
            .collect();
        for (at, place) in repeats {
            self.sources[at.0 as usize].records[at.1 as usize].repeats(place);
        }
    }
}
