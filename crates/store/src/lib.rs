//! Files that verbatim writes: complete or not at all, never in place of an agent's file, and never
//! at a path that a session's text chooses.
//!
//! No other library crate writes files, except that the catalog makes private copies of databases.

#![forbid(unsafe_code)]

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

mod atomic;
mod changing;
pub mod draft;
pub mod exchange;
mod ground;
mod journal;
mod names;
mod open_files;
pub mod outputs;
mod place;
pub mod placing;
pub mod tree;
pub mod unnamed;

use changing::Changing;
pub use changing::is_changing;
pub use names::{file_name, relative};

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// Path of the file.
    pub path: PathBuf,
    /// Length of the file in bytes.
    pub bytes: u64,
    /// The folder that was made for it; the highest one, if there are several.
    pub folder: Option<PathBuf>,
}

/// The reason why files were not written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The target must not be written.
    #[error("{what}")]
    Refused {
        /// The target and the reason.
        what: String,
        /// The next step: another way to the same result.
        hint: String,
    },
    /// The system reported an error.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A session can't be placed there: nothing was changed.
    #[error("{what}")]
    Denied {
        /// The place and the reason.
        what: String,
        /// The next step.
        hint: String,
    },
    /// A session is to be placed where a file is already.
    #[error("{} exists already", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// A session that was placed is not read back as it was written. It was removed again.
    #[error("the placed session was removed again: {what}")]
    Differs {
        /// The difference.
        what: String,
    },
    /// The agent has changed a session that was placed.
    #[error(
        "{} is not as it was placed: its agent has continued the session",
        path.display()
    )]
    Continued {
        /// The file.
        path: PathBuf,
    },
}

/// Owner of a path: the agent's name, or `None` for a path that belongs to no agent.
pub type Owner<'o> = &'o dyn Fn(&Path) -> Option<&'static str>;

/// Function that writes the bytes of a file into a sink. Each call writes all of them.
pub type Fill<'c> = &'c mut dyn FnMut(&mut dyn Write) -> io::Result<()>;

/// Writer of one file to a path, or of several files into the folder of that path. An existing file
/// is replaced only with `replace`, and only if it is a regular file that belongs to no agent.
pub struct Writer<'w> {
    path: &'w Path,
    replace: bool,
    owner: Owner<'w>,
    /// The folder in which it is remembered that the files are verbatim's own.
    state: Option<PathBuf>,
    /// The names and paths of all files.
    targets: Vec<(String, PathBuf)>,
    /// Several files are one result, and a part of them is not one.
    changing: Option<Changing>,
    /// The files that were written completely.
    pub saved: Vec<Saved>,
}

impl fmt::Debug for Writer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("path", &self.path).finish_non_exhaustive()
    }
}

impl<'w> Writer<'w> {
    /// A writer to `path`.
    pub fn new(path: &'w Path, replace: bool, owner: Owner<'w>) -> Self {
        let (targets, saved) = (Vec::new(), Vec::new());
        Self { path, replace, owner, state: None, targets, changing: None, saved }
    }

    /// The same, which remembers in this folder that the files are verbatim's own.
    #[must_use]
    pub fn noting(mut self, state: Option<PathBuf>) -> Self {
        self.state = state;
        self
    }

    /// The paths of all files, once their names are known.
    pub fn targets(&self) -> impl Iterator<Item = &Path> {
        self.targets.iter().map(|(_, path)| path.as_path())
    }

    /// Receives the names of all files before any is written.
    ///
    /// # Errors
    /// [`Error::Refused`]: then no file may be written.
    pub fn begin(&mut self, names: &[&str]) -> Result<(), Error> {
        let path = self.path;
        let folder = path.is_dir() || place::is_named_as_folder(path);
        // A path with an extension looks like the name of a file, so it does not become a folder.
        if names.len() != 1 && !folder && (path.exists() || path.extension().is_some()) {
            return Err(Error::Refused {
                what: format!(
                    "the session has {} files, and {} is a single file",
                    names.len(),
                    path.display()
                ),
                hint: format!("name a folder, as `-o {}/`", path.with_extension("").display()),
            });
        }
        let below = folder || names.len() != 1;
        let target = |name: &&str| {
            let target = if below { path.join(relative(name)) } else { path.to_path_buf() };
            ((*name).to_owned(), target)
        };
        self.targets = names.iter().map(target).collect();
        self.targets
            .iter()
            .try_for_each(|(_, path)| place::may_write(path, self.replace, self.owner))?;
        self.changing = (names.len() > 1).then(Changing::begin);
        Ok(())
    }

    /// Writes the file of this name.
    ///
    /// # Errors
    /// [`Error::Refused`] if [`Writer::begin`] did not receive this name; [`Error::Io`] if the
    /// system reports an error.
    pub fn file(&mut self, name: &str, compose: Fill<'_>) -> Result<(), Error> {
        let Some((_, path)) = self.targets.iter().find(|(known, _)| known == name) else {
            let (what, hint) = (format!("{name} was not in the list of files"), String::new());
            return Err(Error::Refused { what, hint });
        };
        self.saved.push(put(path, compose, self.replace)?);
        if let Some(state) = &self.state {
            // A file that is not remembered is nobody's: `--force` then refuses it.
            let _ = outputs::note(state, path);
        }
        Ok(())
    }
}

/// Writes one file and creates its folders. An existing file is replaced only with `replace`.
///
/// # Errors
/// [`Error::Io`] if the system reports an error, or the file exists and must not be replaced.
pub fn save(path: &Path, bytes: &[u8], replace: bool) -> Result<Saved, Error> {
    put(path, &mut |sink| sink.write_all(bytes), replace)
}

fn put(path: &Path, compose: Fill<'_>, replace: bool) -> Result<Saved, Error> {
    let path = path.to_path_buf();
    let above = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    let folder = above.take_while(|folder| folder.symlink_metadata().is_err()).last();
    let folder = folder.map(Path::to_path_buf);
    match atomic::put(&path, compose, replace) {
        Ok(bytes) => Ok(Saved { path, bytes, folder }),
        Err(source) => Err(Error::Io { path, source }),
    }
}
