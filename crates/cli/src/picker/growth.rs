//! Sessions that appear and grow while the picker is open. The files of the newest sessions, and
//! the folders around them, are looked at more than once a second: an agent that writes changes one
//! of them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::time::{Duration, SystemTime};

use catalog::{Catalog, Entry};
use session::UtcTime;

use super::rows::Row;
use super::work::News;
use crate::environment;
use crate::title::shorten;

/// The time between two looks.
const LOOK: Duration = Duration::from_millis(700);
/// The number of the newest sessions whose files are looked at.
const NEWEST: usize = 64;
/// The number of looks without a change after which a session grows no more.
const REST: u32 = 14;

/// The changes that a look has shown.
#[derive(Debug)]
pub(super) struct Growth {
    /// The sessions that are new or have changed.
    pub entries: Vec<Entry>,
    /// The uids of those that have changed a moment ago.
    pub growing: HashSet<String>,
    /// The time of the look.
    pub now: UtcTime,
}

/// The length of a file and the time of its last change; `None` if it is not there.
type State = Option<(u64, Option<SystemTime>)>;

fn state(path: &Path) -> State {
    let about = path.metadata().ok()?;
    Some((about.len(), about.modified().ok()))
}

fn modified(state: State) -> Option<SystemTime> {
    state.and_then(|(_, modified)| modified)
}

/// The files and folders that are looked at, as they were.
#[derive(Default)]
pub(super) struct Watched {
    /// The places of the agents. Nothing outside of them is looked at.
    roots: Vec<PathBuf>,
    files: BTreeMap<PathBuf, State>,
    folders: BTreeMap<PathBuf, State>,
    /// The number of looks since each session has changed.
    growing: HashMap<String, u32>,
}

impl Watched {
    /// The newest of these sessions, of which the newest is the first.
    pub(super) fn of(catalog: &Catalog<'_>, entries: &[Entry]) -> Self {
        let roots = catalog.machine.roots(catalog.formats).into_iter().map(|root| root.path);
        let mut watched = Self { roots: roots.collect(), ..Self::default() };
        for entry in entries.iter().filter(|entry| !entry.archived).take(NEWEST) {
            watched.add(entry);
        }
        watched
    }

    fn add(&mut self, entry: &Entry) {
        for path in &entry.files {
            let mut log = path.as_os_str().to_owned();
            log.push("-wal");
            for file in [path.to_path_buf(), log.into()] {
                self.files.entry(file).or_insert_with_key(|file| state(file));
            }
            // A new session is in one of these, or in a new folder in one.
            let is_ours = |folder: &&Path| self.roots.iter().any(|root| folder.starts_with(root));
            for folder in path.ancestors().skip(1).take(2).filter(is_ours) {
                self.folders.entry(folder.to_owned()).or_insert_with_key(|folder| state(folder));
            }
        }
    }

    /// The files that have changed since the last look, and those that are new.
    fn changed(&mut self) -> BTreeSet<PathBuf> {
        let mut changed = BTreeSet::new();
        for (path, known) in &mut self.files {
            let now = state(path);
            if std::mem::replace(known, now) != now && now.is_some() {
                changed.insert(path.clone());
            }
        }
        let mut new = Vec::new();
        for (folder, known) in &mut self.folders {
            let (before, now) = (*known, state(folder));
            if std::mem::replace(known, now) != now {
                // What is older than the last change of the folder was there before.
                let is_new = |path: &PathBuf| modified(state(path)) >= modified(before);
                new.extend(files_in(folder, 2).into_iter().filter(is_new));
            }
        }
        changed.extend(new.into_iter().filter(|path| !self.files.contains_key(path)));
        changed
    }

