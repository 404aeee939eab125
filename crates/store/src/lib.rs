//! Files that verbatim writes: complete or not at all, never in place of an agent's file, and never
//! at a path that a session's text chooses.
//!
//! No other library crate writes files, except the catalog its private copies of databases.

#![forbid(unsafe_code)]

use std::ops::Deref;
use std::path::{Path, PathBuf};

mod names;
mod place;

pub use names::{file_name, relative};

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// Its path.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
}

/// The reason why files were not written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The target may not be written.
    #[error("{what}")]
    Refused {
        /// The target, and the reason.
        what: String,
        /// Advice: another way to the same end.
        hint: String,
    },
    /// The system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
}

/// Owner of the file at a path: the agent's name, `None` for a file that no agent wrote.
pub type Owner<'o> = &'o dyn Fn(&Path) -> Option<&'static str>;

/// Writes one file to `path`, or several (name and content of each) into the folder `path`. An
/// existing file is replaced only with `replace`, and only if it is a regular file of no agent.
///
/// # Errors
/// [`Error::Refused`] before any file is written; [`Error::Io`] from the system.
pub fn write(
    files: &[(String, impl Deref<Target = [u8]>)],
    path: &Path,
    replace: bool,
    owner: Owner<'_>,
) -> Result<Vec<Saved>, Error> {
    let folder = path.is_dir() || is_named_as_folder(path);
    let targets: Vec<(PathBuf, &[u8])> = match files {
        [(name, bytes)] if folder => vec![(path.join(relative(name)), &**bytes)],
        [(_, bytes)] => vec![(path.to_path_buf(), &**bytes)],
        // A file's name, as it seems, becomes no folder.
        _ if !folder && (path.exists() || path.extension().is_some()) => {
            return Err(Error::Refused {
                what: format!(
                    "the session is {} files, and {} is one",
                    files.len(),
                    path.display()
                ),
                hint: format!("name a folder, as `-o {}/`", path.with_extension("").display()),
            });
        }
        _ => files.iter().map(|(name, bytes)| (path.join(relative(name)), &**bytes)).collect(),
    };
    for (target, _) in &targets {
        may_write(target, replace, owner)?;
    }
    targets.into_iter().map(|(path, bytes)| save(&path, bytes, replace)).collect()
}

/// Writes one file and its folders. An existing file is replaced only with `replace`.
///
/// # Errors
/// [`Error::Io`] from the system, also for a file that exists and is not to be replaced.
pub fn save(path: &Path, bytes: &[u8], replace: bool) -> Result<Saved, Error> {
    let path = path.to_path_buf();
    match place::put(&path, bytes, replace) {
        Ok(()) => Ok(Saved { path, bytes: bytes.len() as u64 }),
        Err(source) => Err(Error::Io { path, source }),
    }
}

/// Refuses an existing target: an agent's file and everything but a regular file always, another
/// file unless it is to be replaced.
fn may_write(target: &Path, replace: bool, owner: Owner<'_>) -> Result<(), Error> {
    let refuse = |what: &str, hint: &str| {
        Err(Error::Refused { what: format!("{} {what}", target.display()), hint: hint.into() })
    };
    let Ok(meta) = target.symlink_metadata() else { return Ok(()) };
    if !meta.is_file() {
        return refuse(
            "is there and no plain file, but a link, a folder, a pipe or a device",
            "name another file; `-o -` writes to standard output",
        );
    }
    if let Some(agent) = owner(target) {
        return refuse(
            &format!("is a file of an agent ({agent})"),
            "name another file; verbatim never changes what an agent wrote",
        );
    }
    match replace {
        true => Ok(()),
        false => refuse("is there already", "name another file, or replace it with `--force`"),
    }
}

/// True for a path that ends in `/`: a folder, though it may not be there yet.
fn is_named_as_folder(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.ends_with(std::path::is_separator))
}
