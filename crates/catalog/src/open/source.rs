//! Source: the files that make up one session.

use std::path::PathBuf;
use std::time::SystemTime;

use formats::{Format, Role};

use crate::open::database::Selection;

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