    /// Looks again. `None` if there is no news.
    pub(super) fn look(&mut self, catalog: &Catalog<'_>, now: UtcTime) -> Option<Growth> {
        let before = self.growing.len();
        self.growing.retain(|_, looks| {
            *looks += 1;
            *looks < REST
        });
        let ended = self.growing.len() < before;
        let changed: Vec<PathBuf> = self.changed().into_iter().map(main).collect();
        let mut entries = Vec::new();
        if !changed.is_empty() {
            let found = catalog.find(&changed);
            entries = catalog.list_found(found, false, &shorten).entries;
            operations::add_listed_titles(catalog, &mut entries);
        }
        for path in changed {
            // A file that belongs to no session is new only once.
            self.files.entry(path).or_insert_with_key(|path| state(path));
        }
        for entry in &entries {
            self.add(entry);
            self.growing.insert(Row::uid_of(entry), 0);
        }
        let growing = self.growing.keys().cloned().collect();
        (ended || !entries.is_empty()).then_some(Growth { entries, growing, now })
    }
}

/// The file that a database's log belongs to.
fn main(path: PathBuf) -> PathBuf {
    let text = path.to_string_lossy();
    text.strip_suffix("-wal").map(PathBuf::from).unwrap_or(path)
}

/// The files in a folder, and in the folders in it down to a depth.
fn files_in(folder: &Path, depth: u32) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_file() => files.push(entry.path()),
            Ok(kind) if kind.is_dir() && depth > 0 => {
                files.extend(files_in(&entry.path(), depth - 1));
            }
            _ => {}
        }
    }
    files
}

/// Looks each second, until nobody listens.
pub(super) fn watch(catalog: &Catalog<'_>, mut watched: Watched, sender: &Sender<News>) {
    loop {
        std::thread::sleep(LOOK);
        if let Some(growth) = watched.look(catalog, environment::now())
            && sender.send(News::Grown(growth)).is_err()
        {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "5d0e9c1f-7b86-4a57-9c6d-0a1b2c3d4e5f";

    fn line(id: &str, text: &str) -> String {
        let line = serde_json::json!({ "type": "user", "uuid": "u1", "sessionId": id,
            "cwd": "/home/ana/barn", "timestamp": "2026-05-01T10:00:00.000Z",
            "parentUuid": null, "message": { "role": "user", "content": text } });
        format!("{line}\n")
    }

    #[test]
    fn a_session_that_grows_and_a_new_one_are_seen_once() {
        let home = tempfile::tempdir().expect("a home");
        let folder = home.path().join(".claude/projects/-home-ana-barn");
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join(format!("{ID}.jsonl"));
        std::fs::write(&path, line(ID, "Mend the barn door")).expect("written");
        let machine = catalog::Machine { home: Some(home.path().into()), ..Default::default() };
        let catalog = Catalog { formats: formats::ALL, machine };
        let old = SystemTime::now() - Duration::from_secs(86_400);
        for number in 0..NEWEST + 20 {
            let id = format!("5d0e9c1f-7b86-4a57-9c6d-{number:012x}");
            let path = folder.join(format!("{id}.jsonl"));
            let text = line(&id, "Sweep the barn").replace("2026-05", "2025-05");
            std::fs::write(&path, text).expect("written");
            let file = std::fs::File::options().write(true).open(&path).expect("a file");
            file.set_modified(old).expect("a time");
        }
        let mut watched = Watched::of(&catalog, &catalog.list(&[], false).entries);
        let mut look = || {
            let growth = watched.look(&catalog, UtcTime(0));
            growth.map(|growth| (growth.entries.len(), growth.growing.len()))
        };
        assert_eq!(look(), None);
        std::fs::write(&path, line(ID, "Mend the barn door") + &line(ID, "And its hinge"))
            .expect("written");
        assert_eq!(look(), Some((1, 1)));
        let other = "6d0e9c1f-7b86-4a57-9c6d-0a1b2c3d4e5f";
        let beside = home.path().join(".claude/projects/-home-ana-mill");
        std::fs::create_dir_all(&beside).expect("a folder");
        std::fs::write(beside.join(format!("{other}.jsonl")), line(other, "Oil the mill"))
            .expect("written");
        assert_eq!(look(), Some((1, 2)));
        // A session that rests is news once more, when it grows no longer.
        let told: Vec<_> = (0..2 * REST).filter_map(|_| look()).collect();
        assert_eq!(told, [(0, 1), (0, 0)]);
    }
}
