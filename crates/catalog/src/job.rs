//! A job: one run of an operation, with a limit of threads, a way to cancel it, and its progress.
//! Whoever starts an operation makes the job, and keeps a copy to cancel it or to look at it.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::Error;
use crate::parallel;

/// One run of an operation. Copies of it are the same job.
///
/// ```
/// use verbatim_catalog::{Error, Job};
///
/// let job = Job::default().with_threads(2);
/// let lengths = job.parallel(&["a", "bc"], |_| 1, |text| text.len())?;
/// assert_eq!((lengths, job.done().items), (vec![1, 2], 2));
///
/// let seen_by_another_thread = job.clone();
/// seen_by_another_thread.cancel();
/// assert!(matches!(job.parallel(&["d"], |_| 1, |text| text.len()), Err(Error::Cancelled)));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Job {
    threads: Option<NonZeroUsize>,
    cancelled: Arc<AtomicBool>,
    done: Arc<Counters>,
}

#[derive(Debug, Default)]
struct Counters {
    items: AtomicU64,
    bytes: AtomicU64,
}

/// The progress of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobProgress {
    /// The number of items: sessions, or files.
    pub items: u64,
    /// The size of these items.
    pub bytes: u64,
}

impl Job {
    /// The job with at most this many threads. Without a limit it has one for each core.
    #[must_use]
    pub fn with_threads(mut self, most: usize) -> Self {
        self.threads = NonZeroUsize::new(most);
        self
    }

    /// A job of its own with the same limit of threads: to cancel it cancels nothing else.
    #[must_use]
    pub fn apart(&self) -> Self {
        Self { threads: self.threads, ..Self::default() }
    }

    /// Asks the operation to end soon, without a result. What it has begun to change by then is
    /// either completed or undone, unless the program is ended meanwhile.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// The flag that [`Job::cancel`] sets, for a handler of signals.
    #[must_use]
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.cancelled.clone()
    }

    /// Whether somebody has cancelled it.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Fails if somebody has cancelled it. An operation asks this before each step, and does not
    /// ask while it changes files.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn check(&self) -> Result<(), Error> {
        if self.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// Counts an item of this size as done.
    pub fn step(&self, bytes: u64) {
        self.done.items.fetch_add(1, Ordering::Relaxed);
        self.done.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Its progress so far.
    #[must_use]
    pub fn done(&self) -> JobProgress {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        JobProgress { items: read(&self.done.items), bytes: read(&self.done.bytes) }
    }

    /// Runs `work` for each item, the largest first, and counts it. The results have the order of
    /// the items.
    ///
    /// # Errors
    /// [`Error::Cancelled`]: no further item is begun then.
    pub fn parallel<T: Sync, R: Send>(
        &self,
        items: &[T],
        size: impl Fn(&T) -> u64 + Sync,
        work: impl Fn(&T) -> R + Sync,
    ) -> Result<Vec<R>, Error> {
        self.parallel_with(items, size, || (), |(), item| work(item))
    }

    /// Runs two pieces of work that know nothing of each other: side by side, if it may have two
    /// threads. Neither is counted.
    ///
    /// # Errors
    /// [`Error::Cancelled`]: then none is begun.
    pub fn both<A, B: Send>(
        &self,
        one: impl FnOnce() -> A,
        other: impl FnOnce() -> B + Send,
    ) -> Result<(A, B), Error> {
        self.check()?;
        Ok(parallel::both(self.threads.map(usize::from), one, other))
    }

    /// The same as [`Job::parallel`], with a state for each thread, which `work` reuses.
    ///
    /// # Errors
    /// As of [`Job::parallel`].
    pub fn parallel_with<T: Sync, S, R: Send>(
        &self,
        items: &[T],
        size: impl Fn(&T) -> u64 + Sync,
        state: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, &T) -> R + Sync,
    ) -> Result<Vec<R>, Error> {
        let counted = |state: &mut S, item: &T| {
            if self.is_cancelled() {
                return None;
            }
            let result = work(state, item);
            self.step(size(item));
            Some(result)
        };
        let threads = self.threads.map(usize::from);
        let results = parallel::limited(threads, items, &size, state, counted);
        self.check()?;
        // One was not begun if somebody cancelled, and then this has ended above.
        Ok(results.into_iter().flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn a_job_has_as_many_threads_as_it_may() {
        let threads = Mutex::new(std::collections::HashSet::new());
        let work = |_: &u32| {
            threads.lock().expect("no panic").insert(std::thread::current().id());
            std::thread::sleep(std::time::Duration::from_millis(1));
        };
        let items: Vec<u32> = (0..50).collect();
        Job::default().with_threads(1).parallel(&items, |_| 0, work).expect("not cancelled");
        assert_eq!(threads.lock().expect("no panic").len(), 1);
    }

    #[test]
    fn two_pieces_of_work_have_one_thread_if_there_is_no_other() {
        let id = || std::thread::current().id();
        let (one, other) = Job::default().with_threads(1).both(id, id).expect("not cancelled");
        assert_eq!((one, other), (id(), id()));
        let (one, other) = Job::default().with_threads(2).both(id, id).expect("not cancelled");
        assert_eq!((one == id(), other == id()), (true, false));
        let job = Job::default();
        job.cancel();
        assert!(matches!(job.both(id, id), Err(Error::Cancelled)));
    }

    #[test]
    fn a_cancelled_job_begins_nothing_more() {
        let job = Job::default().with_threads(1);
        let begun = AtomicU64::new(0);
        let items: Vec<u32> = (0..50).collect();
        let result = job.parallel(
            &items,
            |_| 3,
            |_| {
                if begun.fetch_add(1, Ordering::Relaxed) == 4 {
                    job.cancel();
                }
            },
        );
        assert!(matches!(result, Err(Error::Cancelled)));
        assert_eq!(begun.into_inner(), 5);
        assert_eq!(job.done(), JobProgress { items: 5, bytes: 15 });
    }
}
