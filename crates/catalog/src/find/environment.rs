//! Locations of sessions on a machine. The environment variables are an argument.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use formats::{Base, Format, Formats, Place};
use session::Sorting as _;

use crate::job::Job;
use crate::open::session_archive::SessionArchive;
use crate::open::session_index::MaybeIndex;
use crate::system::System;

/// Facts about the machine that the catalog runs on.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// The kind of system.
    pub system: System,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// True if links may be followed out of a folder that the user named.
    pub follow: bool,
    /// The environment variables.
    pub variables: BTreeMap<String, OsString>,
    /// Tells, of the state folder and a file, whether verbatim has written this file.
    pub wrote: Option<fn(&Path, &Path) -> bool>,
    /// The folders in which verbatim placed sessions to be continued, by the file of each.
    pub placed: Option<PlacedFolders>,
    /// The archive with the sessions that agents have deleted.
    pub archive: Option<Arc<dyn SessionArchive>>,
    /// The index of what was read of the sessions before.
    pub index: MaybeIndex,
    /// The work that is done on it now: an operation that gets the catalog of a machine has its
    /// limit of threads, and ends if it is cancelled.
    pub job: Job,
}

/// Tells the folders of placed sessions, by their files.
pub type PlacedFolders = fn(&Machine, Formats<'_>) -> BTreeMap<PathBuf, String>;

/// A folder to look for sessions in.
#[derive(Clone, Debug)]
pub struct Root {
    /// The folder or file.
    pub path: PathBuf,
    /// The format whose place it is; `None` for a folder that a user named.
    pub format: Option<&'static dyn Format>,
    /// The environment variable that named it, if one did.
    pub variable: Option<&'static str>,
    /// True if links that lead out of it must not be followed.
    pub bound: bool,
}

impl Root {
    /// A folder or file that a user named.
    #[must_use]
    pub fn named(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), format: None, variable: None, bound: false }
    }
}

/// The folder of a place below its base.
fn within(place: &Place, base: PathBuf) -> PathBuf {
    let below = !place.folder.is_empty() && !matches!(place.base, Base::Beside(_));
    if below { base.join(place.folder) } else { base }
}

/// The folders that a leaf names below a place: a part `*` is any folder there.
pub(super) fn below(place: &Path, leaf: &str) -> Vec<PathBuf> {
    let mut folders = vec![place.to_path_buf()];
    for part in leaf.split('/') {
        folders = match part {
            "*" => folders.iter().flat_map(|folder| folders_in(folder)).collect(),
            part => folders.iter().map(|folder| folder.join(part)).collect(),
        };
    }
    folders
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.in_order();
    folders
}

impl Machine {
    /// The machine this program runs on.
    #[must_use]
    pub fn here() -> Self {
        let variables: BTreeMap<String, OsString> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
            .collect();
        let system = System::here();
        let home = std::env::home_dir();
        Self {
            follow: false,
            wrote: None,
            placed: None,
            archive: None,
            index: None,
            job: Job::default(),
            system,
            home: home.filter(|home| !home.as_os_str().is_empty()),
            variables,
        }
    }

    /// A variable of the environment that is set and not empty.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(name).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// The folders in which a format's sessions are stored. If a variable names one, the defaults
    /// after it do not count, even if the named folder does not exist.
    #[must_use]
    pub fn places(&self, format: &'static dyn Format) -> Vec<Root> {
        let mut resolved: Vec<Root> = Vec::new();
        let mut named = false;
        for place in format.data().places {
            let (variable, instead) = match place.base {
                Base::Variable(name) | Base::List(name) | Base::Expanded(name) => {
                    (Some(name), true)
                }
                Base::Added(name) | Base::Beside(name) => (Some(name), false),
                _ if named => continue,
                _ => (None, false),
            };
            for base in self.bases(place) {
                named |= instead;
                let folder = within(place, base);
                let leaves = place.leaves.iter().flat_map(|leaf| below(&folder, leaf));
                let folders: Vec<PathBuf> =
                    if place.leaves.is_empty() { vec![folder] } else { leaves.collect() };
                for path in folders {
                    if !resolved.iter().any(|known| known.path == path) {
                        resolved.push(Root { path, format: Some(format), variable, bound: false });
                    }
                }
            }
        }
        resolved
    }

