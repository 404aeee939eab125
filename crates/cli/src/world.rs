//! What a command needs of the world around it, and how it ends.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use catalog::Catalog;
use catalog::{Formats, Machine};
use session::Instant;

/// The world around a command.
pub struct World<'w> {
    /// The formats that it knows.
    pub formats: Formats<'w>,
    /// The machine.
    pub machine: Machine,
    /// The time.
    pub now: Instant,
    /// Standard input.
    pub input: &'w mut dyn Read,
    /// Standard output.
    pub out: &'w mut dyn Write,
    /// Standard error.
    pub err: &'w mut (dyn Write + Send),
    /// The columns of the terminal that `out` is; `None` where it is none.
    pub width: Option<usize>,
    /// True where `err` is a terminal.
    pub err_terminal: bool,
}

impl<'w> World<'w> {
    /// The catalog of the world's machine.
    #[must_use]
    pub fn catalog(&self) -> Catalog<'w> {
        Catalog { formats: self.formats, machine: self.machine.clone() }
    }
}

/// Refuses `-` where files are asked for: what comes without a file can't be looked for.
pub(crate) fn only_files<P: AsRef<Path>>(paths: &[P]) -> Result<(), Failure> {
    let streams = |path: &P| path.as_ref() == "-" && !path.as_ref().exists();
    match paths.iter().any(streams) {
        false => Ok(()),
        true => Err(Failure::Usage(
            "`-`: this command looks into files, not standard input".into(),
            "`show`, `convert`, `attribution` and `validate` read it; or put it into a file".into(),
        )),
    }
}

/// The time, now.
pub(crate) fn now() -> Instant {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Instant(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}

/// How a command ended: the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Outcome {
    /// All is well.
    Good = 0,
    /// It did what it was asked, and the answer is bad: something is lost, or unknown where that
    /// was not to be.
    Bad = 1,
    /// The command line is wrong.
    Usage = 2,
    /// Something could not be found, read or written.
    Failed = 3,
}

/// Why a command could not do what it was asked.
#[derive(Debug)]
pub enum Failure {
    /// The catalog could not.
    Catalog(catalog::Error),
    /// A file could not be written.
    File(PathBuf, std::io::Error),
    /// There is no such file, where only a file will do.
    NoFile(String),
    /// Standard input or output could not be used.
    Stream(std::io::Error),
    /// The arguments make no sense together: what, and what to do.
    Usage(String, String),
}

impl From<catalog::Error> for Failure {
    fn from(error: catalog::Error) -> Self {
        Self::Catalog(error)
    }
}

impl From<store::Error> for Failure {
    fn from(error: store::Error) -> Self {
        match error {
            store::Error::Refused { what, hint } => Self::Usage(what, hint),
            store::Error::Io { path, source } => Self::File(path, source),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Stream(error)
    }
}

impl Failure {
    /// The exit code for it.
    #[must_use]
    pub const fn outcome(&self) -> Outcome {
        match self {
            Self::Usage(..) => Outcome::Usage,
            _ => Outcome::Failed,
        }
    }

    /// What happened, and what to do next.
    #[must_use]
    pub fn words(&self) -> (String, Option<String>) {
        match self {
            Self::Catalog(error) => (error.to_string(), error.hint()),
            Self::File(path, error) => (format!("{}: {error}", path.display()), None),
            Self::NoFile(name) => (
                format!("there is no file `{name}`"),
                Some("`verbatim list --json` names the files of each session".into()),
            ),
            Self::Stream(error) => (error.to_string(), None),
            Self::Usage(what, hint) => (what.clone(), Some(hint.clone())),
        }
    }
}
