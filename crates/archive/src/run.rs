//! Runs: what each run of `sync` saw and kept. A run is a small file of JSON lines that never
//! changes, named after its time and its SHA-256. Several runs, one behind the other, are a run
//! file too.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use session::Sorting as _;
use store::unnamed::Unnamed;

use crate::digest::Digest;
use crate::error::Error;
use crate::machine::MachineName;

/// The ending of a run's name.
pub(crate) const ENDING: &str = ".jsonl";

/// The name of the form of runs.
pub(crate) const SCHEMA: &str = "verbatim-run-1";

/// Greatest length of a run file in bytes.
const MOST: u64 = 1 << 30;

/// A line of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Line {
    /// The first line of a run.
    Run(Head),
    /// The pieces of a content.
    Content(Content),
    /// A version of a session.
    Session(SessionVersion),
    /// A version of a file that is no session, but that resuming or showing one needs, or that
    /// belongs to an agent which verbatim does not read.
    File(OtherFile),
    /// A session that was not in its agent's folders any more.
    Gone(SessionName),
    /// A session that the user had removed: it is not kept again.
    Forgotten(Forgotten),
    /// The end of that for a session.
    Revived(SessionName),
    /// A pattern of paths that the user wants left out.
    Exclude(Exclude),
}

/// The first line of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Head {
    pub schema: String,
    /// When it began, in RFC 3339.
    pub time: String,
    #[serde(flatten)]
    pub machine: MachineName,
}

/// The pieces of a content: those of another content, if it has one as its beginning, and its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Content {
    /// The SHA-256 of all bytes.
    pub digest: Digest,
    /// Length in bytes.
    pub length: u64,
    /// The content that is the beginning of this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Digest>,
    /// The pieces behind the beginning.
    pub pieces: Vec<Digest>,
}

/// A session by the names that its agent's format gives it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SessionName {
    /// The name of the format.
    pub agent: String,
    /// The name of the group of files.
    pub group: String,
}

/// A version of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionVersion {
    /// The session.
    #[serde(flatten)]
    pub name: SessionName,
    /// The ids of the sessions in these files: mostly one.
    pub ids: Vec<String>,
    /// The version's digest: of its only file's content, or else of all names and contents.
    pub digest: Digest,
    /// Its files, in the order in which they are read.
    pub files: Vec<VersionFile>,
}

/// A file of a version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionFile {
    /// Its path on its machine.
    pub path: PathText,
    /// Its name in the session.
    pub name: String,
    /// Its role: `main`, `sub` or `beside`.
    pub role: String,
    /// The stem of the sub-agent's file that it is, or is beside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stem: Option<String>,
    /// Its content.
    pub content: Digest,
    /// Length of its content in bytes.
    pub length: u64,
    /// The time of its last change, in RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
    /// True if it is no file, but the rows of the session in the database at the path.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rows: bool,
    /// The state of the file in its file system; none if it may have changed meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stat: Option<Stat>,
}

/// A file that is no session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OtherFile {
    /// The agent that it belongs to.
    pub agent: String,
    #[serde(flatten)]
    pub file: VersionFile,
}

/// The state of a file in its file system, by which an unchanged file is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stat {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) length: u64,
    /// Time of the last change of its content, in nanoseconds since 1970.
    pub(crate) modified: i64,
    /// Time of the last change of anything, in nanoseconds since 1970.
    pub(crate) changed: i64,
    /// For a database: a digest of the same of the files beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) beside: Option<Digest>,
}

/// A session that was removed from the archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Forgotten {
    #[serde(flatten)]
    pub name: SessionName,
    pub ids: Vec<String>,
    /// The contents of its files: they are not kept under another name either.
    pub contents: Vec<Digest>,
}

/// A pattern of paths that are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Exclude {
    pub pattern: String,
    /// True if it does not count any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lifted: bool,
}

/// A path as text. One that is no UTF-8 has its bytes too.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PathText {
    /// The path.
    Text(String),
    /// The path for people, and its bytes in hexadecimal digits.
    Bytes {
        /// With replacements.
        text: String,
        /// Hexadecimal digits.
        bytes: String,
    },
}

impl PathText {
    /// The text of a path.
    #[must_use]
    pub fn of(path: &Path) -> Self {
        match path.to_str() {
            Some(text) => Self::Text(text.into()),
            None => Self::Bytes {
                text: path.to_string_lossy().into_owned(),
                bytes: path
                    .as_os_str()
                    .as_encoded_bytes()
                    .iter()
                    .map(|b| format!("{b:02x}"))
                    .collect(),
            },
        }
    }

