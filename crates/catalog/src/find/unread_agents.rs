//! Agents that no format reads and whose sessions are here: their folders, and the number of their
//! sessions by the names of their files. Each known folder is listed once, and no file is opened.

use std::collections::HashSet;
use std::fs::DirEntry;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use formats::Place;
use formats::strangers::{self, SessionFolder, Unit};

use super::environment::{Machine, below};

/// An agent that is here and not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadAgent {
    /// Its name.
    pub agent: &'static str,
    /// The folders that have sessions, or that can't be looked into.
    pub folders: Vec<PathBuf>,
    /// The number of sessions; `None` if names do not say it.
    pub sessions: Option<usize>,
}

/// The sessions that were counted of one agent.
struct Counted {
    agent: &'static str,
    folders: Vec<PathBuf>,
    /// Names without their endings: one session may be in two folders.
    names: HashSet<(PathBuf, String)>,
    /// Whether there are some that names don't count.
    more: bool,
}

impl Machine {
    /// The agents that no format reads and whose sessions are here, in the order of the table.
    #[must_use]
    pub fn unread_agents(&self) -> Vec<UnreadAgent> {
        let mut here: Vec<Counted> = Vec::new();
        for kept in strangers::all() {
            let place = Place { base: kept.base, folder: kept.folder, leaves: &[] };
            for base in self.bases(&place) {
                let folder = if kept.folder.is_empty() { base } else { base.join(kept.folder) };
                let found = sessions(kept, &folder);
                if found.is_nothing() {
                    continue;
                }
                let at = here.iter().position(|known| known.agent == kept.agent);
                let at = at.unwrap_or_else(|| {
                    here.push(Counted {
                        agent: kept.agent,
                        folders: Vec::new(),
                        names: HashSet::new(),
                        more: false,
                    });
                    here.len() - 1
                });
                here[at].add(folder, found);
            }
        }
        here.into_iter().map(Counted::told).collect()
    }
}

impl Counted {
    fn add(&mut self, folder: PathBuf, found: Found) {
        // The folders of one home may have the same session twice.
        let home = folder.parent().unwrap_or(&folder).to_path_buf();
        self.names.extend(found.names.into_iter().map(|name| (home.clone(), name)));
        self.more |= found.more;
        if !self.folders.contains(&folder) {
            self.folders.push(folder);
        }
    }

    fn told(self) -> UnreadAgent {
        let Self { agent, folders, names, more } = self;
        UnreadAgent { agent, folders, sessions: (!more).then_some(names.len()) }
    }
}

/// The sessions of a folder.
#[derive(Default)]
struct Found {
    names: Vec<String>,
    more: bool,
}

impl Found {
    const fn is_nothing(&self) -> bool {
        self.names.is_empty() && !self.more
    }
}

/// The sessions of a folder, by the names in it.
fn sessions(kept: &SessionFolder, folder: &Path) -> Found {
    let mut found = Found::default();
    if let Unit::Database(name) = kept.session {
        // An empty file, or a folder, is no database.
        let is_some = |meta: std::fs::Metadata| meta.is_file() && meta.len() > 0;
        found.more = std::fs::metadata(folder.join(name)).is_ok_and(is_some);
        return found;
    }
    let folders = match kept.below {
        "" => vec![folder.to_path_buf()],
        parts => below(folder, parts),
    };
    found.more = folders.is_empty() && is_closed(folder);
    for folder in folders {
        match folder.read_dir() {
            Ok(entries) => found.names.extend(entries.flatten().filter_map(|it| name(kept, &it))),
            Err(error) => found.more |= error.kind() == ErrorKind::PermissionDenied,
        }
    }
    found
}

/// Whether a folder is there and may not be looked into.
fn is_closed(folder: &Path) -> bool {
    folder.read_dir().is_err_and(|error| error.kind() == ErrorKind::PermissionDenied)
}

/// The name of a session without its ending; `None` for anything else.
fn name(kept: &SessionFolder, entry: &DirEntry) -> Option<String> {
    let name = entry.file_name().into_string().ok()?;
    let hidden = name.starts_with('.');
    match kept.session {
        Unit::Folders => {
            let kind = entry.file_type().ok()?;
            (kind.is_dir() && !hidden).then_some(name)
        }
        Unit::Files(endings) => {
            let is_register = strangers::REGISTERS.contains(&&*name);
            let stem = endings.iter().find_map(|ending| name.strip_suffix(ending))?;
            (!is_register && !hidden && !stem.is_empty()).then(|| stem.to_owned())
        }
        Unit::Database(_) => None,
    }
}
