//! Which files are sessions: every file below the roots is offered to the formats with its name
//! and its ends, and those that belong together become one [`Source`]. Reads no more than 64 KiB
//! at either end of a file; what is no session stands in [`Found::aside`] with the reason.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use formats::{Candidate, Claim, Format, Role};
use session::MEMBER_LIMIT;

use crate::Formats;
use crate::group::{Groups, shared};
use crate::machine::Root;
use crate::open::{Ends, ends};
use crate::walk::{Met, Seen, walk};

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
    /// No format knows it.
    Unknown,
    /// Nothing is in it.
    Empty,
    /// The compressed form of a file that stands beside it.
    Compressed,
    /// Met before, under another name.
    Again,
    /// Neither file nor folder.
    Special,
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
            Self::Unknown => f.write_str("no known agent writes such a file"),
            Self::Empty => f.write_str("empty"),
            Self::Compressed => f.write_str("the compressed form of the file beside it"),
            Self::Again => f.write_str("the same file as one that was met before"),
            Self::Special => f.write_str("no regular file"),
            Self::Sealed => f.write_str("holds credentials by its name: never opened"),
            Self::Long(length) => {
                write!(f, "{length} bytes, and a session's file ends at {MEMBER_LIMIT}: not read")
            }
            Self::Unreadable(why) => write!(f, "cannot be read: {why}"),
        }
    }
}

/// Names of files that hold access, whatever wrote them. They are never opened.
const SEALED: [&str; 8] = [
    ".credentials.json",
    "credentials.json",
    "auth.json",
    "oauth_creds.json",
    "mcp-auth.json",
    "mcp-oauth-tokens.json",
    "secrets.json",
    ".env",
];

/// Finds the sessions below `roots`.
#[must_use]
pub fn scan(formats: Formats<'_>, roots: &[Root]) -> Found {
    let mut scan = Scan { formats, found: Found::default(), groups: Groups::default() };
    let mut seen = Seen::default();
    for root in roots {
        walk(&root.path, &mut seen, &mut |met| scan.met(root, met));
    }
    scan.finish()
}

/// The files that make up the session that a file belongs to: looks beside it, and in the folder
/// that has its name.
#[must_use]
pub fn around(formats: Formats<'_>, file: &Path) -> Found {
    let mut scan = Scan { formats, found: Found::default(), groups: Groups::default() };
    let mut seen = Seen::default();
    let root =
        Root::named(file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(".".as_ref()));
    walk(file, &mut seen, &mut |met| scan.met(&root, met));
    let Some(first) = scan.groups.first() else { return scan.finish() };
    let (format, group) = (first.format.name(), first.group.clone());
    // A folder with the session's name holds nothing else; of any other one, only the files
    // directly in it are looked at.
    let named = |path: &Path| path.file_name().is_some_and(|name| name == group.as_str());
    if named(&root.path) {
        walk(&root.path, &mut seen, &mut |met| scan.met(&root, met));
    } else if let Ok(entries) = std::fs::read_dir(&root.path) {
        let mut beside: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        beside.sort();
        for path in beside.iter().filter(|path| path.is_file() || named(path)) {
            walk(path, &mut seen, &mut |met| scan.met(&root, met));
        }
    }
    scan.groups.retain(|source| source.format.name() == format && source.group == group);
    scan.finish()
}

/// The format that claims a file, the group, the group above it, and the role.
type Claimed = (&'static dyn Format, String, Option<String>, Role);

struct Scan<'f> {
    formats: Formats<'f>,
    found: Found,
    groups: Groups,
}

