//! Sessions that were read, kept in memory for the requests that follow. It is bounded in number,
//! in bytes and in time: a server that nobody asks keeps nothing.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::seen::Seen;

/// The greatest number of sessions that are kept.
const COUNT: usize = 6;
/// The greatest number of bytes of the files of all that are kept. A session that is longer is kept
/// alone.
const BYTES: u64 = 128 << 20;
/// The time for which one is kept without use.
const IDLE: Duration = Duration::from_secs(300);
/// The time after which the files of a session are looked up again, whatever their state.
const LOOKED: Duration = Duration::from_secs(30);

/// Sessions that were read, by their uids.
#[derive(Debug)]
pub(crate) struct Kept<T>(Mutex<Vec<One<T>>>);

#[derive(Debug)]
struct One<T> {
    uid: String,
    session: Arc<T>,
    bytes: u64,
    seen: Seen,
    read: Instant,
    used: Instant,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Kept<T> {
    /// The session, if it was read before and its files are as they were.
    pub(crate) fn known(&self, uid: &str) -> Option<Arc<T>> {
        self.forget_idle(Instant::now());
        let mut all = self.0.lock().ok()?;
        let one = all.iter_mut().find(|one| one.uid == uid)?;
        let counts = one.read.elapsed() < LOOKED && one.seen.is_as_it_was();
        one.used = Instant::now();
        counts.then(|| one.session.clone())
    }

    /// Whether the session was read before, whatever its files are now.
    pub(crate) fn has(&self, uid: &str) -> bool {
        self.0.lock().is_ok_and(|all| all.iter().any(|one| one.uid == uid))
    }

    /// The session as it was read before its files changed. It is no longer kept.
    pub(crate) fn take(&self, uid: &str) -> Option<Arc<T>> {
        let mut all = self.0.lock().ok()?;
        let at = all.iter().position(|one| one.uid == uid)?;
        Some(all.remove(at).session)
    }

    /// Forgets sessions, those first that were not used for the longest time, until there is room
    /// for another one with files of this length.
    pub(crate) fn make_room(&self, bytes: u64) {
        let Ok(mut all) = self.0.lock() else { return };
        let held = |all: &[One<T>]| all.iter().map(|one| one.bytes).sum::<u64>();
        while all.len() >= COUNT || held(&all).saturating_add(bytes) > BYTES {
            let Some(at) = (0..all.len()).min_by_key(|at| all[*at].used) else { return };
            all.remove(at);
        }
    }

    /// Keeps a session with files of this length, which were in this state before they were read.
    pub(crate) fn keep(&self, uid: &str, (session, bytes): (Arc<T>, u64), seen: Seen) {
        drop(self.take(uid));
        self.make_room(bytes);
        let now = Instant::now();
        if let Ok(mut all) = self.0.lock() {
            all.push(One { uid: uid.to_owned(), session, bytes, seen, read: now, used: now });
        }
    }

    /// Forgets what nobody used for a while.
    pub(crate) fn forget_idle(&self, now: Instant) {
        if let Ok(mut all) = self.0.lock() {
            all.retain(|one| now.saturating_duration_since(one.used) < IDLE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keep(kept: &Kept<u8>, uid: &str, bytes: u64) {
        kept.keep(uid, (Arc::new(7), bytes), Seen::default());
    }

    fn names(kept: &Kept<u8>) -> Vec<String> {
        let all = kept.0.lock().expect("no panic");
        all.iter().map(|one| one.uid.clone()).collect()
    }

    #[test]
    fn the_bytes_of_what_is_kept_are_bounded() {
        let kept = Kept::default();
        for (uid, parts) in [("a:1", 4), ("a:2", 3), ("a:3", 1)] {
            keep(&kept, uid, BYTES / 8 * parts);
        }
        assert_eq!(names(&kept), ["a:1", "a:2", "a:3"]);
        // The one that was used last stays.
        assert!(kept.known("a:1").is_some());
        keep(&kept, "a:4", BYTES / 8 * 3);
        assert_eq!(names(&kept), ["a:1", "a:3", "a:4"]);
        // A session that is longer than all that may be kept is kept alone.
        keep(&kept, "a:5", BYTES * 2);
        assert_eq!(names(&kept), ["a:5"]);
        keep(&kept, "a:6", 1);
        assert_eq!(names(&kept), ["a:6"]);
    }

    #[test]
    fn the_number_of_what_is_kept_is_bounded_and_one_session_is_kept_once() {
        let kept = Kept::default();
        (0..9).for_each(|at| keep(&kept, &format!("a:{at}"), 1));
        assert_eq!(names(&kept), ["a:3", "a:4", "a:5", "a:6", "a:7", "a:8"]);
        keep(&kept, "a:4", 2);
        assert_eq!(names(&kept), ["a:3", "a:5", "a:6", "a:7", "a:8", "a:4"]);
        assert!(kept.has("a:4") && kept.take("a:4").is_some() && !kept.has("a:4"));
    }

    #[test]
    fn what_nobody_uses_is_forgotten() {
        let kept = Kept::default();
        keep(&kept, "a:1", 1);
        kept.forget_idle(Instant::now() + IDLE / 2);
        assert!(kept.has("a:1"));
        kept.forget_idle(Instant::now() + IDLE);
        assert!(!kept.has("a:1"));
    }
}
