//! Summaries of sessions of one file, made when detection has just read its beginning.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use session::Memory;

use crate::find::found::Claimed;
use crate::find::scan::name;
use crate::open::ends::Kept;
use crate::open::source::Source;
use crate::view::summary::{Entry, summarize};

thread_local! {
    /// Memory of the readings of this thread.
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// Summaries by the path of the file, each with the source that it was made of: its format, its
/// group, the file's name in it.
#[derive(Default)]
pub(super) struct Early(Mutex<HashMap<PathBuf, (Made, Vec<Entry>)>>);

type Made = (&'static str, String, String);

fn made(source: &Source) -> Option<Made> {
    let [file] = &*source.files else { return None };
    Some((source.format.name(), source.group.clone(), file.name.clone()))
}

impl Early {
    /// Summarizes a claimed file as if it were a whole session.
    pub(super) fn add(&self, claimed: &Claimed, kept: &Kept) {
        let Claimed { format, group, file, .. } = claimed;
        let path = file.path.clone();
        let mut source =
            Source { format: *format, group: group.clone(), files: vec![file.clone()] };
        name(&mut source);
        let entries = MEMORY.with_borrow_mut(|memory| summarize(&source, kept, memory));
        if let (Ok(mut entries), Some(made)) = (entries, made(&source)) {
            entries.shrink_to_fit();
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.insert(path, (made, entries));
        }
    }

    /// The summary of a source, if it is what a claimed file was taken for.
    pub(super) fn take(&self, source: &Source) -> Option<Vec<Entry>> {
        let [file] = &*source.files else { return None };
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (known, entries) = all.remove(&file.path)?;
        (made(source)? == known).then_some(entries)
    }
}