impl Scan<'_> {
    fn met(&mut self, root: &Root, met: Met) {
        let (path, why) = match met {
            Met::File(path, meta) => match self.file(root, &path, &meta) {
                Ok(()) => return,
                Err(why) => (path, why),
            },
            Met::Again(path) => (path, Why::Again),
            Met::Special(path) => (path, Why::Special),
            Met::Fault(path, error) => match root.variable {
                Some(name) if path == root.path => {
                    (path, Why::Unreadable(format!("${name} names it: {error}")))
                }
                _ => (path, Why::Unreadable(error.to_string())),
            },
        };
        self.found.aside.push(Aside { path, why });
    }

    fn file(&mut self, root: &Root, path: &Path, meta: &std::fs::Metadata) -> Result<(), Why> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if SEALED.contains(&&*name) {
            return Err(Why::Sealed);
        }
        let length = meta.len();
        if length == 0 {
            return Err(Why::Empty);
        }
        let ends = ends(path, length).map_err(|error| Why::Unreadable(error.to_string()))?;
        let (format, group, above, role) = self.claim(root, path, length, &ends)?;
        if length > MEMBER_LIMIT as u64 {
            return Err(Why::Long(length));
        }
        let file = File {
            path: path.into(),
            name: name.into(),
            role,
            length,
            modified: meta.modified().ok(),
        };
        self.groups.add(format, &root.path, group, above, file);
        Ok(())
    }

    /// Which format has the file: the place's own first, then the others in their order.
    fn claim(&self, root: &Root, path: &Path, length: u64, ends: &Ends) -> Result<Claimed, Why> {
        let path = slashed(path);
        let file = Candidate { path: &path, head: &ends.head, tail: &ends.tail, length };
        let mut why = Why::Unknown;
        let own = |format: &&&'static dyn Format| {
            root.format.is_some_and(|own| own.name() == format.name())
        };
        let others = self.formats.iter().filter(|format| !own(format));
        for format in self.formats.iter().filter(own).chain(others) {
            match format.claim(&file) {
                Claim::Part { group, role } => {
                    return Ok((*format, group, format.above(&file), role));
                }
                Claim::NoSession(reason) if matches!(why, Why::Unknown) => {
                    why = Why::NoSession(format.name(), reason);
                }
                Claim::NoSession(_) | Claim::No => {}
            }
        }
        Err(why)
    }

    fn finish(mut self) -> Found {
        self.found.sources = self.groups.finish();
        for source in &mut self.found.sources {
            let plain: Vec<PathBuf> = source.files.iter().map(|file| file.path.clone()).collect();
            let doubled = |file: &mut File| {
                file.path.extension().is_some_and(|extension| extension == "zst")
                    && plain.contains(&file.path.with_extension(""))
            };
            let dropped = source.files.extract_if(.., doubled);
            self.found
                .aside
                .extend(dropped.map(|file| Aside { path: file.path, why: Why::Compressed }));
            name(source);
        }
        self.found
    }
}

/// A path with `/` between its parts, whatever the system writes.
pub(crate) fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '/' { text.into_owned() } else { text.replace('\\', "/") }
}

/// Names a source's files relative to the folder that they share, and sorts them: the main ones,
/// what stands beside them, then each sub-agent. Where the session's name is in none of these
/// names, they begin one or more folders higher, where it is: some agents write it nowhere else.
fn name(source: &mut Source) {
    let Some(mut shared) = shared(&source.files) else { return };
    let last = source.group.rsplit('/').next().unwrap_or_default().to_owned();
    let relative =
        |file: &File, base: &Path| slashed(file.path.strip_prefix(base).unwrap_or(&file.path));
    let says = |base: &Path| source.files.iter().any(|file| relative(file, base).contains(&last));
    if !last.is_empty() && !says(&shared) {
        let higher = shared.ancestors().skip(1).find(|base| says(base));
        if let Some(higher) = higher.map(Path::to_path_buf) {
            shared = higher;
        }
    }
    for file in &mut source.files {
        file.name = relative(file, &shared);
    }
    source.files.sort_by(|a, b| (rank(&a.role), &a.name).cmp(&(rank(&b.role), &b.name)));
}

fn rank(role: &Role) -> (u8, &str, u8) {
    match role {
        Role::Main => (0, "", 0),
        Role::Beside(None) => (0, "", 1),
        Role::Sub(stem) => (1, stem, 0),
        Role::Beside(Some(stem)) => (1, stem, 1),
    }
}
