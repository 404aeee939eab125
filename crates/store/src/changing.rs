//! Changes in progress: what is being written and would be left as a part, or under a temporary
//! name, if the program were ended now. Whoever ends the program after Ctrl-C waits for them.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of changes in progress in this process.
static CHANGES: AtomicUsize = AtomicUsize::new(0);

/// Whether something is being changed that would be left unfinished if the program ended now.
#[must_use]
pub fn is_changing() -> bool {
    CHANGES.load(Ordering::SeqCst) > 0
}

/// A change in progress. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Changing(());

impl Changing {
    pub(crate) fn begin() -> Self {
        CHANGES.fetch_add(1, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for Changing {
    fn drop(&mut self) {
        CHANGES.fetch_sub(1, Ordering::SeqCst);
    }
}
