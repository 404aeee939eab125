//! Work that is done once, however many ask for it at the same time: the first one does it, and the
//! others wait for its result. Work of another name goes on meanwhile.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The works that are being done, by their names.
#[derive(Default)]
pub(crate) struct Once(Mutex<HashMap<String, Arc<Mutex<()>>>>);

impl Once {
    /// The result that `known` has, else that of `work`, which nobody else with this name does
    /// meanwhile.
    pub(crate) fn get<T>(
        &self,
        name: &str,
        known: impl Fn() -> Option<T>,
        work: impl FnOnce() -> T,
    ) -> T {
        if let Some(known) = known() {
            return known;
        }
        let doing = self.all().entry(name.to_owned()).or_default().clone();
        // A panic of another one is no reason to do nothing.
        let alone = doing.lock().unwrap_or_else(PoisonError::into_inner);
        let result = known().unwrap_or_else(work);
        drop(alone);
        // Others get the lock by this map alone: whoever leaves last sees that nobody has it.
        let mut all = self.all();
        drop(doing);
        if all.get(name).is_some_and(|doing| Arc::strong_count(doing) == 1) {
            all.remove(name);
        }
        result
    }

    fn all(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<Mutex<()>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Barrier, OnceLock};

    use super::*;

    #[test]
    fn one_works_for_all_who_ask() {
        let (once, worked, result) = (Once::default(), AtomicUsize::new(0), OnceLock::new());
        let ask = || {
            once.get(
                "hens",
                || result.get().copied(),
                || {
                    worked.fetch_add(1, Ordering::SeqCst);
                    std::thread::sleep(std::time::Duration::from_millis(30));
                    *result.get_or_init(|| 12)
                },
            )
        };
        std::thread::scope(|scope| {
            let asked: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
            assert!(asked.into_iter().all(|asked| asked.join().is_ok_and(|hens| hens == 12)));
        });
        assert_eq!(worked.into_inner(), 1);
        assert!(once.all().is_empty());
    }

    #[test]
    fn another_work_goes_on_meanwhile() {
        let (once, both) = (Once::default(), Barrier::new(2));
        let ask = |name| once.get(name, || None, || both.wait());
        // Each waits for the other: one after the other, they would never end.
        std::thread::scope(|scope| {
            let first = scope.spawn(|| ask("hens"));
            ask("ducks");
            assert!(first.join().is_ok());
        });
    }
}
