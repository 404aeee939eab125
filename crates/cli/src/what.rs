//! WHAT: the sessions that the arguments of a command name, with one meaning for every command.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use catalog::{Entry, Found};
use operations::usage::{Usage, usage_with};

use crate::environment::Environment;
use crate::exit::Failure;
use crate::human::counted;
use crate::scope::Here;
use crate::select::Select;

/// The session of a command that takes one.
#[derive(clap::Args, Clone)]
pub(crate) struct One {
    /// The session: its id or the beginning of it (`0b5c`, `codex:0b5c`), a path, `-` for standard
    /// input, `@` for the newest of this folder (the default), `@~1` for the one before it, `last`
    /// for the newest of all
    #[arg(value_name = "WHAT")]
    session: Option<PathBuf>,
    #[command(flatten)]
    pub select: Select,
}

impl One {
    /// The name of the session: an id, a path, or `-`.
    pub(crate) fn name(&self, env: &Environment<'_>) -> Result<PathBuf, Failure> {
        let at = PathBuf::from("@");
        let name = self.session.as_deref().unwrap_or(&at);
        named(name, &self.select, env)
    }

    /// The folders to search instead of the agents' own.
    pub(crate) fn within(&self) -> &[PathBuf] {
        &self.select.within
    }
}

/// The name of a session with `@` and `last` replaced by the id that they mean.
pub(crate) fn named(
    name: &Path,
    select: &Select,
    env: &Environment<'_>,
) -> Result<PathBuf, Failure> {
    let selector = name.to_str().and_then(Selector::of).filter(|_| !name.exists());
    match selector {
        Some(selector) => Ok(selector.newest(select, env)?.into()),
        None if select.is_narrow() => Err(Failure::Usage(
            format!("`{}` names a session, and the filters choose one", name.display()),
            "leave one of both out: filters go with `@` and `last`".into(),
        )),
        None => Ok(name.to_path_buf()),
    }
}

/// A session by its place among the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Selector {
    /// Whether only sessions of the current folder count.
    here: bool,
    /// The number of newer sessions.
    back: usize,
}

impl Selector {
    fn of(text: &str) -> Option<Self> {
        let (name, back) = text.split_once('~').unwrap_or((text, "0"));
        let here = match name {
            "@" => true,
            "last" => false,
            _ => return None,
        };
        let back = if back.is_empty() { 1 } else { back.parse().ok()? };
        Some(Self { here, back })
    }

    /// The name of the session. Sub-agents' sessions do not count.
    fn newest(self, select: &Select, env: &Environment<'_>) -> Result<String, Failure> {
        exist(&[] as &[PathBuf], select)?;
        let filter = select.filter(env)?;
        let takes = |entry: &Entry| entry.spawned_by.is_none() && filter.takes(entry);
        // A project that the filters name is instead of the folder.
        let is_here = self.here && filter.projects.is_empty();
        let here = is_here.then(|| Here::of(env)).flatten();
        let own = here.as_ref().map(Here::own);
        // Where sessions of this very folder are among the newest, no other folder is meant.
        let is_meant = |entry: &&Entry| {
            takes(entry) && (!is_here || own.as_ref().is_some_and(|own| own.takes(entry)))
        };
        let is_enough = &mut |newest: &[Entry]| newest.iter().filter(is_meant).count() > self.back;
        let mut entries = env.catalog().list_newest(&select.within, is_enough).entries;
        entries.retain(takes);
        let all = entries.len();
        if is_here {
            let here = here.and_then(|here| here.nearest(&entries));
            entries.retain(|entry| here.as_ref().is_some_and(|here| here.takes(entry)));
        }
        match entries.get(self.back) {
            Some(entry) => Ok(name(entry, &entries)),
            None => Err(none(self, entries.len(), all)),
        }
    }
}