    /// The path. One that is not UTF-8 is only itself on a Unix system.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        match self {
            Self::Text(text) => text.into(),
            #[cfg(unix)]
            Self::Bytes { text, bytes } => {
                let pairs = bytes.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok());
                let decoded = pairs.map(|pair| u8::from_str_radix(pair?, 16).ok());
                let decoded: Option<Vec<u8>> = decoded.collect();
                let os = decoded.map(std::os::unix::ffi::OsStringExt::from_vec);
                os.map_or_else(|| text.into(), |os: std::ffi::OsString| os.into())
            }
            #[cfg(not(unix))]
            Self::Bytes { text, .. } => text.into(),
        }
    }
}

/// Writes a run file of these lines; returns its name. The time is that of its last run.
pub(crate) fn write(folder: &Path, time: &str, lines: &[Line]) -> Result<String, Error> {
    let mut text = Vec::new();
    for line in lines {
        serde_json::to_writer(&mut text, line)
            .map_err(std::io::Error::from)
            .map_err(Error::io(folder))?;
        text.push(b'\n');
    }
    let name = file_name(time, &text);
    let mut file = Unnamed::create(folder).map_err(Error::io(folder))?;
    file.write_all(&text).map_err(Error::io(folder))?;
    file.finish(&name).map_err(Error::io(folder))?;
    Ok(name)
}

/// The name of a file with this content, whose last line is of this time.
pub(crate) fn file_name(time: &str, text: &[u8]) -> String {
    // `2026-11-27T02:28:01.000Z` has characters that some systems do not take in names.
    let time: String = time.chars().filter(|c| c.is_ascii_alphanumeric()).take(32).collect();
    format!("{time}-{}{ENDING}", Digest::of(text))
}

/// The digest in the name of a file.
pub(crate) fn digest_in_name(path: &Path) -> Option<Digest> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(ENDING)?;
    Digest::read(stem.rsplit_once('-')?.1)
}

/// Reads a run file, whose content must have the digest in its name.
pub(crate) fn read(path: &Path) -> Result<Vec<Line>, Error> {
    let damaged = |what: String| Error::Damaged { path: path.into(), what };
    let bytes = catalog::bounded(path, MOST).map_err(Error::io(path))?;
    if digest_in_name(path) != Some(Digest::of(&bytes)) {
        return Err(damaged("it does not have the digest that its name says".into()));
    }
    let mut lines = Vec::new();
    for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if line.is_empty() {
            continue;
        }
        let read: Line = serde_json::from_slice(line)
            .map_err(|error| damaged(format!("line {}: {error}", at + 1)))?;
        let is_known = !matches!(&read, Line::Run(head) if head.schema != SCHEMA);
        if !is_known || lines.is_empty() && !matches!(read, Line::Run(_)) {
            return Err(damaged(format!("line {}: no run of {SCHEMA} begins there", at + 1)));
        }
        lines.push(read);
    }
    Ok(lines)
}

/// The names of the files in a folder with this ending, sorted. A folder that is not there has
/// none: programs that copy an archive may leave out what is empty.
pub(crate) fn names(folder: &Path, ending: &str) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    let entries = match folder.read_dir() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(names),
        entries => entries.map_err(Error::io(folder))?,
    };
    for entry in entries {
        let name = entry.map_err(Error::io(folder))?.file_name();
        match name.to_str() {
            Some(name) if name.ends_with(ending) && !name.starts_with('.') => {
                names.push(name.into())
            }
            _ => {}
        }
    }
    names.in_order();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_read_as_it_was_written_and_damage_is_found() {
        let temp = tempfile::tempdir().unwrap();
        let name = SessionName { agent: "quill".into(), group: "0b5c".into() };
        let machine = MachineName::new("m".into(), Some("0f".into()));
        let head = Head { schema: SCHEMA.into(), time: "t".into(), machine };
        let digest = Digest::of(b"x");
        let content = Content { digest, length: 1, base: None, pieces: vec![digest] };
        let stem = Some("agent".into());
        let file = VersionFile {
            path: PathText::of(Path::new("/home/ana/x.jsonl")),
            name: "x.jsonl".into(),
            role: "sub".into(),
            stem,
            content: digest,
            length: 1,
            modified: None,
            rows: false,
            stat: None,
        };
        let version = SessionVersion { name: name.clone(), ids: vec![], digest, files: vec![file] };
        let lines = [
            Line::Run(head),
            Line::Content(content),
            Line::Session(version),
            Line::Gone(name),
            Line::Exclude(Exclude { pattern: "*/secret".into(), lifted: false }),
        ];
        let name = write(temp.path(), "1970-01-01T00:00:01.000Z", &lines).unwrap();
        let path = temp.path().join(&name);
        assert_eq!(read(&path).unwrap(), lines);
        assert_eq!(names(temp.path(), ENDING).unwrap(), [name]);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[20] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        assert!(matches!(read(&path), Err(Error::Damaged { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn a_path_of_any_bytes_comes_back() {
        use std::os::unix::ffi::OsStringExt as _;
        let path = PathBuf::from(std::ffi::OsString::from_vec(b"/a/\xff\n".to_vec()));
        assert_eq!(PathText::of(&path).path(), path);
    }
}
