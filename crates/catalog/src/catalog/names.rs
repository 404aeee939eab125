//! Lookup of sessions by id.

use std::collections::HashSet;

use session::Memory;

use crate::error::Error;
use crate::find::found::Found;
use crate::open::ends::Kept;
use crate::open::source::Source;
use crate::parallel::parallel_with;
use crate::view::copies;
use crate::view::summary::{Listed, summarize};

/// Sessions of a scan by their ids, and the files that could not be read.
pub(crate) struct Named<'s> {
    ids: Vec<(&'s Source, String)>,
    /// All sessions that could be read.
    pub(crate) listed: Vec<Listed>,
    unread: Vec<String>,
}

impl<'s> Named<'s> {
    /// Collects the ids of each source's sessions.
    pub(crate) fn of(found: &'s Found) -> Self {
        let failed = found.aside.iter().filter(|aside| aside.why.is_failure());
        let mut unread: Vec<String> =
            failed.map(|aside| format!("{}: {}", aside.path.display(), aside.why)).collect();
        let (mut ids, mut all) = (Vec::new(), Vec::new());
        let kept = Kept::nothing();
        let look = |memory: &mut Memory, source: &Source| summarize(source, &kept, memory);
        let entries = parallel_with(&found.sources, Source::length, Memory::default, look);
        for (source, entries) in found.sources.iter().zip(entries) {
            match entries {
                Ok(entries) => all.extend(entries.into_iter().map(|entry| (source, entry))),
                Err(error) => {
                    ids.push((source, source.group.clone()));
                    unread.push(error.to_string());
                }
            }
        }
        // Of several copies, the most complete one is opened.
        let folded = copies::fold(all);
        let listed = folded.iter().map(|(_, entry)| Listed {
            format: entry.format,
            id: entry.id.clone(),
            spawned_by: entry.spawned_by.clone(),
        });
        let listed = listed.collect();
        ids.extend(folded.into_iter().map(|(source, entry)| (source, entry.id)));
        Self { ids, listed, unread }
    }

    /// The source of the session with this id, or of the only session whose id has this prefix.
    pub(crate) fn pick(&self, query: &str) -> Result<(&'s Source, String), Error> {
        let uid = |(source, id): &(&Source, String)| format!("{}:{id}", source.format.name());
        let exact = |named: &&(&Source, String)| named.1 == query || uid(named) == query;
        let begins = |named: &&(&Source, String)| {
            named.1.starts_with(query) || uid(named).starts_with(query)
        };
        let mut all: Vec<&(&Source, String)> = self.ids.iter().filter(exact).collect();
        if all.is_empty() {
            all = self.ids.iter().filter(begins).collect();
        }
        let mut seen = HashSet::new();
        let copies = !all.iter().all(|named| seen.insert(uid(named)));
        let tell = |named: &(&Source, String)| match named.0.files.first().filter(|_| copies) {
            Some(file) => format!("{} ({})", uid(named), file.path.display()),
            None => uid(named),
        };
        match &*all {
            [one] => Ok((one.0, one.1.clone())),
            [] => Err(Error::NoSuch { query: query.into(), unread: self.unread.clone() }),
            several => {
                let found = several.iter().map(|named| tell(named)).collect();
                Err(Error::Ambiguous { query: query.into(), found, copies })
            }
        }
    }
}
