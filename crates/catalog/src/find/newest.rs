//! The files of this machine by the times of their last changes, which cost one walk: of the newest
//! files the sessions are read, and the others are known to be older.
//!
//! A session is not younger than its files: an agent writes a record after the time that is in it.
//! Two things may break this rule, and both are noticed. A program can set the time of a file back,
//! but not the time at which it did so: such a file counts by that later time. If very many files
//! are so, somebody restored them from a copy, and kept their times on purpose. A wrong clock can
//! date records ahead: if any session that was read is younger than its files, the times are not
//! believed ([`NewestFiles::are_believed`]), and all files are read. A database is as young as its
//! log.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::fs::metadata;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use formats::Formats;
use session::Sorting as _;
use session::UtcTime;

use crate::find::environment::Root;
use crate::find::names::WalkedNames;
use crate::open::database::database_of;
use crate::open::file_stat::FileStat;
use crate::parallel::parallel;
use crate::summary::{Entry, instant};

/// Microseconds by which a record may be younger than its file: file systems have coarse times, and
/// another machine that serves the files has another clock.
const APART: i64 = 60_000_000;

/// Greatest number of files whose times were set back one by one. More were restored from a copy.
const SET_BACK: usize = 1000;

/// The latest time that a record in a file of this time may have.
pub(crate) fn may_be_until(written: SystemTime) -> Option<UtcTime> {
    instant(written).map(apart)
}

const fn apart(time: UtcTime) -> UtcTime {
    UtcTime(time.0.saturating_add(APART))
}

/// The files below some folders, the newest first.
#[derive(Debug)]
pub struct NewestFiles<'r> {
    /// Their names.
    pub names: WalkedNames<'r>,
    /// The index of each file in `names`, with its time.
    order: Vec<(usize, UtcTime)>,
}

/// The newest files.
#[derive(Debug)]
pub struct Newest {
    /// Their indices in the names.
    pub files: HashSet<usize>,
    /// No session of the other files is younger than this; `None` if there are no others.
    pub others: Option<UtcTime>,
}

impl<'r> NewestFiles<'r> {
    /// Lists the files below `roots`. None is opened.
    #[must_use]
    pub fn below(roots: &'r [Root]) -> Self {
        let names = WalkedNames::below(roots);
        let files = names.files();
        let mut order = times(&files);
        // Files of one time have a fixed order too.
        order.in_order_by_key(|(at, time)| (Reverse(*time), *at));
        Self { names, order }
    }

    /// The number of files.
    #[must_use]
    pub fn count(&self) -> usize {
        self.order.len()
    }

    /// The files from the place `from` on, the newest first.
    #[must_use]
    pub fn range(&self, from: usize, to: usize) -> Vec<(usize, &Path)> {
        let order = self.order.get(from..to.min(self.order.len())).unwrap_or_default();
        order.iter().filter_map(|(at, _)| Some((*at, self.names.path(*at)?))).collect()
    }

    /// No session without a file among the `count` newest is younger than this.
    #[must_use]
    pub fn bound(&self, count: usize) -> Option<UtcTime> {
        self.order.get(count).map(|(_, time)| apart(*time))
    }

    /// The `count` newest files, with the databases of their agents: a session may have rows in one
    /// beside its files.
    #[must_use]
    pub fn first(&self, formats: Formats<'_>, count: usize) -> Newest {
        let taken = self.order.iter().take(count).map(|(at, _)| *at);
        let mut files: HashSet<usize> = taken.collect();
        files.extend(self.names.databases_beside(formats, &files));
        Newest { files, others: self.bound(count) }
    }

    /// Whether no session is younger than its files.
    #[must_use]
    pub fn are_believed<'e>(&self, entries: impl Iterator<Item = &'e Entry>) -> bool {
        let mut dated = entries.filter(|entry| !entry.undated && !entry.archived).peekable();
        if dated.peek().is_none() {
            return true;
        }
        let path = |at: usize| self.names.path(at);
        let times: HashMap<&Path, UtcTime> =
            self.order.iter().filter_map(|(at, time)| Some((path(*at)?, *time))).collect();
        dated.all(|entry| {
            let times = entry.files.iter().filter_map(|file| times.get(&**file));
            let written = times.max().copied().map(apart);
            written.is_none_or(|written| entry.updated.is_none_or(|updated| updated <= written))
        })
    }
}

/// The times at which the content of a file and anything of it last changed; `None` if they
/// are unknown.
type Changed = Option<(UtcTime, UtcTime)>;

/// The times of files, and of databases those of their logs.
fn times(files: &[(usize, &Path)]) -> Vec<(usize, UtcTime)> {
    let micros = |nanos: i64| UtcTime(nanos / 1000);
    let changed = |(_, path): &(usize, &Path)| {
        let stat = metadata(path).ok().and_then(|meta| FileStat::of(&meta))?;
        Some((micros(stat.modified), micros(stat.changed.unwrap_or(stat.modified))))
    };
    let times = written(&parallel(files, |_| 0, changed));
    let mut times: Vec<(usize, UtcTime)> =
        files.iter().zip(times).map(|((at, _), time)| (*at, time)).collect();
    let mut logs: HashMap<PathBuf, UtcTime> = HashMap::new();
    for ((_, path), (_, time)) in files.iter().zip(&times) {
        if let Some(database) = database_of(path) {
            let log = logs.entry(database).or_insert(*time);
            *log = (*log).max(*time);
        }
    }
    if !logs.is_empty() {
        for ((_, path), (_, time)) in files.iter().zip(&mut times) {
            *time = logs.get(*path).map_or(*time, |log| (*time).max(*log));
        }
    }
    times
}

/// The times at which files were written, as far as that is known. A file of unknown
/// times is younger than any other, so that it is read.
fn written(files: &[Changed]) -> Vec<UtcTime> {
    let is_set_back = |(content, any): &(UtcTime, UtcTime)| any.0 - content.0 > APART;
    let set_back = files.iter().flatten().filter(|file| is_set_back(file)).count();
    let time = |file: &Changed| match file {
        Some(file) if set_back <= SET_BACK && is_set_back(file) => file.1,
        Some((content, _)) => *content,
        None => UtcTime(i64::MAX - APART),
    };
    files.iter().map(time).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000_000;

    fn changed(content: i64, any: i64) -> Changed {
        Some((UtcTime(content * DAY), UtcTime(any * DAY)))
    }

    #[test]
    fn a_time_that_was_set_back_counts_for_nothing() {
        let mut files: Vec<Changed> = (100..400).map(|day| changed(day, day)).collect();
        files.extend([changed(1, 350), None]);
        let times = written(&files);
        assert_eq!(times[300], UtcTime(350 * DAY));
        assert!(times[301] > times[299] && times[7] == UtcTime(107 * DAY));
    }

    /// Whoever restores a home keeps the times of its files.
    #[test]
    fn the_times_of_restored_files_are_believed() {
        let files: Vec<Changed> = (0..=SET_BACK as i64).map(|day| changed(day, 9000)).collect();
        assert_eq!(written(&files)[12], UtcTime(12 * DAY));
        assert_eq!(written(&files[1..])[12], UtcTime(9000 * DAY));
    }
}
