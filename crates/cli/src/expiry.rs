//! The warning of sessions that their agents delete within a week.

use archive::expiry::{Expiring, expiring};
use archive::{Archive, ArchiveFolder};
use catalog::Entry;

use crate::environment::Environment;
use crate::exit::Failure;
use crate::human::counted;
use crate::screen::{Line, Style};
use crate::{keeping, notes};

/// The sessions in the agents' own folders that are deleted within a week and are not kept.
pub(crate) fn unkept(archive: &Archive, env: &Environment<'_>) -> Vec<Expiring> {
    let mut catalog = env.catalog();
    catalog.machine.archive = None;
    let found = catalog.find(&[]);
    let main = |source: &catalog::Source| {
        Some((source.format.name(), source.files.first()?.path.to_path_buf()))
    };
    let all: Vec<_> = found.sources.iter().filter_map(main).collect();
    let sessions = all.iter().map(|(agent, path)| (*agent, &**path));
    expiring(&catalog, sessions, &|| Some(archive.kept_lengths()), env.now)
}

/// The same of the sessions of a list. The archive is only read if there are some.
pub(crate) fn of_list(entries: &[Entry], env: &Environment<'_>) -> Vec<Expiring> {
    let live = entries.iter().filter(|entry| !entry.archived);
    let sessions = live.filter_map(|entry| Some((entry.format, &**entry.files.first()?)));
    let kept = || {
        let folder = keeping::folder(env).ok()?;
        let archive = Archive::read(ArchiveFolder::open(&folder).ok()??).ok()?;
        Some(archive.kept_lengths())
    };
    expiring(&env.catalog(), sessions, &kept, env.now)
}

/// Number of sessions in all rows.
pub(crate) fn count(rows: &[Expiring]) -> usize {
    rows.iter().map(|row| row.sessions).sum()
}

/// Warns of them.
pub(crate) fn tell(
    rows: &[Expiring],
    color: bool,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    env.out.flush()?;
    let mut notes = notes::errors(color, env);
    for Expiring { agent, days, sessions } in rows {
        let sessions = counted(*sessions as u64, "session", "sessions");
        let what = format!(
            "{agent} deletes {sessions} within a week (it keeps them for {days} days), and they \
             are not in the archive: `verbatim sync` keeps them"
        );
        notes.line(&Line::new().say(Style::Warn, "warning: ").tell(Style::Normal, &what))?;
    }
    Ok(())
}
