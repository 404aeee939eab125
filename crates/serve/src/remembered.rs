//! Small facts about sessions that were read, which count as long as the files are as they were.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use catalog::Entry;

use crate::entries::uid;
use crate::seen::Seen;

/// The greatest number of sessions whose facts are kept. If there are more, all are forgotten.
const MOST: usize = 4096;

/// Facts about sessions, by their uids.
#[derive(Debug)]
pub(crate) struct Remembered<T>(Mutex<BTreeMap<String, (Seen, Arc<T>)>>);

impl<T> Default for Remembered<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Remembered<T> {
    /// The facts about a session: those that are known, or those that `read` reads.
    pub(crate) fn of<E>(
        &self,
        entry: &Entry,
        read: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let name = uid(entry);
        let known = || {
            let all = self.0.lock().ok()?;
            let (seen, facts) = all.get(&name)?;
            seen.is_as_it_was().then(|| facts.clone())
        };
        if let Some(known) = known() {
            return Ok(known);
        }
        let seen = Seen::of(entry.files.iter().map(|path| &**path));
        let facts = Arc::new(read()?);
        if let Ok(mut all) = self.0.lock() {
            if all.len() >= MOST {
                all.clear();
            }
            all.insert(name, (seen, facts.clone()));
        }
        Ok(facts)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn facts_count_until_the_file_changes() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.jsonl");
        std::fs::write(&file, "1\n").expect("written");
        let entry =
            Entry { id: "a".into(), files: vec![file.as_path().into()], ..Entry::default() };
        let facts: Remembered<u32> = Remembered::default();
        let ask = |fact| *facts.of(&entry, || Ok::<_, Infallible>(fact)).expect("a fact");
        assert_eq!([ask(1), ask(2)], [1, 1]);
        std::fs::write(&file, "1\n2\n").expect("written");
        assert_eq!([ask(3), ask(4)], [3, 3]);
    }
}
