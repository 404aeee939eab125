//! An entry of the journal of folders. Another program, or a later version of this one, may have
//! written it: it is believed only if it has this version's form and names no other folder.

use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use serde::{Deserialize, Serialize};

use crate::journal::{digest, is_plain};

/// The name of the schema of an entry.
const SCHEMA: &str = "verbatim-folder-1";

/// The beginning of the name that a folder has beside this place while it is written.
pub(super) fn hidden(target: &Path) -> String {
    format!(".verbatim-{}-", &digest(target.as_os_str().as_encoded_bytes())[..12])
}

/// A file of a folder that gets another one in its place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownFile {
    /// Its path below the old folder.
    pub from: PathBuf,
    /// Its path below the new one.
    pub to: PathBuf,
    /// Number of bytes that were read of it.
    pub length: u64,
    /// Their digest.
    pub read: String,
    /// The digest of the bytes that were written.
    pub written: String,
    /// The bytes that are just being added to the new file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adding: Option<Adding>,
}

/// Bytes that are added at the end of a new file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adding {
    /// The length of the new file before.
    pub at: u64,
    /// The end of the bytes in the old file.
    pub until: u64,
}

/// An entry of the journal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    schema: String,
    /// The place of the folder.
    pub(crate) target: PathBuf,
    /// The folder beside it that is being written.
    pub(crate) made: PathBuf,
    /// The system's numbers of that folder, when it is there.
    new: Option<Identity>,
    /// The work that is done, in words of its own.
    pub(super) work: String,
    /// The folder that is replaced, from the moment at which that begins.
    pub(crate) old: Option<Identity>,
    pub(super) files: Vec<KnownFile>,
}

/// The system's own numbers of a folder, which stay when it gets another name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
}

impl Entry {
    /// The entry of a folder that is being written.
    pub(super) fn new(target: PathBuf, work: &str) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            made: PathBuf::new(),
            new: None,
            work: work.to_owned(),
            old: None,
            files: Vec::new(),
            target,
        }
    }

    /// Reads an entry. The error says why it is not obeyed.
    pub(super) fn parse(text: &[u8]) -> Result<Self, String> {
        let entry: Self =
            serde_json::from_slice(text).map_err(|error| format!("it can't be read: {error}"))?;
        if entry.schema != SCHEMA {
            return Err(format!("its schema is {:?}, not {SCHEMA}", entry.schema));
        }
        let name = entry.made.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let beside = entry.made.parent() == entry.target.parent();
        if !beside || !name.starts_with(&hidden(&entry.target)) || !is_plain(&entry.target) {
            return Err(format!("{} is no folder that verbatim makes", entry.made.display()));
        }
        let is_below = |path: &Path| path.components().all(|p| matches!(p, Component::Normal(_)));
        match entry.files.iter().all(|file| is_below(&file.from) && is_below(&file.to)) {
            true => Ok(entry),
            false => Err("it has a path that leads out of its folder".into()),
        }
    }

    /// The name that an old folder has for a moment, where two folders can't be exchanged in one
    /// step.
    pub(crate) fn skipped(&self) -> PathBuf {
        let name = self.made.file_name().unwrap_or_default().to_string_lossy();
        self.made.with_file_name(format!("{name}.old"))
    }

    /// Notes that the folder that is being written is there.
    pub(super) fn is_begun(&mut self) -> io::Result<()> {
        self.new = Some(identity(&self.made)?);
        Ok(())
    }

    /// Removes the folder that was being written. False if there is another one in its place, with
    /// something in it.
    pub(super) fn remove_made(&self) -> io::Result<bool> {
        let is_folder = self.made.symlink_metadata().is_ok_and(|meta| meta.is_dir());
        if is_folder && self.new.is_some() && identity(&self.made).ok() == self.new {
            fs::remove_dir_all(&self.made)?;
        }
        match fs::remove_dir(&self.made) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Ok(false),
            _ => Ok(true),
        }
    }

    /// Notes that the folder is being replaced.
    pub(crate) fn replaces(&mut self, files: Vec<KnownFile>) -> io::Result<()> {
        self.old = Some(identity(&self.target)?);
        self.files = files;
        Ok(())
    }

    #[cfg(unix)]
    pub(super) fn is_old(&self, path: &Path) -> bool {
        let is_folder = path.symlink_metadata().is_ok_and(|meta| meta.is_dir());
        is_folder && self.old.is_some() && identity(path).ok() == self.old
    }

    /// Without the system's numbers: the old folder has the name that it gets for a moment.
    #[cfg(not(unix))]
    pub(super) fn is_old(&self, path: &Path) -> bool {
        let skipped = self.skipped();
        self.old.is_some()
            && path.is_dir()
            && (path == skipped) == skipped.is_dir()
            && path != self.made
    }
}

#[cfg(unix)]
fn identity(path: &Path) -> io::Result<Identity> {
    use std::os::unix::fs::MetadataExt;
    let meta = path.symlink_metadata()?;
    Ok(Identity { device: meta.dev(), inode: meta.ino() })
}

#[cfg(not(unix))]
fn identity(path: &Path) -> io::Result<Identity> {
    path.symlink_metadata()?;
    Ok(Identity { device: 0, inode: 0 })
}
