//! The sessions of this machine: which there are, a list of them, and each opened by its id, its
//! path or its bytes. Operations and the commands begin here. Nothing here prints or writes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use formats::{Candidate, Claim, Detected, Format, Formats, Role};
use session::{Bundle, Member, Memory, Session};

use crate::error::Error;
use crate::find::environment::{Machine, Root};
use crate::find::found::{Found, SkipReason};
use crate::find::scan::{Glance, scan_with};
use crate::find::siblings::siblings;
use crate::open::before::ReadBefore;
use crate::open::bundle::bundle_from;
use crate::open::cbor_record;
use crate::open::ends::Kept;
use crate::open::source::Source;
use crate::opened::{Opened, in_file};
use crate::paths::{absolute, slashed};
use crate::summary::{FoldersOfPlaced, Listed, project};

/// The catalog of a machine's sessions.
#[derive(Debug)]
pub struct Catalog<'f> {
    /// The formats that it knows.
    pub formats: Formats<'f>,
    /// The machine.
    pub machine: Machine,
}

impl<'f> Catalog<'f> {
    /// The catalog of this machine, with all formats of the registry.
    #[must_use]
    pub fn here() -> Self {
        Self { formats: formats::ALL, machine: Machine::here() }
    }

    /// The folders in which verbatim placed sessions, by their files.
    #[must_use]
    pub fn placed(&self) -> FoldersOfPlaced {
        self.machine.placed.map(|placed| placed(&self.machine, self.formats)).unwrap_or_default()
    }

    /// Finds the files of all sessions below `paths`, or in the agents' own places if `paths` is
    /// empty. A path of one file finds the whole session of that file.
    #[must_use]
    pub fn find(&self, paths: &[PathBuf]) -> Found {
        self.find_with(paths, &Kept::nothing().with_index(&self.machine.index), &|_| {})
    }

    /// The same search, which keeps the bytes that it reads, and shows files to `glance`.
    pub fn find_with(&self, paths: &[PathBuf], kept: &Kept, glance: Glance<'_>) -> Found {
        if paths.is_empty() {
            let roots = self.machine.roots(self.formats);
            let mut found = scan_with(self.formats, &roots, kept, glance);
            self.add_archived(&mut found, &|_| true, true);
            return found;
        }
        let paths = once(paths);
        let (files, folders): (Vec<_>, Vec<_>) =
            paths.iter().copied().partition(|path| path.is_file());
        let mut found = siblings(self.formats, &files);
        self.set_outputs_apart(&mut found, &files);
        let bound = !self.machine.follow;
        let roots = folders.into_iter().map(|folder| Root { bound, ..Root::named(folder) });
        let roots: Vec<Root> = roots.collect();
        let mut below = scan_with(self.formats, &roots, kept, glance);
        self.set_outputs_apart(&mut below, &[]);
        found.sources.extend(below.sources);
        found.skipped.extend(below.skipped);
        // A named file that can't be read is a failure.
        for skipped in found.skipped.iter_mut().filter(|skipped| paths.contains(&&*skipped.path)) {
            if matches!(skipped.why, SkipReason::Special | SkipReason::Dangling) {
                skipped.why = SkipReason::Unreadable(skipped.why.to_string());
            }
        }
        found
    }

    /// Reads all sessions of a source.
    ///
    /// # Errors
    ///
    /// None of its files can be read.
    pub fn read(&self, source: &Source) -> Result<Opened, Error> {
        read(source)
    }

    /// Reads the only session of a file or folder. For a file in an agent's own place, the
    /// session's other files in this place are read too.
    pub(crate) fn open_path(&self, path: &Path) -> Result<Opened, Error> {
        let mut found = self.find(&[path.to_path_buf()]);
        if let [source] = &*found.sources
            && let Some(whole) = self.whole(source, path)
        {
            found.sources = vec![whole];
        }
        match &*found.sources {
            [source] => {
                let mut opened = read(source)?;
                let whole: Vec<String> =
                    opened.sessions.iter().filter(|s| !s.remainder).map(Session::uid).collect();
                if whole.len() > 1 {
                    let several = || Error::Several { path: path.into(), found: whole };
                    let picked = in_file(&opened, source, path).ok_or_else(several)?;
                    opened.pick(picked, source);
                }
                Ok(opened)
            }
            [] => {
                let skipped = found.skipped.iter().find(|skipped| skipped.path == path);
                let why =
                    skipped.map_or("no session in it".into(), |skipped| skipped.why.to_string());
                Err(Error::NoSession { path: path.into(), why })
            }
            several => {
                let uid = |source: &Source| format!("{}:{}", source.format.name(), source.group);
                Err(Error::Several { path: path.into(), found: several.iter().map(uid).collect() })
            }
        }
    }

    /// Reads a file with all of its sessions.
    ///
    /// # Errors
    /// They belong to several groups of files, or can't be read.
    pub fn open_file(&self, path: &Path) -> Result<Opened, Error> {
        let found = self.find(&[path.to_path_buf()]);
        match &*found.sources {
            [source] => read(source),
            _ => self.open_path(path),
        }
    }

