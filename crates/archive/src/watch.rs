//! When to keep what changes: as soon as a file that changed rests, or has changed for long.

use std::collections::HashMap;
use std::path::PathBuf;

use session::UtcTime;

use crate::run::Stat;
use crate::stat::of_path;
use crate::sync::Sources;

/// The files that are watched.
#[derive(Debug)]
pub struct Watch {
    files: HashMap<PathBuf, Seen>,
    /// Microseconds after which a file that did not change rests.
    rest: i64,
    /// Microseconds after which a file that changes all the time is kept anyway.
    most: i64,
}

#[derive(Debug)]
struct Seen {
    stat: Option<Stat>,
    /// When it first differed from what was kept, and when it last changed.
    changes: Option<(UtcTime, UtcTime)>,
}

impl Watch {
    /// A watch for which a file rests when it did not change for `rest` seconds. It waits ten times
    /// as long at most.
    #[must_use]
    pub fn new(rest: u32) -> Self {
        let rest = i64::from(rest) * 1_000_000;
        Self { files: HashMap::new(), rest, most: 10 * rest }
    }

    /// Notes that everything was kept as it was seen before, or later.
    pub fn kept(&mut self, seen: SeenStates) {
        let kept = |(path, stat)| (path, Seen { stat, changes: None });
        self.files = seen.0.into_iter().map(kept).collect();
    }

    /// Looks again; true if it is time to keep what has changed.
    pub fn is_due(&mut self, sources: &Sources, now: UtcTime) -> bool {
        self.look(SeenStates::of(sources).0, now)
    }

    fn look(&mut self, states: Vec<(PathBuf, Option<Stat>)>, now: UtcTime) -> bool {
        let mut is_due = false;
        let count = states.len();
        let mut is_there: HashMap<PathBuf, Seen> = HashMap::with_capacity(count);
        for (path, stat) in states {
            let before = self.files.remove(&path);
            let changes = match before {
                Some(Seen { stat: known, changes }) if known == stat => changes,
                Some(Seen { changes: Some((first, _)), .. }) => Some((first, now)),
                _ => Some((now, now)),
            };
            is_due |= changes.is_some_and(|(first, last)| {
                now.0 - last.0 >= self.rest || now.0 - first.0 >= self.most
            });
            is_there.insert(path, Seen { stat, changes });
        }
        self.files = is_there;
        is_due
    }
}

/// The files of sessions and those beside them, each with its state. They are read before the
/// files are kept: what changes meanwhile is not missed.
#[derive(Debug)]
pub struct SeenStates(Vec<(PathBuf, Option<Stat>)>);

impl SeenStates {
    /// The states now.
    #[must_use]
    pub fn of(sources: &Sources) -> Self {
        let state = |(path, is_database): (PathBuf, bool)| {
            let stat = of_path(&path, is_database);
            (path, stat)
        };
        Self(sources.paths().map(state).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_kept_when_it_rests_or_has_changed_for_long() {
        let at = |second: i64| UtcTime(second * 1_000_000);
        let stat = |length: u64| {
            let (device, inode, modified, changed) = (1, 2, 3, 4);
            Some(Stat { device, inode, length, modified, changed, beside: None })
        };
        let mut watch = Watch::new(60);
        let of = |a: u64, b: u64| vec![("a".into(), stat(a)), ("b".into(), stat(b))];
        watch.files = [("a", 1), ("b", 1)]
            .map(|(path, length)| (path.into(), Seen { stat: stat(length), changes: None }))
            .into();
        assert!(!watch.look(of(1, 1), at(0)) && !watch.look(of(1, 1), at(900)));
        // One changes, and rests, while the other goes on.
        assert!(!watch.look(of(2, 2), at(1000)) && !watch.look(of(2, 3), at(1059)));
        assert!(watch.look(of(2, 4), at(1060)));
        // One that never rests is kept after ten minutes.
        let mut watch = Watch::new(60);
        let mut due = (0..=600).step_by(30).map(|second| {
            (second, watch.look(vec![("a".into(), stat(second as u64 + 2))], at(second)))
        });
        assert_eq!(due.find(|(_, is_due)| *is_due), Some((600, true)));
    }
}