/// The names of all sessions that the filters take, the newest first.
pub(crate) fn all_taken(select: &Select, env: &Environment<'_>) -> Result<Vec<PathBuf>, Failure> {
    exist(&[] as &[PathBuf], select)?;
    let filter = select.filter(env)?;
    let entries = env.catalog().list(&select.within, false).entries;
    let taken: Vec<&Entry> = entries.iter().filter(|entry| filter.takes(entry)).collect();
    if taken.is_empty() {
        let what = match entries.len() {
            0 => "there is no session here".to_owned(),
            1 => "the filters do not take the only session".to_owned(),
            all => format!("the filters take none of {all} sessions"),
        };
        return Err(Failure::Usage(what, "`verbatim list` shows them".into()));
    }
    let mut names: Vec<PathBuf> = Vec::new();
    for entry in taken {
        let name = name(entry, &entries).into();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(names)
}

/// The name of a session: its uid, or its first file if another session has the same uid.
fn name(entry: &Entry, entries: &[Entry]) -> String {
    let is_same = |other: &&Entry| (other.format, &other.id) == (entry.format, &entry.id);
    let file = entry.files.first().and_then(|file| file.to_str());
    match file.filter(|_| entries.iter().filter(is_same).count() > 1) {
        Some(file) => file.to_owned(),
        None => format!("{}:{}", entry.format, entry.id),
    }
}

/// The failure of a selector without a session.
fn none(selector: Selector, found: usize, all: usize) -> Failure {
    let sessions = |count: usize| counted(count as u64, "session", "sessions");
    let place = if selector.here { "this folder has" } else { "there are" };
    let what = match found {
        0 => format!("{place} no sessions"),
        _ => format!("{place} only {}", sessions(found)),
    };
    let hint = match (selector.here, all) {
        (_, 0) => "`verbatim list` tells where sessions are searched".to_owned(),
        (true, _) => {
            let there = if all - found == 1 { "there is" } else { "there are" };
            format!(
                "{there} {} in other folders: `last` is the newest of all, and `verbatim list \
                 --all-projects` shows them",
                sessions(all - found)
            )
        }
        (false, _) => "`verbatim list` shows them".to_owned(),
    };
    Failure::Usage(what, hint)
}

/// The sessions that a command's arguments name: those of folders, files, ids and selectors; of the
/// folders to search, or of this machine, if none is named. Only those that the filters take.
pub(crate) fn found<P: AsRef<Path>>(
    what: &[P],
    select: &Select,
    env: &Environment<'_>,
) -> Result<Found, Failure> {
    exist(what, select)?;
    let (mut paths, mut ids) = (Vec::new(), Vec::new());
    for name in what.iter().map(AsRef::as_ref) {
        let selector = name.to_str().and_then(Selector::of);
        match selector.filter(|_| !name.exists()) {
            Some(selector) => {
                let newest = selector.newest(select, env)?;
                let is_file = Path::new(&newest).exists();
                if is_file { paths.push(newest.into()) } else { ids.push(newest) }
            }
            None if is_id(name) => ids.push(name.to_string_lossy().into_owned()),
            None => paths.push(name.to_path_buf()),
        }
    }
    let catalog = env.catalog();
    let mut found = Found::default();
    if ids.is_empty() || !paths.is_empty() {
        paths.splice(..0, select.within.iter().cloned());
        found = catalog.find(&paths);
    }
    if !ids.is_empty() {
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        for source in catalog.sources(&ids, &select.within)? {
            if !found.sources.iter().any(|known| paths_of(known) == paths_of(&source)) {
                found.sources.push(source);
            }
        }
    }
    if select.is_narrow() {
        let filter = select.filter(env)?;
        catalog.narrow(&mut found, &|entry| filter.takes(entry));
    }
    Ok(found)
}

/// The same sessions, with their usages. An unnarrowed search opens each file once.
pub(crate) fn spent<P: AsRef<Path>>(
    what: &[P],
    select: &Select,
    env: &Environment<'_>,
) -> Result<(Found, Usage), Failure> {
    let names = || what.iter().map(AsRef::as_ref);
    if select.is_narrow() || names().any(|name| is_id(name) || is_selector(name)) {
        let found = found(what, select, env)?;
        let usage = usage_with(&env.machine.job, &found, &env.machine.index)?;
        return Ok((found, usage));
    }
    exist(what, select)?;
    let mut paths = select.within.clone();
    paths.extend(names().map(Path::to_path_buf));
    Ok(operations::usage(&env.catalog(), &paths)?)
}

/// Refuses paths of which none exists. If only some are missing, the command reports these, and
/// answers of the others.
pub(crate) fn exist<P: AsRef<Path>>(what: &[P], select: &Select) -> Result<(), Failure> {
    let named = what.iter().map(AsRef::as_ref).filter(|name| !is_id(name) && !is_selector(name));
    let mut paths = named.chain(select.within.iter().map(PathBuf::as_path)).peekable();
    let Some(first) = paths.peek().map(|path| path.to_path_buf()) else { return Ok(()) };
    let ids = what.iter().any(|name| is_id(name.as_ref()) || is_selector(name.as_ref()));
    match !ids && paths.all(is_missing) {
        true => Err(Failure::NoFile(first.display().to_string())),
        false => Ok(()),
    }
}

/// Whether a path leads to nothing. One that may not be read leads to something.
pub(crate) fn is_missing(path: &Path) -> bool {
    let missing = [ErrorKind::NotFound, ErrorKind::NotADirectory];
    path.symlink_metadata().is_err_and(|error| missing.contains(&error.kind()))
}

fn paths_of(source: &catalog::Source) -> Vec<&Path> {
    source.files.iter().map(|file| &*file.path).collect()
}

/// Whether an argument is a selector such as `@`.
pub(crate) fn is_selector(name: &Path) -> bool {
    name.to_str().and_then(Selector::of).is_some()
}

/// Whether an argument is an id: no file has this name.
pub(crate) fn is_id(name: &Path) -> bool {
    let text = name.to_string_lossy();
    !name.exists() && !text.is_empty() && !text.contains(std::path::is_separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selector_counts_from_the_newest() {
        let of = |text| Selector::of(text).map(|selector| (selector.here, selector.back));
        assert_eq!(of("@"), Some((true, 0)));
        assert_eq!(of("@~"), Some((true, 1)));
        assert_eq!(of("@~12"), Some((true, 12)));
        assert_eq!(of("last~1"), Some((false, 1)));
        for other in ["", "~1", "@x", "@~x", "0b5c", "lasts"] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
