//! A turn in an agent's store that has a record for each thread, turn and item.

use std::fs;
use std::path::{Path, PathBuf};

use catalog::{Catalog, Error};
use formats::turns::{StoreFault, StorePart, StoreRecords, TurnFacts, TurnStore};
use session::Sorting as _;
use session::value;

/// A turn of a store.
#[derive(Debug)]
pub struct StoreTurn {
    /// The schema of its receipt.
    pub schema: &'static str,
    /// Its facts, or why it has no receipt.
    pub facts: Result<TurnFacts, StoreFault>,
}

/// The store that has a thread, opened: its turns are read one after the other.
#[derive(Debug)]
pub struct ThreadStore {
    store: &'static TurnStore,
    root: PathBuf,
    thread: String,
    events: Option<Vec<u8>>,
    /// The numbers of the events of the other threads.
    elsewhere: Vec<u64>,
}

/// The facts of a turn in the store that has its thread, below `within` or in the agents' own
/// places. Only the records that the turn names are read, and the numbers of all events.
///
/// # Errors
///
/// No store has the thread, or a file of it can't be read.
pub fn store_turn(
    catalog: &Catalog<'_>,
    thread: &str,
    turn: &str,
    within: &[PathBuf],
) -> Result<StoreTurn, Error> {
    ThreadStore::open(catalog, thread, within)?.turn(turn)
}

impl ThreadStore {
    /// Opens the store that has a thread, below `within` or in the agents' own places.
    ///
    /// # Errors
    ///
    /// No store has the thread, or a file of it can't be read.
    pub fn open(catalog: &Catalog<'_>, thread: &str, within: &[PathBuf]) -> Result<Self, Error> {
        let missing = || Error::NoSuch { query: thread.to_owned(), near: None, unread: Vec::new() };
        if !is_id(thread) {
            return Err(missing());
        }
        let found = catalog.find(within);
        let of_thread = found.sources.iter().find_map(|source| {
            let store = source.format.data().turns.store?;
            let is_it = |path: &Path| part(store, path) == Some(StorePart::Thread(thread));
            let file = source.files.iter().find(|file| is_it(&file.path))?;
            Some((store, file.path.parent()?.parent()?.to_owned()))
        });
        let (store, root) = of_thread.ok_or_else(missing)?;
        let mut events = Vec::new();
        take(&root, &format!("events/{thread}.jsonl"), &mut events)?;
        Ok(Self {
            store,
            thread: thread.to_owned(),
            events: events.pop().map(|(_, bytes)| bytes),
            elsewhere: elsewhere(&root.join("events"), thread)?,
            root,
        })
    }

    /// The facts of a turn.
    ///
    /// # Errors
    ///
    /// A file of it can't be read.
    pub fn turn(&self, turn: &str) -> Result<StoreTurn, Error> {
        Ok(StoreTurn { schema: self.store.schema, facts: self.read(turn)? })
    }

    /// Reads the records of a turn, and asks the format for its facts.
    fn read(&self, turn: &str) -> Result<Result<TurnFacts, StoreFault>, Error> {
        if !is_id(turn) {
            return Ok(Err(StoreFault::Unknown));
        }
        let (root, thread) = (&self.root, &self.thread);
        let mut files: Vec<(String, Vec<u8>)> = Vec::new();
        take(root, &format!("threads/{thread}.json"), &mut files)?;
        take(root, &format!("turns/{turn}.json"), &mut files)?;
        let turn_record = files.iter().find(|(path, _)| path.starts_with("turns/"));
        for item in turn_record.map(|(_, bytes)| items(bytes)).unwrap_or_default() {
            if is_id(&item) {
                take(root, &format!("items/{item}.json"), &mut files)?;
            }
        }
        let log = format!("events/{thread}.jsonl");
        let mut all: Vec<(&str, &[u8])> =
            files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect();
        all.extend(self.events.as_ref().map(|bytes| (log.as_str(), bytes.as_slice())));
        let records = StoreRecords { files: all, elsewhere: Some(&self.elsewhere) };
        Ok((self.store.facts)(&records, thread, turn))
    }
}

/// The kind of a file, by the end of its path.
fn part<'p>(store: &TurnStore, path: &'p Path) -> Option<StorePart<'p>> {
    (store.part)(path.to_str()?)
}

/// Whether a text can be the id in a file's name: nothing else becomes a path.
fn is_id(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !text.is_empty() && text.len() <= 128 && text.bytes().all(is_plain)
}

/// Reads a file of the store, if it is there.
fn take(root: &Path, name: &str, files: &mut Vec<(String, Vec<u8>)>) -> Result<(), Error> {
    let path = root.join(name);
    if !path.is_file() {
        return Ok(());
    }
    let bytes = fs::read(&path).map_err(|source| Error::Io { path, source })?;
    files.push((name.to_owned(), bytes));
    Ok(())
}

/// The items that a turn's record names.
fn items(turn: &[u8]) -> Vec<String> {
    let named = value::look(turn, |root| {
        let items = root.at(&["item_ids"])?;
        Some(items.elements().filter_map(|item| value::text_at(item, &[])).collect())
    });
    named.unwrap_or_default()
}

/// The numbers of the events of the other threads.
fn elsewhere(folder: &Path, thread: &str) -> Result<Vec<u64>, Error> {
    let error = |path: &Path| {
        let path = path.to_owned();
        move |source| Error::Io { path, source }
    };
    let mut numbers = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return Ok(numbers) };
    for entry in entries {
        let path = entry.map_err(error(folder))?.path();
        let is_log = path.extension().is_some_and(|ending| ending == "jsonl") && path.is_file();
        if !is_log || path.file_stem().is_some_and(|stem| stem == thread) {
            continue;
        }
        let bytes = fs::read(&path).map_err(error(&path))?;
        let lines = bytes.split(|byte| *byte == b'\n');
        numbers.extend(
            lines.filter_map(|line| {
                value::look(line, |root| value::number(root.at(&["seq"])?.raw()))
            }),
        );
    }
    numbers.in_order();
    Ok(numbers)
}
