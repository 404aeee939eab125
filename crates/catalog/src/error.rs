//! Errors of the catalog: the fault, its place, and the next step.

use std::path::PathBuf;

use evidence::cbor::ConvertError;
use formats::WriteError;

/// Why something could not be done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// Nothing has this name.
    #[error(
        "no session has an id that begins with `{query}`, and there is no such file{}",
        left(unread)
    )]
    NoSuch {
        /// The requested name.
        query: String,
        /// Files that could not be read, and why: it may be in one of them.
        unread: Vec<String>,
    },
    /// Several sessions have it.
    #[error("`{query}` is the beginning of {} session ids: {}", found.len(), some(found))]
    Ambiguous {
        /// The requested name.
        query: String,
        /// The uids of the sessions, with their files where two have the same one.
        found: Vec<String>,
        /// True where more of the id would not tell them apart.
        copies: bool,
    },
    /// A path that holds no session.
    #[error("{}: {why}", path.display())]
    NoSession {
        /// The path.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// A path that holds several sessions, where one is needed.
    #[error("{} holds {} sessions: {}", path.display(), found.len(), some(found))]
    Several {
        /// The path.
        path: PathBuf,
        /// The uids of the sessions.
        found: Vec<String>,
    },
    /// No format has this name.
    #[error("there is no format `{name}`")]
    NoFormat {
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<&'static str>,
    },
    /// The requested format has no CBOR form.
    #[error("`{format}` can't be written in CBOR")]
    NoCbor {
        /// Its name.
        format: String,
        /// The one that has.
        only: &'static str,
    },
    /// A document that the other encoding can't hold.
    #[error("{}: {error}", path.display())]
    Convert {
        /// Which.
        path: PathBuf,
        /// The reason.
        error: ConvertError,
    },
    /// A record that was made, and that CBOR can't hold.
    #[error("the record can't be written in CBOR: {error}")]
    Pack {
        /// The reason.
        error: ConvertError,
    },
    /// A session that cannot be written so.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl Error {
    /// Advice: the next step.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoSuch { .. } => Some("`verbatim list` shows the sessions and their ids".into()),
            Self::Ambiguous { copies: true, .. } => Some("name one by its path".into()),
            Self::Ambiguous { .. } => Some("give more of the id".into()),
            Self::Several { path, .. } => {
                Some(format!("name one of them by its id, with `--in {}`", path.display()))
            }
            Self::NoFormat { known, .. } => Some(format!("the formats are: {}", known.join(", "))),
            Self::NoSession { .. } => Some("`verbatim check` says what each file is".into()),
            Self::NoCbor { only, .. } => Some(format!("`--to {only}` can")),
            Self::Io { .. } | Self::Write(_) | Self::Convert { .. } => None,
            Self::Pack { .. } => Some("leave `--cbor` out to write it as JSON".into()),
        }
    }
}

fn some(uids: &[String]) -> String {
    let shown: Vec<&str> = uids.iter().take(5).map(String::as_str).collect();
    let more = if uids.len() > shown.len() { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// Names what could not be read, as far as it is short.
fn left(unread: &[String]) -> String {
    match unread {
        [] => String::new(),
        [one] => format!("; it may be in {one}"),
        [one, more @ ..] => {
            format!("; it may be in {one}; or in {} more that `check` names", more.len())
        }
    }
}
