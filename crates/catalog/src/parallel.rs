//! Work queue for all cores.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use session::Sorting as _;

use crate::open::database::keeping;

/// Runs `work` for each item, with as many threads as the machine has cores. The largest items come
/// first, so that no long one is left for the end. The results have the order of the items.
pub fn parallel<T: Sync, R: Send>(
    items: &[T],
    size: impl Fn(&T) -> u64,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    parallel_with(items, size, || (), |(), item| work(item))
}

/// The same, with a state for each thread, which `work` reuses.
pub fn parallel_with<T: Sync, S, R: Send>(
    items: &[T],
    size: impl Fn(&T) -> u64,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> R + Sync,
) -> Vec<R> {
    limited(None, items, size, state, work)
}

/// The same, with at most this many threads.
pub(crate) fn limited<T: Sync, S, R: Send>(
    threads: Option<usize>,
    items: &[T],
    size: impl Fn(&T) -> u64,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> R + Sync,
) -> Vec<R> {
    let mut queue: Vec<usize> = (0..items.len()).collect();
    queue.in_order_by_key(|&at| Reverse(size(&items[at])));
    let next = AtomicUsize::new(0);
    // There may be very many results: each is put into its place when it is made.
    let results: Vec<Mutex<Option<R>>> =
        std::iter::repeat_with(Mutex::default).take(items.len()).collect();
    let one = || {
        let mut state = state();
        while let Some(&at) = queue.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = work(&mut state, &items[at]);
            *results[at].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    };
    let worker = || keeping(one);
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let count = threads.unwrap_or_else(cores).min(queue.len());
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..count).map(|_| scope.spawn(worker)).collect();
        for worker in workers {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
    let made = |place: Mutex<Option<R>>| place.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().filter_map(made).collect()
}

/// Runs two pieces of work: side by side, unless there is but one thread or one core for them.
pub(crate) fn both<A, B: Send>(
    threads: Option<usize>,
    one: impl FnOnce() -> A,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    if threads.unwrap_or_else(cores) < 2 {
        return (one(), other());
    }
    std::thread::scope(|scope| {
        let other = scope.spawn(|| keeping(other));
        let one = one();
        (one, other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

#[cfg(test)]
mod tests {
    use super::parallel;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..1000).map(|n| n * 7919 % 1000).collect();
        assert_eq!(
            parallel(&items, |n| *n, |n| n + 1),
            items.iter().map(|n| n + 1).collect::<Vec<_>>()
        );
        assert!(parallel(&[0u8; 0], |_| 0, |n| *n).is_empty());
    }
}
