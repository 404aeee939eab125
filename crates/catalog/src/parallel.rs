//! Work queue for all cores.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};

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
    let mut queue: Vec<usize> = (0..items.len()).collect();
    queue.sort_by_key(|&at| Reverse(size(&items[at])));
    let next = AtomicUsize::new(0);
    let one = || {
        let (mut state, mut results) = (state(), Vec::new());
        while let Some(&at) = queue.get(next.fetch_add(1, Ordering::Relaxed)) {
            results.push((at, work(&mut state, &items[at])));
        }
        results
    };
    let worker = || keeping(one);
    let count = std::thread::available_parallelism().map_or(1, usize::from).min(queue.len());
    // There may be very many results: each is moved once, to its place.
    let mut results: Vec<Option<R>> = std::iter::repeat_with(|| None).take(items.len()).collect();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..count).map(|_| scope.spawn(worker)).collect();
        for worker in workers {
            let made: Vec<(usize, R)> =
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            for (at, result) in made {
                results[at] = Some(result);
            }
        }
    });
    results.into_iter().flatten().collect()
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