    /// Reads a session from bytes that came without a file.
    ///
    /// # Errors
    ///
    /// No format claims the bytes.
    pub fn open_bytes(&self, name: &str, bytes: Vec<u8>) -> Result<Opened, Error> {
        let (format, role) = self.detect(name, &bytes)?;
        let member = member(format, &role, name, bytes)?;
        let length = member.length() as u64;
        let sessions = format.read(Arc::new(Bundle::of(member)));
        let found = listed(&sessions);
        Ok(Opened {
            sessions,
            picked: 0,
            unread: Vec::new(),
            paths: Vec::new(),
            history_from: None,
            found,
            files: Vec::new(),
            bytes_read: length,
        })
    }

    /// The format of these bytes, and the role that it gives them.
    pub fn detect(&self, name: &str, bytes: &[u8]) -> Result<(&'static dyn Format, Role), Error> {
        match formats::detect(self.formats, None, &Candidate::of(&resolved(name), bytes)) {
            Detected::Part { format, role, .. } => Ok((format, role)),
            other => {
                Err(Error::NoSession { path: name.into(), why: SkipReason::of(&other).to_string() })
            }
        }
    }

    /// The format of this name, and the role that it gives to these bytes: the main role if it does
    /// not claim them.
    pub fn detect_as(
        &self,
        format: &str,
        name: &str,
        bytes: &[u8],
    ) -> Result<(&'static dyn Format, Role), Error> {
        let format = self.format(format)?;
        match format.claim(&Candidate::of(&resolved(name), bytes)) {
            Claim::Part { role, .. } => Ok((format, role)),
            Claim::NoSession(_) | Claim::No => Ok((format, Role::Main)),
        }
    }

    /// The format of a name.
    ///
    /// # Errors
    ///
    /// No format has this name.
    pub fn format(&self, name: &str) -> Result<&'static dyn Format, Error> {
        let known = || self.formats.iter().map(|format| format.name()).collect();
        let format = self.formats.iter().copied().find(|format| format.name() == name);
        format.ok_or_else(|| Error::NoFormat { name: name.into(), known: known() })
    }
}

/// The paths without repetitions, and without those below another of them.
pub fn once(paths: &[PathBuf]) -> Vec<&Path> {
    let real = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
    let reals: Vec<PathBuf> = paths.iter().map(real).collect();
    let again = |at: usize| {
        let before = reals[..at].contains(&reals[at]);
        let within = |other: &PathBuf| reals[at] != *other && reals[at].starts_with(other);
        before || reals.iter().any(within)
    };
    (0..paths.len()).filter(|at| !again(*at)).map(|at| paths[at].as_path()).collect()
}

/// Reads a source whole.
pub(crate) fn read(source: &Source) -> Result<Opened, Error> {
    read_from(source, None)
}

/// Reads a source, and continues from what was read before of it.
pub(crate) fn read_from(source: &Source, mut before: Option<ReadBefore>) -> Result<Opened, Error> {
    let (bundle, unread, files) = bundle_from(source, &Kept::nothing(), before.as_mut());
    if bundle.members.is_empty()
        && let Some(first) = unread.first()
    {
        return Err(Error::NoSession { path: first.path.clone(), why: first.why.clone() });
    }
    let mut memory = Memory::default();
    if let Some(before) = before {
        before.hand_to(&mut memory);
    }
    let mut sessions = source.format.read_with(Arc::new(bundle), &mut memory);
    if sessions.is_empty() {
        let path = source.files.first().map(|file| file.path.to_path_buf()).unwrap_or_default();
        return Err(Error::NoSession { path, why: "no session could be read from it".into() });
    }
    let paths = source.files.iter().map(|file| file.path.to_path_buf()).collect();
    let folder = project(source, &Kept::nothing());
    for session in &mut sessions {
        session.beside.folder.clone_from(&folder);
    }
    let found = listed(&sessions);
    let bytes_read = memory.bytes_read();
    Ok(Opened { sessions, picked: 0, unread, paths, history_from: None, found, files, bytes_read })
}

/// The sessions of a bundle.
pub(crate) fn listed(sessions: &[Session]) -> Vec<Listed> {
    let own = sessions.iter().filter(|session| !session.remainder);
    let listed = own.map(|session| Listed {
        format: session.format,
        id: session.id.clone(),
        spawned_by: meaning::facts::spawner(session).map(std::borrow::Cow::into_owned),
    });
    listed.collect()
}

/// The path of a file as a scan shows it. Any other name is unchanged.
fn resolved(name: &str) -> String {
    let path = Path::new(name);
    if path.is_file() { slashed(&absolute(path)) } else { name.to_owned() }
}

/// These bytes as a member for a format.
pub fn member(
    format: &'static dyn Format,
    role: &Role,
    name: &str,
    bytes: Vec<u8>,
) -> Result<Member, Error> {
    let member = Member::new(name, role.stream(), bytes);
    let long = || Error::NoSession { path: name.into(), why: "too long".into() };
    cbor_record::decode(format, member.ok_or_else(long)?)
        .map_err(|error| Error::Convert { path: name.into(), error })
}
