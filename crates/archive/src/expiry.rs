//! Sessions that their agents delete soon, by the agents' own settings, and that are not kept.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use catalog::Catalog;
use session::Sorting as _;
use session::UtcTime;

use crate::state::Archive;

/// Days before a deletion in which it is reported.
const WARNING: u64 = 7;

/// Greatest length of a file of settings in bytes.
const SETTINGS: u64 = 1 << 20;

/// Sessions of an agent that it deletes within a week.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expiring {
    /// The agent.
    pub agent: &'static str,
    /// Days after which it deletes a session.
    pub days: u64,
    /// Number of these sessions that are not kept.
    pub sessions: usize,
}

/// After how many days each agent deletes sessions that were not written to; only agents that do.
#[must_use]
pub fn retentions(catalog: &Catalog<'_>) -> HashMap<&'static str, u64> {
    let mut all = HashMap::new();
    for format in catalog.formats {
        let Some(retention) = format.data().retention else { continue };
        let homes = catalog.machine.homes(*format);
        let read = |name: &str| {
            let read = |home: &PathBuf| catalog::bounded(&home.join(name), SETTINGS).ok();
            homes.iter().find_map(read)
        };
        if let Some(days) = retention(&read) {
            all.insert(format.name(), days);
        }
    }
    all
}

/// The deletion by an agent's own settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deletion {
    /// The agent.
    pub agent: &'static str,
    /// Days after which it deletes a session.
    pub days: u64,
    /// Days until it may delete the first of the sessions that are there; `None` if there are none.
    pub left: Option<u64>,
}

/// When each agent deletes sessions; only agents that do. A session is given by its agent and its
/// main file.
pub fn deletions<'s>(
    catalog: &Catalog<'_>,
    sessions: impl Iterator<Item = (&'static str, &'s Path)>,
    now: UtcTime,
) -> Vec<Deletion> {
    let retentions = retentions(catalog);
    let mut left: HashMap<&'static str, u64> = HashMap::new();
    for (agent, path) in sessions {
        let Some(days) = retentions.get(agent) else { continue };
        let Some((days, _)) = days_left(path, *days, now) else { continue };
        left.entry(agent).and_modify(|least| *least = days.min(*least)).or_insert(days);
    }
    let row = |(agent, days)| Deletion { agent, days, left: left.get(agent).copied() };
    let mut rows: Vec<Deletion> = retentions.into_iter().map(row).collect();
    rows.in_order_by_key(|row| row.agent);
    rows
}

/// Days until an agent may delete a file, and the length of the file in bytes. `None` if it can't
/// be looked at.
fn days_left(path: &Path, days: u64, now: UtcTime) -> Option<(u64, u64)> {
    let meta = path.metadata().ok()?;
    let modified = meta.modified().ok().and_then(catalog::summary::instant);
    let age = modified.map_or(0, |modified| now.0.saturating_sub(modified.0)) / DAY;
    // The time of a file may be in the future.
    let left = u64::try_from(age)
        .map_or(days.saturating_add(age.unsigned_abs()), |age| days.saturating_sub(age));
    Some((left, meta.len()))
}

/// The sessions that their agents delete within a week and that are not kept as they are now. A
/// session is given by its agent and its main file.
pub fn expiring<'s>(
    catalog: &Catalog<'_>,
    sessions: impl Iterator<Item = (&'static str, &'s Path)>,
    kept: &dyn Fn() -> Option<HashMap<PathBuf, u64>>,
    now: UtcTime,
) -> Vec<Expiring> {
    let retentions = retentions(catalog);
    let mut found: Vec<(&'static str, PathBuf, u64)> = Vec::new();
    for (agent, path) in sessions {
        let Some(days) = retentions.get(agent) else { continue };
        let Some((left, length)) = days_left(path, *days, now) else { continue };
        if left <= WARNING {
            found.push((agent, path.to_path_buf(), length));
        }
    }
    if found.is_empty() {
        return Vec::new();
    }
    let kept = kept().unwrap_or_default();
    let mut counts: HashMap<&'static str, usize> = HashMap::new();
    for (agent, path, length) in found {
        if kept.get(&path) != Some(&length) {
            *counts.entry(agent).or_default() += 1;
        }
    }
    let row = |(agent, sessions)| Expiring { agent, days: retentions[agent], sessions };
    let mut rows: Vec<Expiring> = counts.into_iter().map(row).collect();
    rows.in_order_by_key(|row| row.agent);
    rows
}

impl Archive {
    /// The paths of all files in the newest versions, with their lengths.
    #[must_use]
    pub fn kept_lengths(&self) -> HashMap<PathBuf, u64> {
        let newest = self.newest();
        let files = newest.values().flat_map(|version| &version.session.files);
        files.map(|file| (file.path.path(), file.length)).collect()
    }
}

/// Microseconds of a day.
const DAY: i64 = 24 * 60 * 60 * 1_000_000;