    /// The agent's own folders. Each holds everything that the agent keeps: sessions, settings,
    /// instructions.
    pub fn homes(&self, format: &dyn Format) -> Vec<PathBuf> {
        let of = |place: &'static Place| {
            let bases = self.bases(place).into_iter();
            bases.flat_map(|base| match place.base {
                // This base is the user's home. The agent's own folders in it are the first parts
                // of the leaves.
                Base::Home | Base::UnixHome if place.folder.is_empty() => {
                    let first = |leaf: &&str| leaf.split('/').next().map(|name| base.join(name));
                    place.leaves.iter().filter_map(first).collect()
                }
                _ => vec![within(place, base)],
            })
        };
        format.data().places.iter().flat_map(of).collect()
    }

    /// The places of all formats that exist here, and the places that a variable names but that do
    /// not exist.
    #[must_use]
    pub fn roots(&self, formats: Formats<'_>) -> Vec<Root> {
        let places = formats.iter().flat_map(|format| self.places(*format));
        let missing = |place: &Root| place.variable.is_some_and(|name| !self.is_begun(place, name));
        // A place that can't be looked at may be there: the walk says why.
        let there = |place: &Root| place.path.try_exists().unwrap_or(true);
        places.filter(|place| there(place) || missing(place)).collect()
    }

    /// Whether the folder that a variable names exists, and only a folder below it is missing. The
    /// agent creates that folder when it needs it, so its absence is not an error.
    fn is_begun(&self, place: &Root, variable: &str) -> bool {
        let Some(value) = self.variable(variable) else { return false };
        let named = listed(value).into_iter().chain(self.expanded(value));
        let mut above = named.filter(|base| *base != place.path && place.path.starts_with(base));
        above.any(|base| base.is_dir())
    }

    /// The folder for what verbatim itself has to remember: `$XDG_STATE_HOME/verbatim`, or the
    /// system's folder for it.
    #[must_use]
    pub fn state(&self) -> Option<PathBuf> {
        let folders = match self.system {
            System::Linux => self.user_folder("XDG_STATE_HOME", ".local/state"),
            System::Mac => self.below_home("Library/Application Support"),
            System::Windows => match self.variable("LOCALAPPDATA") {
                Some(folder) => vec![folder.into()],
                None => self.below_home("AppData/Local"),
            },
        };
        folders.into_iter().next().map(|folder| folder.join("verbatim"))
    }

    /// The folder for what the user decides, as the keys that sign and those that are trusted:
    /// `$XDG_CONFIG_HOME/verbatim`, or the system's folder for it.
    #[must_use]
    pub fn settings(&self) -> Option<PathBuf> {
        let folders = match self.system {
            System::Linux => self.user_folder("XDG_CONFIG_HOME", ".config"),
            System::Mac => self.below_home("Library/Application Support"),
            System::Windows => match self.variable("APPDATA") {
                Some(folder) => vec![folder.into()],
                None => self.below_home("AppData/Roaming"),
            },
        };
        folders.into_iter().next().map(|folder| folder.join("verbatim"))
    }

    /// The folder for what verbatim keeps for the user: `$XDG_DATA_HOME/verbatim`, or the system's
    /// folder for it.
    #[must_use]
    pub fn data(&self) -> Option<PathBuf> {
        let folders = match self.system {
            System::Linux => self.user_folder("XDG_DATA_HOME", ".local/share"),
            _ => return self.state(),
        };
        folders.into_iter().next().map(|folder| folder.join("verbatim"))
    }

    /// The folder for what verbatim can make again at any time: `$XDG_CACHE_HOME/verbatim`, or the
    /// system's folder for it.
    #[must_use]
    pub fn cache(&self) -> Option<PathBuf> {
        let folders = match self.system {
            System::Linux => self.user_folder("XDG_CACHE_HOME", ".cache"),
            System::Mac => self.below_home("Library/Caches"),
            System::Windows => return self.state().map(|state| state.join("cache")),
        };
        folders.into_iter().next().map(|folder| folder.join("verbatim"))
    }

    /// Whether verbatim has written a file, and nobody has changed it since.
    #[must_use]
    pub fn has_written(&self, path: &Path) -> bool {
        self.wrote.is_some_and(|wrote| self.state().is_some_and(|state| wrote(&state, path)))
    }

    /// Base folders of a place: several if a variable lists them.
    pub(super) fn bases(&self, place: &Place) -> Vec<PathBuf> {
        match place.base {
            Base::Variable(name) => self.variable(name).map(PathBuf::from).into_iter().collect(),
            Base::List(name) => self.variable(name).map(listed).unwrap_or_default(),
            Base::Expanded(name) => {
                self.variable(name).and_then(|value| self.expanded(value)).into_iter().collect()
            }
            Base::Added(name) => {
                let path = self.variable(name).map(PathBuf::from);
                path.into_iter().filter(|path| path.is_absolute()).collect()
            }
            Base::Beside(name) => self.beside(name, place.folder),
            Base::Home => self.home.iter().cloned().collect(),
            Base::UnixHome => {
                let named = ["HOME", "APPDATA"].map(|name| self.variable(name).map(PathBuf::from));
                let known = usize::from(self.system == System::Windows) + 1;
                named.into_iter().take(known).flatten().collect()
            }
            Base::Temporary => self.temporary().into_iter().collect(),
            Base::Config => self.user_folder("XDG_CONFIG_HOME", ".config"),
            Base::Data => self.user_folder("XDG_DATA_HOME", ".local/share"),
            Base::State => self.user_folder("XDG_STATE_HOME", ".local/state"),
            Base::Application => match self.system {
                System::Linux => self.user_folder("XDG_CONFIG_HOME", ".config"),
                System::Mac => self.below_home("Library/Application Support"),
                System::Windows => match self.variable("APPDATA") {
                    Some(folder) => vec![folder.into()],
                    None => self.below_home("AppData/Roaming"),
                },
            },
        }
    }

    /// Folder for temporary files that Node programs use in place of the user's home; `None` if
    /// they find a home.
    fn temporary(&self) -> Option<PathBuf> {
        let windows = self.system == System::Windows;
        // Node programs see an empty `HOME`, even if the system knows the user's home.
        let emptied = !windows && self.variables.get("HOME").is_some_and(|home| home.is_empty());
        if self.home.is_some() && !emptied {
            return None;
        }
        let names: &[&str] = if windows { &["TEMP", "TMP"] } else { &["TMPDIR", "TMP", "TEMP"] };
        let named = names.iter().find_map(|name| self.variable(name)).map(PathBuf::from);
        let default = || match windows {
            true => Some(PathBuf::from(self.variable("SystemRoot")?).join("temp")),
            false => Some("/tmp".into()),
        };
        named.or_else(default)
    }

    /// The path that a variable names, relative to `folder` in the user's data. Empty for a path
    /// inside `folder`, because that folder is a place of its own.
    fn beside(&self, variable: &str, folder: &str) -> Vec<PathBuf> {
        let leaves = |path: &&OsStr| {
            let path = Path::new(path);
            path.is_absolute() || path.components().any(|part| part == Component::ParentDir)
        };
        let Some(path) = self.variable(variable).filter(leaves) else { return Vec::new() };
        let data = self.user_folder("XDG_DATA_HOME", ".local/share");
        data.into_iter().map(|data| data.join(folder).join(path)).collect()
    }

    /// The path in a value, without surrounding white space and with `~` replaced by the home.
    /// `None` if the path is not absolute.
    fn expanded(&self, value: &OsStr) -> Option<PathBuf> {
        let path = value.to_str().map_or(PathBuf::from(value), |text| text.trim().into());
        let path = match (path.strip_prefix("~"), &self.home) {
            (Ok(below), Some(home)) => home.join(below),
            _ => path,
        };
        path.is_absolute().then_some(path)
    }

    fn user_folder(&self, variable: &str, default: &str) -> Vec<PathBuf> {
        // By the XDG rule, a relative path in these variables is invalid and must be ignored.
        match self.variable(variable).map(PathBuf::from).filter(|path| path.is_absolute()) {
            Some(folder) => vec![folder],
            None => self.below_home(default),
        }
    }

    fn below_home(&self, folder: &str) -> Vec<PathBuf> {
        self.home.iter().map(|home| home.join(folder)).collect()
    }
}

/// The folders in a value, separated by commas. A value that is itself an existing path is one
/// folder.
fn listed(value: &OsStr) -> Vec<PathBuf> {
    let whole = PathBuf::from(value);
    match value.to_str() {
        Some(text) if text.contains(',') && !whole.exists() => text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(PathBuf::from)
            .collect(),
        _ => vec![whole],
    }
}
