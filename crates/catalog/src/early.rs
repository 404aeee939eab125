//! Results for sessions of one file, made when detection has just read its bytes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use session::Memory;

use crate::find::found::Claimed;
use crate::find::scan::name;
use crate::open::source::Source;

thread_local! {
    /// Memory of the readings of this thread.
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// Results, each by the source that it was made of. Of a source only a hash is kept: its format,
/// its group, the file's path and its name in the source. A list may have very many.
#[derive(Debug)]
pub struct Early<T>(Mutex<HashMap<u64, T>>);

fn made(source: &Source) -> Option<u64> {
    let [file] = &*source.files else { return None };
    let mut hasher = DefaultHasher::new();
    let path = file.path.as_os_str().as_encoded_bytes();
    (source.format.name(), &source.group, path, &file.name).hash(&mut hasher);
    Some(hasher.finish())
}

impl<T> Default for Early<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Early<T> {
    /// Makes the result of a claimed file as if it were a whole session.
    pub fn add(&self, claimed: &Claimed, make: impl FnOnce(&Source, &mut Memory) -> Option<T>) {
        let Claimed { format, group, file, .. } = claimed;
        let mut source =
            Source { format: *format, group: group.clone(), files: vec![file.clone()] };
        name(&mut source);
        let result = MEMORY.with_borrow_mut(|memory| make(&source, memory));
        if let (Some(result), Some(made)) = (result, made(&source)) {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.insert(made, result);
        }
    }

    /// The result of a source, if it is what a claimed file was taken for.
    pub fn take(&self, source: &Source) -> Option<T> {
        let made = made(source)?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&made)
    }
}
