//! Exit codes and failures of a command.

use std::path::PathBuf;

/// Exit code of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Success.
    Good = 0,
    /// The command completed with a bad result: bytes are lost, a rule is broken, or
    /// `--fail-on-unknown` found unknown names.
    Bad = 1,
    /// The command line is wrong.
    Usage = 2,
    /// Something could not be found, read or written.
    Failed = 3,
    /// A signal cancelled the command.
    Cancelled = 130,
    /// Nothing failed, but nothing known shows the result either: no known key signed a file.
    Unshown = 4,
}

/// Failure of a command: the reason, and the next step.
#[derive(Debug)]
pub enum Failure {
    /// The catalog failed.
    Catalog(catalog::Error),
    /// A file could not be written.
    File(PathBuf, std::io::Error),
    /// There is no file or folder of this name, and the command needs one.
    NoFile(String),
    /// Standard input or output could not be used.
    Stream(std::io::Error),
    /// The operation was refused, and nothing was changed: the reason, and the next step.
    Refused(String, String),
    /// The result is not what it should be: the fault, and the next step.
    Faulty(String, String),
    /// The command line is wrong: the reason, and the next step.
    Usage(String, String),
}

impl From<catalog::Error> for Failure {
    fn from(error: catalog::Error) -> Self {
        Self::Catalog(error)
    }
}

impl From<operations::placing::Error> for Failure {
    fn from(error: operations::placing::Error) -> Self {
        match error {
            operations::placing::Error::Catalog(error) => error.into(),
            operations::placing::Error::Store(error) => error.into(),
            operations::placing::Error::Refused { what, hint } => Self::Refused(what, hint),
            operations::placing::Error::Faulty { what, hint } => Self::Faulty(what, hint),
            operations::placing::Error::Unclear { what, hint } => Self::Usage(what, hint),
        }
    }
}

impl From<operations::attest::Error> for Failure {
    fn from(error: operations::attest::Error) -> Self {
        match error {
            operations::attest::Error::Io { path, source } => Self::File(path, source),
            operations::attest::Error::Catalog(error) => error.into(),
            operations::attest::Error::Store(error) => error.into(),
            operations::attest::Error::Refused { what, hint } => Self::Refused(what, hint),
        }
    }
}

impl From<operations::twin::ExportError> for Failure {
    fn from(error: operations::twin::ExportError) -> Self {
        match error {
            operations::twin::ExportError::Catalog(error) => error.into(),
            operations::twin::ExportError::Archive(error) => error.into(),
        }
    }
}

impl From<archive::Error> for Failure {
    fn from(error: archive::Error) -> Self {
        let hint = error.hint().unwrap_or_default().to_owned();
        match error {
            archive::Error::Io { path, source } => Self::File(path, source),
            archive::Error::Refused { what, .. } => Self::Refused(what, hint),
            archive::Error::Unclear { what, .. } => Self::Usage(what, hint),
            archive::Error::Cancelled => Self::Catalog(catalog::Error::Cancelled),
            damaged @ archive::Error::Damaged { .. } => Self::Faulty(damaged.to_string(), hint),
        }
    }
}

impl From<store::Error> for Failure {
    fn from(error: store::Error) -> Self {
        match error {
            store::Error::Refused { what, hint } => Self::Usage(what, hint),
            store::Error::Denied { what, hint } => Self::Refused(what, hint),
            store::Error::Io { path, source } => Self::File(path, source),
            store::Error::Differs { .. } => {
                Self::Faulty(error.to_string(), "convert it to a file: `verbatim convert`".into())
            }
            store::Error::Exists { .. } => Self::Refused(
                error.to_string(),
                "nothing was changed, because verbatim never overwrites a session".into(),
            ),
            store::Error::Continued { .. } => Self::Refused(
                error.to_string(),
                "nothing was removed; remove it in the agent itself".into(),
            ),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Stream(error)
    }
}

impl Failure {
    /// The exit code.
    #[must_use]
    pub const fn exit(&self) -> Exit {
        match self {
            Self::Faulty(..) => Exit::Bad,
            Self::Usage(..)
            | Self::Catalog(catalog::Error::NoFormat { .. } | catalog::Error::NoAgent { .. }) => {
                Exit::Usage
            }
            Self::Catalog(catalog::Error::Cancelled) => Exit::Cancelled,
            _ => Exit::Failed,
        }
    }

    /// The reason, and the next step.
    #[must_use]
    pub fn words(&self) -> (String, Option<String>) {
        match self {
            Self::Catalog(error) => (error.to_string(), error.hint()),
            Self::File(path, error) => (format!("{}: {error}", path.display()), None),
            Self::NoFile(name) => (
                format!("there is no file or folder `{name}`"),
                Some("`verbatim list -v` shows the sessions with their files".into()),
            ),
            Self::Stream(error) => (error.to_string(), None),
            Self::Refused(what, hint) | Self::Faulty(what, hint) | Self::Usage(what, hint) => {
                (what.clone(), Some(hint.clone()))
            }
        }
    }
}
