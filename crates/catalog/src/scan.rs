//! Which files are sessions: every file below the roots is offered to the formats, and those that
//! belong together become one [`Source`]. What is no session stands in [`Found::aside`] with the
//! reason.

use std::collections::HashSet;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use formats::{Format, Role};
use session::MEMBER_LIMIT;

use crate::Formats;
use crate::claim::{Claimed, Claims, claim, slashed};
use crate::database::{DUMP, Selection, Store};
use crate::ends::Kept;
use crate::group::{Groups, shared};
use crate::machine::Root;
use crate::unpack::is_zstd;
use crate::walk::{Met, Seen, walk};
use crate::work::parallel;

/// What a scan finds. Every file below its roots is in one of the two, or reached through a folder
/// that is.
#[derive(Default)]
pub struct Found {
    /// The sessions' files, in the order in which they were met.
    pub sources: Vec<Source>,
    /// What is no session, or can't be read.
    pub aside: Vec<Aside>,
}

/// Files that make up one session, or several that can't be read apart.
#[derive(Clone)]
pub struct Source {
    /// The format that claims them.
    pub format: &'static dyn Format,
    /// What the format calls them together: the session's id, as a rule.
    pub group: String,
    /// The files, in the order in which they are read.
    pub files: Vec<File>,
}

impl Source {
    /// The bytes of its files, as stored.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.files.iter().map(|file| file.length).sum()
    }
}

/// A file of a session.
#[derive(Clone, Debug)]
pub struct File {
    /// Where it is.
    pub path: PathBuf,
    /// Its name in the bundle: relative to the session's own folder, `/` between parts.
    pub name: String,
    /// How it belongs to the session.
    pub role: Role,
    /// Its length in bytes, as stored, when it was found.
    pub length: u64,
    /// When it was last written.
    pub modified: Option<SystemTime>,
    /// Which rows of it, where it is a database.
    pub rows: Option<Selection>,
}

/// A file that is no session.
#[derive(Debug)]
pub struct Aside {
    /// Where it is.
    pub path: PathBuf,
    /// Why it stands aside.
    pub why: Why,
}

/// Why a file stands aside.
#[derive(Debug)]
pub enum Why {
    /// Written by the format of this name, but no session.
    NoSession(&'static str, &'static str),
    /// A database of a format's that holds no session.
    Bare(Arc<Store>),
    /// No format knows it.
    Unknown,
    /// A database that no format knows.
    Database,
    /// Written by another agent, which no format reads: its name.
    Foreign(&'static str),
    /// Nothing is in it.
    Empty,
    /// The compressed form of a file that stands beside it.
    Compressed,
    /// The log, journal or index of the database that stands beside it.
    Beside,
    /// Something to know of a file that was read.
    Note(&'static str),
    /// Met before, under another name.
    Again,
    /// Neither file nor folder.
    Special,
    /// A folder of an agent's that holds no sessions.
    Closed,
    /// A link that leads out of the folder that was named.
    Outside,
    /// On a file system that is the system's own.
    System,
    /// Holds access to something by its name: never opened.
    Sealed,
    /// Longer than a session's file can be.
    Long(u64),
    /// Can't be read.
    Unreadable(String),
}

impl Why {
    /// True where the file might be a session that we fail to read.
    #[must_use]
    pub const fn is_failure(&self) -> bool {
        matches!(self, Self::Long(_) | Self::Unreadable(_))
    }
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoSession(format, why) => write!(f, "{format}: {why}"),
            Self::Bare(store) => {
                write!(f, "{}: a database without a conversation", store.format.name())
            }
            Self::Unknown => f.write_str("no known agent writes such a file"),
            Self::Database => f.write_str("a database of another program"),
            Self::Foreign(agent) => {
                write!(f, "of {agent}, which is another agent than those that are read here")
            }
            Self::Empty => f.write_str("empty"),
            Self::Compressed => f.write_str("the compressed form of the file beside it"),
            Self::Beside => f.write_str("belongs to the database beside it, and is read with it"),
            Self::Note(note) => f.write_str(note),
            Self::Again => f.write_str("the same file as one that was met before"),
            Self::Special => f.write_str("no regular file"),
            Self::Closed => f.write_str("holds no sessions: not looked into"),
            Self::Outside => {
                f.write_str("a link that leads out of the folder: `--follow` follows it")
            }
            Self::System => f.write_str("processes or devices of the system: never looked into"),
            Self::Sealed => f.write_str("holds credentials by its name: never opened"),
            Self::Long(length) => {
                write!(f, "{length} bytes, and a session's file ends at {MEMBER_LIMIT}: not read")
            }
            Self::Unreadable(why) => write!(f, "cannot be read: {why}"),
        }
    }
}

/// Finds the sessions below `roots`.
#[must_use]
pub fn scan(formats: Formats<'_>, roots: &[Root]) -> Found {
    scan_for(formats, roots, &Kept::nothing())
}

/// The same, where what is read of the files is asked for again.
pub(crate) fn scan_for(formats: Formats<'_>, roots: &[Root], kept: &Kept) -> Found {
    let mut met = Vec::new();
    let mut seen = Seen::default();
    for root in roots {
        let closed = root.format.map(Format::closed).unwrap_or_default();
        seen.stay_in(Some(&*root.path).filter(|_| root.bound));
        walk(&root.path, closed, &mut seen, &mut |each| met.push((root, each)));
    }
    let mut scan = Scan::default();
    scan.gather(formats, met, kept);
    scan.finish()
}

