//! The agents that can continue a session, by name, and the folders that are theirs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use catalog::paths::absolute;
use catalog::summary::Entry;
use catalog::{Catalog, Error, Opened};
use formats::resume::{Resume, StoreAccess};
use formats::{Base, Format, Formats, Options};
use session::Session;

use super::target::targets;
use super::{ResumePlan, refused, written};

/// The agents that a session can be continued in, and their rules.
fn agents(catalog: &Catalog<'_>) -> impl Iterator<Item = (&'static dyn Format, &'static Resume)> {
    catalog.formats.iter().filter_map(|format| Some((*format, format.data().resume?)))
}

/// The agent of a name: that of its format in any case, or the first words of that.
///
/// # Errors
/// [`Error::NoAgent`] if no agent has this name.
pub fn agent(catalog: &Catalog<'_>, name: &str) -> Result<&'static dyn Format, Error> {
    let wanted = name.trim().to_lowercase().replace(['_', ' '], "-");
    let is_it = |own: &str| {
        own == wanted || own.strip_prefix(&*wanted).is_some_and(|rest| rest.starts_with('-'))
    };
    let mut found = agents(catalog).map(|(format, _)| format).filter(|f| is_it(f.name()));
    if let (Some(one), None) = (found.next(), found.next()) {
        return Ok(one);
    }
    let what = match catalog.formats.iter().find(|format| is_it(format.name())) {
        Some(document) => {
            let name = document.name();
            format!("{name} is a document's format, and no agent: `verbatim convert` writes it")
        }
        None => format!("unknown agent `{name}`"),
    };
    let known = agents(catalog).map(|(format, _)| format.name()).collect();
    Err(Error::NoAgent { what, known })
}

/// The agents in whose stores a session of another agent can be placed, by their names.
#[must_use]
pub fn takers(formats: Formats<'_>) -> Vec<&'static str> {
    let takers = formats.iter().filter(|format| format.data().resume.is_some_and(Resume::takes_in));
    takers.map(|format| format.name()).collect()
}

/// The folders of an agent that takes sessions in, by the name of its format; none for another
/// one. A folder that is a link is there by both names.
#[must_use]
pub fn agent_folders(catalog: &Catalog<'_>, name: &str) -> Vec<PathBuf> {
    let Some((format, _)) = agents(catalog).find(|(format, _)| format.name() == name) else {
        return Vec::new();
    };
    let homes = catalog.machine.homes(format);
    let real: Vec<PathBuf> = homes.iter().filter_map(|home| home.canonicalize().ok()).collect();
    homes.iter().map(|home| absolute(home)).chain(real).collect()
}

/// The folder of an agent that a user means by `--home`: this one, or the agent's own folder within
/// it, if the agent finds no other.
#[must_use]
pub fn named_home(format: &dyn Format, home: &Path) -> PathBuf {
    let home = absolute(home);
    let named = |base: &Base| {
        matches!(base, Base::Variable(_) | Base::List(_) | Base::Expanded(_) | Base::Added(_))
    };
    match format.data().places.iter().find(|place| named(&place.base)) {
        Some(place) if !home.ends_with(place.folder) => home.join(place.folder),
        _ => home,
    }
}

/// The title by which an agent lists its own session, in a file of its home.
#[must_use]
pub fn listed_title(catalog: &Catalog<'_>, session: &Session, opened: &Opened) -> Option<String> {
    let (rules, list) = list_of(catalog, session.format, opened.paths.first()?)?;
    (rules.listed)(&std::fs::read(list).ok()?, &session.id)
}

/// Gives sessions without a title the one by which their agent lists them, in a file of its home.
pub fn add_listed_titles(catalog: &Catalog<'_>, entries: &mut [Entry]) {
    let mut lists: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
    for entry in entries.iter_mut().filter(|entry| entry.title.is_none()) {
        let file = entry.files.first().and_then(|file| list_of(catalog, entry.format, file));
        let Some((rules, list)) = file else { continue };
        let read = |list: &PathBuf| std::fs::read(list).unwrap_or_default();
        let text = lists.entry(list).or_insert_with_key(read);
        entry.title = (rules.listed)(text, &entry.id).map(String::into_boxed_str);
    }
}

/// The file in which an agent lists the titles of its sessions. Of a home elsewhere, it is in a
/// folder above the session's file.
fn list_of(catalog: &Catalog<'_>, agent: &str, file: &Path) -> Option<(&'static Resume, PathBuf)> {
    let rules = catalog.format(agent).ok()?.data().resume?;
    let (name, _) = (rules.title)("", "", "")?;
    let mut lists = file.ancestors().skip(1).take(HIGHEST).map(|above| above.join(name));
    let list = lists.find(|list| list.metadata().is_ok_and(|meta| is_readable(&meta)))?;
    Some((rules, list))
}

/// The number of folders above a session's file in which its agent's list may be.
const HIGHEST: usize = 6;
/// The greatest length of a list or of settings, in bytes.
const LONGEST: u64 = 64 << 20;

fn is_readable(meta: &std::fs::Metadata) -> bool {
    meta.is_file() && meta.len() <= LONGEST
}

/// The provider and the model that an agent's next request goes to, by its user's settings.
pub(super) fn next(catalog: &Catalog<'_>, rules: &Resume, folder: &str) -> Option<[String; 2]> {
    let machine = &catalog.machine;
    let user = |variable: &str, below: &str| {
        let named = machine.variable(variable).filter(|named| !named.is_empty());
        named.map(PathBuf::from).or_else(|| Some(machine.home.as_ref()?.join(below)))
    };
    let read = |path: &str| {
        let (base, below) = path.split_once('/')?;
        let base = match base {
            "config" => user("XDG_CONFIG_HOME", ".config"),
            "state" => user("XDG_STATE_HOME", ".local/state"),
            _ => Some(PathBuf::from(folder)),
        };
        let path = base?.join(below);
        path.metadata().is_ok_and(|meta| is_readable(&meta)).then(|| std::fs::read(path).ok())?
    };
    (rules.next)(&read)
}

/// The home folder of an agent.
pub(super) fn home_of(
    catalog: &Catalog<'_>,
    format: &dyn Format,
    home: Option<&Path>,
) -> Result<PathBuf, Error> {
    let own = || catalog.machine.homes(format).into_iter().next();
    // As it is noted: a later run may be in another folder.
    home.map(Path::to_path_buf).or_else(own).map(|home| absolute(&home)).ok_or_else(|| {
        Error::Resume {
            what: format!("this user has no home folder for {}", format.name()),
            hint: "name the agent's folder: `--home FOLDER`".into(),
        }
    })
}

/// The variables by which an agent finds a home folder that is not its default one.
pub(super) fn variables(
    catalog: &Catalog<'_>,
    format: &dyn Format,
    rules: &Resume,
    home: Option<&Path>,
) -> Result<Vec<(&'static str, String)>, Error> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let default = catalog.machine.homes(format).into_iter().next();
    // A path from the present folder leads elsewhere in the one in which it is continued.
    let moves = default.as_deref().filter(|home| !home.is_absolute());
    let imports = matches!(rules.entry, StoreAccess::Import(_));
    let (home, moves) = match (home, moves.filter(|_| !imports)) {
        (Some(home), moves) => (home.to_path_buf(), moves.is_some()),
        (None, Some(moves)) => (absolute(moves), true),
        (None, None) => return Ok(Vec::new()),
    };
    let home = &*home;
    if !moves && default.is_some_and(|default| real(&default) == real(home)) {
        return Ok(Vec::new());
    }
    if imports {
        let what = format!("{} chooses its folder itself when it imports", format.name());
        return refused(what, "leave `--home` out, and set the agent's own variables");
    }
    for place in format.data().places {
        let (Base::Variable(name) | Base::List(name) | Base::Expanded(name) | Base::Added(name)) =
            place.base
        else {
            continue;
        };
        let base = match place.folder {
            "" => Some(home),
            below => home
                .ends_with(below)
                .then(|| home.ancestors().nth(below.split('/').count()))
                .flatten(),
        };
        let Some(base) = base.and_then(Path::to_str) else {
            let what = format!("{} finds no folder {}", format.name(), home.display());
            let hint = format!("name a folder that ends with `{}`", place.folder);
            return refused(what, &hint);
        };
        return Ok(vec![(name, base.to_owned())]);
    }
    Ok(Vec::new())
}

/// Whether a session is where its agent looks for it when it is started in the plan's folder.
pub(super) fn is_there(
    catalog: &Catalog<'_>,
    (opened, ours): (&Opened, &[PathBuf]),
    plan: &ResumePlan,
    rules: &Resume,
    moved: bool,
) -> bool {
    let session = opened.session();
    let Ok(format) = catalog.format(session.format) else { return false };
    if !is_at_home(catalog, opened, format) {
        return false;
    }
    let StoreAccess::Files(place) = rules.entry else { return true };
    if !moved {
        return true;
    }
    // Rows of a database are no file that could be elsewhere.
    let Ok(written) = written(format, session, &Options::default()) else { return true };
    let real = |path: &Path| path.canonicalize().ok();
    let ours: Vec<PathBuf> = ours.iter().filter_map(|path| real(path)).collect();
    let mut own: Vec<PathBuf> = opened.paths.iter().filter_map(|path| real(path)).collect();
    own.retain(|path| !ours.contains(path));
    let homes = catalog.machine.homes(format);
    let mut homes = homes.iter().filter_map(|home| {
        let home = real(home).filter(|home| own.iter().all(|path| path.starts_with(home)))?;
        targets(plan, place, &home, (&written, None)).ok()
    });
    homes.next().is_some_and(|files| files.first().is_some_and(|(path, _)| own.contains(path)))
}

/// Whether all files of a session are in its agent's own places.
fn is_at_home(catalog: &Catalog<'_>, opened: &Opened, format: &dyn Format) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    let homes = catalog.machine.homes(format);
    let homes: Vec<PathBuf> = homes.iter().filter_map(|home| real(home)).collect();
    let is_within = |path: &PathBuf| {
        real(path).is_some_and(|path| homes.iter().any(|home| path.starts_with(home)))
    };
    !opened.paths.is_empty()
        && opened.session().format == format.name()
        && opened.paths.iter().all(is_within)
}