/// What was met, asked whose it is.
pub(crate) struct Asked {
    /// Where it is.
    pub path: PathBuf,
    /// What it holds of sessions.
    pub claims: Vec<Claimed>,
    /// What there is to know of it.
    pub notes: Vec<Why>,
}

/// Asks for each file whose it is, with all cores. The answers are in the order of what was met.
pub(crate) fn ask(formats: Formats<'_>, met: Vec<(&Root, Met)>, kept: &Kept) -> Vec<Asked> {
    let claimed = parallel(
        &met,
        |_| 0,
        |(root, met)| match met {
            Met::File(path, meta) => claim(formats, root, path, meta, kept),
            _ => Err(Why::Unknown),
        },
    );
    let answer = |((root, met), claimed): ((&Root, Met), Result<Claims, Why>)| {
        let (path, why) = match met {
            Met::File(path, _) => match claimed {
                Ok(Claims { files: claims, notes }) => return Asked { path, claims, notes },
                Err(why) => (path, why),
            },
            Met::Again(path) => (path, Why::Again),
            Met::Special(path) => (path, Why::Special),
            Met::Closed(path) => (path, Why::Closed),
            Met::Outside(path) => (path, Why::Outside),
            Met::System(path) => (path, Why::System),
            Met::Fault(path, error) => match root.variable {
                Some(name) if path == root.path => {
                    (path, Why::Unreadable(format!("${name} names it: {error}")))
                }
                _ => (path, Why::Unreadable(error.to_string())),
            },
        };
        Asked { path, claims: Vec::new(), notes: vec![why] }
    };
    met.into_iter().zip(claimed).map(answer).collect()
}

#[derive(Default)]
pub(crate) struct Scan {
    pub groups: Groups,
    aside: Vec<Aside>,
}

impl Scan {
    /// Asks for each file whose it is, and puts together what belongs together.
    fn gather(&mut self, formats: Formats<'_>, met: Vec<(&Root, Met)>, kept: &Kept) {
        let roots: Vec<&Root> = met.iter().map(|(root, _)| *root).collect();
        let asked = ask(formats, met, kept);
        for (root, Asked { path, claims, notes }) in roots.into_iter().zip(asked) {
            claims.into_iter().for_each(|claimed| self.groups.add(root, claimed));
            self.aside.extend(notes.into_iter().map(|why| Aside { path: path.clone(), why }));
        }
    }

    /// What there is, whole.
    pub(crate) fn finish(self) -> Found {
        let mut found = Found { sources: self.groups.finish(), aside: self.aside };
        for source in &mut found.sources {
            if source.files.iter().any(|file| is_zstd(&file.path)) {
                let paths: HashSet<PathBuf> =
                    source.files.iter().map(|file| file.path.clone()).collect();
                let doubled = |file: &mut File| {
                    is_zstd(&file.path) && paths.contains(&file.path.with_extension(""))
                };
                let aside = source.files.extract_if(.., doubled);
                let aside = aside.map(|file| Aside { path: file.path, why: Why::Compressed });
                found.aside.extend(aside);
            }
            name(source);
        }
        found
    }
}

/// Names a source's files relative to the folder that they share, and sorts them: the main ones,
/// what stands beside them, then each sub-agent. Where the session's name is in none of these
/// names, they begin one or more folders higher, where it is: some agents write it nowhere else.
fn name(source: &mut Source) {
    let Some(shared) = shared(&source.files) else { return };
    let last = source.group.rsplit('/').next().unwrap_or_default();
    let names = |base: &Path| -> Vec<String> {
        source.files.iter().map(|file| relative(&file.path, base)).collect()
    };
    let says = |names: &Vec<String>| names.iter().any(|name| name.contains(last));
    let mut named = names(&shared);
    if !last.is_empty() && !says(&named) {
        named = shared.ancestors().skip(1).map(names).find(says).unwrap_or(named);
    }
    for (file, mut name) in source.files.iter_mut().zip(named) {
        if file.rows.is_some() {
            name.push_str(DUMP);
        }
        file.name = name;
    }
    source.files.sort_by(|a, b| (rank(&a.role), &a.name).cmp(&(rank(&b.role), &b.name)));
}

/// The path from a folder on, as a bundle names it.
fn relative(path: &Path, base: &Path) -> String {
    // Nearly all paths begin with their folder's to the letter.
    if MAIN_SEPARATOR == '/'
        && let (Some(path), Some(base)) = (path.to_str(), base.to_str())
        && let Some(rest) = path.strip_prefix(base).and_then(|rest| rest.strip_prefix('/'))
        && !rest.starts_with(['/', '.'])
    {
        return rest.to_owned();
    }
    slashed(path.strip_prefix(base).unwrap_or(path))
}

fn rank(role: &Role) -> (u8, &str, u8) {
    match role {
        Role::Main => (0, "", 0),
        Role::Beside(None) => (0, "", 1),
        Role::Sub(stem) => (1, stem, 0),
        Role::Beside(Some(stem)) => (1, stem, 1),
    }
}
